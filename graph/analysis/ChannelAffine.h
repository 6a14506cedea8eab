//===- ChannelAffine.h - Scales and shifts of channels ----------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_CHANNELAFFINE_H
#define TILEWRIGHT_GRAPH_ANALYSIS_CHANNELAFFINE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace tilewright::graph {

/// scale * x + shift. A constant has the scale 0.
struct Affine {
  double scale, shift;
};

/// An elementwise op, or several that follow each other, that make
/// scale[c] * x + shift[c] of the elements of `x` in channel c.
struct ChannelAffine {
  mlir::OpOperand *x = nullptr;
  /// The channel loop of the last op, and the channel dimension of `x`.
  unsigned loop = 0, dim = 0;
  /// Computed in double precision from f32 constants.
  llvm::SmallVector<Affine> channels;
};

/// The f32 elements of a constant as in memory; empty for other constants. A
/// splat has one.
llvm::ArrayRef<float> floatsOf(mlir::Value tensor);

/// What an op on f32 does to channels: all its operands but one are known, and
/// one loop walks along those of them that have more than one element. Nothing
/// for any other op.
std::optional<ChannelAffine> channelAffine(mlir::linalg::GenericOp op);

/// Extends the chain by the op that computes `x`, a bias for instance, if it
/// works on the same channels and has no other reader. Otherwise returns false.
bool absorbProducer(ChannelAffine &chain);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_CHANNELAFFINE_H
