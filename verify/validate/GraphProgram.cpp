#include "verify/validate/GraphProgram.h"

#include "codegen/pipeline/Expressions.h"
#include "verify/validate/Elements.h"
#include "verify/validate/Elementwise.h"
#include "verify/validate/FirstError.h"
#include "verify/validate/FunctionBounds.h"
#include "verify/validate/ReadHints.h"

#include <random>

using namespace mlir;

namespace tilewright::verify {

using graph::reference::Array;
using graph::reference::GraphReference;
using graph::reference::ReferenceOptions;
using runtime::HostTensor;

namespace {
class GraphProgram : public Program {
public:
  GraphProgram(std::shared_ptr<ModelLevels> levels, func::FuncOp original,
               uint64_t mostOps, Sample sample)
      : levels(std::move(levels)), mostOps(mostOps), sample(std::move(sample)),
        module(original->getParentOfType<ModuleOp>().clone()),
        function(module->lookupSymbol<func::FuncOp>(original.getSymName())) {}
  Status begin();
  StatusOr<Outcome> run(std::span<const HostTensor> inputs, unsigned order,
                        reference::Freedom freedom) override;
  bool hasFreedom() const override { return true; }
  bool isElementwise() const override {
    return verify::isElementwise(function);
  }

private:
  StatusOr<bool> computeAll(GraphReference &run, unsigned result,
                            reference::Freedom freedom, Outcome &outcome) const;
  StatusOr<bool> computeSample(GraphReference &run, unsigned result,
                               reference::Freedom freedom,
                               Outcome &outcome) const;

  std::shared_ptr<ModelLevels> levels; // Has the context.
  const uint64_t mostOps;
  const Sample sample;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};
} // namespace

static StatusOr<Port> portOf(Type type, Attribute name, Attribute dtype,
                             Attribute sizeNames, const char *kind,
                             unsigned number) {
  Port port;
  if (auto names = dyn_cast_or_null<ArrayAttr>(sizeNames))
    for (auto each : names.getAsRange<StringAttr>())
      port.sizeNames.push_back(each.str());
  auto text = dyn_cast_or_null<StringAttr>(name);
  port.name = text ? text.str() : kind + std::to_string(number);
  Type element = getElementTypeOrSelf(type);
  std::optional<runtime::DType> found =
      element.isIndex() ? runtime::DType::I64 : toDType(element);
  // Where ONNX says unsigned.
  if (auto given = dyn_cast_or_null<StringAttr>(dtype); given && found)
    found = runtime::dtypeFromName(given.str());
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!found || (isa<ShapedType>(type) && !ranked)) {
    std::string problem;
    llvm::raw_string_ostream(problem)
        << kind << number << " is " << type
        << ", expected a number or a ranked tensor of numbers";
    return Status::unsupported(problem);
  }
  port.dtype = *found;
  if (ranked)
    for (int64_t size : ranked.getShape())
      port.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
  return port;
}

Status GraphProgram::begin() {
  title = levels->name();
  FirstError error(function.getContext());
  if (failed(GraphReference::check(function)))
    return Status::unsupported(error.text);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(ports.inputs.emplace_back(),
                                portOf(function.getArgumentTypes()[i],
                                       function.getArgAttr(i, "graph.name"),
                                       function.getArgAttr(i, "graph.dtype"),
                                       function.getArgAttr(i, "graph.dims"),
                                       "input", i));
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(ports.outputs.emplace_back(),
                                portOf(function.getResultTypes()[i],
                                       function.getResultAttr(i, "graph.name"),
                                       function.getResultAttr(i, "graph.dtype"),
                                       /*sizeNames=*/nullptr, "output", i));
  }
  near = readHints(*module);
  return {};
}

Array arrayOf(const HostTensor &tensor) {
  Array array;
  array.shape.assign(tensor.shape().begin(), tensor.shape().end());
  array.bits.reserve(tensor.size());
  for (size_t i = 0; i < tensor.size(); ++i)
    array.bits.push_back(bitsOf(tensor, i));
  return array;
}

static StatusOr<HostTensor> tensorOf(const Array &array, runtime::DType dtype) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      HostTensor tensor,
      HostTensor::allocate(dtype, {array.shape.begin(), array.shape.end()}));
  for (size_t i = 0; i < array.bits.size(); ++i)
    setBits(tensor, i, array.bits[i]);
  return tensor;
}

/// Positions in a result of that shape: the first, the last, and others by
/// chance, of those that are marked; the same ones each time.
static std::vector<size_t> positionsOf(const Sample &sample, unsigned result,
                                       size_t count) {
  std::vector<size_t> all;
  for (size_t n = 0; n < count; ++n)
    if (result >= sample.among.size() ||
        (n < sample.among[result].size() && sample.among[result][n]))
      all.push_back(n);
  const auto most = size_t(sample.elements);
  if (most == 0 || all.size() <= most)
    return all;
  // The two ends of what is left stay.
  std::mt19937_64 random(result);
  for (size_t i = 1; i + 1 < most; ++i)
    std::swap(all[i], all[i + random() % (all.size() - 1 - i)]);
  all[most - 1] = all.back();
  all.resize(most);
  return all;
}

