//===- Accumulator.cpp - The accumulators of a matrix product over threads ===//
#include "codegen/layout/Families.h"
#include "support/Format.h"

#include <array>

namespace tilewright::layout {

namespace {
/// A dimension of the accumulators over threads: neighbours in registers, then
/// lanes, then warps, in bits.
struct Split {
  unsigned vector = 0, lanes = 0, warps = 0;
};

/// How the batch, the rows and the columns are spread.
using Splits = std::array<Split, 3>;
} // namespace

/// Registers that a thread holds along an extent, padding included.
static int64_t perThread(int64_t extent, const Split &split) {
  unsigned bits = split.vector + split.lanes + split.warps;
  int64_t repeats = ((extent - 1) >> bits) + 1;
  return repeats << split.vector;
}

/// The wavefronts in which a warp reads one operand for one step of k, times
/// four: a wavefront moves 32 words of 4 bytes, a thread reads four words at
/// once.
static int64_t quarterWavefronts(int64_t registers, const Split &split) {
  int64_t distinctWords = int64_t(4) << split.lanes;
  return registers * std::max<int64_t>(1, distinctWords / 32);
}

/// Cycles of an SM for one step of k, times four: an SM multiplies for four
/// warps at once, and reads shared memory for one.
static int64_t cost(const std::array<int64_t, 3> &extents,
                    const Splits &splits) {
  int64_t batch = perThread(extents[0], splits[0]);
  int64_t rows = perThread(extents[1], splits[1]);
  int64_t columns = perThread(extents[2], splits[2]);
  return batch * (rows * columns + quarterWavefronts(rows, splits[1]) +
                  quarterWavefronts(columns, splits[2]));
}

/// The cheapest way to spread the accumulators; among equals the one with the
/// most lanes along columns, then warps along rows.
static Splits chooseSplits(const std::array<int64_t, 3> &extents,
                           unsigned warpBits) {
  Splits best;
  int64_t least = 0;
  for (unsigned columnLanes = 0; columnLanes <= 5; ++columnLanes)
    for (unsigned rowLanes = 0; rowLanes + columnLanes <= 5; ++rowLanes)
      for (unsigned rowWarps = 0; rowWarps <= warpBits; ++rowWarps)
        for (unsigned columnWarps = 0; rowWarps + columnWarps <= warpBits;
             ++columnWarps)
          for (unsigned vector = 0; vector <= 2; ++vector) {
            Splits splits;
            splits[0] = {0, 5 - rowLanes - columnLanes,
                         warpBits - rowWarps - columnWarps};
            splits[1] = {0, rowLanes, rowWarps};
            splits[2] = {vector, columnLanes, columnWarps};
            int64_t found = cost(extents, splits);
            if (least && found > least)
              continue;
            least = found;
            best = splits;
          }
  // Neighbouring rows in one thread, where that pads nothing.
  while (best[1].vector < 2) {
    Split more = best[1];
    ++more.vector;
    if (perThread(extents[1], more) != perThread(extents[1], best[1]))
      break;
    best[1] = more;
  }
  return best;
}

StatusOr<Layout> accumulator(const Dims &shape, int64_t warps) {
  unsigned rank = shape.rank();
  if (std::string wrong = wrongTileShape(shape); !wrong.empty())
    return Status::invalidInput("accumulator: " + wrong);
  if (rank != 2 && rank != 3)
    return Status::invalidInput(
        "accumulator: expected 2 or 3 dimensions, found shape " + shape.text());
  if (warps < 1 || warps > 32)
    return Status::invalidInput(
        format("accumulator: expected 1 to 32 warps, found warps={}", {warps}));
  const unsigned warpBits = unsigned(std::countr_zero(uint64_t(warps)));
  int64_t batch = rank == 3 ? shape[0] : 1;
  int rows = int(rank) - 2, columns = int(rank) - 1;
  Splits splits = chooseSplits({batch, shape[rows], shape[columns]}, warpBits);
  int batchDim = rank == 3 ? 0 : Step::copies;
  const Step steps[] = {{HardwareDim::reg, columns, splits[2].vector},
                        {HardwareDim::reg, rows, splits[1].vector},
                        {HardwareDim::lane, columns, splits[2].lanes},
                        {HardwareDim::lane, rows, splits[1].lanes},
                        {HardwareDim::lane, batchDim, splits[0].lanes},
                        {HardwareDim::warp, columns, splits[2].warps},
                        {HardwareDim::warp, rows, splits[1].warps},
                        {HardwareDim::warp, batchDim, splits[0].warps}};
  return distribute(shape, steps, rowMajorOrder(rank),
                    {warps >> warpBits, false});
}

} // namespace tilewright::layout
