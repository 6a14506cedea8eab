#include "verify/validate/ModelParts.h"

#include "graph/ir/Graph.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "support/Format.h"
#include "verify/validate/Elements.h"
#include "verify/validate/GraphProgram.h"
#include "verify/validate/PackageProgram.h"
#include "verify/validate/Values.h"
#include "verify/validate/Windows.h"
#include "llvm/ADT/SetVector.h"
#include <random>

using namespace mlir;

namespace tilewright::verify {

using runtime::HostTensor;
using Values = llvm::SetVector<Value>;
using Tensors = llvm::DenseMap<Value, HostTensor>;

namespace {

class Splitter {
public:
  Splitter(const std::shared_ptr<ModelLevels> &levels,
           std::vector<HostTensor> inputs)
      : levels(levels), inputs(std::move(inputs)) {}
  StatusOr<ModelParts> run();

private:
  /// The model between two passes.
  struct Level {
    OwningOpRef<ModuleOp> module;
    func::FuncOp function;
    size_t position = 0;
    Tensors tensors;
  };
  StatusOr<Level> keep();
  Status advanceTo(const std::string &flag);
  Status compute(Level &level, const Values &values);
  void findCuts();
  void addValues(func::FuncOp function, Operation *end,
                 function_ref<bool(Value)> isInput, Values &values) const;
  StatusOr<std::optional<ModelPart>>
  makePart(Level &level, Operation *end, function_ref<bool(Value)> isInput,
           SmallVectorImpl<Value> &reads) const;
  [[nodiscard]] const void *originOf(Value value) const;
  [[nodiscard]] std::optional<std::vector<std::optional<size_t>>>
  pairReads(ArrayRef<Value> groupReads, ArrayRef<Value> reads) const;
  Status makeParts();
  void nameKernels();

  const std::shared_ptr<ModelLevels> &levels;
  const std::vector<HostTensor> inputs;
  Level source, grouped;
  SmallVector<graph::GroupOp> groups;
  /// The op of the source at the location of each result of a group; null:
  /// there is none. And that of its first result.
  llvm::DenseMap<Value, Operation *> origins;
  SmallVector<Operation *> ends;
  ModelParts parts;
};

} // namespace

//===--- The model between passes -----------------------------------------===//

StatusOr<Splitter::Level> Splitter::keep() {
  TILEWRIGHT_ASSIGN_OR_RETURN(func::FuncOp graph, levels->graph());
  if (!graph)
    return Status::unsupported(
        levels->name() + ": only a model whose kernels are still to be made is "
                         "judged kernel by kernel");
  Level level;
  level.position = levels->position();
  level.module = levels->module().clone();
  level.function = level.module->lookupSymbol<func::FuncOp>(graph.getSymName());
  return level;
}

/// Runs the passes up to that one, or all.
Status Splitter::advanceTo(const std::string &flag) {
  const PassList &passes = levels->passes();
  while (levels->position() < passes.size() &&
         passes.flag(levels->position()) != flag) {
    TILEWRIGHT_RETURN_IF_ERROR(levels->advance().status());
  }
  return {};
}

/// The kernels of the launches at the locations of the groups, in order.
void Splitter::nameKernels() {
  llvm::DenseMap<Location, SmallVector<std::string>> names;
  for (auto function : levels->module().getOps<func::FuncOp>())
    for (auto launch : function.front().getOps<graph::LaunchOp>())
      names[launch.getLoc()].push_back(launch.getKernel().str());
  llvm::DenseMap<Location, size_t> taken;
  for (auto [i, group] : llvm::enumerate(groups)) {
    const auto found = names.find(group.getLoc());
    const size_t number = taken[group.getLoc()]++;
    parts.kernels[i].kernel =
        found != names.end() && number < found->second.size()
            ? found->second[number]
            : "group " + std::to_string(i);
  }
}

//===--- Activations ------------------------------------------------------===//

/// Runs the compiled model with these values as further outputs.
Status Splitter::compute(Level &level, const Values &values) {
  for (auto [argument, tensor] :
       llvm::zip_equal(level.function.getArguments(), inputs))
    level.tensors[argument] = tensor;
  if (values.empty())
    return {};
  IRMapping mapping;
  OwningOpRef<ModuleOp> module(
      cast<ModuleOp>(level.module->getOperation()->clone(mapping)));
  auto function =
      module->lookupSymbol<func::FuncOp>(level.function.getSymName());
  Operation *end = function.front().getTerminator();
  const unsigned first = end->getNumOperands();
  for (Value value : values) {
    const unsigned number = end->getNumOperands();
    end->insertOperands(number, mapping.lookup(value));
    Builder b(module->getContext());
    const NamedAttribute name =
        b.getNamedAttr("graph.name", b.getStringAttr("value" + Twine(number)));
    (void)function.insertResult(number, value.getType(),
                                b.getDictionaryAttr(name));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package,
                              levels->code(*module, level.position));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto program,
                              makePackageProgram(std::move(package), {}));
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program->run(inputs, 0));
  if (outcome.kind != Outcome::Kind::completed)
    return Status::invalidInput(levels->name() + ": " + outcome.message);
  for (auto [i, value] : llvm::enumerate(values))
    level.tensors[value] = outcome.outputs[first + i];
  return {};
}

//===--- Parts ------------------------------------------------------------===//

