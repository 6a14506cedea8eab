//===- SharedOffsets.cpp - Registers' offsets in memory -------------------===//
#include "codegen/layout/SharedOffsets.h"
#include "support/Format.h"

namespace tilewright::layout {

/// Enough for any offset of a layout.
static constexpr unsigned offsetBits = 40;

/// From the frame's cell to offsets of `memory`, where that is linear; the
/// frame's cell may hold several repeats of the memory's.
static StatusOr<LinearMap> offsetMap(const Layout &registers,
                                     const Layout &memory, const Frame &frame) {
  unsigned own = memory.bits(HardwareDim::offset), rank = memory.rank();
  // The real positions of the bits of each virtual offset.
  Dims strides(rank, 0);
  int64_t stride = int64_t(1) << own;
  for (unsigned i = memory.repeats().digits().rank(); i-- > 0;) {
    unsigned dim = memory.repeats().digits()[i];
    strides[dim] = stride;
    stride *= memory.repeats()[dim];
  }
  LinearMap offsetMap(own, offsetBits);
  for (unsigned bit = 0; bit < own; ++bit)
    offsetMap.setColumn(bit, Bits(1) << bit);
  for (unsigned dim = rank; dim-- > 0;)
    for (int64_t bit = 0; bit < frame.cellBits[dim] - memory.cellBits()[dim];
         ++bit) {
      if (strides[dim] && !isPowerOfTwo(strides[dim]))
        return Status::unsupported(
            format("the repeats {} of the memory's cell {} do not fit the cell "
                   "of the registers, {}",
                   {memory.repeats().counts().text(), memory.cellShape().text(),
                    registers.cellShape().text()}));
      // What is beyond the repeats is no element.
      bool exists = int64_t(1) << bit < memory.repeats()[dim];
      offsetMap.append(exists ? Bits(strides[dim]) << bit : 0);
    }
  LinearMap whole = refinedMap(memory, frame.cellBits);
  unsigned itemBits = offsetMap.inBits();
  LinearMap blocks = whole.restrict(itemBits, whole.inBits() - itemBits);
  LinearMap holders = refinedMap(registers, frame.cellBits);
  Solver solver(whole.restrict(0, itemBits));
  unsigned firstBlock = holders.inBits() - registers.bits(HardwareDim::block);
  LinearMap offsets(0, offsetBits);
  for (unsigned bit = 0; bit < holders.inBits(); ++bit) {
    Bits wanted = holders.column(bit);
    if (bit >= firstBlock && bit - firstBlock < blocks.inBits())
      wanted ^= blocks.column(bit - firstBlock);
    std::optional<Bits> offset = solver.solve(wanted);
    if (!offset)
      return Status::unsupported("a block's registers hold elements that "
                                 "lie in another block's memory");
    offsets.append(offsetMap.apply(*offset));
  }
  return offsets;
}

bool SharedOffsets::appendRegisters(size_t repeat,
                                    std::span<const Bits> virtualRegisters,
                                    std::vector<int32_t> &to) const {
  size_t before = to.size();
  bool any = false;
  for (Bits each : virtualRegisters) {
    int32_t reg = holders.item(repeat, each);
    if (reg >= 0 && outside[reg])
      reg = -1;
    any |= reg >= 0;
    to.push_back(reg);
  }
  if (!any)
    to.resize(before);
  return any;
}

/// What is wrong with a pair of layouts; empty where nothing is.
static std::string wrongPair(const Layout &registers, const Layout &memory,
                             unsigned elementBits) {
  if (registers.kind() != Kind::registers || memory.kind() != Kind::memory ||
      registers.rank() != memory.rank())
    return "expected a layout in registers and one in memory, of the same rank";
  if (!isPowerOfTwo(elementBits) || elementBits < 8 || elementBits > 64)
    return format("expected elements of 8, 16, 32 or 64 bits, found {}",
                  {elementBits});
  if (memory.bits(HardwareDim::block) > registers.bits(HardwareDim::block))
    return "the memory is spread over more blocks than the registers";
  return {};
}

StatusOr<SharedOffsets> sharedOffsets(const Layout &registers,
                                      const Layout &memory,
                                      unsigned elementBits) {
  std::string wrong = wrongPair(registers, memory, elementBits);
  if (!wrong.empty())
    return Status::invalidInput(wrong);
  if (!registers.repeats().isLocal())
    return Status::unsupported("the registers' repeats are dealt to warps");
  if (!registers.repeats().isPlain())
    return sharedOffsets(registers.withRepeats(registers.repeats().ofPart()),
                         memory, elementBits);
  SharedOffsets result;
  for (int64_t reg = 0; reg < registers.items(); ++reg) {
    Coverage coverage = registers.coverage(reg, memory.shape());
    if (coverage == Coverage::sometimes)
      return Status::unsupported(
          format("the memory's shape {} cuts through the registers of {}",
                 {memory.shape().text(), registers.shape().text()}));
    result.outside.push_back(coverage == Coverage::never);
  }
  Frame frame = commonFrame(registers, memory);
  TILEWRIGHT_ASSIGN_OR_RETURN(result.offsets,
                              offsetMap(registers, memory, frame));
  result.holders = refine(registers, frame);
  forEachCoordinate(frame.repeats, [&](const Dims &at) {
    Dims first = at;
    for (unsigned dim = 0; dim < at.rank(); ++dim)
      first[dim] = at[dim] << (frame.cellBits[dim] - memory.cellBits()[dim]);
    result.addOffsets.push_back(memory.repeats().index(first)
                                << memory.bits(HardwareDim::offset));
  });
  return result;
}

} // namespace tilewright::layout
