// A large model as parts that are judged one by one, on real activations.
#pragma once

#include "library/model/ModelLevels.h"
#include "verify/validate/GivenInputs.h"
#include <string>
#include <vector>

namespace tilewright::verify {

/// A part of a model behind some of its passes, and what it reads in a run of
/// the model.
struct ModelPart {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  size_t position = 0;
  std::vector<runtime::HostTensor> inputs;
  /// The same for equal parts, whatever their constants.
  std::string key;
};

/// A kernel of the model.
struct KernelParts {
  /// As in the package.
  std::string kernel;
  /// The ops of the model from which it comes, before any pass; none if no op
  /// of the model has the location of its result.
  std::optional<ModelPart> source;
  /// Its group, behind the passes on the graph.
  std::optional<ModelPart> group;
  /// Of each input of the group which of the source it is, perhaps in another
  /// shape; none: an input of the model that the source does not read. Only if
  /// the group reads nothing else.
  std::optional<std::vector<std::optional<size_t>>> reads;
  /// Why one of them is not there.
  std::string reason;
};

struct ModelParts {
  std::vector<KernelParts> kernels;
  /// How many passes have run on the groups.
  size_t groupsAt = 0;
  std::vector<std::string> targets;
};

/// The inputs of a model in its order: those of these names, else normal
/// numbers and ones. Sizes that are open and have no name, or the same, are
/// equal. Errors: an input that the model does not have, or of another type or
/// shape.
StatusOr<std::vector<runtime::HostTensor>>
modelInputs(const std::shared_ptr<ModelLevels> &levels,
            const GivenInputs &given);

/// Takes a graph, which outlives its parts, apart. What these read is what the
/// compiled model computes from `inputs`. Errors: it is no graph; those of a
/// compilation; the model is not defined on the inputs.
StatusOr<ModelParts> takeApart(const std::shared_ptr<ModelLevels> &levels,
                               std::vector<runtime::HostTensor> inputs);

} // namespace tilewright::verify
