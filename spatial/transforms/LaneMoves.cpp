//===- LaneMoves.cpp - Rows whose elements lie in other lanes -------------===//
//
// A row is put together of the vectors that hold its elements: one lane map
// where it is one vector, and one more for each further one. Blocks that are
// transposed first may hold more of a row's elements. Without an sxm, products
// with matrices of zeros and ones move lanes.
//
//===----------------------------------------------------------------------===//
#include "spatial/transforms/RowPlans.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilewright::spatial {

namespace {
class LaneMoves {
public:
  LaneMoves(Tensors &tensors, Location where, const Rows &rows, DType dtype,
            ArrayRef<int64_t> which)
      : tensors(tensors), where(where), rows(rows), dtype(dtype), which(which),
        lanes(tensors.machine.lanes) {}

  LogicalResult run(std::vector<Tensors::Vector> &found);

private:
  using Layouts = llvm::SmallDenseMap<int64_t, Arrangement *>;

  void collectTensors();
  std::vector<RowPlan> plan(const Layouts &layouts);
  RowPlan planRow(ArrayRef<ElementId> row, const Layouts &layouts);
  void addConstants(ArrayRef<ElementId> row, RowPlan &plan);
  std::unique_ptr<Arrangement> transposed(const Arrangement &source) const;
  std::vector<RowPlan> chooseLayouts();
  void emitTranspose(Arrangement &arrangement, const Arrangement &source);
  void convertSources(std::vector<RowPlan> &plans);
  void emitMaps(std::vector<RowPlan> &plans,
                std::vector<Tensors::Vector> &found);

  Tensors &tensors;
  Location where;
  const Rows &rows;
  DType dtype;
  ArrayRef<int64_t> which;
  int64_t lanes;
  Layouts direct;
  /// Constants in lanes beside other elements.
  std::vector<uint32_t> constantLanes;
  SmallVector<std::pair<int64_t, unsigned>> constantPlaces;
};
} // namespace

//===--- Where the elements come from -------------------------------------===//

void LaneMoves::collectTensors() {
  for (int64_t row : which)
    for (ElementId id : rows.row(row))
      if (id != noElement && !tensors.isConstant(id))
        if (auto [entry, isNew] = direct.insert({tensorOf(id), nullptr}); isNew)
          entry->second = tensors.arrangementFor(tensorOf(id), dtype);
}

RowPlan LaneMoves::planRow(ArrayRef<ElementId> row, const Layouts &layouts) {
  RowPlan plan;
  auto sourceOf = [&](const Arrangement &from, int64_t vector) -> Source * {
    for (Source &source : plan)
      if (source.vector.value == from.value && source.vector.index == vector)
        return &source;
    return nullptr;
  };
  for (auto [lane, id] : llvm::enumerate(row)) {
    if (id == noElement || tensors.isConstant(id))
      continue;
    const Arrangement &from = *layouts.lookup(tensorOf(id));
    ArrayRef<int32_t> slots = from.slots(elementOf(id));
    // A vector that is read anyway, best in the same lane.
    int32_t best = slots.front();
    Source *source = nullptr;
    for (int32_t slot : slots)
      if (Source *known = sourceOf(from, slot / lanes);
          known && (!source || slot % lanes == static_cast<int64_t>(lane))) {
        source = known;
        best = slot;
      }
    if (!source) {
      plan.push_back({{from.value, static_cast<int32_t>(best / lanes)},
                      SmallVector<int32_t>(lanes, -1)});
      source = &plan.back();
    }
    source->lanes[lane] = static_cast<int32_t>(best % lanes);
  }
  return plan;
}

std::vector<RowPlan> LaneMoves::plan(const Layouts &layouts) {
  std::vector<RowPlan> plans;
  plans.reserve(which.size());
  for (int64_t row : which)
    plans.push_back(planRow(rows.row(row), layouts));
  return plans;
}

/// Operations that plans take.
static size_t costOf(const std::vector<RowPlan> &plans) {
  size_t cost = 0;
  for (const RowPlan &plan : plans)
    cost += std::max<size_t>(1, plan.size() - 1);
  return cost;
}

