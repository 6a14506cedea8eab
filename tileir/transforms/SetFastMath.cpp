#include "tileir/ir/FastMath.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright::tile {

#define GEN_PASS_DEF_SETFASTMATH
#include "tileir/transforms/Passes.h.inc"

namespace {
struct SetFastMath : impl::SetFastMathBase<SetFastMath> {
  using SetFastMathBase::SetFastMathBase;

  void runOnOperation() override {
    std::optional<arith::FastMathFlags> flags = parseFastMathFlags(names);
    if (!flags) {
      getOperation().emitError()
          << "fast math: expected flags of " << kFastMathFlagNames
          << ", separated by commas, found '" << names << "'";
      return signalPassFailure();
    }
    getOperation().walk([&](arith::ArithFastMathInterface op) {
      setFastMathFlags(op, fastMathFlagsOf(op) | *flags);
    });
  }
};
} // namespace

} // namespace tilewright::tile
