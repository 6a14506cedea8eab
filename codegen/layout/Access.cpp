//===- Access.cpp - Vectorized loads and stores of a thread ---------------===//
#include "codegen/layout/Access.h"
#include "codegen/layout/BankConflicts.h"
#include "codegen/layout/Refine.h"

namespace tilewright::layout {

std::vector<int32_t> registerCopies(const Layout &registers) {
  Solver solver(registers.map(Axis::reg));
  LinearMap map = registers.map(Axis::reg);
  unsigned bits = registers.bits(Axis::reg);
  std::vector<int32_t> source(registers.size(Axis::reg));
  for (size_t reg = 0; reg < source.size(); ++reg) {
    Bits own = *solver.solve(map.apply(reg & lowBits(bits)));
    source[reg] = int32_t((reg >> bits << bits) | own);
  }
  return source;
}

/// The greatest v <= `limit` so that each thread's elements come in runs of 2^v
/// offsets, aligned, and the same registers in the same order in all threads.
static unsigned runLog2(const LinearMap &items, const LinearMap &threads,
                        unsigned limit) {
  Subspace held = items.image();
  Bits ofThreads = 0;
  for (Bits column : threads.allColumns())
    ofThreads |= column;
  unsigned log2 = 0;
  while (log2 < limit && log2 < items.outBits() && !(ofThreads >> log2 & 1) &&
         held.contains(Bits(1) << log2))
    ++log2;
  return log2;
}

/// Calls `visit(register, run)` for the first register of each run, where
/// run[i] XOR register is the one that holds the i-th element.
template <typename Visit>
static void forEachRun(const LinearMap &items, unsigned log2, Visit visit) {
  Solver solver(items);
  std::vector<Bits> run;
  for (Bits i = 0; i < Bits(1) << log2; ++i)
    run.push_back(*solver.solve(i));
  for (Bits item = 0; item < Bits(1) << items.inBits(); ++item)
    if (!(item & solver.dependentBits()) &&
        !(items.apply(item) & lowBits(log2)))
      visit(item, run);
}

static unsigned widestLog2(unsigned bits, unsigned elementBits) {
  return bits > elementBits ? log2Floor(bits / elementBits) : 0;
}

VectorAccess vectorAccess(const Layout &registers, const Dims &order,
                          unsigned elementBits, unsigned alignmentBytes,
                          unsigned vectorBits) {
  VectorAccess access;
  unsigned itemBits = registers.bits(Axis::reg), limit = 0;
  LinearMap along = registers.map(); // The contiguous dimension's bits first.
  if (registers.rank()) {
    unsigned dim = order[0], count = registers.cellBits()[dim];
    limit = std::min<unsigned>(
        count,
        widestLog2(std::min(vectorBits, 8 * alignmentBytes), elementBits));
    unsigned first = registers.firstCellBit(dim);
    for (unsigned i = 0; i < along.inBits(); ++i) {
      Bits column = along.column(i);
      Bits low = column >> first & lowBits(count);
      Bits inner = column & lowBits(first);
      Bits outer = first + count < 64 ? column >> (first + count) : 0;
      along.setColumn(i, low | (inner | outer << first) << count);
    }
  }
  LinearMap items = along.restrict(0, itemBits);
  LinearMap threads = along.restrict(itemBits, along.inBits() - itemBits);
  unsigned log2 = runLog2(items, threads, limit);
  access.elements = 1u << log2;
  for (int64_t repeat = 0; repeat < registers.repeats().product(); ++repeat)
    forEachRun(items, log2, [&](Bits item, const std::vector<Bits> &run) {
      for (Bits next : run)
        access.registers.push_back(
            int32_t((item ^ next) | Bits(repeat) << itemBits));
    });
  return access;
}

LinearAccess linearAccess(const LinearMap &offsets, unsigned itemBits,
                          unsigned laneBits, unsigned elementBits,
                          unsigned vectorBits) {
  LinearAccess access;
  LinearMap items = offsets.restrict(0, itemBits);
  access.threadOffset = offsets.restrict(itemBits, offsets.inBits() - itemBits);
  unsigned log2 =
      runLog2(items, access.threadOffset, widestLog2(vectorBits, elementBits));
  access.elements = 1u << log2;
  forEachRun(items, log2, [&](Bits item, const std::vector<Bits> &run) {
    access.xorOffsets.push_back(items.apply(item));
    for (Bits next : run)
      access.registers.push_back(item ^ next);
  });
  access.copies = {0};
  items.kernel().forEach([&](Bits mask) {
    for (size_t i = 0, size = access.copies.size(); i < size; ++i)
      access.copies.push_back(access.copies[i] ^ mask);
  });
  unsigned elementLog2 = log2Floor(elementBits / 8);
  LinearMap lanes(laneBits, offsets.outBits() + elementLog2);
  for (unsigned lane = 0; lane < laneBits; ++lane)
    lanes.setColumn(lane, access.threadOffset.column(lane) << elementLog2);
  access.wavefrontsEach = wavefronts(lanes, elementBits / 8 << log2);
  return access;
}

/// Enough for any offset of a layout.
static constexpr unsigned offsetBits = 40;

/// From the frame's cell to offsets of `memory`, where that is linear; the
/// frame's cell may hold several repeats of the memory's.
static Result<LinearMap> offsetMap(const Layout &registers,
                                   const Layout &memory, const Frame &frame) {
  unsigned own = memory.bits(Axis::offset), rank = memory.rank();
  // Where the bits of each virtual offset really stand.
  Dims strides(rank, 0);
  int64_t stride = int64_t(1) << own;
  for (unsigned i = memory.repeatOrder().rank(); i-- > 0;) {
    unsigned dim = memory.repeatOrder()[i];
    strides[dim] = stride;
    stride *= memory.repeats()[dim];
  }
  LinearMap place(own, offsetBits);
  for (unsigned bit = 0; bit < own; ++bit)
    place.setColumn(bit, Bits(1) << bit);
  for (unsigned dim = rank; dim-- > 0;)
    for (int64_t bit = 0; bit < frame.cellBits[dim] - memory.cellBits()[dim];
         ++bit) {
      if (strides[dim] && !isPowerOfTwo(strides[dim]))
        return Refusal{"shared access: the repeats " + memory.repeats().text() +
                       " of the memory's cell " + memory.cellShape().text() +
                       " do not fit the cell of the registers, " +
                       registers.cellShape().text()};
      // What is beyond the repeats is no element.
      bool exists = int64_t(1) << bit < memory.repeats()[dim];
      place.append(exists ? Bits(strides[dim]) << bit : 0);
    }
  LinearMap whole = refinedMap(memory, frame.cellBits);
  unsigned itemBits = place.inBits();
  LinearMap blocks = whole.restrict(itemBits, whole.inBits() - itemBits);
  LinearMap holders = refinedMap(registers, frame.cellBits);
  Solver solver(whole.restrict(0, itemBits));
  unsigned firstBlock = holders.inBits() - registers.bits(Axis::block);
  LinearMap offsets(0, offsetBits);
  for (unsigned bit = 0; bit < holders.inBits(); ++bit) {
    Bits wanted = holders.column(bit);
    if (bit >= firstBlock && bit - firstBlock < blocks.inBits())
      wanted ^= blocks.column(bit - firstBlock);
    std::optional<Bits> offset = solver.solve(wanted);
    if (!offset)
      return Refusal{"shared access: a block's registers hold elements that "
                     "lie in another block's memory"};
    offsets.append(place.apply(*offset));
  }
  return offsets;
}

Result<SharedAccess> sharedAccess(const Layout &registers, const Layout &memory,
                                  unsigned elementBits, unsigned vectorBits) {
  if (registers.kind() != Kind::registers || memory.kind() != Kind::memory ||
      registers.rank() != memory.rank())
    return Refusal{"shared access: expected a layout in registers and one in "
                   "memory, of the same rank"};
  if (!isPowerOfTwo(elementBits) || elementBits < 8 || elementBits > 64)
    return Refusal{"shared access: expected elements of 8, 16, 32 or 64 bits, "
                   "found " +
                   std::to_string(elementBits)};
  if (memory.bits(Axis::block) > registers.bits(Axis::block))
    return Refusal{"shared access: the memory is spread over more blocks than "
                   "the registers"};
  std::vector<bool> outside(registers.size(Axis::reg));
  for (size_t reg = 0; reg < outside.size(); ++reg) {
    Coverage coverage = registers.coverage(reg, memory.shape());
    if (coverage == Coverage::sometimes)
      return Refusal{"shared access: the memory's shape " +
                     memory.shape().text() + " cuts through the registers of " +
                     registers.shape().text()};
    outside[reg] = coverage == Coverage::never;
  }
  Frame frame = commonFrame(registers, memory);
  Result<LinearMap> offsets = offsetMap(registers, memory, frame);
  if (!offsets)
    return Refusal{offsets.reason()};
  Refined holders = refine(registers, frame);
  LinearAccess each =
      linearAccess(*offsets, holders.itemBits, registers.bits(Axis::lane),
                   elementBits, vectorBits);
  SharedAccess access;
  access.elements = each.elements;
  access.threadOffset = each.threadOffset;
  access.wavefrontsEach = each.wavefrontsEach;
  int64_t repeat = 0;
  forEachCoordinate(frame.repeats, [&](const Dims &at) {
    Dims first = at;
    for (unsigned dim = 0; dim < at.rank(); ++dim)
      first[dim] = at[dim] << (frame.cellBits[dim] - memory.cellBits()[dim]);
    int64_t add = memory.repeatIndex(first) << memory.bits(Axis::offset);
    for (size_t i = 0; i < each.xorOffsets.size(); ++i) {
      std::vector<int32_t> moved;
      for (unsigned j = 0; j < each.elements; ++j) {
        int32_t reg =
            holders.item(repeat, each.registers[i * each.elements + j]);
        moved.push_back(reg >= 0 && outside[reg] ? -1 : reg);
      }
      if (*std::ranges::max_element(moved) < 0)
        continue;
      access.instructions.push_back({int64_t(each.xorOffsets[i]), add});
      access.registers.insert(access.registers.end(), moved.begin(),
                              moved.end());
    }
    ++repeat;
  });
  access.wavefronts =
      int64_t(access.instructions.size()) * access.wavefrontsEach;
  return access;
}

} // namespace tilewright::layout
