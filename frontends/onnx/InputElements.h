// What callers say of inputs that are sequences or optional values.
#pragma once

#include "frontends/onnx/Import.h"

#include <optional>

namespace tilewright::onnx {

/// The name of an element of an input or output that is a sequence: "x[0]".
std::string elementName(llvm::StringRef sequence, int64_t index);

/// The name under which callers give the number of its elements: "x[]".
std::string lengthName(llvm::StringRef name);

/// The number of elements of a sequence, if anything is said of it: a shape
/// called "x[]" is that number, and shapes and values called "x[3]" need four.
StatusOr<std::optional<int64_t>> givenLength(const ImportOptions &options,
                                             llvm::StringRef sequence);

/// Whether an optional tensor is there: its shape or value is given, or a shape
/// called "x[]" is 1.
StatusOr<bool> isInputGiven(const ImportOptions &options, llvm::StringRef name);

} // namespace tilewright::onnx
