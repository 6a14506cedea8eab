//===- MatrixProduct.cpp - A dot as matrix instructions -------------------===//
#include "codegen/tilegpu/MatrixProduct.h"

#include "codegen/layout/Algebra.h"
#include "codegen/layout/Transforms.h"
#include "support/Format.h"
#include <algorithm>
#include <bit>
#include <map>

namespace tilewright::tilegpu {

using namespace layout;

static unsigned bitsOf(target::MatrixType type) {
  switch (type) {
  case target::MatrixType::i8:
  case target::MatrixType::f8:
    return 8;
  case target::MatrixType::f16:
  case target::MatrixType::bf16:
    return 16;
  case target::MatrixType::tf32:
  case target::MatrixType::f32:
  case target::MatrixType::i32:
    return 32;
  case target::MatrixType::f64:
    return 64;
  }
  llvm_unreachable("unknown type of matrices");
}

/// What an instruction of 16 bits takes of elements of 32, fragments of tf32
/// beside each other along k, or of 8. In both a thread has the positions of k
/// in another order than in a fragment of 16 bits, and the same in A as in B.
static StatusOr<Layout>
fragmentOfOthers(const target::MatrixInstruction &instruction,
                 unsigned elementBits, Operand operand) {
  if (elementBits == 8)
    return mmaFragment(
        {instruction.m, instruction.n, instruction.k, elementBits}, operand);
  constexpr int64_t k = 8;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Layout part, mmaFragment({instruction.m, instruction.n, k, 32}, operand));
  const int64_t count = instruction.k / k;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Layout parts,
      distribute(operand == Operand::a ? Dims{1, count} : Dims{count, 1}, {},
                 rowMajorOrder(2)));
  return product(part, parts);
}

/// A fragment as a tile of `rank` dimensions, the first of which is the batch.
static StatusOr<Layout> fragmentOf(const target::MatrixInstruction &instruction,
                                   unsigned elementBits, Operand operand,
                                   unsigned rank) {
  const unsigned bits = bitsOf(instruction.operands);
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Layout fragment,
      operand != Operand::c && elementBits != bits
          ? fragmentOfOthers(instruction, elementBits, operand)
          : mmaFragment({instruction.m, instruction.n, instruction.k, bits},
                        operand));
  return rank == 3 ? expandDims(fragment, 0) : StatusOr<Layout>(fragment);
}

/// Whether a type is that of an instruction's operands.
static bool isOf(mlir::Type type, target::MatrixType matrix,
                 tile::DotPrecision precision) {
  using tile::DotPrecision;
  switch (matrix) {
  case target::MatrixType::f16:
    return type.isF16() ||
           mlir::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type);
  case target::MatrixType::bf16:
    return type.isBF16() ||
           (type.isF32() && (precision == DotPrecision::bf16x3 ||
                             precision == DotPrecision::bf16x6));
  case target::MatrixType::tf32:
    return type.isF32() && (precision == DotPrecision::tf32 ||
                            precision == DotPrecision::tf32x3);
  case target::MatrixType::f32:
    return type.isF32();
  case target::MatrixType::f64:
    return type.isF64();
  case target::MatrixType::i8:
    return type.isInteger(8);
  case target::MatrixType::i32:
    return type.isInteger(32);
  case target::MatrixType::f8:
    return precision == DotPrecision::fast &&
           mlir::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type);
  }
  llvm_unreachable("unknown type of matrices");
}

bool takes(const target::MatrixInstruction &instruction, mlir::Type lhs,
           mlir::Type rhs, mlir::Type acc, tile::DotPrecision precision) {
  const target::MatrixType operands = instruction.operands,
                           sums = instruction.accumulator;
  const bool isRounded =
      sums == target::MatrixType::f32 && (acc.isF16() || acc.isBF16());
  const unsigned bits = lhs.getIntOrFloatBitWidth();
  // Only 8-bit floats may differ; f16 holds them, in fragments of k = 16.
  return (lhs == rhs || bits == 8) && rhs.getIntOrFloatBitWidth() == bits &&
         (bits != 8 || instruction.k >= 16) && isOf(lhs, operands, precision) &&
         isOf(rhs, operands, precision) &&
         (isRounded || isOf(acc, sums, precision));
}

llvm::ArrayRef<PartsOfProduct> partsOfProduct(tile::DotPrecision precision) {
  static constexpr PartsOfProduct whole[] = {{0, 0}};
  static constexpr PartsOfProduct two[] = {{1, 0}, {0, 1}, {0, 0}};
  static constexpr PartsOfProduct three[] = {{1, 1}, {2, 0}, {0, 2},
                                             {1, 0}, {0, 1}, {0, 0}};
  switch (precision) {
  case tile::DotPrecision::tf32x3:
  case tile::DotPrecision::bf16x3:
    return two;
  case tile::DotPrecision::bf16x6:
    return three;
  case tile::DotPrecision::ieee:
  case tile::DotPrecision::tf32:
  case tile::DotPrecision::fast:
    return whole;
  }
  llvm_unreachable("unknown precision");
}

