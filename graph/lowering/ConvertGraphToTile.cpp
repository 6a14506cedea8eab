//===- ConvertGraphToTile.cpp - Groups as tile kernels and launches -------===//
#include "graph/analysis/Access.h"
#include "graph/analysis/Blocks.h"
#include "graph/analysis/SizeValues.h"
#include "graph/analysis/States.h"
#include "graph/analysis/Targets.h"
#include "graph/lowering/KernelEmitter.h"
#include "graph/lowering/Passes.h"
#include "graph/lowering/Program.h"
#include "graph/transforms/Function.h"
#include "tileir/ir/Precision.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_CONVERTGRAPHTOTILE
#include "graph/lowering/Passes.h.inc"

/// An identifier that describes the kernel.
static std::string kernelName(const Group &group, size_t number) {
  Operation *main = group.root ? group.root : group.last;
  std::string name = "k" + std::to_string(number) + "_";
  for (char c : describeOp(main))
    name += llvm::isAlnum(c) ? c : '_';
  return name.substr(0, 60);
}

namespace {
/// A module of kernels, and whom it is for.
struct TargetModule {
  ModuleOp module;
  TileLimits limits;
  /// The entry of `schedules` that its groups go by.
  StringRef key;
  SmallVector<tile::TargetAttr> targets = {};
  /// Where the schedules of kernels are from, by name.
  SmallVector<NamedAttribute> origins = {};
};

/// A launch of the program, in terms of the group's body.
struct Step {
  /// A group or a graph.require.
  Operation *op;
  std::string kernel, label;
  std::vector<KernelArgument> arguments;
};

class GraphLowering {
public:
  GraphLowering(ModuleOp module, func::FuncOp func,
                tile::DotPrecision precision)
      : module(module), func(func), precision(precision), shapes(func),
        sizes(func, shapes), inPlace(scattersInPlace(func)) {}

  LogicalResult run();
  size_t launches = 0;

private:
  void makeTargetKernels();
  TargetModule *targetKernelsFor(tile::TargetAttr target);
  LogicalResult lower(GroupOp op);
  LogicalResult lower(Operation *op, const Group &group, unsigned part);
  FailureOr<SmallVector<EmittedKernel>>
  emitAll(Operation *op, const Group &group, unsigned part, StringRef name);
  FailureOr<EmittedKernel> emit(Operation *op, const Group &group,
                                unsigned part, TargetModule &targetKernels,
                                StringRef name,
                                ArrayRef<KernelArgument> arguments);
  /// The operand of a group whose memory its scatter updates, because nothing
  /// else reads what another kernel wrote there, or what a loop carries, or the
  /// state; null if the data is copied.
  Value memoryToUpdate(GroupOp op);
  LogicalResult launch(const Step &step);
  LogicalResult launchUserKernel(CompositeOp op);
  LogicalResult checkUserKernel(CompositeOp op);

  ModuleOp module;
  func::FuncOp func;
  /// Of products of f32.
  tile::DotPrecision precision;
  SymbolicShapes shapes;
  SizeValues sizes;
  /// Groups whose scatter changes its data in the memory of a state.
  llvm::DenseSet<Operation *> inPlace;
  std::vector<TargetModule> kernelsByTarget;
  std::vector<Step> steps;
  /// For results of ops, the values of the launches that replace them.
  llvm::MapVector<Value, Value> written;
  /// The launches to come, with those of users' kernels: they number the
  /// kernels.
  size_t count = 0;
};
} // namespace

static DictionaryAttr entryOf(Operation *op, StringRef key) {
  auto group = dyn_cast<GroupOp>(op);
  DictionaryAttr schedules =
      group ? group.getSchedulesAttr() : DictionaryAttr();
  return schedules ? schedules.getAs<DictionaryAttr>(key) : DictionaryAttr();
}

