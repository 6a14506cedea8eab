//===- Tensors.cpp - Where the elements of tensors lie in vectors ---------===//
#include "spatial/transforms/Tensors.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilewright::spatial {

//===--- Arrangements -----------------------------------------------------===//

Arrangement::Arrangement(Value value, DType dtype, int64_t lanes,
                         int64_t tensorSize, std::vector<int32_t> elements)
    : value(value), dtype(dtype), lanes(lanes), elements(std::move(elements)),
      starts(tensorSize + 1) {
  for (int32_t element : this->elements)
    if (element >= 0)
      ++starts[element + 1];
  for (int64_t i = 0; i < tensorSize; ++i)
    starts[i + 1] += starts[i];
  slotTable.resize(starts.back());
  std::vector<int32_t> next(starts.begin(), starts.end() - 1);
  for (auto [slot, element] : llvm::enumerate(this->elements))
    if (element >= 0)
      slotTable[next[element]++] = static_cast<int32_t>(slot);
}

int64_t Arrangement::find(ArrayRef<ElementId> row) const {
  const auto *first =
      llvm::find_if(row, [](ElementId id) { return id != noElement; });
  if (first == row.end())
    return 0;
  const int64_t lane = first - row.begin();
  for (int32_t slot : slots(elementOf(*first))) {
    if (slot % lanes != lane)
      continue;
    const int64_t vector = slot / lanes;
    ArrayRef<int32_t> held = ArrayRef(elements).slice(vector * lanes, lanes);
    bool fits = true;
    for (int64_t i = 0; i < lanes && fits; ++i)
      fits = row[i] == noElement || elementOf(row[i]) == held[i];
    if (fits)
      return vector;
  }
  return -1;
}

//===--- Tensors ----------------------------------------------------------===//

/// How the machine holds elements of the model's type.
static DType heldType(Type type) {
  if (type.isInteger(64) || type.isIndex())
    return DType::I32;
  return valueType(type).value_or(DType::F32);
}

int64_t Tensors::add(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto info = std::make_unique<TensorInfo>();
  info->shape.assign(type.getShape().begin(), type.getShape().end());
  info->size = type.getNumElements();
  info->dtype = heldType(type.getElementType());
  info->argument = dyn_cast<BlockArgument>(tensor);
  tensors.push_back(std::move(info));
  const auto number = static_cast<int64_t>(tensors.size()) - 1;
  numbers[tensor] = number;
  return number;
}

void Tensors::addView(Value tensor, std::vector<ElementId> view) {
  info(add(tensor)).view = std::move(view);
}

void Tensors::addConstant(Value tensor, ElementsAttr elements) {
  info(add(tensor)).constant = elements;
}

void Tensors::addScalar(Value scalar, ElementsAttr element) {
  const int64_t number = addUnnamed(1, heldType(element.getElementType()));
  info(number).constant = element;
  numbers[scalar] = number;
}

int64_t Tensors::addUnnamed(int64_t size, DType dtype) {
  auto info = std::make_unique<TensorInfo>();
  info->shape = {size};
  info->size = size;
  info->dtype = dtype;
  tensors.push_back(std::move(info));
  return static_cast<int64_t>(tensors.size()) - 1;
}

void Tensors::arrange(int64_t tensor, Value value,
                      std::vector<int32_t> elements) {
  auto type = cast<VectorsType>(value.getType());
  info(tensor).arrangements.push_back(std::make_unique<Arrangement>(
      value, *valueType(type.getElement()), machine.lanes, info(tensor).size,
      std::move(elements)));
}

ElementId Tensors::resolve(int64_t tensor, int64_t element) const {
  const TensorInfo &info = *tensors[tensor];
  // Views are made of elements that are resolved.
  return info.view.empty() ? elementId(tensor, element) : info.view[element];
}

uint32_t Tensors::constantLane(ElementId id) const {
  ElementsAttr elements = tensors[tensorOf(id)]->constant;
  Type type = elements.getElementType();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    ArrayRef<char> data = resource.getData();
    const size_t width =
        std::max(1U, type.isIndex() ? 8 : type.getIntOrFloatBitWidth() / 8);
    const char *at = data.data() + elementOf(id) * width;
    if (type.isF32() || type.isInteger(32) || type.isInteger(64)) {
      uint32_t lane = 0;
      std::memcpy(&lane, at, sizeof(lane));
      return lane;
    }
    if (width == 1)
      return type.isSignlessInteger(8) ? static_cast<uint32_t>(int8_t(*at))
                                       : static_cast<uint8_t>(*at);
  }
  if (isa<FloatType>(type)) {
    APFloat number = *(elements.value_begin<APFloat>() + elementOf(id));
    bool losesInfo = false;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return std::bit_cast<uint32_t>(number.convertToFloat());
  }
  APInt number = *(elements.value_begin<APInt>() + elementOf(id));
  const bool isUnsigned = type.isInteger(1) || type.isUnsignedInteger();
  return static_cast<uint32_t>(isUnsigned ? number.getZExtValue()
                                          : number.getSExtValue());
}

