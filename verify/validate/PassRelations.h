// What passes keep of a program's meaning.
#pragma once

#include "tilewright/compiler/Plugins.h"
#include "verify/validate/Relation.h"
#include <string>

namespace tilewright::verify {

/// The relation that the pass of that flag declares: in Passes.td
/// (support/Relations.td), or in the plug-in that it is of, if any. What
/// declares none is exact: passes of MLIR, for instance.
Relation passRelation(std::string_view pass, const Plugins *plugins);

/// Whether it is a pass of a plug-in that declares no relation.
bool declaresNone(std::string_view pass, const Plugins *plugins);

/// The relation that two passes one behind the other keep.
Relation combine(const Relation &first, const Relation &second);

} // namespace tilewright::verify
