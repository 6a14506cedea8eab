//===- Vectors.h - Lists of vectors, and the tensors they hold --*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_REFERENCE_VECTORS_H
#define TILEWRIGHT_SPATIAL_REFERENCE_VECTORS_H

#include "spatial/ir/Spatial.h"
#include "spatial/numeric/Numeric.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Status.h"

namespace tilewright::spatial {

/// The vectors of a value.
struct Vectors {
  DType type = DType::F32;
  int64_t lanes = 0;
  std::vector<Lane> data;

  Vectors(DType type, int64_t count, int64_t lanes)
      : type(type), lanes(lanes), data(count * lanes) {}
  [[nodiscard]] std::span<Lane> at(int64_t index) {
    return std::span(data).subspan(index * lanes, lanes);
  }
  [[nodiscard]] std::span<const Lane> at(int64_t index) const {
    return std::span(data).subspan(index * lanes, lanes);
  }
};

/// An input as its interface lays it out. Errors: another type or shape, an
/// i64 that is no i32.
StatusOr<Vectors> vectorsOfTensor(const runtime::TensorView &tensor,
                                  mlir::DictionaryAttr interface, DType element,
                                  int64_t lanes);

/// The output that lies in `vectors`.
StatusOr<runtime::HostTensor> tensorOfVectors(const Vectors &vectors,
                                              mlir::DictionaryAttr interface);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_REFERENCE_VECTORS_H
