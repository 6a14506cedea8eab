//===- Execute.cpp - Executes a program on vectors ------------------------===//
#include "spatial/reference/Execute.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "spatial/reference/Vectors.h"
#include "support/Format.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::spatial {

namespace {
/// The values of one run.
class Execution {
public:
  Execution(int64_t lanes) : lanes(lanes) {}

  void set(Value value, Vectors vectors) {
    values.insert_or_assign(value, std::move(vectors));
  }
  [[nodiscard]] const Vectors &get(Value value) const {
    return values.find(value)->second;
  }
  Status run(Operation &op);

private:
  Vectors resultOf(Operation &op) const {
    auto type = cast<VectorsType>(op.getResult(0).getType());
    return {*valueType(type.getElement()), type.getCount(), lanes};
  }
  Vectors constant(ConstantOp op) const;
  Vectors alu(VectorAluOp op) const;
  Vectors multiply(MultiplyOp op) const;
  Vectors map(MapOp op) const;
  Vectors transpose(TransposeOp op) const;
  Vectors selectVectors(SelectVectorsOp op) const;
  StatusOr<Vectors> gather(GatherOp op) const;

  int64_t lanes;
  DenseMap<Value, Vectors> values;
};
} // namespace

Vectors Execution::constant(ConstantOp op) const {
  Vectors result = resultOf(*op);
  ElementsAttr elements = op.getElements();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    ArrayRef<char> bytes = resource.getData();
    lanesOfElements(result.type, std::as_bytes(std::span(bytes)), result.data);
    return result;
  }
  for (auto [i, lane] : llvm::enumerate(result.data))
    if (isFloat(result.type)) {
      APFloat number = *(elements.value_begin<APFloat>() + i);
      bool losesInfo = false;
      number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
      lane = std::bit_cast<Lane>(number.convertToFloat());
    } else {
      APInt number = *(elements.value_begin<APInt>() + i);
      const bool isSigned = result.type == DType::I8;
      lane = static_cast<Lane>(isSigned ? number.getSExtValue()
                                        : number.getZExtValue());
    }
  return result;
}

Vectors Execution::alu(VectorAluOp op) const {
  Vectors result = resultOf(*op);
  AluOp operation = *aluFromName(op.getName());
  DType type = *valueType(op.getOperandType());
  ArrayAttr numbers = op.getNumbersAttr();
  const size_t operands = aluOperands(operation);
  // The numbers of the op, as vectors of one lane.
  SmallVector<Lane> held(operands);
  for (size_t i = 0; i < result.data.size() / lanes; ++i) {
    SmallVector<std::span<const Lane>, 3> reads;
    unsigned next = 0;
    for (size_t number = 0; number < operands; ++number) {
      auto literal = numbers ? dyn_cast<FloatAttr>(numbers[number]) : nullptr;
      if (literal) {
        held[number] = numberLane(type, literal.getValueAsDouble());
        reads.push_back({&held[number], 1});
        continue;
      }
      reads.push_back(
          get(op.getReads()[next]).at(indicesOf(op.getIndices(), next)[i]));
      ++next;
    }
    evaluateAlu(operation, type, reads, result.type, result.at(i));
  }
  return result;
}

Vectors Execution::multiply(MultiplyOp op) const {
  Vectors result = resultOf(*op);
  const Vectors &x = get(op.getReads()[0]), &weights = get(op.getReads()[1]);
  SmallVector<const Lane *> rows;
  for (uint64_t row = 0; row < op.getRows(); ++row)
    rows.push_back(weights.at(indicesOf(op.getIndices(), 1)[0] + row).data());
  for (size_t i = 0; i < result.data.size() / lanes; ++i) {
    std::span<const Lane> vector = x.at(indicesOf(op.getIndices(), 0)[i]);
    const Lane *added =
        op.getReads().size() == 3
            ? get(op.getReads()[2]).at(indicesOf(op.getIndices(), 2)[i]).data()
            : nullptr;
    spatial::multiply(*valueType(op.getOperandType()),
                      vector.first(op.getRows()), rows, added, result.at(i));
  }
  return result;
}

