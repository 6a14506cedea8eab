// One session whose conditions and sizes change from run to run.
#ifndef TILEWRIGHT_TEST_RUNTIME_CHANGINGSESSION_H
#define TILEWRIGHT_TEST_RUNTIME_CHANGINGSESSION_H

#include "StepPackages.h"
#include <random>

namespace tilewright::runtime {

/// A package over x: f32[N], c: bool and n: f32[M], with a state s: f32[4].
///   taken = the K positive elements of x, and two more;
///   c: taken[0] = sum of x, s = 2 s + bias, of S = K + 1 elements;
///   else taken[K] = sum of x, s = bias - s, of S = K;
///   M times: taken grows by its sum, s = bias; if that sum is less than 50,
///     taken[0] = its sum, else p = p + bias, which begins as s and swaps;
///   while the sum of p is less than 100: p = p + bias.
/// What the branch and the first loop change is changed in place. y is what
/// was taken, z is p.
PackageManifest changingPackage();

/// The same on vectors.
struct ChangingOracle {
  void run(const std::vector<float> &x, bool c, int64_t count);
  std::vector<float> s = testBias(), y, z;
};

/// Runs a session of it often, and checks each result. Some runs fail: more
/// than `mostPositive` elements of x are positive.
void checkChangingSession(Session &session, unsigned runs);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_RUNTIME_CHANGINGSESSION_H
