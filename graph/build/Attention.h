// Attention, decomposed into products and a softmax, and rotary embeddings.
#pragma once

#include "graph/build/GraphBuilder.h"

#include <optional>

namespace tilewright::build {

/// Queries, keys and values as [batch, heads, sequence, head size] or [batch,
/// sequence, heads * head size]. Those below may be null.
struct AttentionOperands {
  Tensor queries, keys, values;
  /// Booleans that say which keys a query sees, or floats that are added to the
  /// scores: up to four dimensions, the last ones of queries and keys. A
  /// narrower mask hides the rest.
  Tensor mask;
  /// What comes before the keys and values: [batch, heads, sequence, head
  /// size].
  Tensor pastKeys, pastValues;
  /// How many keys each batch has, integers [batch].
  Tensor lengths;
};

/// The scores after each step.
enum class AttentionStage { Scaled, Capped, Masked, Weights };

struct AttentionOptions {
  /// The numbers of heads, of operands of three dimensions.
  int64_t heads = 0, kvHeads = 0;
  /// The factor of the products; 1 / sqrt(head size) if it is not given.
  std::optional<double> scale;
  /// If positive, scores are softcap * tanh(score / softcap).
  double softcap = 0;
  /// Queries see the past and the keys up to their own.
  bool causal = false;
  /// The scores that are wanted.
  std::optional<AttentionStage> scores;
};

/// The result in the form of the queries; keys and values with their past; the
/// scores, or null. All but the result have four dimensions.
struct Attention {
  Tensor values, presentKeys, presentValues, scores;
};

/// Heads of queries share heads of keys in groups. Softmax is computed in f32
/// at least, and its weights are rounded to the type of the queries; a query
/// that sees no key gives 0. Heads, and a head's size if there is no scale, are
/// static.
FailureOr<Attention> attention(GraphBuilder &b,
                               const AttentionOperands &operands,
                               const AttentionOptions &options);

struct RotationOptions {
  /// The number of heads, for x of three dimensions.
  int64_t heads = 0;
  /// How many elements of a head are rotated; 0 for all.
  int64_t rotated = 0;
  /// Whether pairs are neighbours, not half of the rotated elements apart.
  bool interleaved = false;
};

/// Pairs of a head's elements, rotated by the angles of their position. x is
/// [batch, heads, sequence, head size] or [batch, sequence, heads * head size].
/// Cosines and sines are [position, rotated / 2] for integer positions [batch,
/// sequence], or [batch, sequence, rotated / 2] if the positions are null.
FailureOr<Tensor> rotate(GraphBuilder &b, const Tensor &x, const Tensor &cosine,
                         const Tensor &sine, const Tensor &positions,
                         const RotationOptions &options);

} // namespace tilewright::build
