#include "verify/numerics/LostDigits.h"

#include "tileir/reference/Rounding.h"
#include "verify/numerics/Quad.h"
#include "verify/validate/Elements.h"
#include "verify/validate/FirstError.h"
#include "verify/validate/GraphProgram.h"
#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using llvm::APFloat;

namespace tilewright::verify {

using graph::reference::GraphReference;

double significantDigits(std::span<const double> results) {
  // Of N - 1 degrees of freedom, both sides together 5 %.
  static constexpr double student[] = {12.706, 4.303, 3.182, 2.776, 2.571,
                                       2.447,  2.365, 2.306, 2.262, 2.228,
                                       2.201,  2.179, 2.160, 2.145, 2.131};
  const auto count = double(results.size());
  auto isFirst = [&](double x) {
    return x == results[0] || (std::isnan(x) && std::isnan(results[0]));
  };
  if (std::ranges::all_of(results, isFirst))
    return std::numeric_limits<double>::infinity();
  const double mean =
      std::accumulate(results.begin(), results.end(), 0.0) / count;
  if (!std::isfinite(mean))
    return 0;
  double squares = 0;
  for (const double x : results)
    squares += (x - mean) * (x - mean);
  const double deviation = std::sqrt(squares / (count - 1));
  const double digits = std::log10(std::sqrt(count) * std::fabs(mean) /
                                   (student[results.size() - 2] * deviation));
  return std::max(0.0, digits);
}

//===--- Runs -------------------------------------------------------------===//

namespace {
/// By output and element the results of all runs so far.
using Results = std::vector<std::vector<std::vector<double>>>;

class RandomRuns {
public:
  RandomRuns(func::FuncOp graph, const Signature &signature,
             std::span<const runtime::HostTensor> inputs,
             std::vector<std::vector<int64_t>> chosen, uint64_t mostOps)
      : graph(graph), signature(signature), positions(std::move(chosen)),
        mostOps(mostOps), shapes(positions.size()) {
    for (const runtime::HostTensor &input : inputs)
      arrays.push_back(arrayOf(input));
    for (const std::vector<int64_t> &own : positions)
      results.emplace_back(own.size());
  }
  /// Forgets elements that a run does not reach in its limit of ops.
  Status run(uint64_t seed);
  std::optional<LostDigits> worst(size_t output) const;

private:
  func::FuncOp graph;
  const Signature &signature;
  std::vector<std::vector<int64_t>> positions;
  const uint64_t mostOps;
  std::vector<runtime::Shape> shapes;
  std::vector<graph::reference::Array> arrays;
  Results results;
};
} // namespace

Status RandomRuns::run(uint64_t seed) {
  FirstError error(graph.getContext());
  bool isLimit = false;
  graph::reference::ReferenceOptions options;
  options.mostOps = mostOps;
  options.reachedLimit = &isLimit;
  options.roundingSeed = seed;
  auto begun = GraphReference::create(graph, arrays, options);
  if (failed(begun) && !isLimit)
    return Status::invalidInput(error.text);
  for (size_t i = 0; i < positions.size(); ++i) {
    size_t known = 0;
    for (; known < positions[i].size() && !isLimit; ++known) {
      runtime::Shape shape(begun->shape(unsigned(i)).begin(),
                           begun->shape(unsigned(i)).end());
      if (shapes[i].empty())
        shapes[i] = shape;
      if (shapes[i] != shape)
        return Status::invalidInput("sizes depend on roundings");
      auto element = begun->element(
          unsigned(i), indexOf(shape, size_t(positions[i][known])));
      if (failed(element) && isLimit)
        break;
      if (failed(element))
        return Status::invalidInput(error.text);
      results[i][known].push_back(
          reference::asDouble(quadOf(*element, signature.outputs[i].dtype)));
    }
    positions[i].resize(known);
    results[i].resize(known);
  }
  return {};
}

/// The decimal digits that numbers of a type have.
static double digitsOf(runtime::DType dtype) {
  const llvm::fltSemantics *semantics = semanticsOf(dtype);
  const unsigned bits =
      semantics ? APFloat::semanticsPrecision(*semantics) : bitWidth(dtype);
  return double(bits) * std::log10(2.0);
}

std::optional<LostDigits> RandomRuns::worst(size_t output) const {
  std::optional<LostDigits> found;
  for (auto [n, own] : llvm::enumerate(results[output])) {
    const double all = digitsOf(signature.outputs[output].dtype);
    const double lost = std::max(0.0, all - significantDigits(own));
    if (!found || lost > found->lost)
      found = LostDigits{lost, all,
                         indexOf(shapes[output], size_t(positions[output][n])),
                         int64_t(results[output].size()), own.size()};
  }
  return found;
}

/// So many of them, evenly.
static std::vector<int64_t> someOf(const std::vector<int64_t> &all,
                                   size_t most) {
  if (all.size() <= most)
    return all;
  std::vector<int64_t> some;
  for (size_t i = 0; i < most; ++i)
    some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

StatusOr<std::vector<std::optional<LostDigits>>>
estimateLostDigits(func::FuncOp graph, const Signature &signature,
                   std::span<const runtime::HostTensor> inputs,
                   const std::vector<std::vector<int64_t>> &positions,
                   uint64_t seed, RunTime time) {
  constexpr uint64_t runs = 8;
  constexpr size_t mostElements = 64;
  // About as many in a second.
  constexpr double opsPerSecond = 1e6;
  std::vector<std::vector<int64_t>> some;
  for (const std::vector<int64_t> &own : positions)
    some.push_back(someOf(own, mostElements));
  RandomRuns all(graph, signature, inputs, std::move(some),
                 uint64_t(time.count() * opsPerSecond / runs));
  for (uint64_t i = 0; i < runs; ++i)
    TILEWRIGHT_RETURN_IF_ERROR(all.run(seed * runs + i));
  std::vector<std::optional<LostDigits>> found;
  for (size_t i = 0; i < positions.size(); ++i)
    found.push_back(all.worst(i));
  return found;
}

} // namespace tilewright::verify
