#include "codegen/transforms/Passes.h"
#include "codegen/transforms/Schedules.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tileir/ir/Programs.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_DISTRIBUTEPROGRAMS
#include "codegen/transforms/Passes.h.inc"

/// The number of programs along each dimension of the grid.
static SmallVector<Value> programCounts(tile::KernelOp kernel,
                                        ImplicitLocOpBuilder &b) {
  const SmallVector<Value> symbols =
      tile::gridSymbols(b, b.getLoc(), kernel.getBody()->getArguments());
  SmallVector<Value> counts;
  for (AffineExpr count : kernel.getGrid().getResults()) {
    if (auto fixed = dyn_cast<AffineConstantExpr>(count))
      counts.push_back(arith::ConstantIndexOp::create(b, fixed.getValue()));
    else
      counts.push_back(affine::AffineApplyOp::create(
          b, AffineMap::get(0, symbols.size(), count), symbols));
  }
  return counts;
}

namespace {
/// A program's indices from its number.
class Numbering {
public:
  Numbering(ArrayRef<Value> counts, int64_t group, ImplicitLocOpBuilder &b)
      : counts(counts), group(group), b(b) {}

  SmallVector<Value> indices(Value number) {
    if (counts.size() == 1)
      return {number};
    SmallVector<Value> result;
    Value rest = number;
    if (group && counts.size() == 2) {
      result = grouped(rest);
    } else if (group) {
      Value slice = b.createOrFold<arith::MulIOp>(counts[0], counts[1]);
      result = grouped(rem(rest, slice));
      rest = div(rest, slice);
    } else {
      for (Value count : ArrayRef(counts).drop_back()) {
        result.push_back(rem(rest, count));
        rest = div(rest, count);
      }
    }
    if (result.size() < counts.size())
      result.push_back(rest);
    return result;
  }

private:
  Value div(Value a, Value by) { return b.createOrFold<arith::DivUIOp>(a, by); }
  Value rem(Value a, Value by) { return b.createOrFold<arith::RemUIOp>(a, by); }

  /// The first two indices of a program of one slice. The last group has what
  /// is left of the second dimension.
  SmallVector<Value> grouped(Value number) {
    Value most = arith::ConstantIndexOp::create(b, group);
    Value programs = b.createOrFold<arith::MulIOp>(counts[0], most);
    Value first = b.createOrFold<arith::MulIOp>(div(number, programs), most);
    Value height = b.createOrFold<arith::MinUIOp>(
        b.createOrFold<arith::SubIOp>(counts[1], first), most);
    Value inGroup = rem(number, programs);
    return {div(inGroup, height),
            b.createOrFold<arith::AddIOp>(first, rem(inGroup, height))};
  }

  SmallVector<Value> counts;
  int64_t group;
  ImplicitLocOpBuilder &b;
};

struct DistributePrograms : impl::DistributeProgramsBase<DistributePrograms> {
  using DistributeProgramsBase::DistributeProgramsBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    FailureOr<schedule::GpuSchedule> schedule = scheduleOf(kernel);
    if (failed(schedule))
      return signalPassFailure();
    const bool loops = kernel->hasAttr(tile::TileDialect::kPersistentAttr);
    const bool reorders = schedule->group && kernel.getGridRank() > 1;
    if (!loops && (schedule->persistent || reorders))
      distribute(kernel, schedule->group, schedule->persistent);
    if (schedule->persistent)
      kernel->setAttr(tile::TileDialect::kPersistentAttr,
                      Builder(kernel).getI64IntegerAttr(schedule->persistent));
  }

  static void distribute(tile::KernelOp kernel, int64_t group,
                         bool isPersistent) {
    Block &body = *kernel.getBody();
    Operation *end = body.getTerminator();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    ImplicitLocOpBuilder b(kernel.getLoc(), end);
    const SmallVector<Value> counts = programCounts(kernel, b);
    Value number = tile::ProgramIdOp::create(b, b.getIndexType()).getResult(0);
    if (isPersistent) {
      Value all = counts[0];
      for (Value count : ArrayRef(counts).drop_front())
        all = b.createOrFold<arith::MulIOp>(all, count);
      Value running =
          tile::ProgramCountOp::create(b, b.getIndexType()).getResult(0);
      auto loop = scf::ForOp::create(b, number, all, running);
      b.setInsertionPointToStart(loop.getBody());
      number = loop.getInductionVar();
      end = loop.getBody()->getTerminator();
    }
    const SmallVector<Value> ids = Numbering(counts, group, b).indices(number);
    for (Operation *op : ops)
      op->moveBefore(end);
    for (Operation *op : ops)
      tile::replaceProgram(op, ids, counts);
    AffineExpr all = kernel.getGrid().getResult(0);
    for (AffineExpr count : kernel.getGrid().getResults().drop_front())
      all = all * count;
    kernel.setGrid(AffineMap::get(0, kernel.getGrid().getNumSymbols(), all));
  }
};
} // namespace

} // namespace tilewright::tilegpu