std::optional<uint32_t> Tensors::splatOf(Value tensor) const {
  if (!has(tensor))
    return std::nullopt;
  const int64_t number = numberOf(tensor);
  ElementsAttr elements = tensors[number]->constant;
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return constantLane(elementId(number, 0));
}

//===--- Inputs -----------------------------------------------------------===//

Rows Tensors::defaultRows(int64_t tensor) const {
  const TensorInfo &info = *tensors[tensor];
  const int64_t inner = info.shape.empty() ? 1 : info.shape.back();
  Rows rows{machine.lanes, {}};
  for (int64_t start = 0; start < info.size; start += inner)
    for (int64_t chunk = 0; chunk < inner; chunk += machine.lanes)
      for (int64_t lane = 0; lane < machine.lanes; ++lane)
        rows.ids.push_back(chunk + lane < inner
                               ? elementId(tensor, start + chunk + lane)
                               : noElement);
  return rows;
}

void Tensors::layOutInput(int64_t tensor, const Rows &rows) {
  TensorInfo &input = info(tensor);
  std::vector<bool> isHeld(input.size);
  std::vector<int32_t> elements;
  auto add = [&](ArrayRef<ElementId> row) {
    bool any = false;
    for (auto [lane, id] : llvm::enumerate(row)) {
      if (id == noElement)
        continue;
      if (tensorOf(id) != tensor || isHeld[elementOf(id)] ||
          llvm::is_contained(row.take_front(lane), id))
        return;
      any = true;
    }
    if (!any)
      return;
    for (ElementId id : row) {
      elements.push_back(id == noElement ? -1
                                         : static_cast<int32_t>(elementOf(id)));
      if (id != noElement)
        isHeld[elementOf(id)] = true;
    }
  };
  for (int64_t i = 0; i < rows.count(); ++i)
    add(rows.row(i));
  Rows rest = defaultRows(tensor);
  for (ElementId &id : rest.ids)
    if (id != noElement && isHeld[elementOf(id)])
      id = noElement;
  for (int64_t i = 0; i < rest.count(); ++i)
    add(rest.row(i));
  const auto count = static_cast<int64_t>(elements.size()) / machine.lanes;
  input.argument.setType(vectorsType(count, input.dtype));
  arrange(tensor, input.argument, std::move(elements));
}

void Tensors::ensureInputs(const Rows &rows) {
  for (ElementId id : rows.ids) {
    if (id == noElement)
      continue;
    TensorInfo &tensor = info(tensorOf(id));
    if (tensor.argument && tensor.arrangements.empty())
      layOutInput(tensorOf(id), rows);
  }
}

//===--- Making vectors ---------------------------------------------------===//

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

Reads Tensors::constants(Location where, ArrayRef<uint32_t> lanes,
                         DType dtype) {
  const auto count = static_cast<int64_t>(lanes.size()) / machine.lanes;
  Type element = irType(builder.getContext(), dtype);
  auto type = RankedTensorType::get({count, machine.lanes}, element);
  ElementsAttr elements;
  if (isa<FloatType>(element)) {
    SmallVector<APFloat> numbers;
    auto &semantics = cast<FloatType>(element).getFloatSemantics();
    if (dtype == DType::F32) {
      SmallVector<float> floats;
      floats.reserve(lanes.size());
      for (uint32_t lane : lanes)
        floats.push_back(std::bit_cast<float>(lane));
      elements = DenseElementsAttr::get(type, ArrayRef(floats));
    } else {
      numbers.reserve(lanes.size());
      for (uint32_t lane : lanes) {
        APFloat number(std::bit_cast<float>(lane));
        bool losesInfo = false;
        number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
        numbers.push_back(number);
      }
      elements = DenseElementsAttr::get(type, ArrayRef(numbers));
    }
  } else {
    SmallVector<APInt> numbers;
    numbers.reserve(lanes.size());
    for (uint32_t lane : lanes)
      numbers.emplace_back(32, lane);
    for (APInt &number : numbers)
      number = number.trunc(element.getIntOrFloatBitWidth());
    elements = DenseElementsAttr::get(type, ArrayRef(numbers));
  }
  Value value =
      ConstantOp::create(builder, where, vectorsType(count, dtype), elements);
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
    Value result = alu(
        where, AluOp::move, isFloat(dtype) ? DType::F32 : DType::I32,
        {{Reads{value, indices}}}, static_cast<int64_t>(indices.size()), dtype);
    for (auto [i, index] : llvm::enumerate(indices))
      converted[{value, {index, dtype}}] = {result, static_cast<int32_t>(i)};
  }
  for (Vector &vector : vectors)
    if (auto found = converted.find({vector.value, {vector.index, dtype}});
        found != converted.end())
      vector = found->second;
}

