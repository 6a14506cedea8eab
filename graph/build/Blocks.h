// Blocks of tensors: repetitions, blocks of pixels as channels, triangles.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// x, repeated along each dimension.
FailureOr<Tensor> repeat(GraphBuilder &b, const Tensor &x,
                         ArrayRef<Expr> repeats);
/// [N, C * block^2, H, W] as [N, C, H * block, W * block]. A channel's number
/// is its place in a block and then its C, or the other way.
FailureOr<Tensor> depthToSpace(GraphBuilder &b, const Tensor &x, int64_t block,
                               bool blocksFirst);
/// [N, C, H, W] as [N, block^2 * C, H / block, W / block].
FailureOr<Tensor> spaceToDepth(GraphBuilder &b, const Tensor &x, int64_t block);
/// Matrices [..., M, N] with zeros below diagonal k, or above it.
FailureOr<Tensor> triangle(GraphBuilder &b, const Tensor &x, Expr k,
                           bool upper);

} // namespace tilewright::build
