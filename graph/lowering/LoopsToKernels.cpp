#include "graph/analysis/Blocks.h"
#include "graph/analysis/SizeValues.h"
#include "graph/lowering/LoopPlan.h"
#include "graph/lowering/Passes.h"
#include "graph/lowering/Program.h"
#include "graph/transforms/Function.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tileir/ir/Programs.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_LOOPSTOKERNELS
#include "graph/lowering/Passes.h.inc"

namespace {
/// Makes one launch of the iterations of a loop.
class LoopLowering {
public:
  LoopLowering(LoopPlan &plan, scf::ForOp loop, ArrayRef<ModuleOp> modules)
      : plan(plan), loop(loop), modules(modules) {}

  void run();

private:
  void takeOperands();
  void emitKernel(ModuleOp module, StringRef name);
  void emitLaunch(OpBuilder &b, LaunchOp launch, tile::KernelOp kernel,
                  const IRMapping &outer);
  void replaceBody(StringRef name);
  int64_t step() { return *getConstantIntValue(loop.getStep()); }
  /// How far one launch gets.
  int64_t span() { return plan.iterations * step(); }

  LoopPlan &plan;
  scf::ForOp loop;
  ArrayRef<ModuleOp> modules;
  /// What the launch passes, before the first and the last iteration: the
  /// memory of tensors, and sizes.
  llvm::SetVector<Value> operands;
  llvm::SetVector<Value> written;
};
} // namespace

void LoopLowering::takeOperands() {
  auto take = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (value != loop.getInductionVar() && !(op && plan.positions.contains(op)))
      operands.insert(value);
  };
  for (LaunchOp launch : plan.launches) {
    for (Value argument : launch.getArguments())
      take(isa<TensorType>(argument.getType()) ? plan.memoryOf(argument)
                                               : argument);
    for (unsigned i = 0; i < launch->getNumResults(); ++i)
      written.insert(plan.memoryOf(launch.getWritten(i)));
  }
  for (const LoopPlan::Copy &copy : plan.copies) {
    take(copy.from);
    take(copy.to);
    written.insert(copy.to);
  }
  for (Operation *position : plan.positions)
    for (Value operand : position->getOperands())
      take(operand);
}

/// The numbers of programs along each dimension of a grid, of the kernel with
/// these arguments.
static SmallVector<Value> countPrograms(OpBuilder &b, Location loc,
                                        ArrayRef<AffineExpr> grid,
                                        ValueRange arguments) {
  SmallVector<Value> symbols;
  if (!constantsOf(grid))
    symbols = tile::gridSymbols(b, loc, arguments);
  SmallVector<Value> counts;
  for (AffineExpr count : grid)
    if (std::optional<int64_t> known = constantOf(count))
      counts.push_back(arith::ConstantIndexOp::create(b, loc, *known));
    else
      counts.push_back(affine::AffineApplyOp::create(
          b, loc, AffineMap::get(0, symbols.size(), count), symbols));
  return counts;
}

/// Opens a loop over the programs along each dimension of a grid, the first one
/// inside. Returns the number of the program.
static SmallVector<Value> openPrograms(OpBuilder &b, Location loc,
                                       ArrayRef<AffineExpr> grid,
                                       ArrayRef<Value> counts) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<Value> ids(grid.size(), zero);
  for (unsigned dim = grid.size(); dim-- > 0;) {
    if (isConst(grid[dim], 1))
      continue;
    auto programs = scf::ForOp::create(
        b, loc, zero, counts[dim], arith::ConstantIndexOp::create(b, loc, 1));
    ids[dim] = programs.getInductionVar();
    b.setInsertionPointToStart(programs.getBody());
  }
  return ids;
}

/// The programs of one kernel, one after the other.
void LoopLowering::emitLaunch(OpBuilder &b, LaunchOp launch,
                              tile::KernelOp kernel, const IRMapping &outer) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = kernel.getLoc();
  SmallVector<Value> arguments;
  for (Value argument : launch.getArguments())
    arguments.push_back(outer.lookup(isa<TensorType>(argument.getType())
                                         ? plan.memoryOf(argument)
                                         : argument));
  IRMapping mapping;
  mapping.map(kernel.getArguments(), ValueRange(arguments));
  const SmallVector<AffineExpr> grid = gridOf(kernel, launch);
  const SmallVector<Value> counts = countPrograms(b, loc, grid, arguments);
  const SmallVector<Value> ids = openPrograms(b, loc, grid, counts);
  SmallVector<Operation *> copies;
  for (Operation &op : kernel.getRegion().front().without_terminator())
    copies.push_back(b.clone(op, mapping));
  for (Operation *copy : copies)
    tile::replaceProgram(copy, ids, counts);
}

