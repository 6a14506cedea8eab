//===- TensorVectors.cpp - Vectors while a graph becomes a program --------===//
#include "spatial/transforms/Tensors.h"

#include "tilewright/runtime/HalfFloats.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright::spatial {

Value Tensors::alu(Location where, AluOp op, DType type,
                   ArrayRef<Operand> operands, int64_t count, DType result) {
  SmallVector<Value> values;
  SmallVector<Attribute> indices, numbers;
  bool hasNumbers = false;
  for (const Operand &operand : operands) {
    if (!operand.reads.value) {
      hasNumbers = true;
      numbers.push_back(builder.getF64FloatAttr(operand.number));
      continue;
    }
    values.push_back(operand.reads.value);
    indices.push_back(builder.getDenseI32ArrayAttr(operand.reads.indices));
    numbers.push_back(builder.getUnitAttr());
  }
  return VectorAluOp::create(
      builder, where, vectorsType(count, result), aluName(op),
      irType(builder.getContext(), type), values, builder.getArrayAttr(indices),
      hasNumbers ? builder.getArrayAttr(numbers) : ArrayAttr());
}

/// The lanes as elements, each of them as `convert` makes it.
template <typename Element, typename Convert>
static ElementsAttr elementsAttr(RankedTensorType type,
                                 ArrayRef<uint32_t> lanes, Convert convert) {
  std::vector<Element> elements;
  elements.reserve(lanes.size());
  for (uint32_t lane : lanes)
    elements.push_back(static_cast<Element>(convert(lane)));
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(reinterpret_cast<const char *>(elements.data()),
                     elements.size() * sizeof(Element)));
}

static ElementsAttr elementsAttr(RankedTensorType type, DType dtype,
                                 ArrayRef<uint32_t> lanes) {
  switch (dtype) {
  case DType::F16:
    return elementsAttr<uint16_t>(type, lanes, [](uint32_t lane) {
      return Float16(std::bit_cast<float>(lane)).bits;
    });
  case DType::BF16:
    return elementsAttr<uint16_t>(type, lanes, [](uint32_t lane) {
      return BFloat16(std::bit_cast<float>(lane)).bits;
    });
  case DType::I8:
  case DType::U8:
    return elementsAttr<uint8_t>(type, lanes,
                                 [](uint32_t lane) { return lane; });
  case DType::Bool: {
    SmallVector<bool> elements;
    for (uint32_t lane : lanes)
      elements.push_back(lane & 1);
    return DenseElementsAttr::get(type, ArrayRef(elements));
  }
  default: // f32 and i32
    return elementsAttr<uint32_t>(type, lanes,
                                  [](uint32_t lane) { return lane; });
  }
}

Reads Tensors::constants(Location where, ArrayRef<uint32_t> lanes,
                         DType dtype) {
  const auto count = static_cast<int64_t>(lanes.size()) / machine.lanes;
  auto type = RankedTensorType::get({count, machine.lanes},
                                    irType(builder.getContext(), dtype));
  Value value = ConstantOp::create(builder, where, vectorsType(count, dtype),
                                   elementsAttr(type, dtype, lanes));
  auto range = llvm::seq<int32_t>(0, static_cast<int32_t>(count));
  return {value, {range.begin(), range.end()}};
}

Reads Tensors::collect(Location where, ArrayRef<Vector> vectors) {
  Reads reads;
  const bool isOne = llvm::all_of(vectors, [&](const Vector &vector) {
    return vector.value == vectors.front().value;
  });
  if (isOne) {
    reads.value = vectors.front().value;
    for (const Vector &vector : vectors)
      reads.indices.push_back(vector.index);
    return reads;
  }
  llvm::SmallMapVector<Value, int32_t, 8> sources;
  SmallVector<int32_t> numbers, indices;
  for (const Vector &vector : vectors) {
    auto [source, isNew] =
        sources.insert({vector.value, static_cast<int32_t>(sources.size())});
    (void)isNew;
    numbers.push_back(source->second);
    indices.push_back(vector.index);
  }
  SmallVector<Value> values = llvm::to_vector(llvm::make_first_range(sources));
  const auto count = static_cast<int64_t>(vectors.size());
  Type element = cast<VectorsType>(values.front().getType()).getElement();
  reads.value = SelectVectorsOp::create(
      builder, where, VectorsType::get(builder.getContext(), count, element),
      numbers, indices, values);
  auto range = llvm::seq<int32_t>(0, static_cast<int32_t>(count));
  reads.indices.assign(range.begin(), range.end());
  return reads;
}

Value Tensors::inOrder(Location where, const Reads &reads) {
  auto type = cast<VectorsType>(reads.value.getType());
  const auto count = static_cast<int64_t>(reads.indices.size());
  if (count == type.getCount() &&
      llvm::equal(reads.indices, llvm::seq<int32_t>(0, count)))
    return reads.value;
  return SelectVectorsOp::create(
      builder, where,
      VectorsType::get(builder.getContext(), count, type.getElement()),
      SmallVector<int32_t>(count, 0), reads.indices, ValueRange{reads.value});
}

