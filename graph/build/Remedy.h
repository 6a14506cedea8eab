// What a user can do about a value that is not known at import.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// Fails because a tensor's elements are not known at import. The message lists
/// the model's inputs that they depend on.
LogicalResult failUnknown(GraphBuilder &b, const llvm::Twine &message,
                          const Tensor &tensor);
/// The same for a size that a fixed shape would make constant.
std::string sizeRemedy(const GraphBuilder &b, Expr size);

} // namespace tilewright::build
