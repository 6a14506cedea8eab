//===- CompileInterpreter.cpp - A kernel as the interpreter takes it ------===//
#include "tilewright/mlir/Compile.h"

#include "codegen/pipeline/DescribeKernel.h"
#include "codegen/pipeline/Limits.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright {

StatusOr<KernelImage> compileForInterpreter(tile::KernelOp kernel) {
  TILEWRIGHT_RETURN_IF_ERROR(checkLimits(kernel, 0));
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  // The copy that calls are inlined in, alone in its module.
  tile::KernelOp inlined = kernel.clone();
  module->push_back(inlined);
  tile::inlineCalls(inlined, kernel->getParentOp());
  KernelImage image;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      image.manifest, describeKernel(kernel.getSymName(), kernel.getSignature(),
                                     "interpreter", persistentOf(kernel)));
  image.manifest.image = "kernels/" + image.manifest.name + ".tile.mlir";
  llvm::raw_string_ostream stream(image.code);
  // Locations are kept, so that a fault reports the line of the source.
  module->print(stream, OpPrintingFlags().enableDebugInfo());
  return image;
}

} // namespace tilewright