/// Copies all elements of a view to another one of the same sizes.
static void emitCopy(OpBuilder &b, Location loc, Value from, Value to) {
  OpBuilder::InsertionGuard guard(b);
  auto type = cast<tile::ViewType>(from.getType());
  constexpr int64_t mostElements = 1024;
  SmallVector<int64_t> tile(type.getRank(), 1);
  int64_t left = mostElements;
  for (unsigned dim = tile.size(); dim-- > 0; left /= tile[dim])
    tile[dim] =
        ShapedType::isDynamic(type.getShape()[dim])
            ? left
            : std::min(left, int64_t(llvm::PowerOf2Ceil(
                                 std::max<int64_t>(1, type.getShape()[dim]))));
  SmallVector<Value> offsets;
  for (unsigned dim = 0; dim < tile.size(); ++dim) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    offsets.push_back(zero);
    if (type.getShape()[dim] <= tile[dim] &&
        !ShapedType::isDynamic(type.getShape()[dim]))
      continue;
    auto tiles = scf::ForOp::create(
        b, loc, zero, b.createOrFold<tile::DimOp>(loc, from, dim),
        arith::ConstantIndexOp::create(b, loc, tile[dim]));
    offsets.back() = tiles.getInductionVar();
    b.setInsertionPointToStart(tiles.getBody());
  }
  Type element = type.getElementType();
  Value elements = tile::LoadOp::create(
      b, loc, RankedTensorType::get(tile, element), from, offsets,
      ArrayRef<int64_t>(), cast<TypedAttr>(b.getZeroAttr(element)));
  tile::StoreOp::create(b, loc, elements, to, offsets, ArrayRef<int64_t>());
}

/// Drops what nobody needs in the regions of `root`.
static void dropDeadOps(Operation *root) {
  root->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (op != root && isOpTriviallyDead(op))
      op->erase();
  });
}

/// The schedule that all kernels of the body have; null: the default.
static Attribute scheduleOf(const LoopPlan &plan, ModuleOp module) {
  llvm::SetVector<Attribute> schedules;
  for (LaunchOp launch : plan.launches)
    schedules.insert(module.lookupSymbol(launch.getKernel())
                         ->getAttr(tile::TileDialect::kScheduleAttr));
  return schedules.size() == 1 ? schedules.front() : Attribute();
}

void LoopLowering::emitKernel(ModuleOp module, StringRef name) {
  auto b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = loop.getLoc();
  SmallVector<Type> types;
  for (Value operand : operands) {
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    types.push_back(
        tensor ? tile::ViewType::get(tensor.getShape(), tensor.getElementType())
               : operand.getType());
  }
  types.append(2, b.getIndexType()); // The first iteration, and the end.
  auto kernel = tile::KernelOp::create(
      b, loc, name, types,
      AffineMap::get(0, tile::KernelOp::countGridSymbols(types),
                     b.getAffineConstantExpr(1), b.getContext()));
  if (Attribute schedule = scheduleOf(plan, module))
    kernel->setAttr(tile::TileDialect::kScheduleAttr, schedule);
  Block &entry = kernel.getRegion().front();
  b.setInsertionPoint(entry.getTerminator());
  IRMapping mapping;
  mapping.map(operands.getArrayRef(), entry.getArguments().drop_back(2));
  Value first = entry.getArgument(operands.size()),
        end = entry.getArgument(operands.size() + 1);
  // The loop may go on behind what this launch runs.
  Value left = arith::SubIOp::create(b, loc, end, first);
  Value most = arith::ConstantIndexOp::create(b, loc, span());
  Value taken = arith::MinSIOp::create(b, loc, left, most);
  auto iterations = scf::ForOp::create(
      b, loc, first, arith::AddIOp::create(b, loc, first, taken),
      arith::ConstantIndexOp::create(b, loc, step()));
  b.setInsertionPointToStart(iterations.getBody());
  mapping.map(loop.getInductionVar(), iterations.getInductionVar());
  for (Operation *position : plan.positions)
    b.clone(*position, mapping);
  for (LaunchOp launch : plan.launches)
    emitLaunch(b, launch,
               module.lookupSymbol<tile::KernelOp>(launch.getKernel()),
               mapping);
  for (const LoopPlan::Copy &copy : plan.copies)
    emitCopy(b, loc, mapping.lookup(copy.from), mapping.lookup(copy.to));
  dropDeadOps(kernel);
}