/// The kernels that serve `target` as well.
TargetModule *GraphLowering::targetKernelsFor(tile::TargetAttr target) {
  StringRef key = scheduleKey(target);
  for (TargetModule &targetKernels : kernelsByTarget) {
    bool isSame = targetKernels.key == key;
    if (!isSame && key != "cpu" && targetKernels.key != "cpu")
      isSame = llvm::all_of(graphOps<GroupOp>(func), [&](GroupOp op) {
        return entryOf(op, targetKernels.key) == entryOf(op, key);
      });
    if (isSame)
      return &targetKernels;
  }
  return nullptr;
}

/// The matrix units of the targets; none where one of them has none, or does
/// not say.
static SmallVector<MatrixUnit>
matrixUnitsOf(ArrayRef<tile::TargetAttr> targets) {
  SmallVector<MatrixUnit> units;
  for (tile::TargetAttr target : targets) {
    units.push_back({factOf(target, "multiprocessors"),
                     matrixProductsOf(target),
                     factOf(target, "multiprocessor_shared")});
    if (!units.back().multiprocessors || !units.back().productsOfCycle)
      return {};
  }
  return units;
}

/// Tiles that suit a core of the CPU, or GPUs.
static TileLimits limitsFor(ArrayRef<tile::TargetAttr> targets) {
  if (scheduleKey(targets.front()) != "cpu")
    return TileLimits::gpu(matrixUnitsOf(targets));
  const int64_t threads = factOf(targets.front(), "threads");
  return TileLimits::cpu(threads ? unsigned(threads) : 1);
}

void GraphLowering::makeTargetKernels() {
  SmallVector<tile::TargetAttr> targets = targetsOf(module);
  if (targets.empty())
    targets.push_back(
        tile::TargetAttr::get(module.getContext(), "interpreter", nullptr));
  SymbolTable symbols(module);
  for (tile::TargetAttr target : targets) {
    if (TargetModule *known = targetKernelsFor(target)) {
      known->targets.push_back(target);
      continue;
    }
    StringRef key = scheduleKey(target);
    ModuleOp kernels = ModuleOp::create(module.getLoc(), key);
    symbols.insert(kernels);
    kernelsByTarget.push_back({kernels, {}, key, {target}});
  }
  for (TargetModule &targetKernels : kernelsByTarget) {
    targetKernels.limits = limitsFor(targetKernels.targets);
    targetKernels.limits.precision = precision;
    setTargets(targetKernels.module, targetKernels.targets);
  }
}

FailureOr<EmittedKernel>
GraphLowering::emit(Operation *op, const Group &group, unsigned part,
                    TargetModule &targetKernels, StringRef name,
                    ArrayRef<KernelArgument> arguments) {
  auto builder = OpBuilder::atBlockEnd(targetKernels.module.getBody());
  KernelEmitter emitter(builder, shapes, group, targetKernels.limits);
  emitter.declare(arguments);
  auto chosen = GroupSchedule::of(entryOf(op, targetKernels.key));
  FailureOr<EmittedKernel> emitted =
      group.isConcat ? emitter.emitConcat(name, group.inputsOfKernels()[part])
      : group.isAlone || isa<RequireOp>(group.last)
          ? emitter.emitOwn(name, part)
          : emitter.emit(name, chosen.tilingValues());
  if (failed(emitted))
    return failure();
  if (chosen.schedule)
    emitted->kernel->setAttr(tile::TileDialect::kScheduleAttr, chosen.schedule);
  return emitted;
}

/// Emits the kernels of one step; repeats this with the union of the arguments
/// until no kernel needs another one.
FailureOr<SmallVector<EmittedKernel>> GraphLowering::emitAll(Operation *op,
                                                             const Group &group,
                                                             unsigned part,
                                                             StringRef name) {
  std::vector<KernelArgument> arguments;
  while (true) {
    SmallVector<EmittedKernel> kernels;
    bool grew = false;
    for (TargetModule &targetKernels : kernelsByTarget) {
      FailureOr<EmittedKernel> kernel =
          emit(op, group, part, targetKernels, name, arguments);
      if (failed(kernel))
        return failure();
      grew |= !kernels.empty() && kernel->arguments != arguments;
      arguments = kernel->arguments;
      kernels.push_back(std::move(*kernel));
    }
    if (!grew)
      return kernels;
    for (EmittedKernel &kernel : kernels)
      kernel.kernel.erase();
  }
}