/// How `source` lies in vectors after its blocks are transposed; it has no
/// value yet.
std::unique_ptr<Arrangement>
LaneMoves::transposed(const Arrangement &source) const {
  const int64_t size = tensors.machine.sxm ? tensors.machine.sxm->transpose : 0;
  if (size < 2 || source.vectors() < size)
    return nullptr;
  std::vector<int32_t> elements;
  elements.reserve(source.elements.size());
  int64_t tensorSize = 0;
  for (int64_t start = 0; start < source.vectors(); start += size) {
    const int64_t first = std::min(start, source.vectors() - size);
    for (int64_t i = 0; i < size; ++i)
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const int32_t element = source.elements[(first + lane % size) * lanes +
                                                lane / size * size + i];
        elements.push_back(element);
        tensorSize = std::max<int64_t>(tensorSize, element + 1);
      }
  }
  return std::make_unique<Arrangement>(Value(), source.dtype, lanes, tensorSize,
                                       std::move(elements));
}

void LaneMoves::emitTranspose(Arrangement &arrangement,
                              const Arrangement &source) {
  const int64_t size = tensors.machine.sxm->transpose;
  std::vector<Tensors::Vector> vectors;
  for (int64_t start = 0; start < source.vectors(); start += size)
    for (int64_t i = 0; i < size; ++i)
      vectors.push_back(
          {source.value,
           static_cast<int32_t>(std::min(start, source.vectors() - size) + i)});
  Reads reads =
      tensors.collect(where, tensors.transpose(where, std::move(vectors)));
  arrangement.value = tensors.inOrder(where, reads);
}

/// Constants that are not zero come from a vector of their own.
void LaneMoves::addConstants(ArrayRef<ElementId> row, RowPlan &plan) {
  Source source{{Value(), -1}, SmallVector<int32_t>(lanes, -1)};
  bool any = false;
  const size_t first = constantLanes.size();
  constantLanes.resize(first + lanes);
  for (auto [lane, id] : llvm::enumerate(row)) {
    if (id == noElement || !tensors.isConstant(id))
      continue;
    constantLanes[first + lane] = tensors.constantLane(id);
    if (constantLanes[first + lane] == 0 && !plan.empty())
      continue;
    source.lanes[lane] = static_cast<int32_t>(lane);
    any = true;
  }
  if (!any) {
    constantLanes.resize(first);
    return;
  }
  source.vector.index = static_cast<int32_t>(first / lanes);
  plan.push_back(std::move(source));
}

//===--- Lane maps --------------------------------------------------------===//

void LaneMoves::convertSources(std::vector<RowPlan> &plans) {
  std::vector<Tensors::Vector> vectors;
  for (const RowPlan &plan : plans)
    for (const Source &source : plan)
      vectors.push_back(source.vector);
  tensors.convert(where, dtype, vectors);
  size_t next = 0;
  for (RowPlan &plan : plans)
    for (Source &source : plan)
      source.vector = vectors[next++];
}

namespace {
/// Maps of equal lanes and operands, which one op does.
struct MapBatch {
  SmallVector<int32_t> lanes;
  SmallVector<Value> operands;
  SmallVector<SmallVector<int32_t>> indices;
  SmallVector<size_t> rows;
};
} // namespace

/// Text that is equal for equal maps of equal values.
static std::string keyOf(ArrayRef<int32_t> lanes, ArrayRef<Value> operands) {
  std::string key(reinterpret_cast<const char *>(lanes.data()),
                  lanes.size() * sizeof(int32_t));
  for (Value operand : operands) {
    const void *pointer = operand.getAsOpaquePointer();
    key.append(reinterpret_cast<const char *>(&pointer), sizeof(pointer));
  }
  return key;
}

