//===- LinearMap.h - Linear maps over F2 ------------------------*- C++ -*-===//
//
// Vectors over F2 are the bits of a uint64_t, and addition is XOR. A map is the
// list of its columns: what each bit of the argument maps to. Nothing here
// allocates.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_LINEARMAP_H
#define TILEWRIGHT_CODEGEN_LAYOUT_LINEARMAP_H

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <optional>
#include <span>

namespace tilewright::layout {

/// A vector of up to 64 elements of F2.
using Bits = uint64_t;

/// The lowest `count` bits, 0 to 64.
constexpr Bits lowBits(unsigned count) {
  return count >= 64 ? ~Bits(0) : (Bits(1) << count) - 1;
}

/// Gathers the bits of `value` selected by `mask`: the lowest selected bit
/// becomes bit 0.
constexpr Bits gatherBits(Bits value, Bits mask) {
  Bits result = 0;
  for (unsigned to = 0; mask; mask &= mask - 1)
    result |= (value >> std::countr_zero(mask) & 1) << to++;
  return result;
}

/// Whether `value` is a power of two, and its logarithm.
constexpr bool isPowerOfTwo(int64_t value) {
  return value > 0 && std::has_single_bit(uint64_t(value));
}
constexpr unsigned log2Floor(int64_t value) {
  return std::bit_width(uint64_t(value)) - 1;
}
constexpr unsigned log2Ceil(int64_t value) {
  return value <= 1 ? 0 : std::bit_width(uint64_t(value - 1));
}

/// A subspace of F2^64, by a basis in which each vector has a different leading
/// (highest) bit.
class Subspace {
public:
  Subspace() = default;
  /// The span of `vectors`.
  explicit Subspace(std::span<const Bits> vectors);

  /// Adds a vector; false where it was in the subspace already.
  bool insert(Bits vector);
  /// The least element of `vector` + this subspace: 0 for its members, equal
  /// for vectors whose sum is a member.
  [[nodiscard]] Bits reduce(Bits vector) const;
  /// The greatest element of `vector` + this subspace.
  [[nodiscard]] Bits greatest(Bits vector) const;
  [[nodiscard]] bool contains(Bits vector) const { return !reduce(vector); }
  [[nodiscard]] unsigned dimension() const { return std::popcount(leading); }

  /// Calls `visit(vector)` for each vector of the basis, lowest first.
  template <typename Visit> void forEach(Visit visit) const {
    for (Bits rest = leading; rest; rest &= rest - 1)
      visit(basis[std::countr_zero(rest)]);
  }

  [[nodiscard]] Subspace sum(const Subspace &other) const;
  [[nodiscard]] Subspace intersect(const Subspace &other) const;

private:
  std::array<Bits, 64> basis{}; // By leading bit.
  Bits leading = 0;
};

/// A linear map from `inBits` to `outBits` bits.
class LinearMap {
public:
  /// The zero map.
  LinearMap() = default;
  LinearMap(unsigned inBits, unsigned outBits) : ins(inBits), outs(outBits) {
    assert(inBits <= 64 && outBits <= 64);
  }
  static LinearMap identity(unsigned bits);

  [[nodiscard]] unsigned inBits() const { return ins; }
  [[nodiscard]] unsigned outBits() const { return outs; }
  [[nodiscard]] Bits column(unsigned bit) const {
    assert(bit < ins);
    return columns[bit];
  }
  void setColumn(unsigned bit, Bits image) {
    assert(bit < ins && !(image & ~lowBits(outs)));
    columns[bit] = image;
  }
  /// Adds one bit of argument to the map.
  void append(Bits image) {
    assert(ins < 64);
    ++ins;
    setColumn(ins - 1, image);
  }
  [[nodiscard]] std::span<const Bits> allColumns() const & {
    return {columns.data(), ins};
  }
  std::span<const Bits> allColumns() && = delete;

  [[nodiscard]] Bits apply(Bits argument) const {
    Bits image = 0;
    for (; argument; argument &= argument - 1)
      image ^= column(std::countr_zero(argument));
    return image;
  }
  /// `this` after `inner`: x -> this(inner(x)).
  [[nodiscard]] LinearMap compose(const LinearMap &inner) const;
  /// The map of the argument's bits [first, first + count) alone.
  [[nodiscard]] LinearMap restrict(unsigned first, unsigned count) const;
  /// Bits of the image [first, first + count) alone.
  [[nodiscard]] LinearMap project(unsigned first, unsigned count) const;
  /// x -> the least element of this(x) + `subspace`: images that differ by a
  /// member of it become equal.
  [[nodiscard]] LinearMap quotient(const Subspace &subspace) const;
  /// The direct sum: the arguments' and the images' bits of `high` are above
  /// those of this map.
  [[nodiscard]] LinearMap directSum(const LinearMap &high) const;

  [[nodiscard]] unsigned rank() const { return image().dimension(); }
  [[nodiscard]] bool isInjective() const { return rank() == ins; }
  [[nodiscard]] bool isSurjective() const { return rank() == outs; }
  [[nodiscard]] Subspace image() const { return Subspace(allColumns()); }
  [[nodiscard]] Subspace kernel() const;

  /// An x with this(x) = `image`, where there is one. Bits whose column
  /// depends on the columns of lower bits are zero in it, so it is unique.
  [[nodiscard]] std::optional<Bits> solve(Bits image) const;
  /// The bits that are zero in every solution of `solve`: their columns depend
  /// on those of lower bits.
  [[nodiscard]] Bits dependentBits() const;
  /// R with this(R(y)) = y for each y, by `solve`; only of a surjective map.
  [[nodiscard]] std::optional<LinearMap> rightInverse() const;

  friend bool operator==(const LinearMap &, const LinearMap &);

private:
  unsigned ins = 0, outs = 0;
  std::array<Bits, 64> columns{};
};

/// A map made ready to be solved many times; see LinearMap::solve.
class Solver {
public:
  explicit Solver(const LinearMap &map);
  [[nodiscard]] std::optional<Bits> solve(Bits image) const;
  /// See LinearMap::dependentBits.
  [[nodiscard]] Bits dependentBits() const { return dependent; }
  [[nodiscard]] const Subspace &kernel() const { return kernelSpace; }

private:
  struct Pivot {
    Bits vector, combination;
  };
  std::array<Pivot, 64> pivots{}; // By leading bit of the vector.
  Bits leading = 0, dependent = 0;
  Subspace kernelSpace;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_LINEARMAP_H
