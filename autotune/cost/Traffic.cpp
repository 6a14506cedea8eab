//===- Traffic.cpp - Bytes that a cache of a given size fetches -----------===//
#include "autotune/cost/Traffic.h"

namespace tilewright::autotune {

namespace {
/// Loops by number, as `Variable::parent` nests them; -1 is the whole launch.
class Nest {
public:
  Nest(const Work &work, double line) : work(work), line(line) {}

  [[nodiscard]] bool isAround(int outer, int inner) const {
    for (; inner >= 0; inner = work.variables[size_t(inner)].parent)
      if (inner == outer)
        return true;
    return outer < 0;
  }
  /// The variables inside a loop; with `itself`, and that one.
  [[nodiscard]] std::vector<bool> within(int loop, bool itself) const {
    std::vector<bool> varying(work.variables.size());
    for (int v = 0; v < int(varying.size()); ++v)
      varying[size_t(v)] = isAround(loop, v) && (itself || v != loop);
    return varying;
  }
  [[nodiscard]] double footprint(const Access &access,
                                 const std::vector<bool> &varying) const {
    return access.footprint(work.variables, varying, line);
  }
  [[nodiscard]] double totalBytes(const Access &access) const {
    return access.totalBytes(line);
  }
  /// Bytes that one iteration of a loop accesses, each counted once.
  [[nodiscard]] double iterationBytes(int loop) const {
    std::vector<bool> varying = within(loop, false);
    double bytes = 0;
    for (const Access &access : work.accesses)
      if (isAround(loop, access.loop) && access.repeats < 0)
        bytes += footprint(access, varying);
    return bytes;
  }
  [[nodiscard]] double tripsAround(int loop) const {
    double trips = 1;
    while (loop >= 0) {
      loop = work.variables[size_t(loop)].parent;
      if (loop >= 0)
        trips *= work.variables[size_t(loop)].trips;
    }
    return trips;
  }
  /// The loop around all of a program: the grid's first dimension.
  [[nodiscard]] int program() const {
    return !work.variables.empty() && work.variables[0].isGrid ? 0 : -1;
  }

private:
  const Work &work;
  double line;
};
} // namespace

/// Bytes that one pass over what an access reads fetches.
static double passBytes(const Work &work, const Access &access,
                        const Nest &nest, std::span<const double> iterations,
                        double cacheBytes) {
  auto fits = [&](int loop) {
    return iterations[size_t(loop + 1)] <= cacheBytes;
  };
  if (access.loop < 0)
    return nest.totalBytes(access);
  if (!fits(access.loop))
    return nest.totalBytes(access);
  int loop = access.loop;
  while (loop >= 0 && fits(work.variables[size_t(loop)].parent))
    loop = work.variables[size_t(loop)].parent;
  if (access.repeats >= 0 && nest.isAround(loop, nest.program()))
    return 0;
  double trips = 1;
  for (int v = access.loop; v >= 0; v = work.variables[size_t(v)].parent)
    trips *= work.variables[size_t(v)].trips;
  double share = trips > 0 ? access.executions / trips : 0;
  double bytes = nest.footprint(access, nest.within(loop, true));
  return bytes * nest.tripsAround(loop) * std::min(share, 1.0);
}

double fetchedBytes(const Work &work, double cacheBytes, double line) {
  Nest nest(work, line);
  std::vector<double> iterations;
  for (int loop = -1; loop < int(work.variables.size()); ++loop)
    iterations.push_back(nest.iterationBytes(loop));
  double bytes = 0;
  for (const Access &access : work.accesses)
    bytes += passBytes(work, access, nest, iterations, cacheBytes) *
             (double(access.bytes()) > cacheBytes ? access.passes : 1);
  // Of pointers nothing is known: each element is fetched for itself.
  for (const PointerAccess &access : work.pointers)
    bytes += double(access.elements * access.elementBytes) * access.executions;
  return bytes;
}

double programBytes(const Work &work) {
  Nest nest(work, 1);
  return nest.iterationBytes(nest.program());
}

} // namespace tilewright::autotune
