//===- LowerLinear.cpp - Products with constants on an mxm ----------------===//
//
// The operand's vectors flow through planes that hold tiles of the linear map
// (LinearMap.h). They are read as they lie, or moved first, whichever takes
// fewer cycles; several rows of results share a vector where that saves
// products.
//
//===----------------------------------------------------------------------===//
#include "spatial/transforms/LinearSum.h"
#include "spatial/transforms/LowerOps.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tilewright::spatial {

namespace {
/// Where the operand's elements lie.
struct Operands {
  std::vector<Tensors::Vector> vectors;
  Slots slots;
};

class LinearLowering {
public:
  LinearLowering(Tensors &tensors, const LinearSum &sum, DType precision)
      : tensors(tensors), sum(sum), loops(sum.loops), precision(precision),
        machine(tensors.machine), lanes(tensors.machine.lanes),
        where(sum.result.getLoc()) {}

  LogicalResult run();

private:
  /// A choice of how results lie, and about how many cycles it takes.
  struct Choice {
    LinearPacking packing;
    double cycles = 0;
  };

  [[nodiscard]] std::optional<Operands> asTheyLie() const;
  [[nodiscard]] Slots slotsOf(const Rows &rows) const;
  [[nodiscard]] Choice choose(const Slots &slots) const;
  [[nodiscard]] double cyclesOf(const Slots &slots,
                                const LinearPacking &packing) const;
  [[nodiscard]] double cyclesToMove(const Rows &rows) const;
  void convertOperands(const std::vector<Tile> &tiles, Operands &operands);
  Reads weightsOf(const Tile &tile, const LinearPacking &packing);
  void emit(const LinearPacking &packing, Operands &operands);
  void setResults(const LinearPacking &packing,
                  ArrayRef<std::vector<Tensors::Vector>> sums);

  Tensors &tensors;
  const LinearSum &sum;
  const LinearLoops &loops;
  DType precision;
  const Machine &machine;
  int64_t lanes;
  Location where;
};
} // namespace

//===--- The operand ------------------------------------------------------===//

/// The vectors that hold the sum.elements now; nothing if an element is in
/// none, in a lane that planes have no row for, or behind lanes of no element.
std::optional<Operands> LinearLowering::asTheyLie() const {
  Operands operands;
  // Where the vectors of each tensor begin. Neighbours are of one as a rule.
  llvm::DenseMap<int64_t, int64_t> bases;
  int64_t tensor = -1, base = 0;
  const Arrangement *arrangement = nullptr;
  const int64_t depth = std::min(lanes, machine.mxm.rows);
  operands.slots.reserve(sum.elements.size());
  for (ElementId id : sum.elements) {
    if (id == noElement) {
      operands.slots.push_back(-1);
      continue;
    }
    if (tensorOf(id) != tensor) {
      tensor = tensorOf(id);
      arrangement = tensors.arrangementFor(tensor, precision);
      if (!arrangement)
        return std::nullopt;
      const auto end = static_cast<int64_t>(operands.vectors.size());
      auto [entry, isNew] = bases.insert({tensor, end});
      base = entry->second;
      for (int64_t i = 0; isNew && i < arrangement->vectors(); ++i)
        operands.vectors.push_back(
            {arrangement->value, static_cast<int32_t>(i)});
    }
    const int32_t slot = arrangement->slots(elementOf(id)).front();
    // What lies in lanes of no element may be infinite, times 0 no number.
    if (slot % lanes >= depth ||
        (slot % lanes > 0 && arrangement->elements[slot - 1] < 0))
      return std::nullopt;
    operands.slots.push_back(static_cast<int32_t>(base * lanes + slot));
  }
  return operands;
}

Slots LinearLowering::slotsOf(const Rows &packed) const {
  // By tensor and element. Neighbours are of one tensor as a rule.
  llvm::DenseMap<int64_t, std::vector<int32_t>> tables;
  int64_t tensor = -1;
  std::vector<int32_t> *table = nullptr;
  auto slotOf = [&](ElementId id) -> int32_t & {
    if (tensorOf(id) != tensor) {
      tensor = tensorOf(id);
      table = &tables[tensor];
      table->resize(tensors.info(tensor).size, -1);
    }
    return (*table)[elementOf(id)];
  };
  for (auto [slot, id] : llvm::enumerate(packed.ids))
    if (id != noElement && slotOf(id) < 0)
      slotOf(id) = static_cast<int32_t>(slot);
  Slots slots;
  slots.reserve(sum.elements.size());
  for (ElementId id : sum.elements)
    slots.push_back(id == noElement ? -1 : slotOf(id));
  return slots;
}

