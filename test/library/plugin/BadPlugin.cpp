// A plug-in whose pass fails at the first op of each kernel.
#include "tilewright/mlir/Registry.h"
#include "tilewright/mlir/Tile.h"

using namespace mlir;

namespace {
struct Fail : PassWrapper<Fail, OperationPass<tilewright::tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Fail)
  StringRef getArgument() const override { return "fail"; }
  void runOnOperation() override {
    getOperation().getRegion().front().front().emitError("not to my liking");
    signalPassFailure();
  }
};
} // namespace

TILEWRIGHT_PLUGIN(registry) {
  registry.addPass("fail", [] { return std::make_unique<Fail>(); });
  return tilewright::Status();
}
