//===- MatrixMemory.cpp - Shared memory that ldmatrix reads ---------------===//
#include "codegen/layout/Algebra.h"
#include "codegen/layout/Families.h"
#include "codegen/layout/MatrixAccess.h"
#include "codegen/layout/Transforms.h"

#include <bit>
#include <limits>
#include <optional>

namespace tilewright::layout {

namespace {
/// What is XORed with the bits of an address that choose a chunk of a span.
enum class Exchange : uint8_t {
  /// Swizzle::b128 and others: chunks of 16 bytes, by the number of the row.
  chunks,
  /// Chunks of 32 bytes: 8 neighbouring elements of 32 bits, of each of 4 rows,
  /// then are in different banks.
  pairs,
  /// Chunks of 16 bytes, also by the number of a group of 8 rows: so are rows
  /// that are 4, 8 or 16 apart.
  groups,
};
} // namespace

/// A swizzle of spans of `swizzle` bytes with another exchange of chunks.
static StatusOr<Layout> withExchange(const Layout &chunks, unsigned elementBits,
                                     Swizzle swizzle, Exchange exchange) {
  if (exchange == Exchange::chunks)
    return chunks;
  const unsigned elementLog2 = log2Floor(elementBits / 8);
  const unsigned bits = chunks.bits(HardwareDim::offset);
  // Bits of the address: from that of a row on, and those of the chunk.
  const unsigned row = log2Floor(int64_t(swizzle));
  constexpr unsigned chunk = 4, lines = 7, chunkBits = 3;
  LinearMap change = LinearMap::identity(bits);
  auto exchangeBit = [&](unsigned from, unsigned to) {
    if (from - elementLog2 < bits)
      change.setColumn(from - elementLog2, change.column(from - elementLog2) ^
                                               Bits(1) << (to - elementLog2));
  };
  if (exchange == Exchange::pairs) {
    // What Swizzle::b128 has exchanged is exchanged back.
    for (unsigned i = 0; i < chunkBits; ++i)
      exchangeBit(lines + i, chunk + i);
    for (unsigned i = 0; i + 1 < chunkBits; ++i)
      exchangeBit(lines + i, chunk + 1 + i);
  } else {
    // Rows 0 to 7 choose all chunks; the third bit of a row last[..].
    const unsigned last = row - chunk - 1;
    for (unsigned i = 0; row + chunkBits + i < bits + elementLog2; ++i)
      exchangeBit(row + chunkBits + i,
                  chunk + (last + 1 + i % chunkBits) % chunkBits);
  }
  return compose(chunks, HardwareDim::offset, change);
}

/// A tile of `shape` in swizzled rows along its last dimension or, with
/// `isTransposed`, the one before.
static StatusOr<Layout> swizzledTile(const Dims &shape, bool isTransposed,
                                     unsigned elementBits, Swizzle swizzle,
                                     Exchange exchange) {
  Dims rows = shape, order = rowMajorOrder(shape.rank());
  const unsigned last = shape.rank() - 1;
  if (isTransposed)
    std::swap(rows[last], rows[last - 1]);
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout chunks,
                              swizzled(rows, elementBits, swizzle));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Layout layout, withExchange(chunks, elementBits, swizzle, exchange));
  if (!isTransposed)
    return layout;
  for (unsigned dim = 0; dim <= last; ++dim)
    order[dim] = dim;
  std::swap(order[last], order[last - 1]);
  return permute(layout, order);
}

/// Which exchanges may help: elements of 16 bits need none but the first.
static bool isOf(Exchange exchange, unsigned elementBits, Swizzle swizzle) {
  switch (exchange) {
  case Exchange::chunks:
    return true;
  case Exchange::pairs:
    return elementBits >= 32 && swizzle == Swizzle::b128;
  case Exchange::groups:
    return elementBits == 8 && swizzle != Swizzle::none;
  }
  return false;
}

/// The best of all memory layouts of `shape`.
static StatusOr<MatrixMemory> bestMemory(const Layout &stored,
                                         const Layout &fragments,
                                         const Dims &shape,
                                         unsigned elementBits) {
  // A layout that must be converted first is taken if there is no other.
  constexpr int64_t ofConversion = int64_t(1) << 32;
  std::optional<MatrixMemory> best;
  int64_t least = std::numeric_limits<int64_t>::max();
  Status rejected;
  auto consider = [&](bool isTransposed, Swizzle swizzle, Exchange exchange) {
    StatusOr<Layout> memory =
        swizzledTile(shape, isTransposed, elementBits, swizzle, exchange);
    if (!memory.ok())
      return;
    StatusOr<MatrixAccess> load =
        fragmentAccess(fragments, *memory, elementBits);
    if (!load.ok()) {
      rejected = load.status();
      return;
    }
    StatusOr<SharedAccess> store = sharedAccess(stored, *memory, elementBits);
    const bool takesStored =
        store.ok() &&
        (elementBits >= 16 || store->elements * elementBits >= 32);
    const int64_t cost =
        load->wavefronts + (takesStored ? store->wavefronts : ofConversion);
    if (cost >= least)
      return;
    least = cost;
    best = {*memory, takesStored, takesStored ? store->wavefronts : 0};
  };
  for (bool isTransposed : {false, true})
    for (Swizzle swizzle :
         {Swizzle::b128, Swizzle::b64, Swizzle::b32, Swizzle::none})
      for (Exchange exchange :
           {Exchange::chunks, Exchange::pairs, Exchange::groups})
        if (isOf(exchange, elementBits, swizzle))
          consider(isTransposed, swizzle, exchange);
  if (!best)
    return rejected;
  return *best;
}

StatusOr<MatrixMemory> matrixMemory(const Layout &stored,
                                    const Layout &fragments,
                                    unsigned elementBits) {
  Dims shape = fragments.shape();
  StatusOr<MatrixMemory> exact =
      bestMemory(stored, fragments, shape, elementBits);
  if (exact.ok() && exact->takesStored)
    return exact;
  // What is in the cell of the registers must be in that of memory, which ends
  // behind the first dimension that is no power of two.
  for (unsigned dim = 0; dim < shape.rank(); ++dim)
    shape[dim] = std::bit_ceil(uint64_t(shape[dim]));
  StatusOr<MatrixMemory> padded =
      bestMemory(stored, fragments, shape, elementBits);
  // Some bytes are cheaper than a conversion.
  return exact.ok() && !(padded.ok() && padded->takesStored) ? exact : padded;
}

} // namespace tilewright::layout
