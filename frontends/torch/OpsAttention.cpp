// Attention.
#include "frontends/torch/Promotion.h"
#include "graph/build/Attention.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// x as [batch, heads, sequence, head size]: one head if there is no dimension
/// of heads.
FailureOr<Tensor> withHeads(Call &c, const Tensor &x) {
  if (x->rank() == 4)
    return x;
  if (x->rank() == 3)
    return rearrange(c.b, x, {0, -1, 1, 2});
  if (x->rank() == 2)
    return rearrange(c.b, x, {-1, -1, 0, 1});
  return c.fail("an operand has shape " + c.b.sizes.str(x->dims) +
                ", expected two to four dimensions");
}

/// A mask as wide as the keys, for operands with this rank.
FailureOr<Tensor> maskOf(Call &c, const Tensor &keys, int64_t rank) {
  TRY(Tensor mask, c.optionalTensor("attn_mask"));
  if (!mask)
    return mask;
  // [batch, queries, keys] goes with one head.
  if (rank == 3 && mask->rank() == 3)
    mask = rearrange(c.b, mask, {0, -1, 1, 2});
  if (mask->rank() == 0)
    return c.fail("the mask has no dimensions");
  Dims dims = mask->dims;
  dims.back() = keys->dims[2];
  return broadcastTo(c.b, mask, dims);
}

LogicalResult importAttention(Call &c) {
  AttentionOperands operands;
  TRY(Tensor queries, c.tensor("query"));
  TRY(Tensor keys, c.tensor("key"));
  TRY(Tensor values, c.tensor("value"));
  TRY(double dropout, c.number("dropout_p"));
  if (dropout != 0)
    return c.fail("random numbers are not supported: expected the program of a "
                  "model in evaluation mode");
  TRY(operands.queries, withHeads(c, queries));
  TRY(operands.keys, withHeads(c, keys));
  TRY(operands.values, withHeads(c, values));
  TRY(operands.mask, maskOf(c, operands.keys, queries->rank()));
  AttentionOptions options;
  TRY(options.causal, c.flag("is_causal"));
  if (!c.isNone("scale")) {
    TRY(double scale, c.number("scale"));
    options.scale = scale;
  }
  if (c.isRead(1))
    return c.fail("the logarithms of the sums are not supported");
  TRY(Attention result, attention(c.b, operands, options));
  Tensor out = result.values;
  if (queries->rank() == 3)
    out = rearrange(c.b, out, {0, 2, 3});
  else if (queries->rank() == 2)
    out = rearrange(c.b, out, {2, 3});
  return c.set(0, out);
}

/// Softmax that is 0, not NaN, where all elements are -infinity.
LogicalResult importSafeSoftmax(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t axis, c.axis("dim", x->rank()));
  TRY(Tensor top, reduceMax(c.b, x, {axis}, true));
  TRY(Tensor weights, softmax(c.b, x, axis, false));
  return c.done(
      elementwise(c.b, {weights, top}, x->element, [](Scalar &s, Values v) {
        Value isHidden = s.eq(v[1], s.like(v[1], -INFINITY));
        return s.select(isHidden, s.like(v[0], 0), v[0]);
      }));
}

} // namespace

void addAttentionOps(OpTable &t) {
  t.add({"aten.scaled_dot_product_attention.default",
         "aten._scaled_dot_product_flash_attention_for_cpu.default"},
        importAttention);
  t.add("aten._safe_softmax.default", importSafeSoftmax);
}

} // namespace tilewright::torch