/// Behind other names, the vector that an instruction makes.
static Tensors::Vector named(Tensors::Vector vector) {
  while (auto select = vector.value.getDefiningOp<SelectVectorsOp>())
    vector = {select.getReads()[select.getSources()[vector.index]],
              select.getIndices()[vector.index]};
  return vector;
}

static bool isByte(DType dtype) {
  return dtype == DType::I8 || dtype == DType::U8;
}

Value Tensors::sameByte(Location where, const Reads &reads, DType dtype) {
  const auto count = static_cast<int64_t>(reads.indices.size());
  if (dtype == DType::U8)
    return alu(where, AluOp::logicalAnd, DType::I32, {{reads}, {{}, 255}},
               count, dtype);
  // The byte's highest bit becomes the sign.
  Reads high = reads;
  high.value = alu(where, AluOp::shl, DType::I32, {{reads}, {{}, 24}}, count,
                   DType::I32);
  auto range = llvm::seq<int32_t>(0, static_cast<int32_t>(count));
  high.indices.assign(range.begin(), range.end());
  return alu(where, AluOp::shr, DType::I32, {{high}, {{}, 24}}, count, dtype);
}

void Tensors::convert(Location where, DType dtype,
                      std::vector<Vector> &vectors) {
  // By value, the vectors that need it.
  llvm::MapVector<Value, SmallVector<int32_t>> needed;
  for (Vector &vector : vectors) {
    Type held = cast<VectorsType>(vector.value.getType()).getElement();
    if (valueType(held) == dtype)
      continue;
    vector = named(vector);
    if (!converted.contains({vector.value, {vector.index, dtype}}))
      needed[vector.value].push_back(vector.index);
  }
  for (auto &[value, indices] : needed) {
    llvm::sort(indices);
    indices.erase(llvm::unique(indices), indices.end());
    const std::optional<DType> held =
        valueType(cast<VectorsType>(value.getType()).getElement());
    const Reads reads{value, indices};
    Value result =
        isByte(dtype) && isByte(*held)
            ? sameByte(where, reads, dtype)
            : alu(where, AluOp::move, isFloat(dtype) ? DType::F32 : DType::I32,
                  {{reads}}, static_cast<int64_t>(indices.size()), dtype);
    for (auto [i, index] : llvm::enumerate(indices))
      converted[{value, {index, dtype}}] = {result, static_cast<int32_t>(i)};
  }
  for (Vector &vector : vectors)
    if (auto found = converted.find({vector.value, {vector.index, dtype}});
        found != converted.end())
      vector = found->second;
}

void Tensors::makeConsecutive(Location where, int64_t group,
                              std::vector<Vector> &vectors) {
  std::vector<Vector> copied;
  SmallVector<size_t> places;
  for (size_t first = 0; first < vectors.size(); first += group) {
    MutableArrayRef<Vector> members(&vectors[first], group);
    bool fits = true;
    for (auto [i, member] : llvm::enumerate(members)) {
      member = named(member);
      fits &= member.value == members.front().value &&
              member.index == members.front().index + static_cast<int32_t>(i);
    }
    if (fits)
      continue;
    places.push_back(first);
    llvm::append_range(copied, members);
  }
  if (copied.empty())
    return;
  const DType dtype = *valueType(
      cast<VectorsType>(copied.front().value.getType()).getElement());
  Value value = alu(
      where, AluOp::move, isFloat(dtype) ? DType::F32 : DType::I32,
      {{collect(where, copied)}}, static_cast<int64_t>(copied.size()), dtype);
  int32_t next = 0;
  for (size_t first : places)
    for (int64_t i = 0; i < group; ++i)
      vectors[first + i] = {value, next++};
}

std::vector<Tensors::Vector> Tensors::transpose(Location where,
                                                std::vector<Vector> vectors) {
  const auto size = static_cast<size_t>(machine.sxm->transpose);
  makeConsecutive(where, machine.sxm->transpose, vectors);
  // By value, its blocks.
  llvm::MapVector<Value, SmallVector<size_t>> blocks;
  for (size_t first = 0; first < vectors.size(); first += size)
    blocks[vectors[first].value].push_back(first);
  for (auto &[value, firsts] : blocks) {
    SmallVector<int32_t> starts;
    for (size_t first : firsts)
      starts.push_back(vectors[first].index);
    Type element = cast<VectorsType>(value.getType()).getElement();
    Value result = TransposeOp::create(
        builder, where,
        VectorsType::get(builder.getContext(),
                         static_cast<int64_t>(starts.size() * size), element),
        size, ValueRange{value},
        builder.getArrayAttr({builder.getDenseI32ArrayAttr(starts)}));
    int32_t next = 0;
    for (size_t first : firsts)
      for (size_t i = 0; i < size; ++i)
        vectors[first + i] = {result, next++};
  }
  return vectors;
}

} // namespace tilewright::spatial