/// Adds a result to the outcome, and what is permitted for its elements. False:
/// a fault, or the run would need an open value.
StatusOr<bool> GraphProgram::computeAll(GraphReference &run, unsigned result,
                                        reference::Freedom freedom,
                                        Outcome &outcome) const {
  FailureOr<Array> array = run.all(result);
  if (failed(array))
    return false;
  TILEWRIGHT_ASSIGN_OR_RETURN(outcome.outputs.emplace_back(),
                              tensorOf(*array, ports.outputs[result].dtype));
  if (freedom == reference::Freedom::none)
    return true;
  std::vector<reference::Permitted> &sets = outcome.permitted.emplace_back();
  for (size_t n = 0; n < outcome.outputs.back().size(); ++n) {
    auto set =
        run.permitted(result, indexOf(outcome.outputs.back().shape(), n));
    if (failed(set))
      return false;
    sets.push_back(*set);
  }
  return true;
}

/// The same for the elements of the sample.
StatusOr<bool> GraphProgram::computeSample(GraphReference &run, unsigned result,
                                           reference::Freedom freedom,
                                           Outcome &outcome) const {
  runtime::Shape shape(run.shape(result).begin(), run.shape(result).end());
  TILEWRIGHT_ASSIGN_OR_RETURN(
      HostTensor tensor,
      HostTensor::allocate(ports.outputs[result].dtype, shape));
  const bool isFree = freedom != reference::Freedom::none;
  std::vector<bool> written(tensor.size(), false);
  std::vector<reference::Permitted> sets(isFree ? tensor.size() : 0,
                                         reference::Permitted::any());
  for (const size_t n : positionsOf(sample, result, tensor.size())) {
    const runtime::Shape index = indexOf(shape, n);
    FailureOr<reference::Element> element = run.element(result, index);
    if (failed(element))
      return false;
    if (element->isPoison()) {
      outcome.message = "element " + runtime::printShape(index) + " of '" +
                        ports.outputs[result].name + "' is poison";
      return false;
    }
    setBits(tensor, n, element->toBits().getZExtValue());
    written[n] = true;
    if (!isFree)
      continue;
    FailureOr<reference::Permitted> set = run.permitted(result, index);
    if (failed(set))
      return false;
    sets[n] = *set;
  }
  outcome.outputs.push_back(std::move(tensor));
  outcome.written.push_back(std::move(written));
  if (isFree)
    outcome.permitted.push_back(std::move(sets));
  return true;
}

StatusOr<Outcome> GraphProgram::run(std::span<const HostTensor> inputs,
                                    unsigned, reference::Freedom freedom) {
  if (std::string problem = findDisagreement(ports.inputs, inputs);
      !problem.empty())
    return Outcome{Outcome::Kind::rejected, std::move(problem), {}};
  std::vector<Array> arrays;
  for (const HostTensor &input : inputs)
    arrays.push_back(arrayOf(input));
  FirstError error(function.getContext());
  bool isLimit = false;
  ReferenceOptions options;
  options.mostOps = mostOps;
  options.reachedLimit = &isLimit;
  options.freedom = {freedom, functionBounds()};
  Outcome outcome;
  auto failure = [&] {
    return Outcome{isLimit ? Outcome::Kind::unfinished : Outcome::Kind::faulted,
                   error.text.empty() ? outcome.message : error.text,
                   {}};
  };
  auto run = GraphReference::create(function, arrays, options);
  if (failed(run))
    return failure();
  auto undetermined = [&] {
    return Outcome{Outcome::Kind::undetermined, run->undetermined().what, {}};
  };
  if (run->undetermined().op)
    return undetermined();
  outcome.isSample = sample.elements > 0;
  for (unsigned i = 0; i < run->resultCount(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(const bool isGood,
                                outcome.isSample
                                    ? computeSample(*run, i, freedom, outcome)
                                    : computeAll(*run, i, freedom, outcome));
    if (!isGood)
      return run->undetermined().op ? undetermined() : failure();
  }
  return outcome;
}

StatusOr<std::unique_ptr<Program>>
makeGraphProgram(std::shared_ptr<ModelLevels> levels, func::FuncOp function,
                 RunTime mostTime, Sample sample) {
  // A limit that does not depend on the machine: about so many in a second.
  constexpr double opsPerSecond = 5e6;
  auto program = std::make_unique<GraphProgram>(
      std::move(levels), function, uint64_t(mostTime.count() * opsPerSecond),
      std::move(sample));
  TILEWRIGHT_RETURN_IF_ERROR(program->begin());
  return std::unique_ptr<Program>(std::move(program));
}

} // namespace tilewright::verify