LogicalResult GraphLowering::lower(Operation *op, const Group &group,
                                   unsigned part) {
  std::string name = kernelName(group, count++);
  FailureOr<SmallVector<EmittedKernel>> emitted =
      emitAll(op, group, part, name);
  if (failed(emitted))
    return failure();
  Builder b(op->getContext());
  for (TargetModule &targetKernels : kernelsByTarget) {
    auto chosen = GroupSchedule::of(entryOf(op, targetKernels.key));
    if (!chosen.origin.empty())
      targetKernels.origins.push_back(
          b.getNamedAttr(name, b.getStringAttr(chosen.origin)));
  }
  steps.push_back({op, name, llvm::join(nodesOf(group), " + "),
                   std::move(emitted->front().arguments)});
  return success();
}

Value GraphLowering::memoryToUpdate(GroupOp op) {
  auto scatter = dyn_cast<ScatterOp>(op.getYielded().front().getDefiningOp());
  Value data = scatter ? scatter.getData() : Value();
  Value outside = data ? operandBehind(data) : Value();
  if (!outside || inPlace.contains(op))
    return outside;
  // What a loop carries is in memory of its own; it reads what is outside of it
  // once more.
  Operation *source = outside.getDefiningOp();
  const bool isOwn =
      outside.hasOneUse() && data.hasOneUse() &&
      outside.getParentBlock() == op->getBlock() &&
      (source ? isa<GroupOp>(source) : isBranchOrLoop(op->getParentOp()));
  return isOwn ? outside : Value();
}

LogicalResult GraphLowering::lower(GroupOp op) {
  if (llvm::all_of(op.getResultTypes(), isEmptyTensor))
    return success(); // nothing to compute
  Group group = Group::of(op);
  std::vector<SmallVector<unsigned>> inputs;
  if (group.isConcat)
    inputs = group.inputsOfKernels();
  // The first kernel of a scatter copies the data.
  for (unsigned part = memoryToUpdate(op) ? 1 : 0; part < group.kernelCount();
       ++part)
    if (failed(lower(op, group.isConcat ? group.partOf(inputs[part]) : group,
                     part)))
      return failure();
  return success();
}

/// The launch of a group's kernel. Of several the first one begins with an
/// empty result, which the others fill further. In place it begins with the
/// data.
LogicalResult GraphLowering::launch(const Step &step) {
  auto group = dyn_cast<GroupOp>(step.op);
  OpBuilder builder(step.op);
  SmallVector<Value> arguments;
  SmallVector<int64_t> writes;
  SmallVector<unsigned> results;
  for (auto [position, argument] : llvm::enumerate(step.arguments)) {
    if (!argument.tensor) {
      arguments.push_back(sizes.valueOf(argument.scalar));
      continue;
    }
    if (Value outside =
            group ? operandBehind(argument.tensor) : argument.tensor) {
      arguments.push_back(outside);
      continue;
    }
    auto yielded = llvm::find(group.getYielded(), argument.tensor);
    unsigned result = yielded - group.getYielded().begin();
    writes.push_back(int64_t(position));
    results.push_back(result);
    // An earlier launch has replaced the result already.
    auto known = written.find(group.getResult(result));
    Value updated = result == 0 ? memoryToUpdate(group) : Value();
    FailureOr<Value> memory =
        known != written.end() ? FailureOr<Value>(known->second)
        : updated ? FailureOr<Value>(updated)
                  : sizes.emptyLike(builder, group.getResult(result));
    if (failed(memory))
      return failure();
    arguments.push_back(*memory);
  }
  SmallVector<Type> types;
  for (unsigned result : results)
    types.push_back(group.getResult(result).getType());
  auto launched = LaunchOp::create(builder, step.op->getLoc(), types,
                                   step.kernel, arguments, writes, step.label);
  for (auto [result, value] : llvm::zip(results, launched.getResults()))
    written[group.getResult(result)] = value;
  return success();
}

