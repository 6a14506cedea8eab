#include "tileir/transforms/Passes.h"

namespace tilewright::tile {

#define GEN_PASS_DEF_DROPASSERTIONS
#include "tileir/transforms/Passes.h.inc"

namespace {
struct DropAssertions : impl::DropAssertionsBase<DropAssertions> {
  using DropAssertionsBase::DropAssertionsBase;

  void runOnOperation() override {
    getOperation().walk([](AssertOp op) { op.erase(); });
  }
};
} // namespace

} // namespace tilewright::tile
