//===- MatrixAccess.cpp - ldmatrix and stmatrix ---------------------------===//
#include "codegen/layout/MatrixAccess.h"
#include "codegen/layout/BankConflicts.h"
#include "codegen/layout/SharedOffsets.h"
#include "support/Format.h"

namespace tilewright::layout {

namespace {
/// Bits of a matrix, as masks of virtual registers, or lanes.
struct MatrixShape {
  /// Registers that one 32-bit register packs, and others.
  std::vector<Bits> packed, others;
  /// Offsets that the three bits of a row's number move by.
  std::array<Bits, 3> rows{};
};
} // namespace

/// Masks of registers whose elements are at the start of a run of 2^log2
/// offsets, from the masks of the run's bits: a basis, lowest first.
static std::vector<Bits> runStarts(const LinearMap &items,
                                   const std::vector<Bits> &run) {
  std::vector<Bits> starts;
  Subspace span;
  for (unsigned bit = 0; bit < items.inBits(); ++bit) {
    Bits start = Bits(1) << bit, image = items.column(bit);
    for (unsigned i = 0; i < run.size(); ++i)
      if (image >> i & 1) {
        start ^= run[i];
        image ^= items.apply(run[i]);
      }
    if (span.insert(image)) // Zero for the run itself, and for copies.
      starts.push_back(start);
  }
  return starts;
}

/// Whether lanes `first`, `first + 1`, .. move along a row from element
/// 2^`element` on.
static bool lanesFollowRow(const LinearMap &threads, unsigned first,
                           unsigned count, unsigned element) {
  for (unsigned i = 0; i < count; ++i)
    if (threads.column(first + i) != Bits(1) << (element + i))
      return false;
  return true;
}

/// The parts of a matrix without .trans: a 32-bit register packs neighbours of
/// a row, lanes 0 and 1 go on along it, lanes 2 to 4 are rows.
static StatusOr<MatrixShape> plainShape(const LinearMap &items,
                                        const LinearMap &threads,
                                        unsigned packedLog2) {
  MatrixShape shape;
  Solver solver(items);
  for (unsigned i = 0; i < packedLog2; ++i) {
    std::optional<Bits> mask = solver.solve(Bits(1) << i);
    if (!mask)
      return Status::unsupported("registers do not pack neighbours of a row");
    shape.packed.push_back(*mask);
  }
  if (!lanesFollowRow(threads, 0, 2, packedLog2))
    return Status::unsupported("lane bits 0 and 1 do not go on along 16 bytes");
  shape.others = runStarts(items, shape.packed);
  for (unsigned i = 0; i < 3; ++i)
    shape.rows[i] = threads.column(2 + i);
  return shape;
}

/// With .trans: lanes 2 to 4 go along a row, a register packs two rows, lanes 0
/// and 1 are further rows.
static StatusOr<MatrixShape> transposedShape(const LinearMap &items,
                                             const LinearMap &threads) {
  MatrixShape shape;
  if (!lanesFollowRow(threads, 2, 3, 0))
    return Status::unsupported("lane bits 2 to 4 do not go along 16 bytes");
  shape.others = runStarts(items, {});
  if (shape.others.empty())
    return Status::unsupported(
        "a thread holds no two elements that a register packs");
  shape.packed = {shape.others.front()};
  shape.others.erase(shape.others.begin());
  shape.rows = {items.apply(shape.packed[0]), threads.column(0),
                threads.column(1)};
  return shape;
}

/// Whether all rows begin at multiples of 16 bytes.
static bool rowsAreAligned(const MatrixShape &shape, const LinearMap &items,
                           const LinearMap &threads, unsigned rowLog2) {
  Bits within = 0;
  for (Bits row : shape.rows)
    within |= row;
  for (Bits mask : shape.others)
    within |= items.apply(mask);
  for (unsigned bit = 5; bit < threads.inBits(); ++bit)
    within |= threads.column(bit);
  return !(within & lowBits(rowLog2));
}

/// All XOR combinations of `masks`, the first mask counting fastest.
static std::vector<Bits> sums(std::span<const Bits> masks) {
  std::vector<Bits> result = {0};
  for (Bits mask : masks)
    for (size_t i = 0, size = result.size(); i < size; ++i)
      result.push_back(result[i] ^ mask);
  return result;
}

static MatrixAccess buildAccess(const MatrixShape &shape,
                                const SharedOffsets &shared,
                                unsigned elementBits) {
  LinearMap items = shared.offsets.restrict(0, shared.holders.itemBits);
  MatrixAccess access;
  unsigned matrixBits = std::min<size_t>(2, shape.others.size());
  access.count = 1u << matrixBits;
  access.threadOffset = shared.offsets.restrict(
      items.inBits(), shared.offsets.inBits() - items.inBits());
  for (unsigned i = 0; i < 3; ++i)
    access.threadOffset.setColumn(i, shape.rows[i]);
  for (unsigned i = 0; i < 2; ++i)
    access.threadOffset.setColumn(
        3 + i, i < matrixBits ? items.apply(shape.others[i]) : 0);
  std::span<const Bits> others = shape.others;
  std::vector<Bits> inside; // Elements of a register, then matrices.
  for (Bits matrix : sums(others.first(matrixBits)))
    for (Bits element : sums(shape.packed))
      inside.push_back(matrix ^ element);
  access.perInstruction = inside.size();
  std::vector<Bits> starts = sums(others.subspan(matrixBits));
  for (size_t repeat = 0; repeat < shared.addOffsets.size(); ++repeat)
    for (Bits start : starts) {
      std::vector<Bits> moved = inside;
      for (Bits &reg : moved)
        reg ^= start;
      if (shared.appendRegisters(repeat, moved, access.registers))
        access.instructions.push_back(
            {int64_t(items.apply(start)), shared.addOffsets[repeat]});
    }
  LinearMap rows(0, 64);
  for (Bits row : shape.rows)
    rows.append(row * elementBits / 8);
  access.wavefronts =
      int64_t(access.instructions.size()) * access.count * wavefronts(rows, 16);
  return access;
}

StatusOr<MatrixAccess> matrixAccess(const Layout &registers,
                                    const Layout &memory,
                                    unsigned elementBits) {
  if (registers.bits(HardwareDim::lane) != 5 || elementBits > 32)
    return Status::unsupported(
        "matrix access: expected 32 lanes and elements of at most "
        "32 bits");
  StatusOr<SharedOffsets> shared =
      sharedOffsets(registers, memory, elementBits);
  if (!shared)
    return shared.status().prefixed("matrix access");
  unsigned itemBits = shared->holders.itemBits;
  LinearMap items = shared->offsets.restrict(0, itemBits);
  LinearMap threads =
      shared->offsets.restrict(itemBits, shared->offsets.inBits() - itemBits);
  unsigned rowLog2 = log2Floor(128 / elementBits);
  StatusOr<MatrixShape> plain = plainShape(items, threads, rowLog2 - 2);
  std::string reason = plain.status().message();
  if (plain) {
    if (rowsAreAligned(*plain, items, threads, rowLog2))
      return buildAccess(*plain, *shared, elementBits);
    reason = "rows are not aligned to 16 bytes";
  }
  if (elementBits != 16)
    return Status::unsupported("matrix access: " + reason);
  StatusOr<MatrixShape> transposed = transposedShape(items, threads);
  if (transposed && rowsAreAligned(*transposed, items, threads, rowLog2)) {
    MatrixAccess access = buildAccess(*transposed, *shared, elementBits);
    access.transposed = true;
    return access;
  }
  return Status::unsupported(
      format("matrix access: {}; with .trans, {}",
             {reason, transposed ? "rows are not aligned to 16 bytes"
                                 : transposed.status().message()}));
}

StatusOr<MatrixAccess> fragmentAccess(const Layout &registers,
                                      const Layout &memory,
                                      unsigned elementBits) {
  constexpr unsigned wordBits = 32;
  StatusOr<MatrixAccess> matrices =
      matrixAccess(registers, memory, elementBits);
  if (matrices.ok() || elementBits < wordBits)
    return matrices;
  TILEWRIGHT_ASSIGN_OR_RETURN(SharedAccess loads,
                              sharedAccess(registers, memory, elementBits));
  MatrixAccess access;
  access.byLdmatrix = false;
  access.count = access.perInstruction = loads.elements;
  access.threadOffset = loads.threadOffset;
  access.instructions = std::move(loads.instructions);
  access.registers = std::move(loads.registers);
  access.wavefronts = loads.wavefronts;
  return access;
}

} // namespace tilewright::layout
