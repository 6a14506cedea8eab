// Attention and rotary embeddings.
#include "frontends/onnx/Node.h"
#include "graph/build/Attention.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

LogicalResult readOptions(Node &node, AttentionOptions &o) {
  TRY(o.heads, node.attributes.integer("q_num_heads", 0));
  TRY(o.kvHeads, node.attributes.integer("kv_num_heads", 0));
  TRY(o.causal, node.attributes.flag("is_causal", false));
  TRY(o.softcap, node.attributes.number("softcap", 0));
  if (node.attributes.has("scale")) {
    TRY(o.scale, node.attributes.number("scale", 1));
  }
  TRY(int64_t stage, node.attributes.integer("qk_matmul_output_mode", 0));
  if (!node.hasOutput(3))
    return success();
  if (stage < 0 || stage > 3)
    return node.fail("qk_matmul_output_mode is " + Twine(stage) +
                     ", expected 0 to 3");
  constexpr AttentionStage stages[] = {
      AttentionStage::Scaled, AttentionStage::Capped, AttentionStage::Masked,
      AttentionStage::Weights};
  o.scores = stages[stage];
  return success();
}

LogicalResult importAttention(Node &node) {
  AttentionOperands operands;
  TRY(operands.queries, node.input(0));
  TRY(operands.keys, node.input(1));
  TRY(operands.values, node.input(2));
  TRY(operands.mask, node.optionalInput(3));
  TRY(operands.pastKeys, node.optionalInput(4));
  TRY(operands.pastValues, node.optionalInput(5));
  TRY(operands.lengths, node.optionalInput(6));
  const Tensor &lengths = operands.lengths;
  if (lengths && (lengths->rank() != 1 || !lengths->element.isInteger()))
    return node.fail("nonpad_kv_seqlen has shape " +
                     node.b.sizes.str(lengths->dims));
  AttentionOptions options;
  if (failed(readOptions(node, options)))
    return failure();
  TRY(Attention result, attention(node.b, operands, options));
  if (failed(node.set(1, result.presentKeys)) ||
      failed(node.set(2, result.presentValues)))
    return failure();
  if (options.scores && failed(node.set(3, result.scores)))
    return failure();
  return node.set(0, result.values);
}

LogicalResult importRotaryEmbedding(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor cosine, node.input(1));
  TRY(Tensor sine, node.input(2));
  TRY(Tensor positions, node.optionalInput(3));
  RotationOptions options;
  TRY(options.interleaved, node.attributes.flag("interleaved", false));
  TRY(options.rotated, node.attributes.integer("rotary_embedding_dim", 0));
  TRY(options.heads, node.attributes.integer("num_heads", 0));
  return node.done(rotate(node.b, x, cosine, sine, positions, options));
}

} // namespace

void addAttentionOps(OpTable &t) {
  t.add("Attention", 23, importAttention,
        "heads and head size static; softmax in f32 at least; a query that "
        "sees no key gives 0; a mask narrower than the keys hides the rest");
  t.add("RotaryEmbedding", 23, importRotaryEmbedding, "head size static");
}

} // namespace tilewright::onnx