/// Each round merges one more source into each row that has one left.
void LaneMoves::emitMaps(std::vector<RowPlan> &plans,
                         std::vector<Tensors::Vector> &found) {
  OpBuilder &builder = tensors.builder;
  std::vector<Source> current(plans.size());
  std::vector<size_t> taken(plans.size());
  for (bool isFirst = true;; isFirst = false) {
    llvm::MapVector<StringRef, MapBatch> batches;
    std::vector<std::unique_ptr<std::string>> keys;
    for (auto [row, plan] : llvm::enumerate(plans)) {
      if (!isFirst && taken[row] >= plan.size())
        continue;
      SmallVector<Source *> operands;
      if (!isFirst)
        operands.push_back(&current[row]);
      while (operands.size() < 2 && taken[row] < plan.size())
        operands.push_back(&plan[taken[row]++]);
      SmallVector<int32_t> map(lanes, -1);
      SmallVector<Value> values;
      for (auto [number, operand] : llvm::enumerate(operands)) {
        values.push_back(operand->vector.value);
        for (int64_t lane = 0; lane < lanes; ++lane)
          if (operand->lanes[lane] >= 0)
            map[lane] =
                operand->lanes[lane] + static_cast<int32_t>(number * lanes);
      }
      keys.push_back(std::make_unique<std::string>(keyOf(map, values)));
      MapBatch &batch = batches[*keys.back()];
      batch.lanes = map;
      batch.operands = values;
      batch.indices.resize(operands.size());
      for (auto [number, operand] : llvm::enumerate(operands))
        batch.indices[number].push_back(operand->vector.index);
      batch.rows.push_back(row);
    }
    if (batches.empty())
      break;
    for (auto &[key, batch] : batches) {
      SmallVector<Attribute> indices;
      for (ArrayRef<int32_t> list : batch.indices)
        indices.push_back(builder.getDenseI32ArrayAttr(list));
      Value value = MapOp::create(
          builder, where,
          tensors.vectorsType(static_cast<int64_t>(batch.rows.size()), dtype),
          batch.lanes, batch.operands, builder.getArrayAttr(indices));
      for (auto [i, row] : llvm::enumerate(batch.rows)) {
        current[row].vector = {value, static_cast<int32_t>(i)};
        current[row].lanes.assign(lanes, -1);
        for (int64_t lane = 0; lane < lanes; ++lane)
          if (batch.lanes[lane] >= 0)
            current[row].lanes[lane] = static_cast<int32_t>(lane);
      }
    }
  }
  for (auto [row, source] : llvm::enumerate(current))
    found[which[row]] = source.vector;
}

//===--- The move ---------------------------------------------------------===//

/// Where each tensor lies in several ways, the one that takes the fewest
/// operations; and transposed blocks of it, if they save more than they cost.
std::vector<RowPlan> LaneMoves::chooseLayouts() {
  std::vector<RowPlan> best = plan(direct);
  size_t cost = costOf(best);
  auto consider = [&](int64_t tensor, Arrangement *arrangement, size_t more) {
    Layouts layouts = direct;
    layouts[tensor] = arrangement;
    std::vector<RowPlan> plans = plan(layouts);
    const size_t other = costOf(plans) + more;
    if (other >= cost)
      return false;
    best = std::move(plans);
    cost = other;
    direct[tensor] = arrangement;
    return true;
  };
  SmallVector<int64_t> numbers =
      llvm::to_vector(llvm::make_first_range(direct));
  llvm::sort(numbers);
  for (int64_t tensor : numbers) {
    const Arrangement &source = *direct[tensor];
    for (auto &held : tensors.info(tensor).arrangements)
      if (held.get() != &source && held->dtype == source.dtype)
        consider(tensor, held.get(), 0);
    std::unique_ptr<Arrangement> blocks = transposed(source);
    if (!blocks || !consider(tensor, blocks.get(), blocks->vectors()))
      continue;
    emitTranspose(*blocks, source);
    std::vector<int32_t> elements = blocks->elements;
    tensors.arrange(tensor, blocks->value, std::move(elements));
    direct[tensor] = tensors.info(tensor).arrangements.back().get();
    best = plan(direct);
  }
  return best;
}

LogicalResult LaneMoves::run(std::vector<Tensors::Vector> &found) {
  collectTensors();
  std::vector<RowPlan> plans = chooseLayouts();
  for (auto [number, row] : llvm::enumerate(which))
    addConstants(rows.row(row), plans[number]);
  if (!constantLanes.empty()) {
    Value value = tensors.constants(where, constantLanes, dtype).value;
    for (RowPlan &plan : plans)
      for (Source &source : plan)
        if (!source.vector.value)
          source.vector.value = value;
  }
  if (!tensors.machine.sxm ||
      tensors.machine.positionsOf(UnitKind::sxm).empty())
    return moveByProducts(tensors, where, plans, dtype, which, found);
  convertSources(plans);
  emitMaps(plans, found);
  return success();
}

LogicalResult moveLanes(Tensors &tensors, Location where, const Rows &rows,
                        DType dtype, ArrayRef<int64_t> which,
                        std::vector<Tensors::Vector> &found) {
  return LaneMoves(tensors, where, rows, dtype, which).run(found);
}

} // namespace tilewright::spatial
