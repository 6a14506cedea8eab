//===- LowerLinear.cpp - Products with constants on an mxm ----------------===//
//
// The operand's vectors flow through planes that hold tiles of the linear map
// (LinearMap.h). They are read as they lie, or moved first, whichever takes
// fewer cycles; several rows of results share a vector where that saves
// products.
//
//===----------------------------------------------------------------------===//
#include "spatial/transforms/LinearMap.h"
#include "spatial/transforms/LowerOps.h"

#include "graph/analysis/Access.h"
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
  LinearLowering(Tensors &tensors, linalg::GenericOp op, DType precision)
      : tensors(tensors), op(op), precision(precision),
        extents(loopExtents(op)), machine(tensors.machine),
        lanes(tensors.machine.lanes) {}

  /// Whether one factor is constant, and the other one zeros besides elements.
  bool match();
  LogicalResult run();

private:
  /// A choice of how results lie, and about how many cycles it takes.
  struct Choice {
    LinearPacking packing;
    double cycles = 0;
  };

  bool chooseSides();
  void classify();
  void readWeights();
  [[nodiscard]] std::vector<ElementId> elementsRead() const;
  [[nodiscard]] std::optional<Operands> asTheyLie() const;
  [[nodiscard]] Rows packedRows() const;
  [[nodiscard]] std::optional<Rows> windowRows() const;
  [[nodiscard]] std::vector<Rows> layouts() const;
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
  linalg::GenericOp op;
  DType precision;
  SmallVector<int64_t> extents;
  const Machine &machine;
  int64_t lanes;
  OpOperand *streamed = nullptr, *weights = nullptr;
  std::optional<OperandAccess> streamedAccess, weightsAccess, resultAccess;
  LinearLoops loops;
  /// Numbers of points, of which one of each list is added: a column has its
  /// batch in it.
  std::vector<int64_t> rows, batches, columns, taps, channels;
  /// The operand's elements, by row, batch and term.
  std::vector<ElementId> elements;
  std::vector<float> weightNumbers;
  /// Steps in the weights, by term of a sum, and by column.
  std::vector<int64_t> weightSteps, columnSteps;
  /// The innermost dimension of the result is one of rows.
  bool hasRowsInnermost = false;
};
} // namespace

//===--- The loops --------------------------------------------------------===//

bool LinearLowering::chooseSides() {
  for (unsigned side : {1, 0}) {
    OpOperand *operand = op.getDpsInputOperand(side);
    const int64_t tensor = tensors.numberOf(operand->get());
    const int64_t size = tensors.info(tensor).size;
    bool isConstant = true;
    for (int64_t i = 0; i < size && isConstant; ++i) {
      const ElementId id = tensors.resolve(tensor, i);
      isConstant = id != noElement && tensors.isConstant(id);
    }
    if (!isConstant)
      continue;
    weights = operand;
    streamed = op.getDpsInputOperand(1 - side);
    return true;
  }
  return false;
}

void LinearLowering::classify() {
  AffineMap streamedMap = op.getMatchingIndexingMap(streamed);
  AffineMap weightsMap = op.getMatchingIndexingMap(weights);
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<unsigned> rowLoops, batchLoops, columnLoops, tapLoops;
  SmallVector<unsigned> channelLoops = graph::plainReductionLoops(op);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    const bool isWeight = weightsMap.isFunctionOfDim(loop);
    if (kind == utils::IteratorType::reduction) {
      if (!llvm::is_contained(channelLoops, loop))
        tapLoops.push_back(loop);
    } else if (!isWeight) {
      rowLoops.push_back(loop);
    } else {
      columnLoops.push_back(loop);
    }
    if (kind != utils::IteratorType::reduction && isWeight &&
        streamedMap.isFunctionOfDim(loop))
      batchLoops.push_back(loop);
  }
  sortLoopsBy(resultMap, rowLoops);
  sortLoopsBy(resultMap, columnLoops);
  sortLoopsBy(streamedMap, batchLoops);
  sortLoopsBy(streamedMap, channelLoops);
  rows = pointsOf(extents, rowLoops);
  columns = pointsOf(extents, columnLoops);
  batches = pointsOf(extents, batchLoops);
  taps = pointsOf(extents, tapLoops);
  channels = pointsOf(extents, channelLoops);
  loops.rows = static_cast<int64_t>(rows.size());
  loops.batches = static_cast<int64_t>(batches.size());
  loops.depth = static_cast<int64_t>(taps.size() * channels.size());
  for (unsigned loop : llvm::reverse(rowLoops))
    if (loops.line == 1)
      loops.line = extents[loop];
  Points all{extents, lanes, {}};
  llvm::DenseMap<int64_t, int32_t> batchNumbers;
  for (auto [number, point] : llvm::enumerate(batches))
    batchNumbers[point] = static_cast<int32_t>(number);
  for (int64_t column : columns) {
    int64_t batch = 0, stride = 1;
    for (int64_t loop = static_cast<int64_t>(extents.size()) - 1; loop >= 0;
         --loop) {
      if (llvm::is_contained(batchLoops, loop))
        batch += all.index(column, static_cast<unsigned>(loop)) * stride;
      stride *= extents[loop];
    }
    loops.batchOf.push_back(batchNumbers.lookup(batch));
  }
  for (AffineExpr result : llvm::reverse(resultMap.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || extents[dim.getPosition()] == 1)
      continue;
    hasRowsInnermost = llvm::is_contained(rowLoops, dim.getPosition());
    break;
  }
  auto access = [&](OpOperand *operand) {
    return OperandAccess(
        op.getMatchingIndexingMap(operand), extents,
        cast<RankedTensorType>(operand->get().getType()).getShape());
  };
  streamedAccess = access(streamed);
  weightsAccess = access(weights);
  resultAccess = access(op.getDpsInitOperand(0));
}

