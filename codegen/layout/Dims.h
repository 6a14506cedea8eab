//===- Dims.h - One integer a tensor dimension ------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_DIMS_H
#define TILEWRIGHT_CODEGEN_LAYOUT_DIMS_H

#include "tilewright/support/Export.h"
#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace tilewright::layout {

/// The greatest rank of a tile that has a layout.
inline constexpr unsigned maxRank = 16;

/// A shape, a list of strides, coordinates: one integer a dimension, without
/// an allocation.
class TILEWRIGHT_PRIVATE_API Dims {
public:
  Dims() = default;
  /// `rank` times `value`.
  explicit Dims(unsigned rank, int64_t value) : count(rank) {
    assert(rank <= maxRank);
    std::fill_n(values.begin(), rank, value);
  }
  Dims(std::initializer_list<int64_t> list)
      : Dims(std::span<const int64_t>(list.begin(), list.size())) {}
  Dims(std::span<const int64_t> list) : count(list.size()) {
    assert(list.size() <= maxRank);
    std::copy(list.begin(), list.end(), values.begin());
  }

  [[nodiscard]] unsigned rank() const { return count; }
  int64_t &operator[](unsigned dim) {
    assert(dim < count);
    return values[dim];
  }
  int64_t operator[](unsigned dim) const {
    assert(dim < count);
    return values[dim];
  }
  [[nodiscard]] auto begin() const { return values.begin(); }
  [[nodiscard]] auto begin() { return values.begin(); }
  [[nodiscard]] auto end() const { return values.begin() + count; }
  [[nodiscard]] auto end() { return values.begin() + count; }

  void append(int64_t value) { insert(count, value); }
  /// Puts `value` in front of dimension `dim`.
  void insert(unsigned dim, int64_t value) {
    assert(count < maxRank && dim <= count);
    std::copy_backward(values.begin() + dim, values.begin() + count,
                       values.begin() + count + 1);
    values[dim] = value;
    ++count;
  }
  void erase(unsigned dim) {
    assert(dim < count);
    std::copy(values.begin() + dim + 1, values.begin() + count,
              values.begin() + dim);
    values[--count] = 0;
  }
  /// The product of all; 1 for rank 0.
  [[nodiscard]] int64_t product() const {
    int64_t result = 1;
    for (int64_t value : *this)
      result *= value;
    return result;
  }
  /// "128x64"; "scalar" for rank 0.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Dims &a, const Dims &b) {
    return a.count == b.count && std::equal(a.begin(), a.end(), b.begin());
  }

private:
  std::array<int64_t, maxRank> values{};
  unsigned count = 0;
};

/// Why a tile cannot have this shape; empty where it can.
[[nodiscard]] std::string wrongTileShape(const Dims &shape);

/// Whether `order` holds each of 0 .. rank-1 once.
[[nodiscard]] bool isPermutation(const Dims &order, unsigned rank);

/// rank-1, .., 1, 0: the last dimension is the fastest.
[[nodiscard]] Dims rowMajorOrder(unsigned rank);

/// Calls `visit(coordinates)` for each of `shape`, row-major.
template <typename Visit>
void forEachCoordinate(const Dims &shape, Visit visit) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return;
  Dims at(shape.rank(), 0);
  while (true) {
    visit(static_cast<const Dims &>(at));
    unsigned dim = shape.rank();
    while (dim > 0 && ++at[dim - 1] == shape[dim - 1])
      at[--dim] = 0;
    if (dim == 0)
      return;
  }
}

/// The row-major index of `at` in `shape`, and the reverse.
[[nodiscard]] int64_t linearIndex(const Dims &at, const Dims &shape);
[[nodiscard]] Dims delinearize(int64_t index, const Dims &shape);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_DIMS_H
