//===- DotReader.h - How a thread reads an operand of a dot -----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_DOTREADER_H
#define TILEWRIGHT_CODEGEN_NVPTX_DOTREADER_H

#include "codegen/layout/Access.h"
#include "codegen/tilegpu/DotOperand.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace tilewright::nvptx {

/// The distance between the accesses of chunks: those of chunk c are those of
/// chunk 0, XOR linear(c mod 2^bits), plus stride * (c / 2^bits); in elements.
struct ChunkSteps {
  layout::LinearMap linear;
  int64_t stride = 0;
};

/// The depth of a dot in *chunks*: chunk c has the positions of chunk 0, moved
/// by the start of chunk c.
struct DotChunks {
  int64_t count = 1;
  std::vector<int64_t> positions;
  ChunkSteps lhs, rhs;
};

/// The accesses to shared memory that bring a thread the fibers of one operand.
class DotReader {
public:
  /// Rejected as dotOperand and sharedAccess say.
  static StatusOr<DotReader> create(const layout::Layout &accumulators,
                                    tilegpu::DotSide side, int64_t depth,
                                    const layout::Layout &memory,
                                    unsigned elementBits);

  [[nodiscard]] const layout::SharedAccess &access() const { return accesses; }
  [[nodiscard]] int64_t depth() const { return int64_t(ofPosition.size()); }

  /// The accesses that load a position of the depth, in any fiber.
  [[nodiscard]] llvm::ArrayRef<int32_t> accessesAt(int64_t position) const {
    return ofPosition[size_t(position)];
  }
  /// What access `i` loads: registers of the operand; -1: nothing.
  [[nodiscard]] llvm::ArrayRef<int32_t> loadedBy(int32_t i) const {
    return llvm::ArrayRef<int32_t>(accesses.registers)
        .slice(size_t(i) * accesses.elements, accesses.elements);
  }
  /// The register with the operand of an accumulator (a register of the
  /// accumulators' layout) at a position; -1: none, the accumulator is padding.
  [[nodiscard]] int32_t registerFor(int64_t accumulator,
                                    int64_t position) const {
    return registers[size_t(position)]
                    [size_t(operand.fiberOfAccumulator[size_t(accumulator)])];
  }

  /// How far the accesses that load `positions`, each `start` further, are from
  /// those that load them; nothing where they do not all keep one distance.
  [[nodiscard]] std::optional<layout::SharedInstruction>
  distance(llvm::ArrayRef<int64_t> positions, int64_t start) const;

private:
  [[nodiscard]] bool sameLoads(int32_t a, int32_t b, int64_t apart) const;

  tilegpu::DotOperand operand;
  layout::SharedAccess accesses;
  std::vector<llvm::SmallVector<int32_t>> ofPosition;
  /// By position and fiber.
  std::vector<std::vector<int32_t>> registers;
};

/// Splits the depth into the fewest chunks of at most `longest` positions that
/// the accesses of both operands allow; where they allow none so short, into
/// the shortest.
[[nodiscard]] DotChunks chooseChunks(const DotReader &lhs, const DotReader &rhs,
                                     int64_t longest);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_DOTREADER_H
