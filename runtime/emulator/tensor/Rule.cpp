#include "runtime/emulator/tensor/Rule.h"
#include "runtime/emulator/tensor/EnumSet.h"
#include "support/Format.h"
#include <bit>

namespace tilewright::emulator {

using enum ElementType;
using enum TensorArchitecture;
using enum Evidence;
using Accumulator = Rule::Accumulator;

namespace {

struct TargetRow {
  int sm;
  TensorArchitecture architecture;
};

/// Maps GPUs to families; no other code does.
constexpr TargetRow targets[] = {
    {70, volta},      {72, volta},         {75, turing},
    {80, ampere},     {86, ampere},        {87, ampere},
    {88, ampere},     {89, ada},           {90, hopper},
    {100, blackwell}, {101, blackwell},    {103, blackwell},
    {110, blackwell}, {120, rtxBlackwell}, {121, rtxBlackwell},
};

constexpr unsigned mma = enumSet(MatrixInstruction::mma);
constexpr unsigned wmma = enumSet(MatrixInstruction::wmma);
constexpr unsigned wgmma = enumSet(MatrixInstruction::wgmma);
constexpr unsigned float8 = enumSet(e4m3, e5m2);
constexpr unsigned float864 = enumSet(e4m3, e5m2, e3m2, e2m3, e2m1);
constexpr unsigned laterHopper = enumSet(hopper, blackwell, rtxBlackwell);

/// One line of aligned sums of dense operations. Sparse ones are assumed to use
/// blocks with the same number of stored elements of A.
struct AlignedRow {
  unsigned architectures;
  unsigned instructions;
  unsigned operands;
  Accumulator accumulator;
  int fractionBits;
  int blockSize;
  Evidence evidence;
};

/// Sources: `measured` rows equal recorded results (the test
/// VectorsTest.cpp says which); `published` ones follow MMA-Sim.
/// wmma with tf32 is two instructions of depth 4 on each GPU (`decomposed`).
constexpr AlignedRow alignedRows[] = {
    // clang-format off
    {enumSet(volta),       mma | wmma, enumSet(f16),       Accumulator::f32,           23,  4, measured},
    {enumSet(volta),       mma | wmma, enumSet(f16),       Accumulator::f16,           23,  4, measured},
    {enumSet(turing),      mma | wmma, enumSet(f16),       Accumulator::f32,           24,  8, published},
    {enumSet(turing),      mma | wmma, enumSet(f16),       Accumulator::f16,           24,  8, published},
    {enumSet(ampere, ada), mma | wmma, enumSet(f16, bf16), Accumulator::f32,           24,  8, measured},
    {enumSet(ampere, ada), mma | wmma, enumSet(f16),       Accumulator::f16,           24,  8, measured},
    {enumSet(ampere, ada), mma | wmma, enumSet(tf32),      Accumulator::f32,           24,  4, measured},
    {enumSet(ada),         mma,        float8,         Accumulator::f32With13Bits, 13, 16, measured},
    {enumSet(ada),         mma,        float8,         Accumulator::f16,           13, 16, measured},
    {enumSet(hopper, blackwell), mma | wmma, enumSet(f16, bf16), Accumulator::f32,     25, 16, measured},
    {enumSet(hopper, blackwell), mma | wmma, enumSet(f16), Accumulator::f16,           25, 16, measured},
    {enumSet(rtxBlackwell), mma | wmma, enumSet(f16, bf16), Accumulator::f32,          25, 16, published},
    {enumSet(rtxBlackwell), mma | wmma, enumSet(f16),      Accumulator::f16,           25, 16, published},
    {laterHopper,      mma,        enumSet(tf32),      Accumulator::f32,           25,  8, published},
    {laterHopper,      wmma,       enumSet(tf32),      Accumulator::f32,           25,  4, decomposed},
    {enumSet(rtxBlackwell), mma,       float864,       Accumulator::f32,           25, 32, published},
    {enumSet(rtxBlackwell), mma,       float864,       Accumulator::f16,           25, 32, published},
    {enumSet(hopper),      wgmma,      enumSet(f16, bf16), Accumulator::f32,           25, 16, measured},
    {enumSet(hopper),      wgmma,      enumSet(f16),       Accumulator::f16,           25, 16, measured},
    {enumSet(hopper),      wgmma,      enumSet(tf32),      Accumulator::f32,           25,  8, published},
    {enumSet(hopper),      wgmma,      float8,         Accumulator::f32With13Bits, 13, 32, measured},
    {enumSet(hopper),      wgmma,      float8,         Accumulator::f16,           13, 32, published},
    // clang-format on
};

bool isHopperFloat8(TensorArchitecture architecture,
                    const MatrixOperation &op) {
  return contains(enumSet(hopper, blackwell), architecture) &&
         op.instruction == MatrixInstruction::mma && contains(float8, op.a) &&
         contains(float8, op.b);
}

/// Whether C and D are types that go with floating-point operands.
/// wmma alone may mix f16 and f32 (PTX ISA 9.7.14.4.5); it is then computed in
/// f32 and converted (ptxas emits just that for sm_80 to sm_90).
bool hasFloatAccumulators(const MatrixOperation &op) {
  bool known =
      contains(enumSet(f16, f32), op.c) && contains(enumSet(f16, f32), op.d);
  bool mixes = op.instruction == MatrixInstruction::wmma && op.a == f16;
  return known && (op.c == op.d || mixes);
}

Accumulator wantedAccumulator(const MatrixOperation &op) {
  return op.c == f16 && op.d == f16 ? Accumulator::f16 : Accumulator::f32;
}

Status noRule(TensorArchitecture architecture, const MatrixOperation &op) {
  auto name = [](ElementType type) {
    return std::string(elementFacts(type).name);
  };
  return Status::unsupported(
      format("no tensor-core arithmetic is known for {}{} {} * {} + {} -> {} "
             "with K = {} on {}",
             {instructionName(op.instruction), op.sparse ? ".sp" : "",
              name(op.a), name(op.b), name(op.c), name(op.d), op.depth,
              architectureName(architecture)}));
}

StatusOr<Rule> alignedRule(TensorArchitecture architecture,
                           const MatrixOperation &op) {
  if (!hasFloatAccumulators(op))
    return noRule(architecture, op);
  Rule rule;
  rule.operation = op;
  // mma with f8 on Hopper and Blackwell: ptxas converts the operands to f16 and
  // emits two instructions of half the depth, starting from zero, the first
  // for the low halves of the registers, and then an add of C.
  bool halves = isHopperFloat8(architecture, op);
  MatrixOperation step = op;
  if (halves)
    step.a = step.b = f16;
  bool both16 = wantedAccumulator(op) == Accumulator::f16;
  for (const AlignedRow &row : alignedRows) {
    if (!contains(row.architectures, architecture) ||
        !contains(row.instructions, step.instruction) ||
        !contains(row.operands, step.a) || !contains(row.operands, step.b) ||
        (row.accumulator == Accumulator::f16) != both16)
      continue;
    // Only 8-bit types and smaller go with others.
    if (step.a != step.b && !contains(float864, step.a))
      continue;
    int stored = op.sparse ? 2 : 1;
    rule.accumulator = row.accumulator;
    rule.fractionBits = row.fractionBits;
    rule.blockSize = row.blockSize * stored;
    rule.evidence = op.sparse ? assumed : row.evidence;
    if (halves) {
      rule.blockSize = op.depth / 2;
      rule.interleave = 2 * stored;
      rule.accumulatorLast = true;
      rule.evidence = op.sparse ? assumed : decomposed;
    }
    return rule;
  }
  return noRule(architecture, op);
}

} // namespace

StatusOr<TensorArchitecture> tensorArchitecture(int sm) {
  std::string known;
  for (const TargetRow &row : targets) {
    if (row.sm == sm)
      return row.architecture;
    known += format("{}sm_{}", {known.empty() ? "" : ", ", row.sm});
  }
  return Status::unsupported(
      format("tensor cores of sm_{} are not known; known are {}", {sm, known}));
}

StatusOr<Rule> findRule(TensorArchitecture architecture,
                        const MatrixOperation &op) {
  Rule rule;
  rule.operation = op;
  bool wide =
      contains(enumSet(s8, u8), op.a) && contains(enumSet(s8, u8), op.b);
  bool narrow =
      contains(enumSet(s4, u4), op.a) && contains(enumSet(s4, u4), op.b);
  bool bits = op.a == b1 && op.b == b1;
  if (wide || narrow || bits) {
    // PTX ISA 9.7.14.5.14: exact, wrapping around unless .satfinite.
    rule.kind = bits ? Rule::Kind::bits : Rule::Kind::integer;
    if (op.c != s32 || op.d != s32 || architecture == volta ||
        (bits && op.sparse))
      return noRule(architecture, op);
    return rule;
  }
  if (op.a == f64 && op.b == f64 && op.c == f64 && op.d == f64) {
    rule.kind = Rule::Kind::fusedChain;
    rule.evidence = published;
    if (contains(enumSet(volta, turing), architecture) || op.sparse ||
        op.instruction == MatrixInstruction::wgmma)
      return noRule(architecture, op);
    return rule;
  }
  if (!elementFacts(op.a).isFloat() || !elementFacts(op.b).isFloat())
    return noRule(architecture, op);
  return alignedRule(architecture, op);
}

std::string_view architectureName(TensorArchitecture value) {
  constexpr std::string_view names[] = {"Volta",        "Turing", "Ampere",
                                        "Ada",          "Hopper", "Blackwell",
                                        "RTX Blackwell"};
  return names[static_cast<int>(value)];
}

std::string_view instructionName(MatrixInstruction value) {
  constexpr std::string_view names[] = {"mma", "wmma", "wgmma"};
  return names[static_cast<int>(value)];
}

} // namespace tilewright::emulator
