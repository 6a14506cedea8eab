// Which schedule a kernel of a compilation has.
#ifndef TILEWRIGHT_LIBRARY_MODEL_SCHEDULECHOICE_H
#define TILEWRIGHT_LIBRARY_MODEL_SCHEDULECHOICE_H

#include "graph/lowering/LowerGraph.h"
#include "library/model/CompileModel.h"

namespace tilewright {

/// What is taken for a kernel, if anything is: what is chosen for it, or what
/// all kernels have.
std::optional<ChosenSchedule> takenFor(const KernelToSchedule &kernel,
                                       const CompileModelOptions &options);

/// A schedule in two parts: the tunables (the cut of a group), and the rest.
/// Errors: it cannot be read.
StatusOr<graph::GroupChoice> splitSchedule(const ChosenSchedule &chosen,
                                           bool isCpu);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_SCHEDULECHOICE_H
