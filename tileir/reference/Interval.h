// Arithmetic on doubles with results that are rounded to one side.
#pragma once

#include <limits>

namespace tilewright::reference {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The greatest double that is at most the exact sum, and the least one that is
/// at least it. Likewise below. Infinite operands are numbers here: the caller
/// knows whether a sum of both infinities or 0 * inf may happen.
double addDown(double a, double b);
double addUp(double a, double b);
/// 0 * inf is 0.
double multiplyDown(double a, double b);
double multiplyUp(double a, double b);
/// `b` is not 0; inf / inf is 0.
double divideDown(double a, double b);
double divideUp(double a, double b);
/// The neighbours; an infinity stays.
double nextDown(double x);
double nextUp(double x);
/// The greatest power of two of which a finite number is a multiple.
double powerOfTwoIn(double number);
/// Further by some units in the last place: for functions of the host's
/// library, which are close to exact.
double looselyDown(double x);
double looselyUp(double x);

/// The exact sum of finite doubles, as a double and what it lacks.
class ExactSum {
public:
  void add(double term);
  /// Of at most two terms, their sum rounded to nearest.
  double nearest() const { return total; }
  double down() const { return addDown(addDown(total, rest), -slack()); }
  double up() const { return addUp(addUp(total, rest), slack()); }

private:
  /// What adding up the rests may have lost.
  double slack() const {
    return lostSize == 0 ? 0 : multiplyUp(lostSize, count * 0x1p-52);
  }

  double total = 0, rest = 0, lostSize = 0, count = 0;
};

} // namespace tilewright::reference
