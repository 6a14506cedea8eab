// Interpolating reads that change the sizes of dimensions.
#pragma once

#include "graph/build/ResizeTaps.h"

namespace tilewright::build {

/// An axis for each dimension of x, all of which keep their sizes.
SmallVector<ResizeAxis> keptAxes(GraphBuilder &b, const Tensor &x);

/// x with each dimension resized as its axis says. Integers are interpolated in
/// f32. Fails where the sizes do not allow it: a dimension without elements
/// becomes one with some, or antialias of sizes that are not static.
FailureOr<Tensor> resize(GraphBuilder &b, const Tensor &x,
                         const ResizeOptions &options,
                         llvm::MutableArrayRef<ResizeAxis> axes);

} // namespace tilewright::build
