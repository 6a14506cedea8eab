//===- Dims.cpp - One integer a tensor dimension --------------------------===//
#include "codegen/layout/Dims.h"
#include "support/Format.h"

namespace tilewright::layout {

std::string Dims::text() const {
  if (count == 0)
    return "scalar";
  return joined(*this, "x");
}

std::string wrongTileShape(const Dims &shape) {
  double elements = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      return "expected extents of at least 1, found shape " + shape.text();
    elements *= double(extent);
  }
  return elements < 0x1p31
             ? ""
             : "expected fewer than 2^31 elements, found shape " + shape.text();
}

bool isPermutation(const Dims &order, unsigned rank) {
  uint64_t seen = 0;
  for (int64_t dim : order)
    if (dim >= 0 && dim < int64_t(rank))
      seen |= uint64_t(1) << dim;
  return order.rank() == rank && seen == (uint64_t(1) << rank) - 1;
}

Dims rowMajorOrder(unsigned rank) {
  Dims order;
  for (unsigned i = 0; i < rank; ++i)
    order.append(rank - 1 - i);
  return order;
}

int64_t linearIndex(const Dims &at, const Dims &shape) {
  assert(at.rank() == shape.rank());
  int64_t index = 0;
  for (unsigned dim = 0; dim < shape.rank(); ++dim)
    index = index * shape[dim] + at[dim];
  return index;
}

Dims delinearize(int64_t index, const Dims &shape) {
  Dims at(shape.rank(), 0);
  for (unsigned dim = shape.rank(); dim-- > 0; index /= shape[dim])
    at[dim] = index % shape[dim];
  return at;
}

} // namespace tilewright::layout
