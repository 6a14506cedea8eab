#include "verify/numerics/OpErrors.h"

#include "verify/numerics/Quad.h"
#include "verify/validate/Elements.h"
#include "verify/validate/FirstError.h"
#include "verify/validate/GraphProgram.h"
#include <chrono>
#include <limits>

using namespace mlir;
using llvm::APFloat;

namespace tilewright::verify {

using graph::reference::Array;
using graph::reference::GraphReference;
using Clock = std::chrono::steady_clock;
using Others = LowerableOps::Others;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// By output the numbers of some elements.
using Numbers = std::vector<std::vector<APFloat>>;

/// Runs a model with some of its ops lowered.
class OpErrorFinder {
public:
  OpErrorFinder(func::FuncOp graph, OpPrecision precision,
                const Signature &signature,
                std::span<const runtime::HostTensor> inputs,
                std::span<const ExactOutput> exact, RunTime time)
      : lowerable(graph, precision), signature(signature),
        elements(exact.begin(), exact.end()), time(time),
        context(graph.getContext()) {
    for (const runtime::HostTensor &input : inputs)
      arrays.push_back(arrayOf(input));
  }
  StatusOr<OpRanking> rank();
  /// Those that add most, and of these only those that are needed.
  KeptOps keepFewest(const OpRanking &ranking, double mostError);

private:
  /// The limit of ops is reached at about the limit of time.
  StatusOr<Numbers> run(const std::vector<bool> &lowered, Others others);
  StatusOr<std::vector<Greatest>> errorsOf(const std::vector<bool> &lowered);
  std::vector<Greatest> distances(const Numbers &found,
                                  const Numbers &right) const;
  Status measureAlone(OpRanking &ranking);
  Status measureWithout(OpRanking &ranking);
  /// The errors if no op is lowered. Looks at fewer elements if all runs would
  /// take longer than there is time; none if that is not enough.
  StatusOr<std::optional<std::vector<Greatest>>> measureNone();
  bool isLate() const { return Clock::now() - start > time; }
  /// Whether no error is too great if the ops of these numbers stay in f32;
  /// then `kept` are these.
  bool isEnough(KeptOps &kept, std::vector<size_t> ops);

  LowerableOps lowerable;
  const Signature &signature;
  std::vector<ExactOutput> elements;
  const RunTime time;
  MLIRContext *context;
  std::vector<Array> arrays;
  /// Of a run, and whether one has reached it.
  uint64_t mostOps = 0;
  bool isLimit = false;
  Clock::time_point start = Clock::now();
};
} // namespace

/// Greatest errors are infinite where the program has no results.
static std::vector<Greatest> noResults(size_t outputs) {
  return {outputs, Greatest{infinity, {}}};
}

StatusOr<Numbers> OpErrorFinder::run(const std::vector<bool> &lowered,
                                     Others others) {
  FirstError error(context);
  auto module = lowerable.make(lowered, others);
  if (failed(module))
    return Status::unsupported(error.text);
  graph::reference::ReferenceOptions options;
  options.mostOps = mostOps;
  options.reachedLimit = &isLimit;
  auto function =
      (*module)->lookupSymbol<func::FuncOp>(lowerable.functionName());
  auto begun = GraphReference::create(function, arrays, options);
  if (failed(begun))
    return Status::invalidInput(error.text);
  Numbers numbers;
  for (auto [i, output] : llvm::enumerate(elements)) {
    const runtime::Shape shape(begun->shape(unsigned(i)).begin(),
                               begun->shape(unsigned(i)).end());
    if (shape != output.shape)
      return Status::invalidInput("the output has shape " +
                                  runtime::printShape(shape));
    std::vector<APFloat> &own = numbers.emplace_back();
    for (const int64_t position : output.positions) {
      auto element =
          begun->element(unsigned(i), indexOf(output.shape, size_t(position)));
      if (failed(element))
        return Status::invalidInput(error.text);
      own.push_back(quadOf(*element, signature.outputs[i].dtype));
    }
  }
  return numbers;
}

std::vector<Greatest> OpErrorFinder::distances(const Numbers &found,
                                               const Numbers &right) const {
  std::vector<Greatest> all;
  for (auto [i, output] : llvm::enumerate(elements)) {
    Greatest &greatest = all.emplace_back();
    for (auto [n, position] : llvm::enumerate(output.positions))
      if (const double error = distance(found[i][n], right[i][n]);
          error > greatest.value)
        greatest = {error, indexOf(output.shape, size_t(position))};
  }
  return all;
}

