#include "test/spatial/sweep/GraphOracle.h"

#include "graph/reference/GraphReference.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <cmath>
#include <cstring>

namespace tilewright::test {

using namespace mlir;
using graph::reference::Array;
using graph::reference::GraphReference;
using runtime::DType;

static Array arrayOf(const runtime::HostTensor &tensor) {
  Array array;
  array.shape.assign(tensor.shape().begin(), tensor.shape().end());
  const size_t bytes = runtime::dtypeBytes(tensor.dtype());
  array.bits.resize(tensor.size());
  for (size_t i = 0; i < tensor.size(); ++i)
    std::memcpy(&array.bits[i], tensor.data() + i * bytes, bytes);
  return array;
}

/// The number in the low bits.
static double numberOf(uint64_t bits, DType type) {
  switch (type) {
  case DType::F32:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  case DType::I32:
    return static_cast<int32_t>(bits);
  case DType::I64:
    return static_cast<double>(static_cast<int64_t>(bits));
  default:
    return static_cast<double>(bits & 1);
  }
}

/// Rounds what bodies multiply in order to add it up.
static void roundFactors(ModuleOp module, Type precision) {
  llvm::SmallVector<arith::MulFOp> products;
  module.walk([&](arith::MulFOp op) {
    auto generic = op->getParentOfType<linalg::GenericOp>();
    if (generic && generic.getNumReductionLoops() > 0 && op.getType().isF32())
      products.push_back(op);
  });
  for (arith::MulFOp op : products)
    for (OpOperand &operand : op->getOpOperands()) {
      OpBuilder builder(op);
      Value narrow = arith::TruncFOp::create(builder, op.getLoc(), precision,
                                             operand.get());
      operand.set(arith::ExtFOp::create(builder, op.getLoc(),
                                        builder.getF32Type(), narrow));
    }
}

/// The elements of all outputs.
static FailureOr<std::vector<std::vector<double>>>
runGraph(ModuleOp module, llvm::ArrayRef<Array> inputs,
         const graph::reference::ReferenceOptions &options = {}) {
  auto function = *module.getOps<func::FuncOp>().begin();
  auto run = GraphReference::create(function, inputs, options);
  if (failed(run))
    return failure();
  std::vector<std::vector<double>> outputs;
  for (unsigned i = 0; i < run->resultCount(); ++i) {
    auto array = run->all(i);
    if (failed(array))
      return failure();
    Type type = cast<RankedTensorType>(function.getFunctionType().getResult(i))
                    .getElementType();
    const DType dtype = type.isF32()         ? DType::F32
                        : type.isInteger(32) ? DType::I32
                        : type.isInteger(64) ? DType::I64
                                             : DType::Bool;
    auto &numbers = outputs.emplace_back();
    for (uint64_t bits : array->bits)
      numbers.push_back(numberOf(bits, dtype));
  }
  return outputs;
}

/// How much is permitted on top of what runs show: some roundings.
static constexpr double leastShare = 4e-6;

StatusOr<std::vector<PermittedOutput>>
permittedOutputs(ModuleOp graph, std::span<const runtime::HostTensor> inputs,
                 DType precision) {
  llvm::SmallVector<Array> arrays;
  for (const runtime::HostTensor &input : inputs)
    arrays.push_back(arrayOf(input));
  auto nearest = runGraph(graph, arrays);
  if (failed(nearest))
    return Status::internal("the interpreter refuses the graph");
  std::vector<PermittedOutput> outputs(nearest->size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].numbers = (*nearest)[i];
    outputs[i].bounds.assign(outputs[i].numbers.size(), 0);
  }
  OwningOpRef<ModuleOp> rounded = graph.clone();
  if (precision != DType::F32)
    roundFactors(*rounded, precision == DType::F16
                               ? Type(Float16Type::get(graph.getContext()))
                               : Type(BFloat16Type::get(graph.getContext())));
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    graph::reference::ReferenceOptions options;
    options.roundingSeed = seed;
    auto other = runGraph(*rounded, arrays, options);
    if (failed(other))
      return Status::internal("the interpreter refuses the rounded graph");
    for (size_t i = 0; i < outputs.size(); ++i)
      for (size_t k = 0; k < outputs[i].bounds.size(); ++k)
        outputs[i].bounds[k] =
            std::max(outputs[i].bounds[k],
                     std::fabs((*other)[i][k] - outputs[i].numbers[k]));
  }
  auto function = *graph.getOps<func::FuncOp>().begin();
  for (auto [output, type] :
       llvm::zip(outputs, function.getFunctionType().getResults())) {
    if (!isa<FloatType>(cast<RankedTensorType>(type).getElementType()))
      continue;
    double greatest = 0, widest = 0;
    for (double number : output.numbers)
      greatest = std::max(greatest, std::fabs(number));
    for (double bound : output.bounds)
      widest = std::max(widest, bound);
    // Where no run rounds anything, nothing may be rounded.
    if (widest == 0)
      continue;
    for (double &bound : output.bounds)
      bound = 8 * bound + widest + leastShare * greatest;
  }
  return outputs;
}

std::string firstDifference(std::span<const PermittedOutput> expected,
                            std::span<const runtime::HostTensor> found) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const Array array = arrayOf(found[i]);
    if (array.bits.size() != expected[i].numbers.size())
      return "y" + std::to_string(i) + " has another size";
    for (size_t k = 0; k < array.bits.size(); ++k) {
      const double number = numberOf(array.bits[k], found[i].dtype());
      const double wanted = expected[i].numbers[k];
      const double bound = expected[i].bounds[k];
      if (number == wanted || std::fabs(number - wanted) <= bound ||
          (std::isnan(number) && std::isnan(wanted)))
        continue;
      return "y" + std::to_string(i) + "[" + std::to_string(k) + "] is " +
             std::to_string(number) + ", expected " + std::to_string(wanted) +
             " within " + std::to_string(bound);
    }
  }
  return "";
}

} // namespace tilewright::test
