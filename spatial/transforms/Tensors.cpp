//===- Tensors.cpp - Where the elements of tensors lie in vectors ---------===//
#include "spatial/transforms/Tensors.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/MapVector.h"
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
  if (type.isInteger(64) || type.isIndex() || type.isSignlessInteger(16))
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

std::optional<int32_t> heldInteger(int64_t value) {
  if (value == INT64_MAX)
    return INT32_MAX;
  if (value == INT64_MIN)
    return INT32_MIN;
  if (!llvm::isInt<32>(value))
    return std::nullopt;
  return static_cast<int32_t>(value);
}

/// The element of a constant of i64.
static int64_t wideInteger(ElementsAttr elements, int64_t number) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    int64_t value = 0;
    std::memcpy(&value, resource.getData().data() + number * sizeof(value),
                sizeof(value));
    return value;
  }
  return (*(elements.value_begin<APInt>() + number)).getSExtValue();
}

/// The elements in memory, or the one that all are; empty where they are bits.
static ArrayRef<char> rawBytesOf(ElementsAttr elements) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return resource.getData();
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(elements);
  return dense && !dense.getElementType().isInteger(1) ? dense.getRawData()
                                                       : ArrayRef<char>();
}

void TensorInfo::setConstant(ElementsAttr elements) {
  constant = elements;
  const Type type = elements.getElementType();
  if (type.isF32() || type.isInteger(32))
    words = rawBytesOf(elements);
}

LogicalResult Tensors::addConstant(Value tensor, ElementsAttr elements) {
  const int64_t number = add(tensor);
  info(number).setConstant(elements);
  if (!elements.getElementType().isInteger(64))
    return success();
  const int64_t size = elements.isSplat() ? 1 : info(number).size;
  for (int64_t i = 0; i < size; ++i)
    if (const int64_t value = wideInteger(elements, i); !heldInteger(value))
      return emitError(tensor.getLoc())
             << "has the constant " << value
             << ", which does not fit i32, in which a machine holds i64";
  return success();
}

void Tensors::addScalar(Value scalar, ElementsAttr element) {
  const int64_t number = addUnnamed(1, heldType(element.getElementType()));
  info(number).setConstant(element);
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

uint32_t Tensors::constantLane(ElementId id) const {
  const TensorInfo &info = *tensors[tensorOf(id)];
  if (!info.words.empty()) {
    uint32_t lane = 0;
    const size_t at =
        info.words.size() == sizeof(lane) ? 0 : elementOf(id) * sizeof(lane);
    std::memcpy(&lane, info.words.data() + at, sizeof(lane));
    return lane;
  }
  ElementsAttr elements = info.constant;
  Type type = elements.getElementType();
  if (type.isInteger(64)) {
    const int64_t value = wideInteger(elements, elementOf(id));
    return static_cast<uint32_t>(heldInteger(value).value_or(0));
  }
  if (type.isInteger(8) || type.isInteger(1))
    if (ArrayRef<char> data = rawBytesOf(elements); !data.empty()) {
      const char byte = data[data.size() == 1 ? 0 : elementOf(id)];
      return type.isSignlessInteger(8) ? static_cast<uint32_t>(int8_t(byte))
                                       : static_cast<uint8_t>(byte);
    }
  if (isa<FloatType>(type)) {
    APFloat value = *(elements.value_begin<APFloat>() + elementOf(id));
    bool losesInfo = false;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return std::bit_cast<uint32_t>(value.convertToFloat());
  }
  APInt value = *(elements.value_begin<APInt>() + elementOf(id));
  const bool isUnsigned = type.isInteger(1) || type.isUnsignedInteger();
  return static_cast<uint32_t>(isUnsigned ? value.getZExtValue()
                                          : value.getSExtValue());
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
  // A tensor without elements has a vector, too.
  if (info.size == 0)
    rows.ids.assign(machine.lanes, noElement);
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
  if (elements.empty())
    elements.assign(machine.lanes, -1);
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
  // Of vectors, the tensor and the number among those that hold it.
  SmallVector<ElementId> vectors;
  int64_t tensor = -1;
  const Arrangement *held = nullptr;
  for (ElementId id : row) {
    if (id == noElement || isConstant(id))
      continue;
    if (tensorOf(id) != tensor) {
      tensor = tensorOf(id);
      held = arrangementFor(tensor, DType::F32);
    }
    const ElementId vector = elementId(
        tensor, held ? held->slots(elementOf(id)).front() / machine.lanes : 0);
    if (vectors.empty() || vectors.back() != vector)
      vectors.push_back(vector);
  }
  std::ranges::sort(vectors);
  const auto *end = llvm::unique(vectors);
  return std::max<int64_t>(1, end - vectors.begin());
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
