//===- Reduce.h - A faulty kernel made small --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_FUZZ_TILE_REDUCE_H
#define TILEWRIGHT_TEST_FUZZ_TILE_REDUCE_H

#include "Judge.h"

namespace tilewright::fuzz {

/// A case with fewer ops, smaller tiles and a simpler schedule in which the
/// first faulty run of `faulty` fails in the same way: it differs, crashes or
/// hangs. Each try is judged in a child.
Judgement reduce(const Judgement &faulty, const JudgeOptions &options);

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_FUZZ_TILE_REDUCE_H