Vectors Execution::map(MapOp op) const {
  Vectors result = resultOf(*op);
  for (size_t i = 0; i < result.data.size() / lanes; ++i)
    for (auto [lane, from] : llvm::enumerate(op.getLanes())) {
      if (from < 0)
        continue;
      const auto number = static_cast<unsigned>(from / lanes);
      result.at(i)[lane] =
          get(op.getReads()[number])
              .at(indicesOf(op.getIndices(), number)[i])[from % lanes];
    }
  return result;
}

Vectors Execution::transpose(TransposeOp op) const {
  Vectors result = resultOf(*op);
  const auto size = static_cast<int64_t>(op.getSize());
  const Vectors &from = get(op.getReads()[0]);
  for (auto [group, start] : llvm::enumerate(indicesOf(op.getIndices(), 0)))
    for (int64_t i = 0; i < size; ++i)
      for (int64_t lane = 0; lane < lanes; ++lane)
        result.at(group * size + i)[lane] =
            from.at(start + lane % size)[lane / size * size + i];
  return result;
}

Vectors Execution::selectVectors(SelectVectorsOp op) const {
  Vectors result = resultOf(*op);
  for (auto [i, source, index] :
       llvm::enumerate(op.getSources(), op.getIndices()))
    std::ranges::copy(get(op.getReads()[source]).at(index),
                      result.at(i).begin());
  return result;
}

StatusOr<Vectors> Execution::gather(GatherOp op) const {
  Vectors result = resultOf(*op);
  const Vectors &table = get(op.getReads()[0]), &rows = get(op.getReads()[1]);
  for (auto [i, index] : llvm::enumerate(indicesOf(op.getIndices(), 1))) {
    auto row = static_cast<int32_t>(rows.at(index)[0]);
    if (row < 0 || row >= static_cast<int64_t>(op.getRows()))
      return Status::invalidInput(
          format("a gather reads row {} of a table of {}",
                 {row, static_cast<int64_t>(op.getRows())}));
    std::ranges::copy(table.at(indicesOf(op.getIndices(), 0)[0] + row),
                      result.at(i).begin());
  }
  return result;
}

Status Execution::run(Operation &op) {
  if (auto gathered = dyn_cast<GatherOp>(op)) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Vectors result, gather(gathered));
    set(gathered.getResult(), std::move(result));
    return {};
  }
  auto result = TypeSwitch<Operation *, std::optional<Vectors>>(&op)
                    .Case([&](ConstantOp op) { return constant(op); })
                    .Case([&](VectorAluOp op) { return alu(op); })
                    .Case([&](MultiplyOp op) { return multiply(op); })
                    .Case([&](MapOp op) { return map(op); })
                    .Case([&](TransposeOp op) { return transpose(op); })
                    .Case([&](SelectVectorsOp op) { return selectVectors(op); })
                    .Default([](Operation *) { return std::nullopt; });
  if (!result)
    return Status::internal(format("{} is no op of a program on vectors",
                                   {op.getName().getStringRef().str()}));
  set(op.getResult(0), std::move(*result));
  return {};
}

StatusOr<std::vector<runtime::HostTensor>>
executeVectors(FunctionOpInterface function,
               std::span<const runtime::TensorView> inputs) {
  if (inputs.size() != function.getNumArguments())
    return Status::invalidInput(
        format("expected {} inputs, found {}",
               {function.getNumArguments(), inputs.size()}));
  Block &body = function.getFunctionBody().front();
  const int64_t lanes = lanesOf(&body.front());
  Execution execution(lanes);
  for (auto [number, argument] : llvm::enumerate(body.getArguments())) {
    auto type = cast<VectorsType>(argument.getType());
    TILEWRIGHT_ASSIGN_OR_RETURN(
        Vectors vectors,
        vectorsOfTensor(
            inputs[number],
            function.getArgAttrOfType<DictionaryAttr>(number, kInterfaceAttr),
            *valueType(type.getElement()), lanes));
    execution.set(argument, std::move(vectors));
  }
  for (Operation &op : body.without_terminator())
    TILEWRIGHT_RETURN_IF_ERROR(execution.run(op));
  std::vector<runtime::HostTensor> outputs;
  for (auto [number, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        runtime::HostTensor tensor,
        tensorOfVectors(execution.get(value),
                        function.getResultAttrOfType<DictionaryAttr>(
                            number, kInterfaceAttr)));
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

} // namespace tilewright::spatial
