// Tensors beside each other, in rows, columns and blocks, and products of
// lists.
#include "frontends/torch/Views.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Gather.h"
#include "graph/build/Movement.h"
#include "graph/build/Pad.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

/// The dimensions that x has if it has at least `count`, -1 for new ones.
SmallVector<int64_t> atLeast(int64_t rank, int64_t count) {
  if (rank >= count || rank == 0) {
    SmallVector<int64_t> kept(rank == 0 ? count : 0, -1);
    for (int64_t i = 0; i < rank; ++i)
      kept.push_back(i);
    return kept;
  }
  if (count == 2)
    return {-1, 0};
  return rank == 1 ? SmallVector<int64_t>{-1, 0, -1}
                   : SmallVector<int64_t>{0, 1, -1};
}

/// How many dimensions a name like "atleast_2d" says.
int64_t countOfName(StringRef name) {
  return name.contains("_1d") ? 1 : name.contains("_2d") ? 2 : 3;
}

/// A view of one tensor, or those of several.
LogicalResult importAtLeast(Call &c) {
  GraphBuilder &b = c.b;
  int64_t count = countOfName(c.target);
  if (!c.find("tensors")) {
    TRY(Tensor x, c.tensor("self"));
    TRY(Dims dims, c.dims());
    return c.setView(0, "self", reshapedView(b, x->dims, dims));
  }
  TRY(SmallVector<Tensor> given, c.tensors("tensors"));
  for (auto [i, x] : llvm::enumerate(given))
    if (failed(c.set(i, rearrange(b, x, atLeast(x->rank(), count)))))
      return failure();
  return success();
}

FailureOr<SmallVector<Tensor>> readParts(Call &c) {
  TRY(SmallVector<Tensor> parts, c.tensors("tensors"));
  TRY(Element out, c.resultElement());
  if (parts.empty())
    return c.fail("expected tensors");
  for (Tensor &part : parts) {
    TRY(part, convert(c.b, part, out));
  }
  return parts;
}

/// hstack, vstack, dstack: along dimension 1 (0 of vectors), 0 and 2.
LogicalResult importStacked(Call &c) {
  TRY(SmallVector<Tensor> parts, readParts(c));
  StringRef name = c.target;
  int64_t count = name.contains("hstack") ? 1 : name.contains("vstack") ? 2 : 3;
  for (Tensor &part : parts)
    part = rearrange(c.b, part, atLeast(part->rank(), count));
  int64_t axis = count == 1   ? std::min<int64_t>(parts[0]->rank() - 1, 1)
                 : count == 2 ? 0
                              : 2;
  return c.done(join(c.b, parts, axis));
}

/// Numbers and vectors are columns.
LogicalResult importColumnStack(Call &c) {
  TRY(SmallVector<Tensor> parts, readParts(c));
  for (Tensor &part : parts)
    if (part->rank() < 2)
      part = rearrange(c.b, part, {part->rank() - 1, -1});
  return c.done(join(c.b, parts, 1));
}

/// Matrices along a diagonal, zeros elsewhere.
LogicalResult importBlockDiagonal(Call &c) {
  Sizes &z = c.b.sizes;
  TRY(SmallVector<Tensor> parts, readParts(c));
  TRY(Element out, c.resultElement());
  Expr width = c.b.zero(), before = c.b.zero();
  for (Tensor &part : parts) {
    part = rearrange(c.b, part, atLeast(part->rank(), 2));
    if (part->rank() != 2)
      return c.fail("expected matrices");
    width = z.add(width, part->dims[1]);
  }
  for (Tensor &part : parts) {
    Expr own = part->dims[1];
    Expr after = z.sub(z.sub(width, before), own);
    TRY(part, padOrCrop(c.b, part, {c.b.zero(), before}, {c.b.zero(), after},
                        zeroOf(c.b, out)));
    before = z.add(before, own);
  }
  return c.done(join(c.b, parts, 0));
}

/// All tuples of one element of each vector, the last ones fastest.
LogicalResult importCartesian(Call &c) {
  TRY(SmallVector<Tensor> parts, readParts(c));
  if (parts.size() == 1)
    return c.set(0, parts[0]);
  Dims grid;
  for (const Tensor &part : parts) {
    if (part->rank() != 1)
      return c.fail("expected vectors");
    grid.push_back(part->dims[0]);
  }
  TRY(Dims dims, c.dims());
  for (auto [i, part] : llvm::enumerate(parts)) {
    SmallVector<int64_t> kept(grid.size(), -1);
    kept[i] = 0;
    TRY(Tensor whole, broadcastTo(c.b, rearrange(c.b, part, kept), grid));
    TRY(part, reshape(c.b, whole, {dims[0], c.b.sizes.constant(1)}));
  }
  return c.done(join(c.b, parts, 1));
}