/// For each group the last op of the model at the location of its result.
void Splitter::findCuts() {
  llvm::DenseMap<Location, Operation *> last;
  for (Operation &op : source.function.front())
    if (op.getNumResults() > 0 &&
        llvm::all_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
        !op.hasTrait<OpTrait::ConstantLike>())
      last[op.getLoc()] = &op;
  for (graph::GroupOp group : groups) {
    for (auto [result, yielded] :
         llvm::zip_equal(group.getResults(), group.getYielded()))
      if (Operation *op = yielded.getDefiningOp())
        origins[result] = last.lookup(op->getLoc());
    ends.push_back(origins.lookup(group->getResult(0)));
  }
}

/// What a part reads besides arguments of the function.
void Splitter::addValues(func::FuncOp function, Operation *end,
                         function_ref<bool(Value)> isInput,
                         Values &values) const {
  SmallVector<Value> reads;
  extractPart(function, end, isInput, reads);
  for (Value read : reads)
    if (read.getDefiningOp())
      values.insert(read);
}

/// What the text of a module says besides the names of its constants.
static std::string keyOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags()
                            .useLocalScope()
                            .elideLargeElementsAttrs(16)
                            .elideLargeResourceString(16));
  constexpr llvm::StringLiteral resource = "dense_resource<";
  std::string key;
  llvm::StringRef rest = text;
  rest = rest.take_front(rest.find("{-#"));
  while (!rest.empty()) {
    auto [before, behind] = rest.split(resource);
    key += before;
    rest = behind.drop_until([](char c) { return c == '>'; });
  }
  return key;
}

/// None: it reads what has no value outside of the model's regions.
StatusOr<std::optional<ModelPart>>
Splitter::makePart(Level &level, Operation *end,
                   function_ref<bool(Value)> isInput,
                   SmallVectorImpl<Value> &reads) const {
  OwningOpRef<ModuleOp> module =
      extractPart(level.function, end, isInput, reads);
  ModelPart part;
  for (Value read : reads) {
    const auto tensor = level.tensors.find(read);
    if (tensor == level.tensors.end())
      return std::optional<ModelPart>();
    part.inputs.push_back(tensor->second);
  }
  part.key = keyOf(*module);
  part.module = std::move(module);
  part.position = level.position;
  return std::optional(std::move(part));
}

/// The value of which this is a view with all elements.
static Value withoutReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ReshapeOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The same for the values of both levels that should be equal: the argument,
/// or the op at the location; null where nobody knows.
const void *Splitter::originOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return func::FuncOp(source.function)
        .getArgument(argument.getArgNumber())
        .getAsOpaquePointer();
  Operation *op = value.getDefiningOp();
  if (isa<graph::GroupOp>(op))
    return origins.lookup(value);
  return op->getNumResults() == 1 ? op : nullptr;
}

std::optional<std::vector<std::optional<size_t>>>
Splitter::pairReads(ArrayRef<Value> groupReads, ArrayRef<Value> reads) const {
  std::vector<std::optional<size_t>> pairs;
  for (Value read : groupReads) {
    const Value viewed = withoutReshapes(read);
    const void *origin = originOf(viewed);
    const auto *found = llvm::find_if(reads, [&](Value other) {
      return origin && originOf(other) == origin;
    });
    if (found != reads.end())
      pairs.emplace_back(size_t(found - reads.begin()));
    else if (isa<BlockArgument>(read))
      pairs.emplace_back();
    else
      return std::nullopt;
  }
  return pairs;
}

Status Splitter::makeParts() {
  llvm::SmallPtrSet<Operation *, 32> cuts;
  for (const auto &[result, op] : origins)
    cuts.insert(op);
  auto isCut = [&](Value value) {
    return cuts.contains(value.getDefiningOp());
  };
  auto isAnything = [](Value) { return true; };
  Values sourceValues, groupValues;
  for (auto [group, end] : llvm::zip_equal(groups, ends)) {
    addValues(grouped.function, group, isAnything, groupValues);
    if (end)
      addValues(source.function, end, isCut, sourceValues);
  }
  TILEWRIGHT_RETURN_IF_ERROR(compute(source, sourceValues));
  TILEWRIGHT_RETURN_IF_ERROR(compute(grouped, groupValues));
  for (auto [group, end] : llvm::zip_equal(groups, ends)) {
    KernelParts &kernel = parts.kernels.emplace_back();
    SmallVector<Value> groupReads, reads;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        kernel.group, makePart(grouped, group, isAnything, groupReads));
    if (end) {
      TILEWRIGHT_ASSIGN_OR_RETURN(kernel.source,
                                  makePart(source, end, isCut, reads));
      kernel.reads = pairReads(groupReads, reads);
    } else {
      kernel.reason = "no op of the model has the location of its result";
    }
  }
  return {};
}

StatusOr<ModelParts> Splitter::run() {
  parts.targets = levels->targets();
  TILEWRIGHT_ASSIGN_OR_RETURN(source, keep());
  TILEWRIGHT_RETURN_IF_ERROR(advanceTo("assign-group-schedules"));
  TILEWRIGHT_ASSIGN_OR_RETURN(grouped, keep());
  parts.groupsAt = levels->position();
  llvm::append_range(groups, grouped.function.front().getOps<graph::GroupOp>());
  findCuts();
  TILEWRIGHT_RETURN_IF_ERROR(makeParts());
  TILEWRIGHT_RETURN_IF_ERROR(advanceTo("split-kernels"));
  nameKernels();
  return std::move(parts);
}

StatusOr<ModelParts> takeApart(const std::shared_ptr<ModelLevels> &levels,
                               std::vector<HostTensor> inputs) {
  return Splitter(levels, std::move(inputs)).run();
}

} // namespace tilewright::verify