StatusOr<std::vector<Greatest>>
OpErrorFinder::errorsOf(const std::vector<bool> &lowered) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Numbers found, run(lowered, Others::same));
  Numbers right;
  for (const ExactOutput &output : elements)
    right.push_back(output.numbers);
  return distances(found, right);
}

/// Some of them, evenly.
static void keepSome(ExactOutput &output, size_t count) {
  const size_t all = output.positions.size();
  if (all <= count)
    return;
  for (size_t i = 0; i < count; ++i) {
    const size_t from = i * (all - 1) / (count - 1);
    output.positions[i] = output.positions[from];
    output.numbers[i] = output.numbers[from];
  }
  output.positions.resize(count);
  output.numbers.erase(output.numbers.begin() + int64_t(count),
                       output.numbers.end());
}

Status OpErrorFinder::measureAlone(OpRanking &ranking) {
  const size_t count = lowerable.ops().size();
  std::vector<bool> lowered(count);
  TILEWRIGHT_ASSIGN_OR_RETURN(Numbers wide, run(lowered, Others::wide));
  for (size_t i = 0; i < count && !isLate(); ++i) {
    --ranking.unknown;
    RankedOp &op = ranking.ops.emplace_back();
    op.name = lowerable.ops()[i].name;
    op.op = lowerable.ops()[i].op;
    op.number = i;
    lowered[i] = true;
    StatusOr<Numbers> found = run(lowered, Others::wide);
    lowered[i] = false;
    op.alone = found.ok() ? distances(*found, wide)
                          : noResults(signature.outputs.size());
    if (!found.ok())
      op.failure = found.status().message();
  }
  for (size_t output = 0; output < signature.outputs.size(); ++output) {
    double sum = 0;
    for (const RankedOp &op : ranking.ops)
      sum += op.alone[output].value;
    for (RankedOp &op : ranking.ops)
      op.shares.push_back(sum == 0 || op.alone[output].value == 0 ? 0
                          : sum == infinity ? op.alone[output].value == infinity
                                            : op.alone[output].value / sum);
  }
  return {};
}

/// Those that add most come first.
Status OpErrorFinder::measureWithout(OpRanking &ranking) {
  auto largest = [](const RankedOp &op) {
    return *std::ranges::max_element(op.shares);
  };
  std::ranges::stable_sort(ranking.ops,
                           [&](const RankedOp &a, const RankedOp &b) {
                             return largest(a) > largest(b);
                           });
  std::vector<bool> lowered(lowerable.ops().size(), true);
  for (RankedOp &op : ranking.ops) {
    if (isLate() || largest(op) == 0)
      break;
    lowered[op.number] = false;
    auto found = errorsOf(lowered);
    lowered[op.number] = true;
    op.without =
        found.ok() ? *std::move(found) : noResults(signature.outputs.size());
  }
  return {};
}

StatusOr<std::optional<std::vector<Greatest>>> OpErrorFinder::measureNone() {
  // About as many in a second, of all runs together. Ops that are lowered take
  // more of them.
  constexpr double opsPerSecond = 5e6;
  constexpr uint64_t moreOps = 20;
  constexpr size_t fewElements = 16;
  const size_t count = lowerable.ops().size();
  const std::vector<bool> nothing(count);
  mostOps = uint64_t(time.count() * opsPerSecond / double(2 * count + 2));
  auto none = errorsOf(nothing);
  if (isLimit) {
    isLimit = false;
    for (ExactOutput &output : elements)
      keepSome(output, fewElements);
    none = errorsOf(nothing);
  }
  if (isLimit)
    return std::optional<std::vector<Greatest>>();
  TILEWRIGHT_RETURN_IF_ERROR(none.status());
  mostOps *= moreOps;
  return std::optional(*std::move(none));
}

