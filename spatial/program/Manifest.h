// The parts of the reader of schedule packages.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_MANIFEST_H
#define TILEWRIGHT_SPATIAL_PROGRAM_MANIFEST_H

#include "runtime/abi/Json.h"
#include "spatial/program/Schedule.h"

namespace tilewright::spatial {

inline constexpr std::string_view scheduleFormat = "tilewright-schedule";
inline constexpr std::string_view manifestFile = "manifest.json";
inline constexpr std::string_view weightsFile = "weights.safetensors";
inline constexpr std::string_view layoutsFile = "layouts.safetensors";

/// What the manifest says, and what it says of files.
struct Manifest {
  /// All but layouts, instructions and the bytes of constants.
  Schedule schedule;
  /// "sha256:.." of the weights.
  std::string hash;
};

/// Reads a manifest's text, which errors call `name`.
StatusOr<Manifest> parseManifest(std::string_view text, std::string_view name);
/// The text of a manifest.
StatusOr<std::string> printManifest(const Schedule &schedule,
                                    const std::string &hash);

/// Checks that the elements of inputs and outputs lie exactly once in layouts
/// and placements, and that no two placements of inputs and constants share a
/// row. Layouts are there.
Status checkPlacements(const Schedule &schedule);

/// Letters, digits and underscores, at least one.
[[nodiscard]] bool isVectorName(std::string_view name);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_MANIFEST_H
