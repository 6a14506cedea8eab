// Boxes of tensors: which elements they are, and where in shared memory.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_TENSORBOX_H
#define TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_TENSORBOX_H

#include "runtime/emulator/machine/TensorMap.h"
#include <algorithm>

namespace tilewright::emulator {

/// The part of a row of the box that is in the tensor: rows are elements that
/// differ in dimension 0 alone.
struct RowPart {
  uint64_t address = 0;
  /// From the start of the box, which is dense in shared memory.
  uint64_t offset = 0;
  uint32_t bytes = 0;
};

/// The box of one copy (PTX section 5.5.3): the element with the index j has
/// the coordinates c + j * step, as far as they are in the tensor.
class Box {
public:
  Box(const TensorMap &map, const std::array<int32_t, 5> &corner)
      : map(map), corner(corner), elementBytes(bytesOf(map.element)) {
    const auto size = int64_t(map.size[0]);
    const int64_t count = map.boxElements(0);
    begin = std::clamp<int64_t>(-int64_t{corner[0]}, 0, count);
    end = std::clamp<int64_t>(size - corner[0], begin, count);
  }

  /// function(part) for each row that has a part in the tensor, as long as it
  /// returns true. Returns whether it did to the end.
  template <typename F> bool eachRow(F function) const {
    std::array<uint32_t, 5> index = {};
    uint64_t rowBytes = uint64_t{map.boxElements(0)} * elementBytes;
    for (uint64_t offset = 0;; offset += rowBytes) {
      RowPart part;
      part.offset = offset + uint64_t(begin) * elementBytes;
      part.bytes = uint32_t(end - begin) * elementBytes;
      if (part.bytes && addressOf(index, part.address) && !function(part))
        return false;
      if (!advance(index))
        return true;
    }
  }

private:
  /// False: the row is outside.
  bool addressOf(const std::array<uint32_t, 5> &index,
                 uint64_t &address) const {
    address = map.address + uint64_t(corner[0] + begin) * elementBytes;
    for (unsigned dim = 1; dim < map.rank; ++dim) {
      int64_t at = corner[dim] + int64_t{index[dim]} * map.step(dim);
      if (at < 0 || at >= int64_t(map.size[dim]))
        return false;
      address += uint64_t(at) * map.stride[dim];
    }
    return true;
  }
  /// To the next row. False: there is none.
  bool advance(std::array<uint32_t, 5> &index) const {
    for (unsigned dim = 1; dim < map.rank; ++dim) {
      if (++index[dim] < map.boxElements(dim))
        return true;
      index[dim] = 0;
    }
    return false;
  }

  const TensorMap &map;
  const std::array<int32_t, 5> &corner;
  uint32_t elementBytes;
  /// Elements of a row that are in the tensor.
  int64_t begin, end;
};

/// The swizzled position of the 16 bytes at `offset` of the block's shared
/// memory (PTX section 5.5.7): bits of the line's number permute chunks within
/// the line.
inline uint32_t swizzled(TensorSwizzle swizzle, uint32_t offset) {
  uint32_t lines = (uint32_t{1} << unsigned(swizzle)) - 1;
  return offset ^ (offset >> 7 & lines) << 4;
}

/// function(offset in shared memory, bytes from `first` on, their number) for
/// each contiguous piece of [first, first + bytes) of a box at `start`.
template <typename F>
inline bool eachPiece(TensorSwizzle swizzle, uint32_t start, uint64_t first,
                      uint64_t bytes, F function) {
  if (swizzle == TensorSwizzle::none)
    return function(uint32_t(start + first), uint64_t{0}, bytes);
  for (uint64_t done = 0; done < bytes;) {
    auto at = uint32_t(start + first + done);
    uint64_t count = std::min<uint64_t>(16 - at % 16, bytes - done);
    if (!function(swizzled(swizzle, at), done, count))
      return false;
    done += count;
  }
  return true;
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_TENSORBOX_H