//===--- Costs ------------------------------------------------------------===//

double LinearLowering::cyclesOf(const Slots &slots,
                                const LinearPacking &packing) const {
  const LinearCost cost = costOf(loops, slots, lanes, packing);
  const int64_t depth = std::min(lanes, machine.mxm.rows);
  const int64_t planes = machine.planesOf(precision);
  const int64_t memory =
      static_cast<int64_t>(machine.positionsOf(UnitKind::mem).size()) *
      machine.mem.banks * machine.mem.rows;
  // Room is for weights that differ.
  if (packing.rows > 1 && cost.tiles * depth * planes > memory / 8)
    return std::numeric_limits<double>::infinity();
  const int64_t loadCycles = llvm::divideCeil(
      depth, std::max<int64_t>(1, machine.mxm.loadStreams / planes));
  const auto units = static_cast<double>(
      machine.positionsOf(UnitKind::mxm).size() * machine.mxm.planes);
  return (static_cast<double>(cost.products *
                              machine.mxm.passes.at(precision)) +
          static_cast<double>(cost.tiles * loadCycles)) /
             units +
         static_cast<double>(cost.vectors);
}

LinearLowering::Choice LinearLowering::choose(const Slots &slots) const {
  const int64_t most = std::min(lanes, machine.mxm.columns);
  Choice best;
  best.packing = {1, std::min(most, loops.columns())};
  best.cycles = cyclesOf(slots, best.packing);
  if (!sum.hasRowsInnermost)
    return best;
  for (int64_t count = most / loops.columns(); count > 1; count /= 2) {
    const LinearPacking packing{std::min(count, loops.rows), loops.columns()};
    const double cycles = cyclesOf(slots, packing);
    if (cycles < best.cycles)
      best = {packing, cycles};
  }
  return best;
}

double LinearLowering::cyclesToMove(const Rows &packed) const {
  int64_t moves = 0;
  for (int64_t i = 0; i < packed.count(); ++i) {
    ArrayRef<ElementId> row = packed.row(i);
    const auto *first =
        llvm::find_if(row, [](ElementId id) { return id != noElement; });
    TensorInfo &info = tensors.info(tensorOf(*first));
    // An input lies as its first reader asks for.
    if (info.argument && info.arrangements.empty())
      continue;
    if (!tensors.isHeld(row))
      moves += tensors.sourcesOf(row);
  }
  if (moves == 0)
    return 0;
  const auto ports =
      static_cast<int64_t>(machine.positionsOf(UnitKind::sxm).size()) *
      (machine.sxm ? machine.sxm->ports : 0);
  // Without ports, products with zeros and ones move lanes.
  const double each =
      ports > 0
          ? 1.0 / static_cast<double>(ports)
          : static_cast<double>(machine.mxm.passes.at(precision)) /
                static_cast<double>(machine.positionsOf(UnitKind::mxm).size() *
                                    machine.mxm.planes);
  // They take a step of their own.
  return 32 + static_cast<double>(moves) * each;
}

//===--- The program ------------------------------------------------------===//

/// Gives the vectors that are used the type of factors.
void LinearLowering::convertOperands(const std::vector<Tile> &tiles,
                                     Operands &operands) {
  std::vector<bool> isUsed(operands.vectors.size());
  for (const Tile &tile : tiles)
    for (const Tile::Use &use : tile.uses)
      isUsed[use.vector] = true;
  std::vector<Tensors::Vector> used;
  for (auto [vector, flag] : llvm::zip(operands.vectors, isUsed))
    if (flag)
      used.push_back(vector);
  tensors.convert(where, precision, used);
  size_t next = 0;
  for (auto [vector, flag] : llvm::zip(operands.vectors, isUsed))
    if (flag)
      vector = used[next++];
}

