#include "graph/lowering/LoopPlan.h"

#include "graph/analysis/Access.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::graph {

/// What an iteration may touch if several programs share its work now: a core
/// keeps as much close to it, and computes it in less time than it takes to
/// start others.
constexpr int64_t mostSharedBytes = 128 << 10;
/// The same where each kernel is one program, so that nothing is lost.
constexpr int64_t mostBytes = 1 << 20;
/// What one launch may touch in all its iterations: some milliseconds.
constexpr int64_t mostLaunchBytes = 64 << 20;

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

std::optional<SmallVector<int64_t>> gridOf(tile::KernelOp kernel,
                                           LaunchOp launch) {
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
  SmallVector<int64_t> counts;
  for (AffineExpr count : kernel.getGrid().getResults()) {
    auto known = dyn_cast<AffineConstantExpr>(count.replaceSymbols(symbols));
    if (!known)
      return std::nullopt;
    counts.push_back(known.getValue());
  }
  return counts;
}

/// Whether the program does a known amount of work: its loops have constant
/// bounds.
static bool isBounded(tile::KernelOp kernel) {
  auto isKnown = [](Value bound) {
    auto dim = bound.getDefiningOp<tile::DimOp>();
    return getConstantIntValue(bound).has_value() ||
           (dim && !ShapedType::isDynamic(
                       dim.getView().getType().getShape()[dim.getDim()]));
  };
  WalkResult result = kernel.walk([&](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    const bool isOpen =
        isa<scf::WhileOp>(op) ||
        (loop && !(isKnown(loop.getLowerBound()) &&
                   isKnown(loop.getUpperBound()) && isKnown(loop.getStep())));
    return isOpen ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

namespace {
/// Finds what a loop needs to become one kernel.
class Planner {
public:
  Planner(scf::ForOp loop, ArrayRef<ModuleOp> modules)
      : loop(loop), modules(modules) {}

  LoopPlan run();

private:
  using Obstacle = std::optional<std::string>;

  Obstacle takeBody();
  Obstacle take(Operation &op);
  Obstacle takeKernels();
  Obstacle takeCarried();
  Obstacle checkInPlace(Value empty, Value carried);
  bool readsBeforeItWrites(LaunchOp launch, Value read, Value written);
  bool changes(Value value) {
    Operation *op = value.getDefiningOp();
    return value == loop.getInductionVar() ||
           (op && plan.positions.contains(op));
  }

  scf::ForOp loop;
  ArrayRef<ModuleOp> modules;
  LoopPlan plan;
};
} // namespace

/// Sizes and positions go into the kernel if iterations change them.
Planner::Obstacle Planner::take(Operation &op) {
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    plan.launches.push_back(launch);
    return {};
  }
  const bool isChanged = llvm::any_of(
      op.getOperands(), [&](Value operand) { return changes(operand); });
  if (!isChanged && isa<arith::ConstantOp, tensor::EmptyOp, tensor::DimOp,
                        affine::AffineApplyOp, arith::MaxSIOp>(op))
    return {};
  if (isa<affine::AffineApplyOp, arith::MaxSIOp>(op)) {
    plan.positions.insert(&op);
    return {};
  }
  return ("an iteration has " + op.getName().getStringRef()).str();
}

Planner::Obstacle Planner::takeBody() {
  if (loop.getUnsignedCmp() || !getConstantIntValue(loop.getStep()))
    return "its step is not constant";
  if (!llvm::all_of(loop.getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return "an iteration changes a size";
  for (Operation &op : loop.getBody()->without_terminator())
    if (Obstacle obstacle = take(op))
      return obstacle;
  if (plan.launches.empty())
    return "an iteration computes nothing";
  return {};
}

/// The bytes of the tensors of known size that an iteration uses.
static int64_t bytesOf(const LoopPlan &plan) {
  llvm::SetVector<Value> memory;
  for (LaunchOp launch : plan.launches)
    for (Value argument : launch.getArguments())
      if (isa<TensorType>(argument.getType()))
        memory.insert(plan.memoryOf(argument));
  int64_t bytes = 0;
  for (Value tensor : memory)
    if (auto type = cast<RankedTensorType>(tensor.getType());
        type.hasStaticShape())
      bytes += type.getNumElements() *
               int64_t(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  return bytes;
}

Planner::Obstacle Planner::takeKernels() {
  bool isShared = false;
  for (LaunchOp launch : plan.launches) {
    SmallVector<tile::KernelOp> kernels =
        kernelsNamed(launch.getKernelAttr().getAttr(), modules);
    if (kernels.empty())
      return "@" + launch.getKernel().str() + " is a kernel of the user";
    for (tile::KernelOp kernel : kernels) {
      auto grid = gridOf(kernel, launch);
      if (!grid)
        return "the number of programs of @" + launch.getKernel().str() +
               " is open";
      isShared |= llvm::any_of(*grid, [](int64_t n) { return n > 1; });
      if (!isBounded(kernel))
        return "the length of a loop in @" + launch.getKernel().str() +
               " is open";
    }
  }
  const int64_t bytes = bytesOf(plan),
                most = isShared ? mostSharedBytes : mostBytes;
  plan.iterations = std::max<int64_t>(
      1, std::min<int64_t>(1024, mostLaunchBytes / std::max<int64_t>(1, bytes)));
  if (bytes > most)
    return "an iteration works on " + std::to_string(bytes >> 10) +
           " KiB, more than " + std::to_string(most >> 10);
  return {};
}

/// What a value carries is left in its place, if nothing reads the old value
/// once the new one is there.
Planner::Obstacle Planner::takeCarried() {
  llvm::SmallPtrSet<Value, 4> taken;
  for (auto [argument, next] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    Value memory = plan.memoryOf(next);
    if (memory == argument)
      continue;
    auto empty = memory.getDefiningOp<tensor::EmptyOp>();
    if (!empty || empty->getBlock() != loop.getBody() ||
        empty.getType() != argument.getType() ||
        !empty.getType().hasStaticShape())
      return "what it carries changes places";
    if (Obstacle obstacle = checkInPlace(empty, argument))
      return obstacle;
    plan.carriedFor[empty] = argument;
  }
  // A place that two carried values lead to would be one of them only.
  for (Value next : loop.getYieldedValues())
    if (!taken.insert(plan.memoryOf(next)).second)
      return "two carried values are one";
  return {};
}

Planner::Obstacle Planner::checkInPlace(Value empty, Value carried) {
  bool isWritten = false;
  for (LaunchOp launch : plan.launches) {
    const bool reads = llvm::any_of(launch.getArguments(), [&](Value value) {
      return plan.memoryOf(value) == carried;
    });
    const bool writes = llvm::any_of(launch.getArguments(), [&](Value value) {
      return plan.memoryOf(value) == empty;
    });
    if (reads && (isWritten ||
                  (writes && !readsBeforeItWrites(launch, carried, empty))))
      return "@" + launch.getKernel().str() +
             " reads an old value when the new one is written";
    isWritten |= writes;
  }
  return {};
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
    for (auto [argument, value] :
         llvm::zip(kernel.getArguments(), launch.getArguments())) {
      Value memory = plan.memoryOf(value);
      if (memory != read && memory != written)
        continue;
      for (Operation *user : argument.getUsers()) {
        if (auto load = dyn_cast<tile::LoadOp>(user); load && memory == read)
          loads.push_back(load);
        else if (auto store = dyn_cast<tile::StoreOp>(user);
                 store && memory == written)
          stores.push_back(store);
        else if (!isa<tile::DimOp, tile::CountOp>(user))
          return false;
      }
    }
    Block &body = kernel.getRegion().front();
    const bool isOne = llvm::all_of(*gridOf(kernel, launch),
                                    [](int64_t count) { return count == 1; });
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
  for (auto step : {&Planner::takeBody, &Planner::takeKernels,
                    &Planner::takeCarried})
    if (Obstacle obstacle = (this->*step)()) {
      plan.obstacle = std::move(*obstacle);
      break;
    }
  return std::move(plan);
}

LoopPlan planLoop(scf::ForOp loop, ArrayRef<ModuleOp> modules) {
  return Planner(loop, modules).run();
}

} // namespace tilewright::graph