/// The next combination of `at` in lexicographic order, below `count`.
bool advance(SmallVector<int64_t> &at, int64_t count, bool repeats) {
  int64_t r = at.size(), i = r - 1;
  while (i >= 0 && at[i] == count - 1 - (repeats ? 0 : r - 1 - i))
    --i;
  if (i < 0)
    return false;
  ++at[i];
  for (int64_t k = i + 1; k < r; ++k)
    at[k] = repeats ? at[i] : at[k - 1] + 1;
  return true;
}

/// All combinations of r elements of a vector of static size.
LogicalResult importCombinations(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t r, c.integer("r"));
  TRY(bool repeats, c.flag("with_replacement"));
  TRY(Dims dims, c.dims());
  auto count = x->rank() == 1 ? constantOf(x->dims[0]) : std::nullopt;
  auto rows = constantOf(dims[0]);
  if (!count || !rows || *rows > 100000 || r < 1)
    return c.fail("expected a vector of a static size, and at most 100000 "
                  "combinations");
  SmallVector<int64_t> at, all;
  for (int64_t i = 0; i < r; ++i)
    at.push_back(repeats ? 0 : i);
  for (int64_t row = 0; row < *rows; ++row) {
    all.append(at.begin(), at.end());
    advance(at, *count, repeats);
  }
  Tensor indices = integerTensor(c.b, exprsOf(c.b.sizes, all), dims, i64(c.b));
  return c.done(gatherAlong(c.b, x, indices, 0));
}

/// Each element of x times all of y, in blocks.
LogicalResult importKronecker(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor y, c.tensor("other"));
  TRY(Element out, c.resultElement());
  TRY(Dims dims, c.dims());
  TRY(x, convert(c.b, x, out));
  TRY(y, convert(c.b, y, out));
  int64_t rank = dims.size();
  SmallVector<int64_t> left, right;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t own = i - (rank - x->rank()), other = i - (rank - y->rank());
    left.append({std::max<int64_t>(own, -1), -1});
    right.append({-1, std::max<int64_t>(other, -1)});
  }
  TRY(Tensor product,
      arithmetic(c.b, Arithmetic::Multiply, rearrange(c.b, x, left),
                 rearrange(c.b, y, right)));
  return c.done(reshape(c.b, product, dims));
}

/// Groups of channels [N, groups * C, ...] as [N, C * groups, ...].
LogicalResult importChannelShuffle(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t groups, c.integer("groups"));
  if (x->rank() < 2 || groups < 1)
    return c.fail("expected two dimensions, and at least one group");
  Dims split = {x->dims[0], c.b.sizes.constant(groups),
                c.b.sizes.floorDiv(x->dims[1], groups)};
  SmallVector<int64_t> order = {0, 2, 1};
  for (int64_t i = 2; i < x->rank(); ++i) {
    split.push_back(x->dims[i]);
    order.push_back(i + 1);
  }
  TRY(Tensor parts, reshape(c.b, x, split));
  TRY(parts, transpose(c.b, parts, order));
  return c.done(reshape(c.b, parts, x->dims));
}

} // namespace

void addStackOps(OpTable &t) {
  t.add({"aten.atleast_1d.default", "aten.atleast_2d.default",
         "aten.atleast_3d.default", "aten.atleast_1d.Sequence",
         "aten.atleast_2d.Sequence", "aten.atleast_3d.Sequence"},
        importAtLeast);
  t.add({"aten.hstack.default", "aten.vstack.default", "aten.dstack.default"},
        importStacked);
  t.add("aten.column_stack.default", importColumnStack);
  t.add("aten.block_diag.default", importBlockDiagonal);
  t.add("aten.cartesian_prod.default", importCartesian);
  t.add("aten.combinations.default", importCombinations);
  t.add("aten.kron.default", importKronecker);
  t.add({"aten.channel_shuffle.default", "aten.native_channel_shuffle.default"},
        importChannelShuffle);
}

} // namespace tilewright::torch
