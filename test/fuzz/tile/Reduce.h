//===- Reduce.h - A faulty kernel made small --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_FUZZ_TILE_REDUCE_H
#define TILEWRIGHT_TEST_FUZZ_TILE_REDUCE_H

#include "CheckCase.h"

namespace tilewright::fuzz {

/// A case with fewer ops, smaller tiles and a simpler schedule in which the
/// first faulty run of `faulty` fails in the same way: it differs, crashes or
/// hangs. Each try is checked in a child.
CaseResult reduce(const CaseResult &faulty, const CheckOptions &options);

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_FUZZ_TILE_REDUCE_H
