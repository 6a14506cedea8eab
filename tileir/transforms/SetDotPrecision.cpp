#include "tileir/ir/Precision.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright::tile {

#define GEN_PASS_DEF_SETDOTPRECISION
#include "tileir/transforms/Passes.h.inc"

namespace {
struct SetDotPrecision : impl::SetDotPrecisionBase<SetDotPrecision> {
  using SetDotPrecisionBase::SetDotPrecisionBase;

  void runOnOperation() override {
    FailureOr<DotPrecision> wanted =
        parseF32Precision(precision, getOperation());
    if (failed(wanted))
      return signalPassFailure();
    if (*wanted == DotPrecision::ieee)
      return;
    getOperation()->walk([&](DotOp op) {
      if (op.getPrecision() != DotPrecision::ieee || !multipliesF32(op))
        return;
      op.setPrecision(*wanted);
      ++numSet;
    });
  }
};
} // namespace

} // namespace tilewright::tile