std::vector<ElementId> LinearLowering::elementsRead() const {
  const int64_t tensor = tensors.numberOf(streamed->get());
  std::vector<ElementId> ids;
  ids.reserve(loops.rows * loops.batches * loops.depth);
  std::vector<int64_t> steps;
  for (int64_t batch : batches)
    for (int64_t tap : taps)
      for (int64_t channel : channels)
        steps.push_back(streamedAccess->at(batch + tap + channel) -
                        streamedAccess->at(0));
  for (int64_t row : rows) {
    const int64_t start = streamedAccess->at(row);
    for (int64_t step : steps)
      ids.push_back(tensors.resolve(tensor, start + step));
  }
  return ids;
}

void LinearLowering::readWeights() {
  const int64_t tensor = tensors.numberOf(weights->get());
  const int64_t size = tensors.info(tensor).size;
  weightNumbers.reserve(size);
  for (int64_t i = 0; i < size; ++i)
    weightNumbers.push_back(
        std::bit_cast<float>(tensors.constantLane(tensors.resolve(tensor, i))));
  for (int64_t tap : taps)
    for (int64_t channel : channels)
      weightSteps.push_back(weightsAccess->at(tap + channel));
  for (int64_t column : columns)
    columnSteps.push_back(weightsAccess->at(column) - weightsAccess->at(0));
}

/// Of an f32.
static bool isZero(uint32_t lane) { return (lane & 0x7fffffff) == 0; }

bool LinearLowering::match() {
  if (!graph::isContraction(op) || machine.positionsOf(UnitKind::mxm).empty() ||
      !chooseSides() ||
      !isa<Float32Type, Float16Type, BFloat16Type>(
          getElementTypeOrSelf(op.getResult(0).getType())))
    return false;
  std::optional<uint32_t> init =
      tensors.splatOf(op.getDpsInitOperand(0)->get());
  if (!init || !isZero(*init))
    return false;
  classify();
  if (!streamedAccess->isSum() || !weightsAccess->isSum())
    return false;
  elements = elementsRead();
  bool any = false;
  for (ElementId &id : elements) {
    if (id == noElement || !tensors.isConstant(id)) {
      any |= id != noElement;
      continue;
    }
    // Padding adds nothing.
    if (!isZero(tensors.constantLane(id)))
      return false;
    id = noElement;
  }
  if (any)
    readWeights();
  return any;
}

//===--- The operand ------------------------------------------------------===//

