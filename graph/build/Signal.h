// Windows and Fourier transforms.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), where N is the window's size
/// if it is periodic, else one less.
struct CosineWindow {
  double a0, a1, a2 = 0;
  bool periodic = true;
};

FailureOr<Tensor> cosineWindow(GraphBuilder &b, Expr size, Element out,
                               const CosineWindow &window);

struct FourierOptions {
  /// Not the last dimension.
  int64_t axis = 0;
  bool inverse = false;
  /// Only the first n / 2 + 1 elements.
  bool oneSided = false;
};

/// The transform of length n along an axis of a signal of floats [..., 1] or
/// [..., 2], real and imaginary parts, as [..., 2]. A longer signal is
/// truncated, a shorter one padded with zeros. It is a sum over the signal, in
/// f64.
FailureOr<Tensor> fourierTransform(GraphBuilder &b, const Tensor &signal,
                                   Expr n, const FourierOptions &options);

} // namespace tilewright::build
