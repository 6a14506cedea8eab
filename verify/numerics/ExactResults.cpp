#include "verify/numerics/ExactResults.h"

#include "support/Format.h"
#include "verify/exact/ExactProgram.h"
#include "verify/numerics/Quad.h"
#include "verify/validate/Elements.h"
#include "verify/validate/FirstError.h"
#include "verify/validate/GraphProgram.h"
#include <numeric>
#include <random>

using namespace mlir;
using llvm::APFloat;

namespace tilewright::verify {

using graph::reference::Array;
using graph::reference::GraphReference;
using graph::reference::ReferenceOptions;

/// The corners of a box, as far as there is room for them.
static void addCorners(const runtime::Shape &shape, size_t most,
                       std::set<int64_t> &positions) {
  const size_t corners = size_t(1) << std::min<size_t>(shape.size(), 10);
  for (size_t corner = 0; corner < corners && positions.size() < most;
       ++corner) {
    int64_t position = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      position = position * shape[d] + (corner >> d & 1 ? shape[d] - 1 : 0);
    positions.insert(position);
  }
}

/// The positions to compute, those at the corners first.
static std::vector<int64_t> choosePositions(const runtime::Shape &shape,
                                            int64_t samples,
                                            std::mt19937_64 &random) {
  const int64_t count = elementCount(shape);
  std::vector<int64_t> chosen;
  if (count <= samples) {
    chosen.resize(size_t(count));
    std::iota(chosen.begin(), chosen.end(), 0);
    return chosen;
  }
  std::set<int64_t> positions;
  addCorners(shape, size_t(samples), positions);
  chosen.assign(positions.begin(), positions.end());
  while (int64_t(chosen.size()) < samples)
    if (const int64_t next = int64_t(random() % uint64_t(count));
        positions.insert(next).second)
      chosen.push_back(next);
  return chosen;
}

namespace {
/// A run that goes on until its limit.
class ExactRun {
public:
  ExactRun(const Signature &signature, const ExactOptions &options)
      : signature(signature), options(options), random(options.seed) {}
  StatusOr<std::vector<ExactOutput>>
  run(func::FuncOp graph, std::span<const runtime::HostTensor> inputs);

private:
  Status compute(GraphReference &run, unsigned number, ExactOutput &output);
  Status failure() const {
    return isLimit ? Status::invalidInput(
                         "exact results take more than " +
                         std::to_string(options.mostOps) +
                         " operations, the limit; give --time-limit for more")
                   : Status::invalidInput(error->text);
  }

  const Signature &signature;
  const ExactOptions &options;
  std::mt19937_64 random;
  std::optional<FirstError> error;
  bool isLimit = false;
};
} // namespace

Status ExactRun::compute(GraphReference &run, unsigned number,
                         ExactOutput &output) {
  const Port &port = signature.outputs[number];
  output.shape.assign(run.shape(number).begin(), run.shape(number).end());
  for (int64_t position :
       choosePositions(output.shape, options.samples, random)) {
    const runtime::Shape index = indexOf(output.shape, size_t(position));
    auto element = run.element(number, index);
    if (failed(element) && isLimit && !output.positions.empty())
      return {};
    if (failed(element))
      return failure();
    if (element->isPoison())
      return Status::invalidInput(
          format("{}{} has no exact result: it is not defined",
                 {port.name, runtime::printShape(index)}));
    output.positions.push_back(position);
    output.numbers.push_back(quadOf(*element, port.dtype));
  }
  return {};
}

StatusOr<std::vector<ExactOutput>>
ExactRun::run(func::FuncOp graph, std::span<const runtime::HostTensor> inputs) {
  error.emplace(graph.getContext());
  auto module = makeExact(graph);
  if (failed(module))
    return Status::unsupported(error->text);
  std::vector<Array> arrays;
  for (const runtime::HostTensor &input : inputs)
    arrays.push_back(arrayOf(input));
  ReferenceOptions reference;
  reference.mostOps = options.mostOps;
  reference.reachedLimit = &isLimit;
  auto begun = GraphReference::create(
      (*module)->lookupSymbol<func::FuncOp>(graph.getSymName()), arrays,
      reference);
  if (failed(begun))
    return failure();
  std::vector<ExactOutput> outputs(signature.outputs.size());
  for (unsigned i = 0; i < outputs.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(compute(*begun, i, outputs[i]));
  return outputs;
}

StatusOr<std::vector<ExactOutput>>
exactResults(func::FuncOp graph, const Signature &signature,
             std::span<const runtime::HostTensor> inputs,
             const ExactOptions &options) {
  return ExactRun(signature, options).run(graph, inputs);
}

} // namespace tilewright::verify