Reads LinearLowering::weightsOf(const Tile &tile,
                                const LinearPacking &packing) {
  std::vector<float> matrix(tile.depth * lanes);
  const int64_t first = tile.chunk * packing.columns;
  const int64_t width = std::min(packing.columns, loops.columns() - first);
  for (const TileEntry &entry : tile.entries)
    for (int64_t column = 0; column < width; ++column) {
      if (loops.batchOf[first + column] != entry.batch)
        continue;
      // An element that a sum reads twice has the sum of its weights.
      matrix[entry.lane * lanes + entry.row * width + column] +=
          sum.weightNumbers[sum.weightSteps[entry.term] +
                            sum.columnSteps[first + column]];
    }
  std::vector<uint32_t> bits(matrix.size());
  std::memcpy(bits.data(), matrix.data(), matrix.size() * sizeof(float));
  return tensors.constants(where, bits, precision);
}

void LinearLowering::setResults(const LinearPacking &packing,
                                ArrayRef<std::vector<Tensors::Vector>> sums) {
  std::vector<RowGroup> groups = rowGroups(loops, packing);
  std::vector<Tensors::Vector> vectors;
  std::vector<int32_t> layout;
  for (auto [chunk, members] : llvm::enumerate(sums))
    for (auto [number, group] : llvm::enumerate(groups)) {
      Tensors::Vector vector = members[number];
      if (!vector.value) {
        Tensors::Operand zero;
        vector = {
            tensors.alu(where, AluOp::move, DType::F32, {zero}, 1, DType::F32),
            0};
      }
      vectors.push_back(vector);
      const int64_t first = static_cast<int64_t>(chunk) * packing.columns;
      const int64_t width = std::min(packing.columns, loops.columns() - first);
      for (int64_t lane = 0; lane < lanes; ++lane)
        layout.push_back(lane < group.count * width
                             ? static_cast<int32_t>(sum.resultAccess->at(
                                   sum.rows[group.first + lane / width] +
                                   sum.columns[first + lane % width]))
                             : -1);
    }
  setResult(tensors, sum.result, std::move(vectors), std::move(layout));
}

void LinearLowering::emit(const LinearPacking &packing, Operands &operands) {
  std::vector<Tile> tiles = tilesOf(loops, operands.slots, lanes, packing);
  convertOperands(tiles, operands);
  std::vector<std::vector<Tensors::Vector>> sums(
      llvm::divideCeil(loops.columns(), packing.columns),
      std::vector<Tensors::Vector>(rowGroups(loops, packing).size()));
  for (const Tile &tile : tiles) {
    std::vector<Tensors::Vector> used;
    std::vector<size_t> groups;
    for (const Tile::Use &use : tile.uses) {
      used.push_back(operands.vectors[use.vector]);
      groups.push_back(static_cast<size_t>(use.group));
    }
    addProducts(tensors, where, used, weightsOf(tile, packing), tile.depth,
                groups, sums[tile.chunk]);
  }
  setResults(packing, sums);
}

LogicalResult LinearLowering::run() {
  std::optional<Operands> best = asTheyLie();
  Choice choice;
  if (best)
    choice = choose(best->slots);
  std::optional<Rows> moved;
  for (Rows &rows : linearLayouts(tensors, sum)) {
    Slots slots = slotsOf(rows);
    Choice other = choose(slots);
    other.cycles += cyclesToMove(rows);
    if (best && choice.cycles <= other.cycles)
      continue;
    choice = other;
    best = Operands{{}, std::move(slots)};
    moved = std::move(rows);
  }
  if (moved) {
    FailureOr<Reads> reads = tensors.read(where, *moved, precision);
    if (failed(reads))
      return failure();
    for (int32_t index : reads->indices)
      best->vectors.push_back({reads->value, index});
  }
  emit(choice.packing, *best);
  return success();
}

FailureOr<bool> lowerLinear(Tensors &tensors, linalg::GenericOp op,
                            DType precision) {
  if (tensors.machine.positionsOf(UnitKind::mxm).empty())
    return false;
  std::optional<LinearSum> sum = LinearSum::match(tensors, op);
  if (!sum)
    return false;
  if (failed(LinearLowering(tensors, *sum, precision).run()))
    return failure();
  return true;
}

} // namespace tilewright::spatial
