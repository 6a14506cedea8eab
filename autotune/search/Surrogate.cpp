#include "autotune/search/Surrogate.h"

#include <cmath>

namespace tilewright::autotune {

Surrogate::Surrogate(const Space &space) {
  for (const Parameter &parameter : space.parameters()) {
    first.push_back(columns);
    columns += parameter.values.size();
  }
  effects.assign(columns, 0);
}

void Surrogate::add(const Point &point, double modelled, double measured) {
  samples.push_back({point, std::log(measured / modelled)});
}

/// Solves A x = b in place, where A (n x n, row-major) is symmetric and
/// positive definite, by its Cholesky factor; x replaces b.
static void solve(std::vector<double> &a, std::vector<double> &b) {
  const size_t n = b.size();
  for (size_t j = 0; j < n; ++j) {
    for (size_t k = 0; k < j; ++k)
      for (size_t i = j; i < n; ++i)
        a[i * n + j] -= a[i * n + k] * a[j * n + k];
    double root = std::sqrt(a[j * n + j]);
    for (size_t i = j; i < n; ++i)
      a[i * n + j] /= root;
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k)
      b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k)
      b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

void Surrogate::fit() {
  // A value that was seen once may shift a prediction by half of its observed
  // error.
  constexpr double penalty = 1;
  mean = 0;
  for (const Sample &sample : samples)
    mean += sample.logRatio / double(samples.size());
  std::vector<double> a(columns * columns, 0), b(columns, 0);
  for (size_t i = 0; i < columns; ++i)
    a[i * columns + i] = penalty;
  for (const Sample &sample : samples)
    for (size_t i = 0; i < first.size(); ++i) {
      size_t row = column(i, sample.point[i]);
      b[row] += sample.logRatio - mean;
      for (size_t j = 0; j < first.size(); ++j)
        a[row * columns + column(j, sample.point[j])] += 1;
    }
  solve(a, b);
  effects = std::move(b);
}

double Surrogate::predict(const Point &point, double modelled) const {
  double sum = mean;
  for (size_t parameter = 0; parameter < first.size(); ++parameter)
    sum += effects[column(parameter, point[parameter])];
  return modelled * std::exp(sum);
}

} // namespace tilewright::autotune
