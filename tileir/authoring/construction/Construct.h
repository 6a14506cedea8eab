// Builds a whole kernel. Not for users.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_CONSTRUCT_H
#define TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_CONSTRUCT_H

#include "tileir/authoring/construction/KernelBuilder.h"

namespace tilewright::authoring {

/// Declares the kernel, runs the user's function in it, then checks and
/// canonicalizes all of it. `where` is its declaration. Errors: the first of
/// the builder's diagnostics.
Status construct(KernelBuilder &c, const std::string &name,
                 const std::vector<detail::ParameterType> &parameters,
                 const detail::KernelBody &body,
                 const std::source_location &where);

} // namespace tilewright::authoring

#endif // TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_CONSTRUCT_H
