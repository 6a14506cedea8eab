//===- MatrixMemory.cpp - Shared memory that ldmatrix reads ---------------===//
#include "codegen/layout/Families.h"
#include "codegen/layout/MatrixAccess.h"
#include "codegen/layout/Transforms.h"

#include <bit>
#include <limits>
#include <optional>

namespace tilewright::layout {

/// A tile of `shape` in swizzled rows along its last dimension or, with
/// `isTransposed`, the one before.
static StatusOr<Layout> swizzledTile(const Dims &shape, bool isTransposed,
                                     unsigned elementBits, Swizzle swizzle) {
  if (!isTransposed)
    return swizzled(shape, elementBits, swizzle);
  Dims rows = shape, order = rowMajorOrder(shape.rank());
  const unsigned last = shape.rank() - 1;
  std::swap(rows[last], rows[last - 1]);
  for (unsigned dim = 0; dim <= last; ++dim)
    order[dim] = dim;
  std::swap(order[last], order[last - 1]);
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout layout,
                              swizzled(rows, elementBits, swizzle));
  return permute(layout, order);
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
  for (bool isTransposed : {false, true})
    for (Swizzle swizzle :
         {Swizzle::b128, Swizzle::b64, Swizzle::b32, Swizzle::none}) {
      StatusOr<Layout> memory =
          swizzledTile(shape, isTransposed, elementBits, swizzle);
      if (!memory.ok())
        continue;
      StatusOr<MatrixAccess> load =
          matrixAccess(fragments, *memory, elementBits);
      if (!load.ok()) {
        rejected = load.status();
        continue;
      }
      StatusOr<SharedAccess> store = sharedAccess(stored, *memory, elementBits);
      const int64_t cost =
          load->wavefronts + (store.ok() ? store->wavefronts : ofConversion);
      if (cost >= least)
        continue;
      least = cost;
      best = {*memory, store.ok()};
    }
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
