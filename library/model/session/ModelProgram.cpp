//===- ModelProgram.cpp - A model as IR, between stages -------------------===//
#include "library/model/session/ModelProgram.h"

#include "graph/pipeline/Pipelines.h"

using namespace mlir;

namespace tilewright {

StatusOr<ModelProgram> importProgram(ModelSession &session) {
  TimingScope scope = session.times.nest("Import");
  session.beginPhase("import");
  ModelProgram program;
  TILEWRIGHT_ASSIGN_OR_RETURN(program.imported,
                              importModule(session.context, session.source,
                                           session.options, session.errors));
  TILEWRIGHT_RETURN_IF_ERROR(session.goOn());
  if (program.imported.isForeign && session.options.stopAfter.empty()) {
    PassManager passes(&session.context);
    graph::buildModulePipeline(passes);
    TILEWRIGHT_RETURN_IF_ERROR(
        session.run(passes, program.module(), "the module cannot be imported"));
  }
  program.info = ModelInfo::of(program.module()).value_or(ModelInfo());
  if (program.imported.countsOps) {
    program.module()->walk([&](Operation *) { ++program.info.nodeCount; });
    program.info.writeTo(program.module());
  }
  return program;
}

} // namespace tilewright
