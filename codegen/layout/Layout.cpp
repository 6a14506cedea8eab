//===- Layout.cpp - Who holds which element of a tile ---------------------===//
#include "codegen/layout/Layout.h"
#include "support/Format.h"

#include <numeric>

namespace tilewright::layout {

std::string_view hardwareDimName(HardwareDim hardwareDim) {
  static constexpr std::array<std::string_view, numHardwareDims> names = {
      "register", "offset", "lane", "warp", "block"};
  return names[size_t(hardwareDim)];
}

HardwareIndex inRegister(int64_t reg, int64_t lane, int64_t warp,
                         int64_t block) {
  return {{reg, 0, lane, warp, block}};
}

HardwareIndex inMemory(int64_t offset, int64_t block) {
  return {{0, offset, 0, 0, block}};
}

static int64_t sum(const Dims &dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(0));
}

/// What is wrong with the sizes of a layout; empty where nothing is.
static std::string wrongSizes(Kind kind, const Dims &cellBits,
                              const HardwareIndex &bits, const LinearMap &map,
                              const Repeats &repeats) {
  auto counts = [](std::string what, int64_t expected, int64_t found) {
    return format("{}: expected {}, found {}", {what, expected, found});
  };
  if (repeats.rank() != cellBits.rank())
    return counts("repeats", cellBits.rank(), repeats.rank());
  if (sum(cellBits) > 62 || map.outBits() != sum(cellBits))
    return counts("bits of the cell's index", sum(cellBits), map.outBits());
  int64_t all = 0;
  for (int64_t count : bits.values)
    all += count;
  if (map.inBits() != all)
    return counts("columns", all, map.inBits());
  double items = double(
      Bits(1) << std::max(bits[HardwareDim::reg], bits[HardwareDim::offset]));
  for (int64_t count : repeats.digitCounts()) {
    if (count < 1)
      return format("repeats: expected at least 1, found {}", {count});
    items *= double(count);
  }
  if (items > 0x1p30)
    return "expected at most 2^30 registers or offsets";
  if (kind == Kind::memory && !repeats.isPlain())
    return "repeats in memory are not dealt to warps, and have no copies";
  if (repeats.parts() > 1 && repeats.total() == 1)
    return format("expected repeats to deal to {} parts, found none",
                  {repeats.parts()});
  if (repeats.parts() < 1 || repeats.parts() > Repeats::maxParts)
    return format("expected repeats dealt to 1 to {} parts, found {}",
                  {Repeats::maxParts, repeats.parts()});
  bool inRegisters = kind == Kind::registers;
  for (HardwareDim hardwareDim : allHardwareDims)
    if (bits[hardwareDim] && hardwareDim != HardwareDim::block &&
        inRegisters == (hardwareDim == HardwareDim::offset))
      return format(
          "a layout in {} has no {} bits",
          {inRegisters ? "registers" : "memory", hardwareDimName(hardwareDim)});
  return {};
}

StatusOr<Layout> Layout::create(Kind kind, const Dims &cellBits,
                                const HardwareIndex &bits, const LinearMap &map,
                                const Repeats &repeats) {
  std::string wrong = wrongSizes(kind, cellBits, bits, map, repeats);
  if (!wrong.empty())
    return Status::invalidInput("layout: " + wrong);
  Layout layout;
  layout.theKind = kind;
  layout.cellLog2 = cellBits;
  layout.theRepeats = repeats;
  layout.hardwareDimBits = bits;
  layout.linear = map;
  Subspace held = map.image();
  for (unsigned bit = 0; bit < map.outBits(); ++bit)
    if (!held.contains(Bits(1) << bit)) {
      Dims at = layout.cellCoordinates(Bits(1) << bit);
      return Status::invalidInput(format(
          "layout: no hardware index holds the coordinate ({}) of the cell {}",
          {joined(at, ","), layout.cellShape().text()}));
    }
  return layout;
}

Layout Layout::withRepeats(const Repeats &repeats) const {
  StatusOr<Layout> result =
      create(theKind, cellLog2, hardwareDimBits, linear, repeats);
  assert(result.ok() && "repeats that do not fit the cell");
  return *result;
}

Dims Layout::cellShape() const {
  Dims result = cellLog2;
  for (unsigned dim = 0; dim < rank(); ++dim)
    result[dim] = cell(dim);
  return result;
}

Dims Layout::shape() const {
  Dims result = cellShape();
  for (unsigned dim = 0; dim < rank(); ++dim)
    result[dim] *= theRepeats[dim];
  return result;
}

bool Layout::covers(const Dims &tile) const {
  if (tile.rank() != rank())
    return false;
  Dims extents = shape();
  for (unsigned dim = 0; dim < rank(); ++dim)
    if (tile[dim] > extents[dim])
      return false;
  return true;
}

unsigned Layout::firstBit(HardwareDim hardwareDim) const {
  unsigned first = 0;
  for (size_t before = 0; before < size_t(hardwareDim); ++before)
    first += hardwareDimBits.values[before];
  return first;
}

int64_t Layout::size(HardwareDim hardwareDim) const {
  int64_t ofCell = int64_t(1) << bits(hardwareDim);
  if (hardwareDim == itemDim())
    return ofCell * theRepeats.rounds();
  return hardwareDim == HardwareDim::warp ? ofCell * theRepeats.parts()
                                          : ofCell;
}

Bits Layout::pack(const HardwareIndex &index) const {
  Bits packed = 0;
  unsigned first = 0;
  for (HardwareDim hardwareDim : allHardwareDims) {
    packed |= (Bits(index[hardwareDim]) & lowBits(bits(hardwareDim))) << first;
    first += bits(hardwareDim);
  }
  return packed;
}

