// A machine whose compiler decides what each unit does in each cycle.
// docs/spatial.md defines the file and what the machine does (M1 to M12).
#ifndef TILEWRIGHT_SPATIAL_MACHINE_MACHINE_H
#define TILEWRIGHT_SPATIAL_MACHINE_MACHINE_H

#include "spatial/machine/AluOps.h"
#include "spatial/machine/ValueTypes.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::spatial {

/// Where a number of a machine file comes from, best first.
enum class Grade : uint8_t { published, second, measured, derived, assumed };
/// "public", "second", "measured", "derived" or "assumed".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string_view gradeName(Grade grade);
[[nodiscard]] std::optional<Grade> gradeFromName(std::string_view name);

/// A number of a machine file, other than those of a list of links.
struct GradedNumber {
  /// "mxm.delay", "units[0].links".
  std::string path;
  double value = 0;
  Grade grade = Grade::assumed;
  /// Empty where the file gives none.
  std::string source;
};

enum class UnitKind : uint8_t { mem, mxm, vxm, sxm, c2c };
/// "mem", "mxm", ..
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string_view unitName(UnitKind kind);
[[nodiscard]] std::optional<UnitKind> unitFromName(std::string_view name);

/// The unit at one position.
struct Unit {
  UnitKind kind = UnitKind::mem;
  /// Of a c2c: how many links, and the number of the first (counted over all
  /// c2c of the chip, from west to east).
  int64_t links = 0, firstLink = 0;
};

/// One end of a link.
struct LinkEnd {
  int64_t chip = 0, link = 0;
  friend auto operator<=>(const LinkEnd &, const LinkEnd &) = default;
};

enum class Direction : uint8_t { east, west };

/// A machine file. Read machines are consistent: all limits of the file's
/// format hold.
struct Machine {
  std::string name;
  double clockHz = 0;
  int64_t lanes = 0, streamBytes = 0;
  /// How many streams flow east and west.
  std::array<int64_t, 2> streams = {};
  /// By position, from west to east.
  std::vector<Unit> units;

  struct Mem {
    int64_t banks = 0, rows = 0;
    int64_t readDelay = 0, writeDelay = 0, indexedDelay = 0;
  } mem;
  struct Mxm {
    int64_t planes = 0, rows = 0, columns = 0, buffers = 0, loadStreams = 0;
    int64_t delay = 0, accumulators = 0;
    /// Passes of a product, for each type that the planes multiply.
    std::map<DType, int64_t> passes;
  } mxm;
  struct Vxm {
    int64_t alus = 0, defaultDelay = 0;
    /// Those that the file names.
    std::map<DelayClass, int64_t> delays;
  } vxm;
  struct Sxm {
    int64_t ports = 0, delay = 0, transpose = 0;
  };
  std::optional<Sxm> sxm;
  struct Link {
    int64_t vectorCycles = 0, latency = 0, guard = 0;
  };
  std::optional<Link> link;

  /// The most chips that there are.
  int64_t chips = 1;
  /// The other end of each link that leads somewhere, for all chips; both
  /// directions are there.
  std::map<LinkEnd, LinkEnd> links;

  /// All numbers with their grades, in the order of docs/spatial.md.
  std::vector<GradedNumber> numbers;
  /// The file's text, for schedules, which hold it in full.
  std::string text;

  /// Cycles from an operation's begin to its result.
  [[nodiscard]] int64_t delayOf(AluOp op) const {
    auto found = vxm.delays.find(delayClass(op));
    return found == vxm.delays.end() ? vxm.defaultDelay : found->second;
  }
  /// How many planes a vector of this type has: ceil(bytes / streamBytes).
  [[nodiscard]] int64_t planesOf(DType type) const {
    auto bytes = static_cast<int64_t>(runtime::dtypeBytes(type));
    return (bytes + streamBytes - 1) / streamBytes;
  }
  [[nodiscard]] int64_t rowBytes() const { return lanes * streamBytes; }
  /// Positions of the units of a kind, from west to east.
  [[nodiscard]] TILEWRIGHT_PRIVATE_API std::vector<int64_t>
  positionsOf(UnitKind kind) const;
  /// How many numbers have the grade "assumed".
  [[nodiscard]] TILEWRIGHT_PRIVATE_API int64_t assumedNumbers() const;
};

/// Reads a machine file. The error names the file, the key, what is expected
/// and what was found; unknown keys are errors.
TILEWRIGHT_PRIVATE_API StatusOr<Machine>
readMachine(const std::filesystem::path &file);
/// The same of a text; `name` is what errors call it.
TILEWRIGHT_PRIVATE_API StatusOr<Machine> parseMachine(std::string_view text,
                                                      std::string_view name);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_MACHINE_MACHINE_H
