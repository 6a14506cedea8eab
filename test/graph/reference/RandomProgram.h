//===- RandomProgram.h - Programs of which MPFR knows the results -*- C++ -*-=//
#ifndef TILEWRIGHT_TEST_GRAPH_REFERENCE_RANDOMPROGRAM_H
#define TILEWRIGHT_TEST_GRAPH_REFERENCE_RANDOMPROGRAM_H

#include "test/graph/reference/TestRun.h"

#include <cmath>
#include <mpfr.h>
#include <random>

namespace tilewright::graph::reference::test {

/// A real number of 300 bits.
class Real {
public:
  explicit Real(double number = 0) {
    mpfr_init2(value, 300);
    mpfr_set_d(value, number, MPFR_RNDN);
  }
  Real(const Real &other) : Real() { mpfr_set(value, other.value, MPFR_RNDN); }
  Real &operator=(const Real &other) {
    mpfr_set(value, other.value, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value); }

  double near() const { return mpfr_get_d(value, MPFR_RNDN); }
  bool isIn(const tilewright::reference::Permitted &set) const {
    return mpfr_cmp_d(value, set.least) >= 0 &&
           mpfr_cmp_d(value, set.greatest) <= 0;
  }
  double distanceFrom(double number) const {
    Real difference;
    mpfr_sub_d(difference.value, value, number, MPFR_RNDN);
    return std::fabs(difference.near());
  }

  mpfr_t value;
};

/// A tensor of a random program: a matrix, or one number for each of its rows.
struct ProgramTensor {
  std::string name, element;
  bool isMatrix;
  std::vector<Real> exact;

  std::string type() const {
    return std::string("tensor<") + (isMatrix ? "8x16x" : "8x") + element + ">";
  }
};

/// The shape of a matrix.
inline constexpr int kRows = 8, kColumns = 16;

/// A random program, written op by op with what it computes exactly.
class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed);

  std::string text() const;
  std::vector<ProgramTensor> results() const {
    return {tensors.begin() + 2, tensors.end()};
  }
  const std::vector<Array> &inputs() const { return arrays; }

private:
  void addInput(int number);
  void addOp();
  void addReduction();
  void addBroadcast();
  void addCast();
  const ProgramTensor &pick() { return tensors[random() % tensors.size()]; }
  /// Adds a line unless a result is too large to go on with.
  void add(const std::string &line, const std::string &type, bool isMatrix,
           std::vector<Real> exact);

  std::mt19937_64 random;
  std::string element, body;
  std::vector<ProgramTensor> tensors;
  std::vector<Array> arrays;
  int ops = 0, defined = 0, inits = 0;
};

} // namespace tilewright::graph::reference::test

#endif // TILEWRIGHT_TEST_GRAPH_REFERENCE_RANDOMPROGRAM_H