StatusOr<OpRanking> OpErrorFinder::rank() {
  OpRanking ranking;
  for (const Port &port : signature.outputs)
    ranking.outputs.push_back(port.name);
  ranking.count = lowerable.ops().size();
  if (lowerable.ops().empty())
    return ranking;
  ranking.unknown = ranking.count;
  TILEWRIGHT_ASSIGN_OR_RETURN(auto none, measureNone());
  if (!none)
    return ranking;
  ranking.none = *std::move(none);
  auto all = errorsOf(std::vector<bool>(ranking.count, true));
  ranking.all = all.ok() ? *std::move(all) : noResults(elements.size());
  TILEWRIGHT_RETURN_IF_ERROR(measureAlone(ranking));
  TILEWRIGHT_RETURN_IF_ERROR(measureWithout(ranking));
  return ranking;
}

//===--- What to keep -----------------------------------------------------===//

static bool areAtMost(const std::vector<Greatest> &errors, double most) {
  return std::ranges::all_of(
      errors, [&](const Greatest &error) { return error.value <= most; });
}

bool OpErrorFinder::isEnough(KeptOps &kept, std::vector<size_t> ops) {
  std::vector<bool> lowered(lowerable.ops().size(), true);
  for (const size_t number : ops)
    lowered[number] = false;
  auto errors = errorsOf(lowered);
  if (!errors.ok() || !areAtMost(*errors, kept.mostError))
    return false;
  kept.errors = *std::move(errors);
  kept.ops = std::move(ops);
  kept.isReached = true;
  return true;
}

/// The numbers of all ops, those with the greatest errors first; then those
/// that were not ranked.
static std::vector<size_t> inOrderOfErrors(const OpRanking &ranking) {
  auto greatest = [](const RankedOp &op) {
    return std::ranges::max(op.alone, {}, &Greatest::value).value;
  };
  std::vector<const RankedOp *> ops;
  std::vector<bool> isRanked(ranking.count);
  for (const RankedOp &op : ranking.ops) {
    ops.push_back(&op);
    isRanked[op.number] = true;
  }
  std::ranges::stable_sort(ops, [&](const RankedOp *a, const RankedOp *b) {
    return greatest(*a) > greatest(*b);
  });
  std::vector<size_t> numbers;
  for (const RankedOp *op : ops)
    numbers.push_back(op->number);
  for (size_t i = 0; i < ranking.count; ++i)
    if (!isRanked[i])
      numbers.push_back(i);
  return numbers;
}

KeptOps OpErrorFinder::keepFewest(const OpRanking &ranking, double mostError) {
  start = Clock::now();
  KeptOps kept{mostError, {}, ranking.none};
  if (!areAtMost(ranking.none, mostError))
    return kept;
  const std::vector<size_t> order = inOrderOfErrors(ranking);
  auto first = [&](size_t count) {
    return std::vector(order.begin(), order.begin() + int64_t(count));
  };
  // All are enough, which needs no run; errors need not become less by each.
  size_t tooFew = 0, enough = order.size();
  kept.ops = order;
  kept.isReached = true;
  if (isEnough(kept, {}))
    return kept;
  for (size_t count = 1; count < order.size() && !isLate(); count *= 2) {
    if (isEnough(kept, first(count))) {
      enough = count;
      break;
    }
    tooFew = count;
  }
  while (tooFew + 1 < enough && !isLate()) {
    const size_t middle = (tooFew + enough) / 2;
    (isEnough(kept, first(middle)) ? enough : tooFew) = middle;
  }
  // Those that add least may not be needed.
  for (size_t i = kept.ops.size();
       i-- > 0 && kept.ops.size() > 1 && !isLate();) {
    std::vector<size_t> fewer = kept.ops;
    fewer.erase(fewer.begin() + int64_t(i));
    isEnough(kept, std::move(fewer));
  }
  kept.isLate = isLate();
  return kept;
}

StatusOr<OpRanking> rankOps(func::FuncOp graph, OpPrecision precision,
                            const Signature &signature,
                            std::span<const runtime::HostTensor> inputs,
                            std::span<const ExactOutput> exact, RunTime time,
                            std::optional<double> mostError) {
  OpErrorFinder finder(graph, precision, signature, inputs, exact, time);
  TILEWRIGHT_ASSIGN_OR_RETURN(OpRanking ranking, finder.rank());
  if (mostError && !ranking.none.empty())
    ranking.kept = finder.keepFewest(ranking, *mostError);
  return std::move(ranking);
}

} // namespace tilewright::verify
