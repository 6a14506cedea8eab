// What a launch evaluates of a kernel's manifest.
#ifndef TILEWRIGHT_RUNTIME_CORE_LAUNCHFORMULAS_H
#define TILEWRIGHT_RUNTIME_CORE_LAUNCHFORMULAS_H

#include "runtime/abi/Formula.h"
#include "tilewright/manifest/KernelManifest.h"
#include "tilewright/runtime/Launch.h"

namespace tilewright::runtime {

/// The guards, the grid and the workspace of a manifest. Their names (argI,
/// argI.dimJ, argI.strideJ, device.multiprocessors) are positions in the values
/// of a launch. Immutable; safe to use from many threads.
class LaunchFormulas {
public:
  /// Parses the guards.
  explicit LaunchFormulas(const KernelManifest &manifest);

  struct Condition {
    Guard guard;
    Formula lhs, rhs;
    [[nodiscard]] bool isAboutAddresses() const {
      return guard.kind == Guard::Kind::aligned ||
             guard.kind == Guard::Kind::disjoint;
    }
  };
  /// The manifest's guards, in its order. Error: one does not parse.
  [[nodiscard]] const StatusOr<std::vector<Condition>> &conditions() const {
    return guards;
  }
  /// Whether a guard is about addresses.
  [[nodiscard]] bool asksAddresses() const { return hasAddressGuards; }
  /// Whether a guard, the grid or the workspace depends on a scalar.
  [[nodiscard]] bool asksScalars() const { return hasScalars; }
  [[nodiscard]] const std::vector<Formula> &grid() const { return sizes; }
  /// The bytes of the workspace, if there is one.
  [[nodiscard]] const std::optional<Formula> &workspace() const {
    return bytes;
  }

  /// The values of a launch. None if the arguments are not of the manifest's
  /// number, kinds and ranks. `strides` has those of each argument.
  [[nodiscard]] std::optional<std::vector<int64_t>>
  valuesOf(std::span<const LaunchArgument> arguments,
           std::span<const Shape> strides, int64_t multiprocessors) const;
  /// The position of the value of a name; none if the name is unknown.
  [[nodiscard]] std::optional<uint32_t> positionOf(std::string_view name) const;

private:
  /// Where the values of an argument begin: its word, or its dimensions and
  /// behind them its strides.
  struct Argument {
    uint32_t first;
    bool isView;
    uint32_t rank;
  };
  std::vector<Argument> arguments;
  uint32_t valueCount = 1;
  StatusOr<std::vector<Condition>> guards;
  bool hasAddressGuards = false;
  bool hasScalars = false;
  std::vector<Formula> sizes;
  std::optional<Formula> bytes;
};

/// Changes the addresses in a launch that was planned for `arguments` with
/// other addresses. Patches its words, and plans it again only if the guards on
/// addresses choose another variant now. After an error it must be planned
/// again.
Status changeAddresses(std::span<const std::shared_ptr<Kernel>> variants,
                       std::span<const LaunchArgument> arguments,
                       VariantPlan &launch);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_LAUNCHFORMULAS_H
