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
  return type == target::MatrixType::f32 ? 32 : 16;
}

/// A fragment as a tile of `rank` dimensions, the first of which is the batch.
static StatusOr<Layout> fragmentOf(const target::MatrixInstruction &instruction,
                                   Operand operand, unsigned rank) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Layout fragment, mmaFragment({instruction.m, instruction.n, instruction.k,
                                    bitsOf(instruction.operands)},
                                   operand));
  return rank == 3 ? expandDims(fragment, 0) : StatusOr<Layout>(fragment);
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
                              fragmentOf(instruction, Operand::c, rank));
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
              const Layout &accumulators, int64_t depth) {
  const unsigned rank = accumulators.rank();
  if (rank < 2 || rank > 3 || depth % instruction.k)
    return Status::unsupported(
        format("a depth of {} is no multiple of the {} "
               "of {}",
               {depth, instruction.k, instruction.name}));
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout a,
                              fragmentOf(instruction, Operand::a, rank));
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout b,
                              fragmentOf(instruction, Operand::b, rank));
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout c,
                              fragmentOf(instruction, Operand::c, rank));
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
