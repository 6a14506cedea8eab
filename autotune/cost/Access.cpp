//===- Access.cpp - Memory that loads and stores of tiles touch -----------===//
#include "autotune/cost/Work.h"

namespace tilewright::autotune {

int64_t Access::elements() const {
  int64_t count = 1;
  for (int64_t size : tile)
    count *= size;
  return count;
}

bool Access::dependsOn(int variable) const {
  return llvm::any_of(offsets, [&](const LinearIndex &offset) {
    return llvm::is_contained(offset.variables, variable);
  });
}

bool Access::hasConstantLanes() const {
  const LinearIndex &offset = offsets[laneDim(tile)];
  return offset.isExact && offset.strides.empty();
}

/// Whether boxes of `counts` elements begin at the start of a cache line of
/// `line` bytes, as arguments do. A box that covers a whole dimension begins
/// with it.
bool Access::beginsAligned(llvm::ArrayRef<double> counts, double line) const {
  auto fits = [&](int64_t elements) {
    return std::fmod(double(elements * elementBytes), line) == 0;
  };
  if (argument < 0)
    return line <= double(elementBytes);
  for (size_t dim = 0; dim < tile.size(); ++dim) {
    const LinearIndex &offset = offsets[dim];
    if (counts[dim] == double(dims[dim]))
      continue;
    if (strides[dim] < 0 || !offset.isExact ||
        !fits(offset.start * strides[dim]))
      return false;
    for (auto [variable, stride] : offset.strides)
      if (!fits(stride * strides[dim]))
        return false;
  }
  return true;
}

bool Access::isAligned(double line) const {
  bool isAligned = beginsAligned(llvm::to_vector_of<double>(tile), line);
  for (size_t dim = 0; dim < tile.size() && isAligned; ++dim)
    isAligned = tile[dim] == 1 || dim == laneDim(tile) ||
                std::fmod(double(strides[dim] * elementBytes), line) == 0;
  return isAligned;
}

/// Bytes of the cache lines with the elements of a box of `counts` elements,
/// `boxSteps` apart.
double Access::boxBytes(llvm::ArrayRef<double> counts,
                        llvm::ArrayRef<int64_t> boxSteps, double line) const {
  auto strideOf = [&](size_t dim) {
    return strides[dim] < 0
               ? double(INFINITY)
               : double(strides[dim] * boxSteps[dim] * elementBytes);
  };
  auto order = llvm::to_vector(llvm::seq<size_t>(0, counts.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(strideOf(a), a) < std::pair(strideOf(b), b);
  });
  // Runs without a gap of a whole line, and their number.
  double run = double(elementBytes), runs = 1;
  bool runsAreAligned = beginsAligned(counts, line);
  for (size_t dim : order) {
    if (counts[dim] <= 1)
      continue;
    double stride = strideOf(dim);
    if (stride - run < line) {
      run = std::max(run, (counts[dim] - 1) * stride + run);
      continue;
    }
    runs *= counts[dim];
    runsAreAligned &= std::fmod(stride, line) == 0;
  }
  // Otherwise a run may begin at any element of a line.
  double lines = runsAreAligned
                     ? std::ceil(run / line)
                     : (run - std::min(line, double(elementBytes))) / line + 1;
  return runs * lines * line;
}

double Access::tileBytes(double line) const {
  return boxBytes(llvm::to_vector_of<double>(tile), steps, line) * inside;
}

double Access::footprint(llvm::ArrayRef<Variable> variables,
                         const std::vector<bool> &varying, double line) const {
  double tiles = 1;
  for (size_t v = 0; v < variables.size(); ++v)
    if (varying[v] && dependsOn(int(v)))
      tiles *= std::max(1.0, variables[v].trips);
  llvm::SmallVector<double> covered;
  for (size_t dim = 0; dim < tile.size(); ++dim) {
    double extent = double((tile[dim] - 1) * steps[dim] + 1);
    double all = dims[dim] < 0 ? INFINITY : double(dims[dim]);
    const LinearIndex &offset = offsets[dim];
    if (!offset.isExact) {
      for (int v : offset.variables)
        if (varying[size_t(v)])
          extent *= std::max(1.0, variables[size_t(v)].trips);
    } else {
      for (auto [v, stride] : offset.strides)
        if (varying[size_t(v)])
          extent += std::abs(double(stride)) *
                    std::max(0.0, variables[size_t(v)].trips - 1);
    }
    covered.push_back(std::min(extent, all));
  }
  llvm::SmallVector<int64_t> unit(tile.size(), 1);
  return std::min(tiles * tileBytes(line), boxBytes(covered, unit, line));
}

} // namespace tilewright::autotune
