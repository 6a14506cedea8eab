// Inputs for a program, one after the other.
#pragma once

#include "verify/validate/Sizes.h"
#include "verify/validate/Values.h"
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <random>

namespace tilewright::verify {

/// Which fillings of an input leave a program defined: those that do are taken
/// more often.
class Chances {
public:
  Chances() { weights.fill(1); }
  Filling choose(std::mt19937_64 &random) const;
  void count(Filling filling, bool isDefined);

private:
  struct Count {
    double defined = 0, undefined = 0;
  };
  std::array<Count, fillingCount> counts;
  std::array<double, fillingCount> weights;
};

/// Tensors for one run.
struct TestCase {
  std::vector<int64_t> sizes;
  std::vector<Filling> fillings;
  std::vector<runtime::HostTensor> inputs;
};

/// Makes inputs: first each filling, and each size in each dimension; then
/// mixtures. The same seed makes the same inputs if the runs come to the same.
class InputMaker {
public:
  /// `mostSeconds` of CPU time: a run that would take longer is not tried.
  InputMaker(const Signature &signature, Hints hints, uint64_t seed,
             double mostSeconds);

  /// Finds which sizes are free; `known` are inputs on which the program is
  /// defined, if there are any. Errors: those of `isDefined`, which says
  /// whether it is on some inputs.
  Status learnSizes(
      const std::function<StatusOr<bool>(std::span<const runtime::HostTensor>)>
          &isDefined,
      std::span<const runtime::HostTensor> known = {});
  /// The next inputs. Errors: there is no memory for them.
  StatusOr<TestCase> next();
  /// What came of a run on `test`, and the CPU time that it took.
  void count(const TestCase &test, bool isDefined, double seconds);
  [[nodiscard]] const SizeSpace &space() const { return sizes; }

private:
  /// A case that is not a mixture.
  struct Corner {
    std::vector<int64_t> sizes;
    /// None: a mixture.
    std::optional<Filling> filling;
  };

  void planCorners();
  StatusOr<std::vector<runtime::HostTensor>>
  fillAll(std::span<const runtime::Shape> shapes,
          const std::vector<Filling> &fillings);
  StatusOr<TestCase> make(std::vector<int64_t> chosen,
                          std::vector<Filling> fillings);
  std::vector<Filling> chooseFillings();
  std::vector<int64_t> chooseSizes();
  [[nodiscard]] double expectedSeconds(std::span<const int64_t> chosen) const;

  const Signature &signature;
  const Hints hints;
  const double mostSeconds;
  std::mt19937_64 random;
  SizeSpace sizes;
  const std::vector<int64_t> candidates;
  std::vector<Chances> chances;
  std::deque<Corner> corners;
  /// What runs have cost so far.
  double spent = 0, elements = 0;
};

} // namespace tilewright::verify
