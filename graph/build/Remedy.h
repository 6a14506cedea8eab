// What a user can do about a value that is not known at import.
#pragma once

#include "graph/build/GraphBuilder.h"

#include <optional>

namespace tilewright::build {

/// Fails because a tensor's elements are not known at import. The message lists
/// the model's inputs that they depend on.
LogicalResult failUnknown(GraphBuilder &b, const llvm::Twine &message,
                          const Tensor &tensor);
/// Notes that the host reads a tensor's elements: with the inputs of the model
/// that they depend on, they would be known at import.
void noteRead(GraphBuilder &b, const Tensor &tensor);
/// What ends a message about sizes that fixed shapes of inputs would make
/// constant: a line of options, each input once, with numbers in place of the
/// sizes that matter. Empty if inputs have none of them.
std::string sizeRemedy(const GraphBuilder &b, ArrayRef<Expr> sizes);
/// The options alone: "--input-shape x=1x? --input-shape y=?x64". All sizes
/// are `value`, if it is given.
std::string sizeOptions(const GraphBuilder &b, ArrayRef<Expr> sizes,
                        std::optional<int64_t> value = std::nullopt);

} // namespace tilewright::build
