// Inputs of a program that a user gives by name.
#pragma once

#include "verify/validate/Program.h"
#include <map>

namespace tilewright::verify {

using GivenInputs = std::map<std::string, runtime::HostTensor>;

/// Errors: the program has no input of such a name.
Status checkNames(const Program &program, const GivenInputs &given);

/// A tensor as the input of that port. The integers of a file that cannot say
/// bf16 are the bits of the port's type. Errors: type or shape do not fit.
StatusOr<runtime::HostTensor> givenInput(const Program &program,
                                         const Port &port,
                                         const runtime::HostTensor &tensor);

} // namespace tilewright::verify