StatusOr<std::vector<Layout>>
matrixAccumulators(const target::MatrixInstruction &instruction,
                   const Dims &shape, int64_t warps) {
  const unsigned rank = shape.rank(), rows = rank - 2, columns = rank - 1;
  if (shape[rows] % instruction.m || shape[columns] % instruction.n)
    return Status::unsupported(
        format("a tile of {} by {} is no multiple of the {} by {} of {}",
               {shape[rows], shape[columns], instruction.m, instruction.n,
                instruction.name}));
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout fragment,
                              fragmentOf(instruction, 0, Operand::c, rank));
  Dims outer = shape;
  outer[rows] /= instruction.m;
  outer[columns] /= instruction.n;
  const unsigned warpBits = std::countr_zero(uint64_t(warps));
  const int batch = rank == 3 ? 0 : Step::copies;
  // Batches are shared first: they have nothing in common.
  const unsigned batchBits =
      rank == 3
          ? std::min<unsigned>(warpBits, std::countr_zero(uint64_t(shape[0])))
          : 0;
  std::vector<Layout> result;
  for (unsigned rowBits = 0; rowBits + batchBits <= warpBits; ++rowBits) {
    const unsigned columnBits = warpBits - batchBits - rowBits;
    const layout::Step steps[] = {{HardwareDim::warp, int(columns), columnBits},
                                  {HardwareDim::warp, int(rows), rowBits},
                                  {HardwareDim::warp, batch, batchBits}};
    TILEWRIGHT_ASSIGN_OR_RETURN(Layout spread,
                                distribute(outer, steps, rowMajorOrder(rank),
                                           {warps >> warpBits, false}));
    TILEWRIGHT_ASSIGN_OR_RETURN(Layout made, product(fragment, spread));
    result.push_back(made);
  }
  return result;
}

/// The fragments of an operand: those of the accumulators that a warp has
/// along one dimension, and all along the depth.
static StatusOr<Layout> operandTiles(const Layout &accumulators, DotSide side,
                                     int64_t depth) {
  const unsigned dim = accumulators.rank() - (side == DotSide::lhs ? 1 : 2);
  TILEWRIGHT_ASSIGN_OR_RETURN(Transformed one, collapse(accumulators, dim));
  TILEWRIGHT_ASSIGN_OR_RETURN(Transformed all,
                              broadcast(one.layout, dim, depth));
  return all.layout;
}

/// The fragments that a warp holds, by their position among the tile's. Where
/// it holds copies, the first one.
static std::map<std::vector<int64_t>, int32_t> positions(const Layout &tiles) {
  std::map<std::vector<int64_t>, int32_t> result;
  for (int32_t i = 0; i < int32_t(tiles.items()); ++i) {
    const Dims at = tiles.apply(inRegister(i, 0));
    result.try_emplace(std::vector<int64_t>(at.begin(), at.end()), i);
  }
  return result;
}

StatusOr<MatrixProduct>
matrixProduct(const target::MatrixInstruction &instruction,
              unsigned elementBits, const Layout &accumulators, int64_t depth) {
  const unsigned rank = accumulators.rank();
  if (rank < 2 || rank > 3 || depth % instruction.k)
    return Status::unsupported(
        format("a depth of {} is no multiple of the {} "
               "of {}",
               {depth, instruction.k, instruction.name}));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Layout a, fragmentOf(instruction, elementBits, Operand::a, rank));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Layout b, fragmentOf(instruction, elementBits, Operand::b, rank));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Layout c, fragmentOf(instruction, elementBits, Operand::c, rank));
  if (accumulators.bits(HardwareDim::lane) != c.bits(HardwareDim::lane))
    return Status::unsupported("the accumulators are over less than a warp");
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout sums, divide(accumulators, c));
  StatusOr<Layout> again = product(c, sums);
  if (!again.ok() || !(*again == accumulators))
    return Status::unsupported("the accumulators are no fragments of " +
                               std::string(instruction.name));
  const int64_t depthTiles = depth / instruction.k;
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout left,
                              operandTiles(sums, DotSide::lhs, depthTiles));
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout right,
                              operandTiles(sums, DotSide::rhs, depthTiles));
  MatrixProduct result;
  TILEWRIGHT_ASSIGN_OR_RETURN(result.lhs, product(a, left));
  TILEWRIGHT_ASSIGN_OR_RETURN(result.rhs, product(b, right));
  result.lhsRegisters = a.items();
  result.rhsRegisters = b.items();
  result.accRegisters = c.items();
  const auto lhs = positions(left), rhs = positions(right);
  for (int64_t step = 0; step < depthTiles; ++step)
    for (int32_t sum = 0; sum < int32_t(sums.items()); ++sum) {
      const Dims at = sums.apply(inRegister(sum, 0));
      std::vector<int64_t> row(at.begin(), at.end()), column = row;
      row[rank - 1] = column[rank - 2] = step;
      result.steps.push_back({lhs.at(row), rhs.at(column), sum});
    }
  return result;
}

} // namespace tilewright::tilegpu
