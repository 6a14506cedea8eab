//===- LinearMap.cpp - Linear maps over F2 --------------------------------===//
#include "codegen/layout/LinearMap.h"

#include <algorithm>

namespace tilewright::layout {

static unsigned highestBit(Bits bits) { return 63 - std::countl_zero(bits); }

Subspace::Subspace(std::span<const Bits> vectors) {
  for (Bits vector : vectors)
    insert(vector);
}

Bits Subspace::reduce(Bits vector) const {
  for (Bits rest = vector & leading; rest;) {
    unsigned bit = highestBit(rest);
    vector ^= basis[bit];
    rest = vector & leading & lowBits(bit);
  }
  return vector;
}

Bits Subspace::greatest(Bits vector) const {
  for (Bits rest = leading; rest;) {
    unsigned bit = highestBit(rest);
    if (!(vector >> bit & 1))
      vector ^= basis[bit];
    rest &= lowBits(bit);
  }
  return vector;
}

bool Subspace::insert(Bits vector) {
  vector = reduce(vector);
  if (!vector)
    return false;
  unsigned bit = highestBit(vector);
  basis[bit] = vector;
  leading |= Bits(1) << bit;
  return true;
}

Subspace Subspace::sum(const Subspace &other) const {
  Subspace result = *this;
  other.forEach([&](Bits vector) { result.insert(vector); });
  return result;
}

/// u in U is in W where some w = u: then (u, w) is in the kernel of [U | W].
Subspace Subspace::intersect(const Subspace &other) const {
  // Both bases together may have more than 64 vectors, so each vector of the
  // sum keeps its part from this subspace.
  std::array<Bits, 64> vectors, parts;
  Bits taken = 0;
  Subspace result;
  auto add = [&](Bits vector, Bits part) {
    for (Bits rest = vector & taken; rest; rest = vector & taken) {
      unsigned bit = highestBit(rest);
      vector ^= vectors[bit];
      part ^= parts[bit];
    }
    if (!vector) {
      result.insert(part);
      return;
    }
    unsigned bit = highestBit(vector);
    vectors[bit] = vector;
    parts[bit] = part;
    taken |= Bits(1) << bit;
  };
  forEach([&](Bits vector) { add(vector, vector); });
  other.forEach([&](Bits vector) { add(vector, 0); });
  return result;
}

LinearMap LinearMap::identity(unsigned bits) {
  LinearMap map(bits, bits);
  for (unsigned i = 0; i < bits; ++i)
    map.columns[i] = Bits(1) << i;
  return map;
}

LinearMap LinearMap::compose(const LinearMap &inner) const {
  assert(inner.outs <= ins);
  LinearMap map(inner.ins, outs);
  for (unsigned i = 0; i < inner.ins; ++i)
    map.columns[i] = apply(inner.columns[i]);
  return map;
}

LinearMap LinearMap::restrict(unsigned first, unsigned count) const {
  assert(first + count <= ins);
  LinearMap map(count, outs);
  std::copy_n(columns.begin() + first, count, map.columns.begin());
  return map;
}

LinearMap LinearMap::project(unsigned first, unsigned count) const {
  assert(first + count <= outs);
  LinearMap map(ins, count);
  for (unsigned i = 0; i < ins && first < 64; ++i)
    map.columns[i] = columns[i] >> first & lowBits(count);
  return map;
}

LinearMap LinearMap::quotient(const Subspace &subspace) const {
  LinearMap map(ins, outs);
  for (unsigned i = 0; i < ins; ++i)
    map.columns[i] = subspace.reduce(columns[i]);
  return map;
}

LinearMap LinearMap::directSum(const LinearMap &high) const {
  LinearMap map(ins + high.ins, outs + high.outs);
  std::copy_n(columns.begin(), ins, map.columns.begin());
  for (unsigned i = 0; i < high.ins; ++i)
    map.columns[ins + i] = high.columns[i] ? high.columns[i] << outs : 0;
  return map;
}

Subspace LinearMap::kernel() const { return Solver(*this).kernel(); }

std::optional<Bits> LinearMap::solve(Bits image) const {
  return Solver(*this).solve(image);
}

Bits LinearMap::dependentBits() const {
  Bits dependent = 0;
  Subspace span;
  for (unsigned i = 0; i < ins; ++i)
    if (!span.insert(columns[i]))
      dependent |= Bits(1) << i;
  return dependent;
}

std::optional<LinearMap> LinearMap::rightInverse() const {
  Solver solver(*this);
  LinearMap map(outs, ins);
  for (unsigned i = 0; i < outs; ++i) {
    std::optional<Bits> argument = solver.solve(Bits(1) << i);
    if (!argument)
      return std::nullopt;
    map.columns[i] = *argument;
  }
  return map;
}

bool operator==(const LinearMap &a, const LinearMap &b) {
  return a.ins == b.ins && a.outs == b.outs &&
         std::ranges::equal(a.allColumns(), b.allColumns());
}

Solver::Solver(const LinearMap &map) {
  for (unsigned i = 0; i < map.inBits(); ++i) {
    Bits vector = map.column(i), combination = Bits(1) << i;
    for (Bits rest = vector & leading; rest; rest = vector & leading) {
      const Pivot &pivot = pivots[highestBit(rest)];
      vector ^= pivot.vector;
      combination ^= pivot.combination;
    }
    if (!vector) {
      dependent |= Bits(1) << i;
      kernelSpace.insert(combination);
      continue;
    }
    pivots[highestBit(vector)] = {vector, combination};
    leading |= Bits(1) << highestBit(vector);
  }
}

std::optional<Bits> Solver::solve(Bits image) const {
  Bits combination = 0;
  for (Bits rest = image & leading; rest; rest = image & leading) {
    const Pivot &pivot = pivots[highestBit(rest)];
    image ^= pivot.vector;
    combination ^= pivot.combination;
  }
  if (image)
    return std::nullopt;
  return combination;
}

} // namespace tilewright::layout
