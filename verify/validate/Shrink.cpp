#include "verify/validate/Shrink.h"

#include "verify/validate/Elements.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright::verify {

using runtime::HostTensor;
using runtime::Shape;
using Clock = std::chrono::steady_clock;

namespace {

class Shrinker {
public:
  Shrinker(Comparison &comparison, const SizeSpace &space,
           std::vector<int64_t> sizes, unsigned order, Counterexample found,
           std::chrono::duration<double> time)
      : comparison(comparison), space(space), sizes(std::move(sizes)),
        order(order), best(std::move(found)),
        end(Clock::now() + std::chrono::duration_cast<Clock::duration>(time)) {}
  StatusOr<Counterexample> run();

private:
  /// Whether the programs differ on these inputs, too; they are then the best.
  StatusOr<bool> differs(std::vector<HostTensor> inputs);
  StatusOr<bool> smallerSize(size_t group);
  StatusOr<bool> plainer(size_t input, size_t first, size_t last,
                         uint64_t value);
  Status simplify(size_t input);
  bool isOver() const { return Clock::now() > end; }

  Comparison &comparison;
  const SizeSpace &space;
  std::vector<int64_t> sizes;
  const unsigned order;
  Counterexample best;
  const Clock::time_point end;
};

} // namespace

StatusOr<bool> Shrinker::differs(std::vector<HostTensor> inputs) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Comparison::Result result,
                              comparison.compare(inputs, order));
  if (!result.difference)
    return false;
  best = *std::move(result.difference);
  return true;
}

/// The part of a tensor that is in a smaller or equal shape; `last`: the one at
/// the end of each dimension.
static StatusOr<HostTensor> partOf(const HostTensor &tensor, const Shape &shape,
                                   bool last) {
  TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor part,
                              HostTensor::allocate(tensor.dtype(), shape));
  for (size_t i = 0; i < part.size(); ++i) {
    const Shape index = indexOf(shape, i);
    size_t position = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      position = position * size_t(tensor.shape()[d]) + size_t(index[d]) +
                 (last ? size_t(tensor.shape()[d] - shape[d]) : 0);
    setBits(part, i, bitsOf(tensor, position));
  }
  return part;
}

/// The smallest sizes of a group for which a part of the inputs does.
StatusOr<bool> Shrinker::smallerSize(size_t group) {
  const int64_t now = sizes[group];
  const std::set<int64_t> smaller = {0, 1, 2,       3,           4,
                                     5, 8, now / 2, now * 3 / 4, now - 1};
  for (int64_t size : smaller) {
    if (size < 0 || size >= sizes[group] || isOver())
      continue;
    std::vector<int64_t> fewer = sizes;
    fewer[group] = size;
    const std::vector<Shape> shapes = space.shapes(fewer);
    for (bool last : {false, true}) {
      std::vector<HostTensor> inputs;
      for (size_t i = 0; i < shapes.size(); ++i) {
        TILEWRIGHT_ASSIGN_OR_RETURN(inputs.emplace_back(),
                                    partOf(best.inputs[i], shapes[i], last));
      }
      TILEWRIGHT_ASSIGN_OR_RETURN(bool still, differs(std::move(inputs)));
      if (still) {
        sizes = fewer;
        return true;
      }
    }
  }
  return false;
}

/// `value` in place of some elements.
StatusOr<bool> Shrinker::plainer(size_t input, size_t first, size_t last,
                                 uint64_t value) {
  std::vector<HostTensor> inputs = best.inputs;
  TILEWRIGHT_ASSIGN_OR_RETURN(inputs[input], best.inputs[input].clone());
  bool changes = false;
  for (size_t i = first; i < last; ++i) {
    changes |= bitsOf(inputs[input], i) != value;
    setBits(inputs[input], i, value);
  }
  if (!changes)
    return true;
  return differs(std::move(inputs));
}

/// Zeros, ones, small numbers where these do: in ever smaller parts.
Status Shrinker::simplify(size_t input) {
  const size_t count = best.inputs[input].size();
  const runtime::DType dtype = best.inputs[input].dtype();
  const std::vector<uint64_t> plain = {fromInteger(dtype, 0),
                                       fromInteger(dtype, 1)};
  for (size_t part = count; part > 0; part /= 2) {
    for (size_t first = 0; first < count; first += part) {
      const size_t last = std::min(first + part, count);
      for (uint64_t value : plain) {
        if (isOver())
          return {};
        TILEWRIGHT_ASSIGN_OR_RETURN(bool done,
                                    plainer(input, first, last, value));
        if (done)
          break;
      }
    }
  }
  // Numbers with fewer digits for those that are left.
  for (size_t i = 0; i < count; ++i) {
    const double value = toDouble(dtype, bitsOf(best.inputs[input], i));
    if (!std::isfinite(value))
      continue;
    for (double simple :
         {-1.0, 2.0, std::round(value), std::round(value * 4) / 4,
          std::round(value * 256) / 256}) {
      if (isOver())
        return {};
      if (bitsOf(best.inputs[input], i) == plain[0] ||
          bitsOf(best.inputs[input], i) == plain[1])
        break;
      TILEWRIGHT_ASSIGN_OR_RETURN(
          bool done, plainer(input, i, i + 1, fromDouble(dtype, simple)));
      if (done)
        break;
    }
  }
  return {};
}

StatusOr<Counterexample> Shrinker::run() {
  for (bool changed = true; changed && !isOver();) {
    changed = false;
    for (size_t group = 0; group < space.count(); ++group) {
      TILEWRIGHT_ASSIGN_OR_RETURN(bool smaller, smallerSize(group));
      changed |= smaller;
    }
  }
  for (size_t input = 0; input < best.inputs.size() && !isOver(); ++input)
    TILEWRIGHT_RETURN_IF_ERROR(simplify(input));
  return std::move(best);
}

StatusOr<Counterexample> shrink(Comparison &comparison, const SizeSpace &space,
                                std::vector<int64_t> sizes, unsigned order,
                                Counterexample found,
                                std::chrono::duration<double> time) {
  return Shrinker(comparison, space, std::move(sizes), order, std::move(found),
                  time)
      .run();
}

} // namespace tilewright::verify