/// The loop goes on from launch to launch.
void LoopLowering::replaceBody(StringRef name) {
  auto b = OpBuilder(loop.getBody()->getTerminator());
  SmallVector<Value> arguments(operands.begin(), operands.end());
  SmallVector<int64_t> writes;
  SmallVector<Value> places;
  for (auto [position, operand] : llvm::enumerate(operands))
    if (written.contains(operand)) {
      writes.push_back(int64_t(position));
      places.push_back(operand);
    }
  arguments.append({loop.getInductionVar(), loop.getUpperBound()});
  SetVector<StringRef> labels;
  for (LaunchOp launch : plan.launches)
    labels.insert(launch.getLabel());
  auto launch =
      LaunchOp::create(b, loop.getLoc(), ValueRange(places).getTypes(), name,
                       arguments, writes, llvm::join(labels, " + "));
  for (auto [argument, next] :
       llvm::zip(loop.getRegionIterArgs(),
                 loop.getBody()->getTerminator()->getOpOperands())) {
    // What is left is in its place, if it was not left as it is.
    Value carried = argument;
    auto *place = llvm::find(places, carried);
    next.set(place == places.end() ? carried
                                   : launch.getResult(place - places.begin()));
  }
  for (LaunchOp old : llvm::reverse(plan.launches))
    old->erase();
  dropDeadOps(loop);
  b.setInsertionPoint(loop);
  loop.setStep(arith::ConstantIndexOp::create(b, loop.getLoc(), span()));
}

void LoopLowering::run() {
  takeOperands();
  const std::string name = (plan.launches.front().getKernel() + "_loop").str();
  for (ModuleOp module : modules)
    emitKernel(module, name);
  replaceBody(name);
}

/// Puts a copy of a loop of launches behind it, for the iterations that it
/// does not run: all or none, by its sizes.
static void splitBySizes(scf::ForOp loop, AffineExpr isSmall,
                         SymbolicShapes &shapes, SizeValues &values) {
  OpBuilder b(loop->getContext());
  b.setInsertionPointAfter(loop);
  auto rest = cast<scf::ForOp>(b.clone(*loop));
  loop.replaceAllUsesWith(rest.getResults());
  rest.getInitArgsMutable().assign(loop.getResults());
  Sizes &sizes = shapes.sizes();
  AffineExpr lower = *shapes.exprOf(loop.getLowerBound()),
             upper = *shapes.exprOf(loop.getUpperBound());
  Value middle = values.valueOf(
      sizes.add(lower, sizes.mul(sizes.sub(upper, lower), isSmall)));
  loop.setUpperBound(middle);
  rest.setLowerBound(middle);
  rest->setAttr(kNoKernelAttr,
                b.getStringAttr("for sizes that are too large for a kernel"));
}

namespace {
struct LoopsToKernels : impl::LoopsToKernelsBase<LoopsToKernels> {
  void runOnOperation() override {
    const SmallVector<ModuleOp> modules = kernelModules(getOperation());
    FailureOr<func::FuncOp> func = graphFunction(getOperation());
    if (failed(func))
      return signalPassFailure();
    // Shapes are of the function before it changes.
    SymbolicShapes shapes(*func);
    SizeValues values(*func, shapes);
    std::vector<std::pair<scf::ForOp, LoopPlan>> plans;
    for (auto loop : graphOps<scf::ForOp>(*func))
      plans.emplace_back(loop, planLoop(loop, shapes, modules));
    llvm::SetVector<StringAttr> replaced;
    for (auto &[loop, plan] : plans) {
      if (!plan.obstacle.empty()) {
        loop->setAttr(kNoKernelAttr,
                      StringAttr::get(&getContext(), plan.obstacle));
        continue;
      }
      for (LaunchOp launch : plan.launches)
        replaced.insert(launch.getKernelAttr().getAttr());
      if (plan.isSmall)
        splitBySizes(loop, plan.isSmall, shapes, values);
      LoopLowering(plan, loop, modules).run();
      ++loopCount;
    }
    for (LaunchOp launch : graphOps<LaunchOp>(*func))
      replaced.remove(launch.getKernelAttr().getAttr());
    for (StringAttr name : replaced)
      for (tile::KernelOp kernel : kernelsNamed(name, modules))
        kernel->erase();
  }
};
} // namespace

} // namespace tilewright::graph
