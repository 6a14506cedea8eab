// What must hold of the steps of a package; private to this folder's sources.
#ifndef TILEWRIGHT_RUNTIME_ABI_STEPVALIDATION_H
#define TILEWRIGHT_RUNTIME_ABI_STEPVALIDATION_H

#include "tilewright/manifest/PackageManifest.h"
#include <set>

namespace tilewright::runtime {

/// Names of symbols.
using SymbolNames = std::set<std::string>;

/// An error where `expression` has a name that is not in `known`.
Status checkNames(const Expression &expression, const SymbolNames &known,
                  const std::string &where);
Status checkNames(const std::vector<Expression> &list, const SymbolNames &known,
                  const std::string &where);

/// Adds the symbols that steps bind to `names`, at any place. Errors: lists
/// that are nested too deep, a name that is there already, or is none.
Status collectStepSymbols(const std::vector<StepManifest> &steps,
                          SymbolNames &names,
                          const std::string &where = "steps");

/// Checks the steps of a package whose interface, buffers and kernels are
/// right. `known` are the symbols that inputs bind; those that the first list
/// binds are added.
Status validateSteps(const PackageManifest &package, SymbolNames &known);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ABI_STEPVALIDATION_H