HardwareIndex Layout::unpack(Bits packed, const Dims &repeat) const {
  HardwareIndex index;
  for (HardwareDim hardwareDim : allHardwareDims) {
    index[hardwareDim] = packed & lowBits(bits(hardwareDim));
    packed >>= bits(hardwareDim);
  }
  int64_t repeatIndex = theRepeats.index(repeat), parts = theRepeats.parts();
  index[itemDim()] |= itemOfRound(repeatIndex / parts);
  index[HardwareDim::warp] |= repeatIndex % parts << bits(HardwareDim::warp);
  return index;
}

int64_t Layout::repeatIndexOf(const HardwareIndex &index) const {
  return (index[itemDim()] >> bits(itemDim())) * theRepeats.parts() +
         (index[HardwareDim::warp] >> bits(HardwareDim::warp));
}

Dims Layout::repeatOf(const HardwareIndex &index) const {
  return theRepeats.at(repeatIndexOf(index));
}

unsigned Layout::firstCellBit(unsigned dim) const {
  unsigned first = 0;
  for (unsigned inner = dim + 1; inner < rank(); ++inner)
    first += cellLog2[inner];
  return first;
}

Dims Layout::cellCoordinates(Bits index) const {
  Dims at(rank(), 0);
  for (unsigned dim = rank(); dim-- > 0; index >>= cellLog2[dim])
    at[dim] = index & lowBits(cellLog2[dim]);
  return at;
}

Bits cellIndexOf(const Dims &coordinates, const Dims &cellBits) {
  Bits index = 0;
  for (unsigned dim = 0; dim < cellBits.rank(); ++dim)
    index = index << cellBits[dim] | Bits(coordinates[dim]);
  return index;
}

Dims Layout::apply(const HardwareIndex &index) const {
  Dims at = cellCoordinates(linear.apply(pack(index)));
  Dims repeat = repeatOf(index);
  for (unsigned dim = 0; dim < rank(); ++dim)
    at[dim] += repeat[dim] << cellLog2[dim];
  return at;
}

HardwareIndex Layout::invert(const Dims &coordinates) const {
  Dims within = coordinates, repeat = coordinates;
  for (unsigned dim = 0; dim < rank(); ++dim) {
    within[dim] &= cell(dim) - 1;
    repeat[dim] >>= cellLog2[dim];
    assert(repeat[dim] >= 0 && repeat[dim] < theRepeats[dim]);
  }
  // A layout covers each coordinate of its cell, so there is a solution.
  return unpack(linear.solve(cellIndexOf(within, cellLog2)).value_or(0),
                repeat);
}

HardwareIndex Layout::redundantBits() const {
  Bits dependent = linear.dependentBits();
  HardwareIndex masks;
  for (HardwareDim hardwareDim : allHardwareDims)
    masks[hardwareDim] =
        dependent >> firstBit(hardwareDim) & lowBits(bits(hardwareDim));
  return masks;
}

bool Layout::isOwner(const HardwareIndex &index) const {
  return !(pack(index) & linear.dependentBits()) &&
         theRepeats.isOwner(repeatIndexOf(index));
}

int64_t Layout::copies() const {
  return theRepeats.total() / theRepeats.counts().product()
         << (linear.inBits() - linear.outBits());
}

bool Layout::inRange(const HardwareIndex &index, const Dims &tile) const {
  Dims at = apply(index);
  for (unsigned dim = 0; dim < rank(); ++dim)
    if (at[dim] >= tile[dim])
      return false;
  return true;
}

/// The threads' coordinates along a dimension are an affine subspace for each
/// part, and its least and greatest element say enough.
Coverage Layout::coverage(int64_t item, const Dims &tile) const {
  unsigned others = bits(itemDim());
  LinearMap threads = linear.restrict(others, linear.inBits() - others);
  bool always = true, never = true;
  for (int64_t part = 0; part < theRepeats.parts(); ++part) {
    HardwareIndex index;
    index[itemDim()] = item;
    index[HardwareDim::warp] = part << bits(HardwareDim::warp);
    Dims first = apply(index);
    bool isBeyond = false;
    for (unsigned dim = 0; dim < rank(); ++dim) {
      Subspace span = threads.project(firstCellBit(dim), cellLog2[dim]).image();
      Bits base = first[dim] & (cell(dim) - 1);
      int64_t repeated = first[dim] - int64_t(base);
      isBeyond |= repeated + int64_t(span.reduce(base)) >= tile[dim];
      always &= repeated + int64_t(span.greatest(base)) < tile[dim];
    }
    never &= isBeyond;
  }
  return never    ? Coverage::never
         : always ? Coverage::always
                  : Coverage::sometimes;
}

bool operator==(const Layout &a, const Layout &b) {
  return a.theKind == b.theKind && a.cellLog2 == b.cellLog2 &&
         a.theRepeats == b.theRepeats &&
         a.hardwareDimBits == b.hardwareDimBits && a.linear == b.linear;
}

size_t Layout::hash() const {
  uint64_t state = 0xcbf29ce484222325;
  auto add = [&](uint64_t value) { // FNV-1a over whole words, then mixed.
    state = (state ^ value) * 0x9e3779b97f4a7c15;
    state ^= state >> 32;
  };
  add(uint64_t(theKind));
  add(uint64_t(theRepeats.parts()));
  for (const Dims &dims : {cellLog2, theRepeats.counts(), theRepeats.digits(),
                           theRepeats.digitCounts()}) {
    add(dims.rank());
    for (int64_t value : dims)
      add(value);
  }
  for (int64_t value : hardwareDimBits.values)
    add(value);
  for (Bits column : linear.allColumns())
    add(column);
  return state;
}

} // namespace tilewright::layout