LogicalResult GraphLowering::checkUserKernel(CompositeOp op) {
  for (ModuleOp given : userModules(module))
    if (given.lookupSymbol(op.getKernel()))
      return success();
  return op.emitError("graph.composite names @")
         << op.getKernel() << ", expected a kernel that was given";
}

/// The launch of a user's kernel: inputs, then results.
LogicalResult GraphLowering::launchUserKernel(CompositeOp op) {
  OpBuilder builder(op);
  SmallVector<Value> arguments = llvm::to_vector_of<Value>(op.getInputs());
  SmallVector<int64_t> writes;
  for (Value result : op.getResults()) {
    FailureOr<Value> memory = sizes.emptyLike(builder, result);
    if (failed(memory))
      return failure();
    writes.push_back(int64_t(arguments.size()));
    arguments.push_back(*memory);
  }
  auto launched = LaunchOp::create(builder, op.getLoc(), op.getResultTypes(),
                                   op.getKernel(), arguments, writes,
                                   llvm::join(nodesOf(Group(op)), " + "));
  for (auto [result, value] : llvm::zip(op.getResults(), launched.getResults()))
    written[result] = value;
  return success();
}

LogicalResult GraphLowering::run() {
  makeTargetKernels();
  SmallVector<Operation *> replaced;
  for (Operation *op : graphOps(func)) {
    if (auto group = dyn_cast<GroupOp>(op)) {
      replaced.push_back(group);
      if (failed(lower(group)))
        return failure();
    } else if (auto require = dyn_cast<RequireOp>(op)) {
      replaced.push_back(require);
      // Without elements there is nothing to look at.
      if (!isEmptyTensor(require.getSource().getType()) &&
          failed(lower(require, Group(require), 0)))
        return failure();
    } else if (auto given = dyn_cast<CompositeOp>(op)) {
      replaced.push_back(given);
      ++count;
      if (failed(checkUserKernel(given)))
        return failure();
    }
  }
  // The function changes only now: emission looks up shapes by value.
  auto next = steps.begin();
  for (Operation *op : replaced) {
    if (auto given = dyn_cast<CompositeOp>(op)) {
      if (failed(launchUserKernel(given)))
        return failure();
      continue;
    }
    for (; next != steps.end() && next->op == op; ++next)
      if (failed(launch(*next)))
        return failure();
    OpBuilder builder(op);
    for (Value result : op->getResults()) {
      if (written.contains(result))
        continue;
      FailureOr<Value> nothing = sizes.emptyLike(builder, result);
      if (failed(nothing))
        return failure();
      written[result] = *nothing;
    }
  }
  for (auto [result, value] : written)
    Value(result).replaceAllUsesWith(value);
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  for (TargetModule &targetKernels : kernelsByTarget)
    if (!targetKernels.origins.empty())
      targetKernels.module->setAttr(
          kOriginsAttr,
          DictionaryAttr::get(module.getContext(), targetKernels.origins));
  launches = count;
  return success();
}

namespace {
struct ConvertGraphToTile : impl::ConvertGraphToTileBase<ConvertGraphToTile> {
  using ConvertGraphToTileBase::ConvertGraphToTileBase;

  void runOnOperation() override {
    FailureOr<tile::DotPrecision> wanted =
        tile::parseF32Precision(precision, getOperation());
    FailureOr<func::FuncOp> func = graphFunction(getOperation());
    if (failed(wanted) || failed(func))
      return signalPassFailure();
    GraphLowering lowering(getOperation(), *func, *wanted);
    if (failed(lowering.run()))
      return signalPassFailure();
    launchCount += lowering.launches;
  }
};
} // namespace

} // namespace tilewright::graph
