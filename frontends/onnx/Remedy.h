// What a user can do about a value that is not known at import.
#pragma once

#include "frontends/onnx/GraphBuilder.h"

namespace tilewright::onnx {

/// Fails because a tensor's elements are not known at import. The message
/// names the model's inputs that they come from.
LogicalResult failUnknown(GraphBuilder &b, const llvm::Twine &message,
                          const Tensor &tensor);
/// The same for a size, which a fixed shape makes a number.
std::string sizeRemedy(const GraphBuilder &b, Expr size);

} // namespace tilewright::onnx
