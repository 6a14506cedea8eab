//===- ModelSession.cpp - What the stages of a compilation share ----------===//
#include "library/model/session/ModelSession.h"

#include "library/model/import/ImportModel.h"
#include "library/model/session/ModelPipeline.h"

using namespace mlir;

namespace tilewright {

/// Whether the caller wants to see the work on kernels.
static bool isKernelWorkSeen(const CompileModelOptions &options) {
  return options.printPasses.wanted() ||
         options.times != CompileModelOptions::TimeFormat::none;
}

ModelTimes::ModelTimes(CompileModelOptions::TimeFormat format) {
  manager.setEnabled(format != CompileModelOptions::TimeFormat::none);
  manager.setDisplayMode(DefaultTimingManager::DisplayMode::List);
  manager.setOutput(
      createOutputStrategy(format == CompileModelOptions::TimeFormat::json
                               ? DefaultTimingManager::OutputFormat::Json
                               : DefaultTimingManager::OutputFormat::Text,
                           stream));
  root = manager.getRootScope();
}

std::string ModelTimes::finish() {
  root.stop();
  manager.print();
  return std::move(text);
}

ModelSession::ModelSession(const ModelSource &source,
                           const CompileModelOptions &options)
    : source(source), options(options), limits(source.path(), options),
      backend(isKernelWorkSeen(options) ? nullptr : options.cache,
              options.plugins, options.cpu.value_or(cpu::CpuTarget())),
      context(modelDialects(options.plugins.get()),
              MLIRContext::Threading::DISABLED),
      errors(context, name(), options.diagnostics), times(options.times),
      control(limits.control()) {
  context.setThreadPool(threads);
  prepareContext(context);
  backend.prepare(context);
}

Status ModelSession::goOn() {
  if (control.goOn())
    return Status();
  return limits.failure(control.stop(), "", options.diagnostics);
}

Status ModelSession::run(PassManager &passes, ModuleOp module, StringRef what) {
  passes.enableTiming(times.scope());
  const bool isFailed = failed(passes.run(module));
  if (control.stopped())
    return limits.failure(control.stop(), "", options.diagnostics);
  return isFailed ? errors.failure(what.str()) : Status();
}

Status ModelSession::runPipeline(const std::string &pipeline, ModuleOp module) {
  PassManager passes(&context);
  TILEWRIGHT_RETURN_IF_ERROR(
      parseModelPipeline(pipeline, options, passes).prefixed(name()));
  return run(passes, module, "the graph cannot be lowered");
}

} // namespace tilewright
