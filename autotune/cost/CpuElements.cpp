//===- CpuElements.cpp - Cycles of all but contractions on a CPU ----------===//
//
// Tiles are computed in vectors along the innermost dimension of more than one
// element, and in ever shorter vectors for what remains of it
// (codegen/cpu/Loops.cpp).
//
//===----------------------------------------------------------------------===//
#include "autotune/cost/CpuElements.h"

namespace tilewright::autotune {

namespace {
struct OpCost {
  double instructions, busy;
};
} // namespace

static const OpCost &costOf(OpClass kind) {
  static constexpr OpCost costs[] = {
#define CPU_OP(CLASS, INSTRUCTIONS, BUSY) {INSTRUCTIONS, BUSY},
#include "autotune/cost/CpuOps.inc"
#undef CPU_OP
  };
  return costs[size_t(kind)];
}

/// Vectors, whole or not, that cover a tile.
static double vectorsOf(llvm::ArrayRef<int64_t> shape, unsigned bits,
                        const cpu::CpuTarget &target) {
  if (shape.empty())
    return 1;
  size_t lane = laneDim(shape);
  int64_t lanes = std::max<int64_t>(1, target.lanes(std::max(8u, bits)));
  double rows = 1;
  for (size_t dim = 0; dim < lane; ++dim)
    rows *= double(shape[dim]);
  return rows * double(cpu::vectorsOf(shape[lane], lanes, target));
}

double loopIterations(llvm::ArrayRef<int64_t> shape, unsigned bits,
                      const cpu::CpuTarget &target) {
  double rows = 1;
  for (size_t dim = 0; dim < laneDim(shape); ++dim)
    rows *= double(shape[dim]);
  // A row of one vector has no loop.
  double vectors = vectorsOf(shape, bits, target);
  return vectors > rows ? rows + vectors : rows;
}

/// Instructions on whole vectors: they wait for a unit, or for the front end.
static CoreCycles vectorCycles(double vectors, double instructions, double busy,
                               const cpu::CpuTarget &target,
                               const CpuCore &core) {
  double bits = double(target.vectorBits);
  CoreCycles cycles;
  cycles.compute =
      vectors * (instructions * bits / core.fmaBits + busy * bits / 256);
  cycles.issue = vectors * instructions / core.instructions;
  return cycles;
}

/// A reduction uses one accumulator, and each step waits for its latency. Rows
/// are independent: the core's lookahead limits how many overlap.
static CoreCycles reduceCycles(const ElementWork &element,
                               const cpu::CpuTarget &target,
                               const CpuCore &core) {
  // Of a step: a checked load, what computes the element, and the loop.
  constexpr double stepInstructions = 6, rowInstructions = 12;
  double vectors = vectorsOf(element.shape, element.bits, target);
  const OpCost &op = costOf(element.kind);
  CoreCycles cycles =
      vectorCycles(vectors, op.instructions, op.busy, target, core);
  double latency = core.fmaLatency * std::max(1.0, op.instructions);
  double length = double(element.shape[element.axis]);
  bool isInner = element.axis == laneDim(element.shape);
  double rows = double(element.elements()) / length, halves = 0;
  if (isInner) {
    // Then lane by lane, by halves: a shuffle and the op.
    int64_t lanes = std::max<int64_t>(1, target.lanes(element.bits));
    halves = std::log2(double(std::min<int64_t>(lanes, int64_t(length))));
  } else {
    rows = vectors / length;
  }
  double steps = vectors / rows;
  double instructions = steps * stepInstructions + halves * 3 + rowInstructions;
  double chain = (steps - 1) * latency + halves * (latency + 3);
  cycles.latency = rows * chain / std::max(1.0, core.window / instructions);
  cycles.issue += rows * (halves * 2 + 2) / core.instructions;
  // Halves are narrow: four of their instructions start in a cycle.
  cycles.compute += rows * halves * 2 / 4;
  return cycles;
}

CoreCycles elementCycles(const ElementWork &element,
                         const cpu::CpuTarget &target, const CpuCore &core) {
  using Role = ElementWork::Role;
  double elements = double(element.elements());
  const OpCost &op = costOf(element.kind);
  CoreCycles cycles;
  switch (element.role) {
  case Role::reduce:
    return reduceCycles(element, target, core);
  case Role::scan:
    cycles.latency = elements * core.fmaLatency;
    cycles.issue = elements * (op.instructions + 3) / core.instructions;
    return cycles;
  case Role::sort: {
    double length = double(std::max<int64_t>(2, element.shape[element.axis]));
    cycles.latency = elements * std::log2(length) * 6;
    return cycles;
  }
  case Role::move:
  case Role::carry: {
    double vectors = vectorsOf(element.shape, element.bits, target);
    double bits = double(target.vectorBits);
    cycles.l1 = vectors * bits * (1 / core.loadBits + 1 / core.storeBits);
    cycles.issue = vectors * 2 / core.instructions;
    return cycles;
  }
  case Role::elementwise:
    break;
  }
  return vectorCycles(vectorsOf(element.shape, element.bits, target),
                      op.instructions, op.busy, target, core);
}

CoreCycles accessCycles(const Access &access, const cpu::CpuTarget &target,
                        const CpuCore &core, double line) {
  unsigned bits = unsigned(access.elementBytes * 8);
  double vectors = vectorsOf(access.tile, bits, target);
  size_t lane = laneDim(access.tile);
  bool isUnit = !access.tile.empty() && access.strides[lane] == 1 &&
                access.steps[lane] == 1;
  double rows = 1;
  for (size_t dim = 0; dim < lane; ++dim)
    rows *= double(access.tile[dim]);
  // Instructions of a vector that is checked: its address, or another where its
  // row is outside, and the AND of the two masks. Lanes are compared in 64-bit
  // numbers, in several vectors, unless another access did that; known ranges
  // decide most checks, and rows of one vector need only one.
  double scalars = 0, compares = 0, perRow = 0;
  if (access.isChecked) {
    scalars = 3;
    if (access.checkedLike < 0) {
      perRow = 5;
      compares = vectors <= rows             ? 0
                 : access.hasConstantLanes() ? 1
                                             : 3 * std::max(1.0, 64.0 / bits);
    }
  }
  CoreCycles cycles;
  if (!isUnit && !access.tile.empty() && access.tile[lane] > 1) {
    // Each element is a separate access.
    double elements = double(access.elements());
    cycles.issue =
        elements * 2 / core.loads +
        (vectors * (scalars + compares) + rows * perRow) / core.instructions;
    cycles.l1 = elements / core.loads;
    return cycles;
  }
  // A vector that crosses a line is two accesses.
  double vectorBytes = double(target.vectorBits) / 8;
  double pieces = access.isAligned(vectorBytes) ? 1 : 1 + vectorBytes / line;
  double port = access.isStore ? core.storeBits : core.loadBits;
  cycles.l1 = vectors * pieces *
              std::max(double(target.vectorBits) / port,
                       access.isStore ? 1.0 : 1 / core.loads);
  cycles.issue =
      (vectors * (1 + scalars + compares) + rows * perRow) / core.instructions;
  // There are twice as many units for integer additions and comparisons as for
  // FMAs.
  cycles.compute =
      vectors * compares * double(target.vectorBits) / core.fmaBits / 2;
  return cycles;
}

CoreCycles pointerCycles(const PointerAccess &access, const CpuCore &core) {
  double elements = double(access.elements);
  CoreCycles cycles;
  // An address, a test of the mask and the access, element by element.
  cycles.issue = elements * (access.isAtomic ? 20 : 4) / core.loads;
  cycles.l1 = elements / core.loads;
  return cycles;
}

} // namespace tilewright::autotune
