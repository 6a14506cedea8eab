// Values of an exported graph. Views share memory with what they are views of,
// and operators may write to them; in the IR, tensors are values. So each view
// knows how it is read from its base, and how the base follows from it.
#pragma once

#include "frontends/torch/Build.h"

#include <functional>

namespace tilewright::torch {

/// How a tensor is a view of another one.
struct View {
  /// The view of a base.
  std::function<FailureOr<Tensor>(const Tensor &base)> read;
  /// The base with other elements where the view is. Null if it cannot be
  /// written through.
  std::function<FailureOr<Tensor>(const Tensor &base, const Tensor &value)>
      write;
};

/// A value of the graph and its memory.
struct Slot {
  Tensor tensor;
  /// What this is a view of; null if it has memory of its own.
  std::shared_ptr<Slot> base;
  View view;
  /// How often the memory had been written to when `tensor` was computed.
  int64_t seen = 0;
  /// Of a slot without a base: how often it was written to.
  int64_t writes = 0;
};

/// A slot with memory of its own.
std::shared_ptr<Slot> makeSlot(Tensor tensor);
/// A view of a slot.
FailureOr<std::shared_ptr<Slot>> makeView(const std::shared_ptr<Slot> &base,
                                          View view);
/// The elements that a slot has now.
FailureOr<Tensor> readSlot(Slot &slot);
/// Writes elements to a slot, and so to all that share its memory. Fails if
/// that is not supported.
LogicalResult writeSlot(GraphBuilder &b, Slot &slot, const Tensor &value);

} // namespace tilewright::torch
