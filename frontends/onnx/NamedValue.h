// What a name of the model stands for: more than tensors.
#pragma once

#include "frontends/onnx/Build.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace tilewright::onnx {

/// Sequences have at most this many elements: each is a tensor of its own in
/// the graph.
inline constexpr int64_t maximumElements = 1024;

/// A list of tensors of one element type. It exists during import only: nodes
/// that make, change or read one are evaluated, and the IR has its elements.
struct SequenceInfo {
  Element element;
  llvm::SmallVector<Tensor> tensors;

  int64_t size() const { return std::ssize(tensors); }
};

/// Shared, and never changed after it was made.
using Sequence = std::shared_ptr<const SequenceInfo>;

/// A tensor, or a sequence, or neither: an optional value without an element,
/// such as an input that the call of a function omits. An optional value that
/// has an element is that element.
struct NamedValue {
  NamedValue() = default;
  NamedValue(Tensor tensor) : tensor(std::move(tensor)) {}
  NamedValue(Sequence sequence) : sequence(std::move(sequence)) {}

  bool isAbsent() const { return !tensor && !sequence; }

  Tensor tensor;
  Sequence sequence;
};

} // namespace tilewright::onnx
