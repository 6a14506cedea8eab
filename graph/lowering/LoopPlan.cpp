#include "graph/lowering/LoopPlan.h"

#include "graph/analysis/Access.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::graph {

/// What an iteration may touch where several programs share its work otherwise,
/// and what it may touch more for each launch that it saves: a core is done
/// with as much before others have begun. Break-even of recurrent networks of
/// three launches with two threads: 150 to 250 KiB.
constexpr int64_t mostSharedBytes = 96 << 10, bytesForLaunch = 32 << 10;
/// The same where each kernel is one program, so that nothing is lost.
constexpr int64_t mostBytes = 1 << 20;
/// A kernel of more would be long to compile.
constexpr size_t mostLaunches = 24;
/// How many rows there may be, where their number is open.
constexpr int64_t mostRows = 16;
/// What one launch may touch in all its iterations: some milliseconds.
constexpr int64_t mostLaunchBytes = 64 << 20;
constexpr int64_t mostIterations = 1024;
/// How far the number of an iteration moves in one launch, at most.
constexpr int64_t mostSpan = int64_t(1) << 40;

Value LoopPlan::memoryOf(Value tensor) const {
  while (true) {
    if (Value carried = carriedFor.lookup(tensor))
      tensor = carried;
    auto result = dyn_cast<OpResult>(tensor);
    auto launch = result ? dyn_cast<LaunchOp>(result.getOwner()) : LaunchOp();
    if (!launch || !llvm::is_contained(launches, launch))
      return tensor;
    tensor = launch.getWritten(result.getResultNumber());
  }
}

SmallVector<tile::KernelOp> kernelsNamed(StringAttr name,
                                         ArrayRef<ModuleOp> modules) {
  SmallVector<tile::KernelOp> kernels;
  for (ModuleOp module : modules)
    if (auto kernel =
            dyn_cast_or_null<tile::KernelOp>(module.lookupSymbol(name)))
      kernels.push_back(kernel);
    else
      return {};
  return kernels;
}

SmallVector<AffineExpr> gridOf(tile::KernelOp kernel, LaunchOp launch) {
  MLIRContext *context = kernel.getContext();
  SmallVector<AffineExpr> symbols;
  auto append = [&](std::optional<int64_t> size) {
    symbols.push_back(size ? getAffineConstantExpr(*size, context)
                           : getAffineSymbolExpr(symbols.size(), context));
  };
  for (Value argument : launch.getArguments()) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (!tensor)
      append(getConstantIntValue(argument));
    else
      for (int64_t size : tensor.getShape())
        append(ShapedType::isDynamic(size) ? std::nullopt
                                           : std::optional(size));
  }
  SmallVector<AffineExpr> counts;
  for (AffineExpr count : kernel.getGrid().getResults())
    counts.push_back(count.replaceSymbols(symbols));
  return counts;
}

static int64_t bytesOfElement(RankedTensorType type) {
  return int64_t(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

namespace {
/// Finds what a loop needs to become one kernel.
class Planner {
public:
  Planner(scf::ForOp loop, SymbolicShapes &shapes, ArrayRef<ModuleOp> modules)
      : loop(loop), shapes(shapes), modules(modules) {}

  LoopPlan run();

private:
  using Obstacle = std::optional<std::string>;

  Obstacle takeBody();
  Obstacle take(Operation &op);
  Obstacle takeOpenSizes();
  Obstacle takeKernels();
  Obstacle takeKernel(tile::KernelOp kernel, LaunchOp launch);
  Obstacle takeWork();
  Obstacle takeCarried();
  bool canTakePlace(Value empty, Value carried);
  Obstacle orderCopies();
  bool readsBeforeItWrites(LaunchOp launch, Value read, Value written);
  bool isOfOpenSizes(AffineExpr size);
  bool isOfOpenSizes(Value size, LaunchOp launch);
  /// The memory that launches of an iteration use.
  llvm::SetVector<Value> memory();
  bool changes(Value value) {
    Operation *op = value.getDefiningOp();
    return value == loop.getInductionVar() ||
           (op && plan.positions.contains(op));
  }

  scf::ForOp loop;
  SymbolicShapes &shapes;
  ArrayRef<ModuleOp> modules;
  /// In the sizes of what an iteration makes.
  llvm::DenseSet<AffineExpr> openSymbols;
  /// Whether a kernel is several programs, also where open sizes are 1.
  bool isShared = false;
  LoopPlan plan;
};
} // namespace

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// Sizes and positions go into the kernel if iterations change them.
Planner::Obstacle Planner::take(Operation &op) {
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    plan.launches.push_back(launch);
    return {};
  }
  const bool isChanged = llvm::any_of(
      op.getOperands(), [&](Value operand) { return changes(operand); });
  if (!isChanged && isa<arith::ConstantOp, tensor::EmptyOp, tensor::DimOp>(op))
    return {};
  const bool isOfSizes =
      llvm::all_of(op.getOperandTypes(), llvm::IsaPred<IndexType>) &&
      llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>) &&
      op.getNumRegions() == 0 && isMemoryEffectFree(&op);
  if (!isOfSizes)
    return ("an iteration has " + op.getName().getStringRef()).str();
  if (isChanged)
    plan.positions.insert(&op);
  return {};
}

