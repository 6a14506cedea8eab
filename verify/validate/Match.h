// Which tensors of two programs belong together.
#pragma once

#include "verify/validate/Program.h"
#include <optional>

namespace tilewright::verify {

/// For each input and output of a program the one of another program.
struct Match {
  /// Of each input of `after`: the input of `before`.
  std::vector<std::optional<size_t>> inputs;
  /// Of each input of `after` without one: the output of `before` that has its
  /// shape. A kernel takes memory that it only writes as an input, too, where
  /// nothing else says how large it is.
  std::vector<std::optional<size_t>> memory;
  /// Of each output of `before`: the output of `after`.
  std::vector<size_t> outputs;
};

/// Matches by name, and what is left by position. Errors: numbers, types or
/// ranks differ; both signatures are shown.
StatusOr<Match> matchPrograms(const Program &before, const Program &after);

/// The inputs of `after` for those of `before`, whose run has come to
/// `outputs`; memory that is only written is filled with ones.
StatusOr<std::vector<runtime::HostTensor>>
inputsOf(const Program &after, const Match &match,
         std::span<const runtime::HostTensor> inputs,
         std::span<const runtime::HostTensor> outputs);

} // namespace tilewright::verify
