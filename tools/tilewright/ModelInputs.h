//===- ModelInputs.h - The inputs of a model to run -------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_MODELINPUTS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_MODELINPUTS_H

#include "tilewright/runtime/Model.h"
#include "tools/tilewright/Compiler.h"

namespace tilewright::tool {

/// The command line's values of a model's inputs, by name.
struct UserInputs {
  RunInputs data;
  /// The files of the tensors, for messages.
  std::map<std::string, std::string> files;
  /// As they were written.
  std::map<std::string, std::string> scalars;
};

/// Whether a name is that of the number of elements of an input: "x[]".
bool isLength(const std::string &name);

/// Sets all inputs; those that are not given are random by `seed`. Returns
/// whether there are such. Errors: a name of no input, a value that does not
/// fit, none and no shape for a random one.
StatusOr<bool> setInputs(runtime::Session &session, const UserInputs &given,
                         uint64_t seed);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_MODELINPUTS_H