Planner::Obstacle Planner::takeBody() {
  const std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (loop.getUnsignedCmp() || !step || *step < 1 || *step > mostSpan)
    return "its step is not a small constant";
  if (failed(shapes.exprOf(loop.getLowerBound())) ||
      failed(shapes.exprOf(loop.getUpperBound())))
    return "a size is not known";
  if (!llvm::all_of(loop.getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return "an iteration changes a size";
  for (Operation &op : loop.getBody()->without_terminator())
    if (Obstacle obstacle = take(op))
      return obstacle;
  if (plan.launches.empty())
    return "an iteration computes nothing";
  if (plan.launches.size() > mostLaunches)
    return "an iteration has " + std::to_string(plan.launches.size()) +
           " launches, more than " + std::to_string(mostLaunches);
  return {};
}

/// What an iteration makes has as many elements as it computes.
Planner::Obstacle Planner::takeOpenSizes() {
  for (auto empty : loop.getBody()->getOps<tensor::EmptyOp>()) {
    FailureOr<SymbolicShape> shape = shapes.shapeOf(empty);
    if (failed(shape))
      return "a size is not known";
    for (AffineExpr size : *shape)
      size.walk([&](AffineExpr part) {
        if (isa<AffineSymbolExpr>(part))
          openSymbols.insert(part);
      });
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

bool Planner::isOfOpenSizes(AffineExpr size) {
  bool isOpen = true;
  size.walk([&](AffineExpr part) {
    isOpen &= !isa<AffineSymbolExpr>(part) || openSymbols.contains(part);
  });
  return isOpen;
}

/// Whether a number in a kernel depends on nothing but these sizes.
bool Planner::isOfOpenSizes(Value size, LaunchOp launch) {
  if (getConstantIntValue(size))
    return true;
  auto argumentOf = [&](Value parameter) {
    auto argument = cast<BlockArgument>(parameter);
    return launch.getArguments()[argument.getArgNumber()];
  };
  auto isDimOpen = [&](Value view, uint64_t dim) {
    FailureOr<SymbolicShape> shape = shapes.shapeOf(argumentOf(view));
    return succeeded(shape) && isOfOpenSizes((*shape)[dim]);
  };
  Operation *op = size.getDefiningOp();
  if (!op) {
    if (!isa<tile::KernelOp>(size.getParentBlock()->getParentOp()))
      return false;
    FailureOr<AffineExpr> known = shapes.exprOf(argumentOf(size));
    return succeeded(known) && isOfOpenSizes(*known);
  }
  if (auto dim = dyn_cast<tile::DimOp>(op))
    return isDimOpen(dim.getView(), dim.getDim());
  if (auto count = dyn_cast<tile::CountOp>(op))
    return isDimOpen(count.getView(), count.getDim());
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         op->getNumOperands() > 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return operand.getType().isIndex() && isOfOpenSizes(operand, launch);
         });
}

/// Its programs must be as many, and do as much work, as the sizes say.
Planner::Obstacle Planner::takeKernel(tile::KernelOp kernel, LaunchOp launch) {
  SmallVector<AffineExpr> sizes;
  for (Value argument : launch.getArguments()) {
    if (argument.getType().isIndex()) {
      FailureOr<AffineExpr> size = shapes.exprOf(argument);
      if (failed(size))
        return "a size is not known";
      sizes.push_back(*size);
      continue;
    }
    FailureOr<SymbolicShape> shape = shapes.shapeOf(argument);
    if (failed(shape))
      return "a size is not known";
    llvm::append_range(sizes, *shape);
  }
  for (AffineExpr count : kernel.getGrid().getResults()) {
    AffineExpr programs = count.replaceSymbols(sizes);
    if (!isOfOpenSizes(programs))
      return "the number of programs of @" + launch.getKernel().str() +
             " is open";
    for (AffineExpr symbol : openSymbols)
      programs = programs.replace(
          symbol, getAffineConstantExpr(1, kernel.getContext()));
    auto few = dyn_cast<AffineConstantExpr>(programs);
    isShared |= !few || few.getValue() > 1;
  }
  WalkResult result = kernel.walk([&](Operation *op) {
    auto inner = dyn_cast<scf::ForOp>(op);
    const bool isOpen =
        isa<scf::WhileOp>(op) ||
        (inner && !(isOfOpenSizes(inner.getLowerBound(), launch) &&
                    isOfOpenSizes(inner.getUpperBound(), launch) &&
                    isOfOpenSizes(inner.getStep(), launch)));
    return isOpen ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return "the length of a loop in @" + launch.getKernel().str() + " is open";
  return {};
}

Planner::Obstacle Planner::takeKernels() {
  for (LaunchOp launch : plan.launches) {
    SmallVector<tile::KernelOp> kernels =
        kernelsNamed(launch.getKernelAttr().getAttr(), modules);
    if (kernels.empty())
      return "@" + launch.getKernel().str() + " is a kernel of the user";
    for (tile::KernelOp kernel : kernels)
      if (Obstacle obstacle = takeKernel(kernel, launch))
        return obstacle;
  }
  return {};
}

llvm::SetVector<Value> Planner::memory() {
  llvm::SetVector<Value> used;
  for (LaunchOp launch : plan.launches)
    for (Value argument : launch.getArguments())
      if (isa<TensorType>(argument.getType()))
        used.insert(plan.memoryOf(argument));
  return used;
}

/// Whether an iteration is little work: by the bytes of what it uses, but for
/// parts of what is open.
Planner::Obstacle Planner::takeWork() {
  Sizes &sizes = shapes.sizes();
  // Of one row, and of all.
  int64_t bytes = 0, rowBytes = 0;
  AffineExpr openBytes = sizes.constant(0);
  for (Value tensor : memory()) {
    auto type = cast<RankedTensorType>(tensor.getType());
    FailureOr<SymbolicShape> shape = shapes.shapeOf(tensor);
    if (failed(shape))
      return "a size is not known";
    int64_t row = bytesOfElement(type);
    for (int64_t size : type.getShape())
      row *= ShapedType::isDynamic(size) ? 1 : size;
    if (type.hasStaticShape()) {
      bytes += row;
    } else if (llvm::all_of(*shape, [&](AffineExpr size) {
                 return isOfOpenSizes(size);
               })) {
      rowBytes += row;
      openBytes = sizes.add(
          openBytes, sizes.mul(sizes.product(*shape), bytesOfElement(type)));
    }
  }
  const int64_t total = std::max<int64_t>(1, bytes + rowBytes),
                shared = mostSharedBytes +
                         bytesForLaunch * int64_t(plan.launches.size()),
                most = isShared ? shared : mostBytes;
  if (total > most)
    return "an iteration works on " + std::to_string(total >> 10) +
           " KiB, more than " + std::to_string(most >> 10);
  plan.iterations = std::clamp<int64_t>(
      std::min(mostLaunchBytes / total,
               mostSpan / *getConstantIntValue(loop.getStep())),
      1, mostIterations);
  if (openSymbols.empty())
    return {};
  const int64_t rows = std::clamp<int64_t>(shared / total, 1, mostRows);
  plan.isSmall =
      sizes.min(sizes.constant(1),
                sizes.positivePart(
                    sizes.sub(sizes.constant(rows * rowBytes + 1), openBytes)));
  return {};
}

//===----------------------------------------------------------------------===//
// What the loop carries
//===----------------------------------------------------------------------===//

/// What an iteration leaves is made in the place of the value before, or is
/// copied there at the end.
Planner::Obstacle Planner::takeCarried() {
  for (auto [argument, next] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    Value left = plan.memoryOf(next);
    if (left == argument)
      continue;
    FailureOr<SymbolicShape> before = shapes.shapeOf(argument),
                             after = shapes.shapeOf(left);
    if (failed(before) || failed(after) || *before != *after)
      return "an iteration changes a size";
    auto empty = left.getDefiningOp<tensor::EmptyOp>();
    const bool isOwn = empty && empty->getBlock() == loop.getBody() &&
                       empty.getType() == argument.getType();
    if (isOwn && canTakePlace(empty, argument))
      plan.carriedFor[empty] = argument;
    else
      plan.copies.push_back({left, argument});
  }
  return orderCopies();
}

/// Puts a copy behind those that need what it replaces.
Planner::Obstacle Planner::orderCopies() {
  SmallVector<LoopPlan::Copy> left = std::move(plan.copies);
  plan.copies.clear();
  while (!left.empty()) {
    auto *next = llvm::find_if(left, [&](const LoopPlan::Copy &copy) {
      return llvm::none_of(left, [&](const LoopPlan::Copy &other) {
        return other.from == copy.to;
      });
    });
    if (next == left.end())
      return "what it carries changes places";
    plan.copies.push_back(*next);
    left.erase(next);
  }
  return {};
}

/// Whether what the carried value was is not needed any more when `empty` is
/// written, the memory of the new value.
bool Planner::canTakePlace(Value empty, Value carried) {
  bool isWritten = false;
  for (LaunchOp launch : plan.launches) {
    auto uses = [&](Value place) {
      return llvm::any_of(launch.getArguments(), [&](Value value) {
        return plan.memoryOf(value) == place;
      });
    };
    const bool reads = uses(carried), writes = uses(empty);
    if (reads &&
        (isWritten || (writes && !readsBeforeItWrites(launch, carried, empty))))
      return false;
    isWritten |= writes;
  }
  // Another value may be what this one was.
  return llvm::none_of(loop.getYieldedValues(), [&](Value next) {
    return plan.memoryOf(next) == carried;
  });
}

/// Whether both accesses are of the same elements.
static bool isSameAccess(tile::LoadOp load, tile::StoreOp store) {
  auto isSame = [](auto pair) {
    auto [a, b] = pair;
    std::optional<int64_t> x = getConstantIntValue(a);
    return a == b || (x && x == getConstantIntValue(b));
  };
  return load.getSteps() == store.getSteps() &&
         cast<RankedTensorType>(load.getType()).getShape() ==
             cast<RankedTensorType>(store.getValue().getType()).getShape() &&
         llvm::all_of(llvm::zip_equal(load.getOffsets(), store.getOffsets()),
                      isSame);
}

/// Whether programs of the launch, one after the other, read what they want of
/// one argument before they write another one in the same memory: each program
/// reads first, and of the elements that others write none.
bool Planner::readsBeforeItWrites(LaunchOp launch, Value read, Value written) {
  for (tile::KernelOp kernel :
       kernelsNamed(launch.getKernelAttr().getAttr(), modules)) {
    SmallVector<tile::LoadOp> loads;
    SmallVector<tile::StoreOp> stores;
    for (auto [parameter, value] :
         llvm::zip(kernel.getArguments(), launch.getArguments())) {
      Value place = plan.memoryOf(value);
      if (place != read && place != written)
        continue;
      for (Operation *user : parameter.getUsers()) {
        if (auto load = dyn_cast<tile::LoadOp>(user); load && place == read)
          loads.push_back(load);
        else if (auto store = dyn_cast<tile::StoreOp>(user);
                 store && place == written)
          stores.push_back(store);
        else if (!isa<tile::DimOp, tile::CountOp>(user))
          return false;
      }
    }
    Block &body = kernel.getRegion().front();
    const bool isOne = llvm::all_of(gridOf(kernel, launch),
                                    [](AffineExpr n) { return isConst(n, 1); });
    for (tile::LoadOp load : loads)
      for (tile::StoreOp store : stores) {
        Operation *first = body.findAncestorOpInBlock(*load),
                  *second = body.findAncestorOpInBlock(*store);
        if (first == second || !first->isBeforeInBlock(second) ||
            (!isOne && !isSameAccess(load, store)))
          return false;
      }
  }
  return true;
}

LoopPlan Planner::run() {
  for (auto step :
       {&Planner::takeBody, &Planner::takeOpenSizes, &Planner::takeKernels,
        &Planner::takeCarried, &Planner::takeWork})
    if (Obstacle obstacle = (this->*step)()) {
      plan.obstacle = std::move(*obstacle);
      break;
    }
  return std::move(plan);
}

LoopPlan planLoop(scf::ForOp loop, SymbolicShapes &shapes,
                  ArrayRef<ModuleOp> modules) {
  return Planner(loop, shapes, modules).run();
}

} // namespace tilewright::graph