/// The vectors that hold the elements now; nothing if an element is in none, in
/// a lane that planes have no row for, or behind lanes of no element.
std::optional<Operands> LinearLowering::asTheyLie() const {
  Operands operands;
  llvm::DenseMap<int64_t, std::pair<Arrangement *, int64_t>> found;
  const int64_t depth = std::min(lanes, machine.mxm.rows);
  operands.slots.reserve(elements.size());
  for (ElementId id : elements) {
    if (id == noElement) {
      operands.slots.push_back(-1);
      continue;
    }
    auto [entry, isNew] = found.insert({tensorOf(id), {nullptr, 0}});
    auto &[arrangement, base] = entry->second;
    if (isNew) {
      arrangement = tensors.arrangementFor(tensorOf(id), precision);
      if (!arrangement)
        return std::nullopt;
      base = static_cast<int64_t>(operands.vectors.size());
      for (int64_t i = 0; i < arrangement->vectors(); ++i)
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

/// The elements with the channels in lanes, and with as many neighbours as fit
/// where the result has rows innermost.
Rows LinearLowering::packedRows() const {
  const int64_t tensor = tensors.numberOf(streamed->get());
  std::vector<int64_t> inPixel;
  for (int64_t batch : batches)
    for (int64_t channel : channels)
      inPixel.push_back(streamedAccess->at(batch + channel) -
                        streamedAccess->at(0));
  std::vector<int64_t> pixels;
  for (int64_t row : rows)
    for (int64_t tap : taps)
      pixels.push_back(streamedAccess->at(row + tap));
  llvm::sort(pixels);
  pixels.erase(llvm::unique(pixels), pixels.end());
  auto elementAt = [&](int64_t pixel, int64_t step) {
    const ElementId id = tensors.resolve(tensor, pixel + step);
    return id == noElement || tensors.isConstant(id) ? noElement : id;
  };
  // Those of padding are left out.
  llvm::erase_if(pixels, [&](int64_t pixel) {
    return llvm::all_of(inPixel, [&](int64_t step) {
      return elementAt(pixel, step) == noElement;
    });
  });
  const auto size = static_cast<int64_t>(inPixel.size());
  const int64_t depth = std::min(lanes, machine.mxm.rows);
  const int64_t most =
      hasRowsInnermost ? std::max<int64_t>(1, depth / size) : 1;
  int64_t unit = INT64_MAX;
  for (size_t i = 1; i < pixels.size(); ++i)
    unit = std::min(unit, pixels[i] - pixels[i - 1]);
  Rows result{lanes, {}};
  for (size_t start = 0, end = 0; start < pixels.size(); start = end) {
    end = start + 1;
    while (end < pixels.size() && pixels[end] - pixels[end - 1] == unit)
      ++end;
    const auto line = static_cast<int64_t>(end - start);
    const int64_t step = llvm::divideCeil(line, llvm::divideCeil(line, most));
    for (int64_t first = 0; first < line; first += step) {
      std::vector<ElementId> ids;
      for (int64_t i = first; i < std::min(first + step, line); ++i)
        for (int64_t offset : inPixel)
          ids.push_back(elementAt(pixels[start + i], offset));
      for (size_t chunk = 0; chunk < ids.size(); chunk += depth)
        for (int64_t lane = 0; lane < lanes; ++lane)
          result.ids.push_back(lane < depth && chunk + lane < ids.size()
                                   ? ids[chunk + lane]
                                   : noElement);
    }
  }
  return result;
}

/// All that a row reads in vectors of its own, if no other row reads it.
std::optional<Rows> LinearLowering::windowRows() const {
  llvm::DenseSet<ElementId> seen;
  for (ElementId id : elements)
    if (id != noElement && !seen.insert(id).second)
      return std::nullopt;
  const int64_t size = loops.batches * loops.depth;
  const int64_t depth = std::min(lanes, machine.mxm.rows);
  Rows result{lanes, {}};
  for (int64_t row = 0; row < loops.rows; ++row)
    for (int64_t chunk = 0; chunk < size; chunk += depth) {
      auto ids = ArrayRef(elements).slice(row * size + chunk,
                                          std::min(depth, size - chunk));
      if (llvm::all_of(ids, [](ElementId id) { return id == noElement; }))
        continue;
      result.ids.insert(result.ids.end(), ids.begin(), ids.end());
      result.ids.resize(result.ids.size() + lanes - ids.size(), noElement);
    }
  return result;
}

/// How the operand could be laid out for this op.
std::vector<Rows> LinearLowering::layouts() const {
  std::vector<Rows> candidates;
  candidates.push_back(packedRows());
  if (taps.size() > 1)
    if (std::optional<Rows> windows = windowRows())
      candidates.push_back(std::move(*windows));
  return candidates;
}

Slots LinearLowering::slotsOf(const Rows &packed) const {
  llvm::DenseMap<ElementId, int32_t> slotOf;
  for (auto [slot, id] : llvm::enumerate(packed.ids))
    if (id != noElement)
      slotOf.try_emplace(id, static_cast<int32_t>(slot));
  Slots slots;
  slots.reserve(elements.size());
  for (ElementId id : elements)
    slots.push_back(id == noElement ? -1 : slotOf.lookup(id));
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
  if (!hasRowsInnermost)
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
  tensors.convert(op.getLoc(), precision, used);
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
          weightNumbers[weightSteps[entry.term] + columnSteps[first + column]];
    }
  std::vector<uint32_t> bits(matrix.size());
  std::memcpy(bits.data(), matrix.data(), matrix.size() * sizeof(float));
  return tensors.constants(op.getLoc(), bits, precision);
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
        vector = {tensors.alu(op.getLoc(), AluOp::move, DType::F32, {zero}, 1,
                              DType::F32),
                  0};
      }
      vectors.push_back(vector);
      const int64_t first = static_cast<int64_t>(chunk) * packing.columns;
      const int64_t width = std::min(packing.columns, loops.columns() - first);
      for (int64_t lane = 0; lane < lanes; ++lane)
        layout.push_back(lane < group.count * width
                             ? static_cast<int32_t>(resultAccess->at(
                                   rows[group.first + lane / width] +
                                   columns[first + lane % width]))
                             : -1);
    }
  setResult(tensors, op.getResult(0), std::move(vectors), std::move(layout));
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
    addProducts(tensors, op.getLoc(), used, weightsOf(tile, packing),
                tile.depth, groups, sums[tile.chunk]);
  }
  setResults(packing, sums);
}

LogicalResult LinearLowering::run() {
  std::optional<Operands> best = asTheyLie();
  Choice choice;
  if (best)
    choice = choose(best->slots);
  std::optional<Rows> moved;
  for (Rows &rows : layouts()) {
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
    FailureOr<Reads> reads = tensors.read(op.getLoc(), *moved, precision);
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
  LinearLowering lowering(tensors, op, precision);
  if (!lowering.match())
    return false;
  if (failed(lowering.run()))
    return failure();
  return true;
}

} // namespace tilewright::spatial
