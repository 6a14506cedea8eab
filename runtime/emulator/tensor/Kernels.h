// The hot loops of tensor-core arithmetic, compiled for several instruction
// sets. What crosses the border is plain data, so that no inline function does.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_KERNELS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_KERNELS_H

#include "support/HostIsa.h"
#include <cstdint>

namespace tilewright::emulator {

/// Limits of one call.
constexpr int mostRows = 64;
constexpr int mostDepth = 64;

/// The matrices of D = A * B + C. All are stored by columns: A has `rows` rows
/// and `depth` columns, B has `depth` rows and `columns` columns, C and D have
/// `rows` rows and `columns` columns. C may be null: zeros.
struct MatrixData {
  int rows;
  int columns;
  int depth;
  const void *a;
  const void *b;
  const void *c;
  void *d;
};

/// A floating-point operand format of 32 bits or less.
struct OperandFormat {
  int storageBytes;
  int exponentBits;
  int fractionBits;
  /// Low bits of storage that are no part of the number.
  int droppedBits;
  /// The least magnitude (as bits) that is an infinity or NaN.
  std::uint32_t firstSpecial;
};

/// A Rule of kind alignedSum (Rule.h), spelled out.
struct AlignedSum {
  OperandFormat a;
  OperandFormat b;
  bool halfC;
  bool halfD;
  bool halfAccumulator;
  /// Fraction bits of an f32 accumulator.
  int keptBits;
  int fractionBits;
  int blockSize;
  int interleave;
  bool accumulatorLast;
  int exponentFloor;
};

/// Sums of integer products.
struct IntegerSum {
  /// Elements have 8 bits, or 4 in the low bits of a byte.
  int bits;
  bool signedA;
  bool signedB;
  bool saturate;
};

struct Kernels {
  /// Computes all elements of D but those that meet an infinity or a NaN on
  /// their way: they get the bits of C (where C has D's type), and bit `row` of
  /// special[column] is set. Returns whether there are any. rows <= mostRows,
  /// depth <= mostDepth.
  bool (*alignedSum)(const MatrixData &, const AlignedSum &,
                     std::uint64_t *special);
  /// s8, u8, s4, u4, one to a byte; C and D are s32. rows <= mostRows,
  /// depth <= 2 * mostDepth.
  void (*integerSum)(const MatrixData &, const IntegerSum &);
  /// b1, 32 to a word; depth counts words; C and D are s32.
  void (*bitCount)(const MatrixData &, bool conjunction);
  /// f64 to nearest even.
  void (*fusedChain)(const MatrixData &);
};

/// The copy for `isa`, which must be one of this build and machine.
[[nodiscard]] const Kernels &tensorKernels(HostIsa isa);
/// Whether this build has a copy for `isa`, and this machine can run it.
[[nodiscard]] bool hasTensorKernels(HostIsa isa);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_KERNELS_H
