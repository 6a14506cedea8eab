// Shared by the semantics tests: runs a small program given as text on numbers,
// and compares with numbers computed by hand.
#pragma once

#include "catch2/catch.hpp"
#include <limits>
#include <string>
#include <vector>

namespace tilewright::semantics {

/// The elements of a tile in row-major order; one number for a scalar.
/// Every element type up to f32 and 53-bit integers is exact in a double.
using Numbers = std::vector<double>;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
/// How a poison element reads in a result.
inline constexpr double kPoison = -777;
inline const double kNan = std::numeric_limits<double>::quiet_NaN();

/// The results of a run. Two NaNs count as equal.
struct Result {
  /// One for each result of the function, or each array of the kernel.
  std::vector<Numbers> results;
  /// "LINE: message" of the first error, empty if there was none; its notes
  /// follow as "; LINE: note". Lines count from 1 in the text.
  std::string error;
};

/// Every program below runs three times: as it is, after the passes of
/// `addPasses` in Semantics.cpp, and after them with constants for its
/// arguments. Where the first run has no fault, the others must give the same.
/// While one of these lives, folded constants must differ: a defect of LLVM's
/// folders that the test names.
struct ExpectWrongFold {
  ExpectWrongFold();
  ~ExpectWrongFold();
};

/// Runs the tile.func @f of `text`; one list of numbers for each argument.
Result evaluate(const std::string &text, const std::vector<Numbers> &arguments);

/// The only result of @f, which must run without an error.
Numbers result(const std::string &text, const std::vector<Numbers> &arguments);

/// The body of a function with one result, `%r`: a shorter way to write
/// evaluate. `inputs` and `output` are types; the arguments are %a, %b, ...
Numbers compute(const std::string &body, const std::vector<std::string> &inputs,
                const std::string &output,
                const std::vector<Numbers> &arguments);

/// An array for a kernel. Empty dims make it an argument by value.
struct Array {
  std::vector<int64_t> dims;
  Numbers numbers;
  bool initialized = true;
  std::vector<int64_t> strides = {};
  /// If not negative, the memory is that of array 0, from this byte on.
  int64_t inFirst = -1;
};

/// Runs the tile.kernel @k of `text`. The results are the arrays afterwards;
/// an element never written reads as -1 there.
Result launch(const std::string &text, const std::vector<Array> &arrays,
              uint64_t orderSeed = 0, int64_t stepLimit = 1'000'000,
              std::string *prints = nullptr);

/// Compares element by element; NaN equals NaN, 0 does not equal -0.
bool same(const Numbers &found, const Numbers &expected);

} // namespace tilewright::semantics

/// Shows both lists when they differ.
#define CHECK_SAME(found, ...)                                                 \
  do {                                                                         \
    auto foundNumbers = (found);                                               \
    tilewright::semantics::Numbers expectedNumbers __VA_ARGS__;                \
    CAPTURE(foundNumbers, expectedNumbers);                                    \
    CHECK(tilewright::semantics::same(foundNumbers, expectedNumbers));         \
  } while (false)
