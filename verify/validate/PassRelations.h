// What passes keep of a program's meaning.
#pragma once

#include "verify/validate/Relation.h"
#include <string>

namespace tilewright::verify {

/// The relation that the pass of that flag of tilewright-opt declares
/// (support/Relations.td). Passes of MLIR, and those of plug-ins, which declare
/// none, are exact.
Relation passRelation(std::string_view pass);

/// The relation that two passes one behind the other keep.
Relation combine(const Relation &first, const Relation &second);

} // namespace tilewright::verify