//===--- Reading rows -----------------------------------------------------===//

bool Tensors::isAllConstant(ArrayRef<ElementId> row) const {
  return llvm::all_of(
      row, [&](ElementId id) { return id == noElement || isConstant(id); });
}

Arrangement *Tensors::arrangementFor(int64_t tensor, DType dtype) const {
  Arrangement *best = nullptr;
  for (const auto &arrangement : tensors[tensor]->arrangements)
    if (!best || (arrangement->dtype == dtype && best->dtype != dtype))
      best = arrangement.get();
  return best;
}

std::optional<Tensors::Vector> Tensors::find(ArrayRef<ElementId> row,
                                             DType dtype) const {
  int64_t tensor = -1;
  for (ElementId id : row) {
    if (id == noElement)
      continue;
    if (tensor >= 0 && tensorOf(id) != tensor)
      return std::nullopt;
    tensor = tensorOf(id);
  }
  std::optional<Vector> other;
  for (const auto &arrangement : tensors[tensor]->arrangements) {
    const int64_t vector = arrangement->find(row);
    if (vector < 0)
      continue;
    Vector result{arrangement->value, static_cast<int32_t>(vector)};
    if (arrangement->dtype == dtype)
      return result;
    if (!other)
      other = result;
  }
  return other;
}

bool Tensors::isHeld(ArrayRef<ElementId> row) const {
  return isAllConstant(row) || find(row, DType::F32);
}

int64_t Tensors::sourcesOf(ArrayRef<ElementId> row) const {
  llvm::SmallSet<std::pair<int64_t, int64_t>, 8> vectors;
  for (ElementId id : row) {
    if (id == noElement || isConstant(id))
      continue;
    Arrangement *held = arrangementFor(tensorOf(id), DType::F32);
    const int64_t vector =
        held ? held->slots(elementOf(id)).front() / machine.lanes : 0;
    vectors.insert({tensorOf(id), vector});
  }
  return std::max<int64_t>(1, static_cast<int64_t>(vectors.size()));
}

void Tensors::readConstants(Location where, const Rows &rows, DType dtype,
                            int64_t group, std::vector<Vector> &found) {
  // The first vector of each group of equal content.
  llvm::StringMap<int32_t> known;
  std::vector<uint32_t> lanes;
  SmallVector<std::pair<int64_t, int32_t>> places;
  const int64_t size = group * machine.lanes;
  for (int64_t first = 0; first < rows.count(); first += group) {
    ArrayRef<ElementId> ids =
        ArrayRef(rows.ids).slice(first * machine.lanes, size);
    if (!isAllConstant(ids))
      continue;
    std::vector<uint32_t> content;
    content.reserve(size);
    for (ElementId id : ids)
      content.push_back(id == noElement ? 0 : constantLane(id));
    StringRef key(reinterpret_cast<const char *>(content.data()),
                  content.size() * sizeof(uint32_t));
    auto [entry, isNew] =
        known.insert({key, static_cast<int32_t>(lanes.size() / machine.lanes)});
    if (isNew)
      llvm::append_range(lanes, content);
    places.push_back({first, entry->second});
  }
  if (lanes.empty())
    return;
  Value value = constants(where, lanes, dtype).value;
  for (auto [first, index] : places)
    for (int64_t i = 0; i < group; ++i)
      found[first + i] = {value, index + static_cast<int32_t>(i)};
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

FailureOr<Reads> Tensors::read(Location where, const Rows &rows, DType dtype,
                               int64_t group) {
  ensureInputs(rows);
  std::vector<Vector> found(rows.count());
  readConstants(where, rows, dtype, group, found);
  // Equal rows once.
  llvm::StringMap<int64_t> known;
  SmallVector<int64_t> moved, firsts(rows.count(), -1);
  for (int64_t i = 0; i < rows.count(); ++i) {
    if (found[i].value)
      continue;
    ArrayRef<ElementId> row = rows.row(i);
    if (isAllConstant(row)) {
      // In a group with others.
      moved.push_back(i);
      continue;
    }
    StringRef key(reinterpret_cast<const char *>(row.data()),
                  row.size() * sizeof(ElementId));
    auto [entry, isNew] = known.insert({key, i});
    if (!isNew) {
      firsts[i] = entry->second;
      continue;
    }
    if (std::optional<Vector> vector = find(row, dtype))
      found[i] = *vector;
    else
      moved.push_back(i);
  }
  if (!moved.empty() &&
      failed(moveLanes(*this, where, rows, dtype, moved, found)))
    return failure();
  for (auto [i, first] : llvm::enumerate(firsts))
    if (first >= 0)
      found[i] = found[first];
  convert(where, dtype, found);
  if (group > 1)
    makeConsecutive(where, group, found);
  return collect(where, found);
}

} // namespace tilewright::spatial
