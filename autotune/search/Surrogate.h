// A model of what the analytic model gets wrong, learnt from measurements.
#ifndef TILEWRIGHT_AUTOTUNE_SEARCH_SURROGATE_H
#define TILEWRIGHT_AUTOTUNE_SEARCH_SURROGATE_H

#include "autotune/space/Space.h"
#include <vector>

namespace tilewright::autotune {

/// Predicts the logarithm of measured / modelled cost of a point: one additive
/// effect for each value of each parameter, by ridge regression (Hoerl and
/// Kennard, "Ridge regression: biased estimation for nonorthogonal problems",
/// 1970). Values without a measurement have no effect. Deterministic.
class Surrogate {
public:
  explicit Surrogate(const Space &space);

  /// Learns that `point`, modelled at `modelled`, costs `measured`; both are
  /// positive.
  void add(const Point &point, double modelled, double measured);
  /// Solves for the effects, from all that was added.
  void fit();
  /// The cost of `point`, by what fit() found last.
  [[nodiscard]] double predict(const Point &point, double modelled) const;

private:
  struct Sample {
    Point point;
    double logRatio;
  };
  /// The column of a parameter's value.
  [[nodiscard]] size_t column(size_t parameter, size_t value) const {
    return first[parameter] + value;
  }

  std::vector<size_t> first;
  size_t columns = 0;
  std::vector<Sample> samples;
  double mean = 0;
  std::vector<double> effects;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SEARCH_SURROGATE_H
