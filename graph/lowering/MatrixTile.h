//===- MatrixTile.h - The tile of a product on matrix units -----*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_MATRIXTILE_H
#define TILEWRIGHT_GRAPH_LOWERING_MATRIXTILE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace tilewright::graph {

/// A GPU with matrix instructions.
struct MatrixUnit {
  int64_t multiprocessors = 1;
  /// Products of 16-bit floats of a multiprocessor in a cycle.
  int64_t productsOfCycle = 1;
  /// Bytes of a multiprocessor's shared memory; 0: not known.
  int64_t sharedBytes = 0;
};

/// What matrix instructions take of one type: of 16-bit floats, unless stated.
struct MatrixOperands {
  int64_t bytesOfElement = 2;
  /// The time of a product, in that of a product of 16-bit floats.
  double timesOfHalves = 1;
};

/// The sizes of a product of matrices.
struct MatrixSizes {
  int64_t rows = 1, columns = 1, depth = 1;
  /// How many such products there are.
  int64_t count = 1;
  MatrixOperands operands = {};
};

/// What a program computes: rows x columns, in steps of `depth`. They are
/// multiples of what an instruction takes: 16.
struct MatrixTile {
  int64_t rows = 16, columns = 16, depth = 16;

  friend bool operator==(const MatrixTile &, const MatrixTile &) = default;
};

/// The cycles that a GPU takes for a launch, about. A program waits for memory
/// once; then a step takes its share of that latency, as copies of several
/// steps overlap, or the time of its products, or of its accesses to the second
/// cache or to shared memory, in all programs of a multiprocessor, which take
/// turns.
[[nodiscard]] int64_t cyclesOf(const MatrixTile &tile, const MatrixSizes &sizes,
                               const MatrixUnit &unit);

/// The tile whose cycles, summed over the units, are least; of those that take
/// hardly more the largest, which reads the operands least often.
[[nodiscard]] MatrixTile chooseMatrixTile(const MatrixSizes &sizes,
                                          llvm::ArrayRef<MatrixUnit> units);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_MATRIXTILE_H
