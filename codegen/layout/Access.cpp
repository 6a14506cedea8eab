//===- Access.cpp - Vectorized loads and stores of a thread ---------------===//
#include "codegen/layout/Access.h"
#include "codegen/layout/BankConflicts.h"
#include "codegen/layout/SharedOffsets.h"

#include <map>
#include <numeric>

namespace tilewright::layout {

/// For each round the first one that has the same repeat in every part.
static std::vector<int64_t> roundCopies(const Repeats &repeats) {
  std::vector<int64_t> source(repeats.rounds());
  std::iota(source.begin(), source.end(), 0);
  if (repeats.isPlain())
    return source;
  std::map<std::vector<int64_t>, int64_t> first;
  for (int64_t round = 0; round < repeats.rounds(); ++round) {
    std::vector<int64_t> held;
    for (int64_t part = 0; part < repeats.parts(); ++part)
      for (int64_t at : repeats.at(part + repeats.parts() * round))
        held.push_back(at);
    source[round] = first.try_emplace(std::move(held), round).first->second;
  }
  return source;
}

std::vector<int32_t> registerCopies(const Layout &registers) {
  Solver solver(registers.map(HardwareDim::reg));
  std::vector<int64_t> rounds = roundCopies(registers.repeats());
  LinearMap map = registers.map(HardwareDim::reg);
  unsigned bits = registers.bits(HardwareDim::reg);
  std::vector<int32_t> source(registers.size(HardwareDim::reg));
  for (size_t reg = 0; reg < source.size(); ++reg) {
    Bits own = *solver.solve(map.apply(reg & lowBits(bits)));
    source[reg] =
        int32_t(Bits(registers.itemOfRound(rounds[reg >> bits])) | own);
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

/// Calls `visit(register, run)` for the first register of each run; the
/// register that holds the i-th element is run[i] XOR register.
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

unsigned widestLog2(unsigned bits, unsigned elementBits) {
  return bits > elementBits ? log2Floor(bits / elementBits) : 0;
}

bool hasSeparableCell(const Layout &registers) {
  Bits ofThreads = 0, ofRegisters = 0;
  for (HardwareDim hardwareDim : {HardwareDim::lane, HardwareDim::warp})
    for (Bits column : registers.columns(hardwareDim))
      ofThreads |= column;
  for (Bits column : registers.columns(HardwareDim::reg))
    ofRegisters |= column;
  return !(ofThreads & ofRegisters);
}

bool isSeparable(const Layout &registers) {
  return hasSeparableCell(registers) && registers.repeats().isSeparable();
}

VectorAccess vectorAccess(const Layout &registers, const Dims &order,
                          unsigned elementBits, unsigned alignmentBytes,
                          unsigned vectorBits) {
  VectorAccess access;
  unsigned itemBits = registers.bits(HardwareDim::reg), limit = 0;
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
  std::vector<int64_t> rounds = roundCopies(registers.repeats());
  for (int64_t round = 0; round < registers.repeats().rounds(); ++round)
    if (rounds[round] == round)
      forEachRun(items, log2, [&](Bits item, const std::vector<Bits> &run) {
        for (Bits next : run)
          access.registers.push_back(
              int32_t((item ^ next) | Bits(registers.itemOfRound(round))));
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

StatusOr<SharedAccess> sharedAccess(const Layout &registers,
                                    const Layout &memory, unsigned elementBits,
                                    unsigned vectorBits) {
  StatusOr<SharedOffsets> shared =
      sharedOffsets(registers, memory, elementBits);
  if (!shared)
    return shared.status().prefixed("shared access");
  LinearAccess each =
      linearAccess(shared->offsets, shared->holders.itemBits,
                   registers.bits(HardwareDim::lane), elementBits, vectorBits);
  SharedAccess access;
  access.elements = each.elements;
  access.threadOffset = each.threadOffset;
  access.wavefrontsEach = each.wavefrontsEach;
  for (size_t repeat = 0; repeat < shared->addOffsets.size(); ++repeat)
    for (size_t i = 0; i < each.xorOffsets.size(); ++i) {
      std::span<const Bits> run(&each.registers[i * each.elements],
                                each.elements);
      if (!shared->appendRegisters(repeat, run, access.registers))
        continue;
      access.instructions.push_back(
          {int64_t(each.xorOffsets[i]), shared->addOffsets[repeat]});
    }
  access.wavefronts =
      int64_t(access.instructions.size()) * access.wavefrontsEach;
  return access;
}

} // namespace tilewright::layout
