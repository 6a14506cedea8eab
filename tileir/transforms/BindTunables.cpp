#include "tileir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tilewright/mlir/Tile.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright::tile {

#define GEN_PASS_DEF_BINDTUNABLES
#include "tileir/transforms/Passes.h.inc"

namespace {
/// Name to value.
using Bindings = llvm::MapVector<StringRef, int64_t>;

struct BindTunables : impl::BindTunablesBase<BindTunables> {
  using BindTunablesBase::BindTunablesBase;

  /// Reads the option's texts.
  FailureOr<Bindings> parseBindings() {
    Bindings parsed;
    for (StringRef text : bindings) {
      auto [name, number] = text.split('=');
      int64_t value = 0;
      if (name.empty() || number.getAsInteger(10, value)) {
        getOperation()->emitError() << "bind-tunables: '" << text
                                    << "' is not a binding; expected "
                                       "NAME=NUMBER, as in stages=3";
        return failure();
      }
      parsed[name] = value;
    }
    return parsed;
  }

  LogicalResult bind(TunableOp op, int64_t value) {
    if (!llvm::is_contained(op.getValues(), value))
      return op.emitError()
             << "tile.tunable: \"" << op.getName() << "\" is bound to " << value
             << ", expected one of [" << op.getValues() << "]";
    OpBuilder builder(op);
    auto constant = arith::ConstantIndexOp::create(builder, op.getLoc(), value);
    op.replaceAllUsesWith(constant.getResult());
    op.erase();
    ++numBound;
    return success();
  }

  void runOnOperation() override {
    FailureOr<Bindings> parsed = parseBindings();
    if (failed(parsed))
      return signalPassFailure();
    SmallVector<TunableOp> tunables;
    getOperation()->walk([&](TunableOp op) { tunables.push_back(op); });
    for (auto [name, value] : *parsed) {
      bool isKnown = false;
      for (TunableOp &op : tunables) {
        if (!op || op.getName() != name)
          continue;
        isKnown = true;
        if (failed(bind(op, value)))
          return signalPassFailure();
        op = {};
      }
      if (!isKnown) {
        getOperation()->emitError()
            << "bind-tunables: there is no tunable \"" << name << '"';
        return signalPassFailure();
      }
    }
  }
};
} // namespace

} // namespace tilewright::tile
