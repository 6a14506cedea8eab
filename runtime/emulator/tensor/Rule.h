// How each GPU's tensor cores compute: the machine's rule, as data.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_RULE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_RULE_H

#include "runtime/emulator/numeric/Rounding.h"
#include "runtime/emulator/tensor/ElementType.h"
#include "tilewright/support/Status.h"

namespace tilewright::emulator {

/// Families of GPUs whose tensor cores compute the same.
enum class TensorArchitecture : std::uint8_t {
  volta,
  turing,
  ampere,
  ada,
  hopper,
  blackwell,
  rtxBlackwell,
};

/// The family of a target: 80 for sm_80, 90 for sm_90 and sm_90a, ... Any other
/// number is an error that lists the known ones.
[[nodiscard]] StatusOr<TensorArchitecture> tensorArchitecture(int sm);

/// The instruction families that differ in arithmetic or shapes.
enum class MatrixInstruction : std::uint8_t {
  /// mma.sync and mma.sp (PTX ISA 9.7.14.5, 9.7.14.6).
  mma,
  /// wmma.mma (9.7.14.4).
  wmma,
  /// wgmma.mma_async (9.7.15).
  wgmma,
};

/// What .b1 operands are combined with before their bits are counted.
enum class BitOperation : std::uint8_t { exclusiveOr, conjunction };

/// One instruction, as far as its arithmetic depends on it: D = A * B + C.
struct MatrixOperation {
  MatrixInstruction instruction = MatrixInstruction::mma;
  ElementType a = ElementType::f16;
  ElementType b = ElementType::f16;
  ElementType c = ElementType::f32;
  ElementType d = ElementType::f32;
  /// K of the instruction's shape; of the full matrix A where A is sparse.
  int depth = 16;
  bool sparse = false;
  /// Integers: .satfinite.
  bool saturate = false;
  /// f64: .rn, .rz, .rm, .rp.
  Rounding rounding = Rounding::nearestEven;
  BitOperation bitOperation = BitOperation::exclusiveOr;
};

/// How a rule is known.
enum class Evidence : std::uint8_t {
  /// PTX defines it.
  specified,
  /// Equal to recorded results of hardware.
  measured,
  /// The machine code of ptxas, made of steps that are measured.
  decomposed,
  /// Published elsewhere (the MMA-Sim project), no data here.
  published,
  /// A plausible reading; a GPU should decide.
  assumed,
};

/// How D is computed from a row of A, a column of B and an element of C.
struct Rule {
  enum class Kind : std::uint8_t {
    /// Floating point: blocks of products and an accumulator, each truncated
    /// to a common grid, added exactly, rounded once (DotProduct.h).
    alignedSum,
    /// f64: one fused multiply-add after another, in order of k.
    fusedChain,
    /// s32 accumulators, exact modulo 2^32, or clamped once at the end.
    integer,
    /// s32 counts of common bits.
    bits,
  };
  /// What an aligned sum is rounded to after each block.
  enum class Accumulator : std::uint8_t {
    /// f32, toward zero.
    f32,
    /// f32 with 13 fraction bits, toward zero.
    f32With13Bits,
    /// f16, to nearest even.
    f16,
  };
  static constexpr int noFloor = -100000;

  MatrixOperation operation;
  Kind kind = Kind::alignedSum;
  Evidence evidence = Evidence::specified;

  // What follows is for alignedSum alone.

  Accumulator accumulator = Accumulator::f32;
  /// Bits of a term kept below the block's largest exponent.
  int fractionBits = 0;
  /// Products in a block, counted in k of the full matrix.
  int blockSize = 0;
  /// 0: blocks follow one another in k. Otherwise k is first divided into runs
  /// of this length, and the even runs are the first half of the blocks.
  int interleave = 0;
  /// The first block takes zero instead of C, and C is added to the last one's
  /// result like an ordinary add, to nearest even.
  bool accumulatorLast = false;
  /// The block's exponent is at least this. Sources differ on whether hardware
  /// has such a floor (-126, -132 and -133 are proposed); recorded results do
  /// not show it, as only subnormal results would.
  int exponentFloor = noFloor;
};

/// The rule by which `architecture` executes `operation`. An operation without
/// a known rule is an error with both names.
[[nodiscard]] StatusOr<Rule> findRule(TensorArchitecture architecture,
                                      const MatrixOperation &operation);

/// "Ampere", "wgmma": as in messages.
[[nodiscard]] std::string_view architectureName(TensorArchitecture value);
[[nodiscard]] std::string_view instructionName(MatrixInstruction value);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_RULE_H
