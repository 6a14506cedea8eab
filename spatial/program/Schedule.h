// A schedule package, X.tws: what each unit of each chip does in each cycle.
// docs/spatial.md defines the files.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_SCHEDULE_H
#define TILEWRIGHT_SPATIAL_PROGRAM_SCHEDULE_H

#include "spatial/program/Instruction.h"
#include "tilewright/runtime/Safetensors.h"
#include <map>
#include <memory>
#include <span>
#include <string>

namespace tilewright::spatial {

/// Vectors with one name and type: NAME[0], NAME[1], ..
struct Value {
  std::string name;
  DType dtype = DType::F32;
  int64_t vectors = 0;
  /// The node of the model that computes it, or empty. For reports.
  std::string node = {};
};

/// An input or output of the model.
struct Interface {
  std::string name;
  /// Of the model; a value that holds i64 is of i32.
  DType dtype = DType::F32;
  runtime::Shape shape;
  /// Index in Schedule::values.
  uint32_t value = 0;
  /// For each vector and lane, [vectors, lanes], the row-major number of the
  /// element there, or -1.
  std::vector<int32_t> layout;
};

/// Rows that hold vectors of a constant or an input before cycle 0, or of an
/// output at the end.
struct Placement {
  uint32_t value = 0;
  /// Vectors `vector`, + `step`, ..: `count` of them, one plane of each.
  int64_t vector = 0, count = 1, step = 1;
  int64_t plane = 0;
  int64_t chip = 0;
  /// A bank.
  Queue bank;
  /// They lie in rows `row`, + `stride`, ..
  int64_t row = 0, stride = 1;
};

/// For each lane of a result a lane of the operand, `lanes` + it for the second
/// operand, or -1 for zero.
struct LaneMap {
  std::string name;
  std::vector<int32_t> lanes;
};

/// Rows of a constant as they lie in memory: [vectors, planes, lanes x
/// stream_bytes].
using ConstantBytes = std::span<const std::byte>;

/// A package, in memory. Reading checks all that can be said of single lines
/// and entries: names, types, counts and the sizes of data. Whether the machine
/// has what a line names is a finding of simulator and verifier (`capacity`).
struct Schedule {
  Machine machine;
  int64_t chips = 1, cycles = 0, interval = 0;
  std::vector<Value> values;
  std::vector<Interface> inputs, outputs;
  /// Indices in `values`.
  std::vector<uint32_t> constants;
  std::vector<Placement> placements;
  std::vector<LaneMap> maps;
  /// By chip: its lines, in the order of the file.
  std::vector<std::vector<Instruction>> instructions;
  /// By chip: the name of the file, for findings.
  std::vector<std::string> files;
  /// One for each of `constants`. `storage` keeps them alive.
  std::vector<ConstantBytes> constantBytes;
  std::shared_ptr<const void> storage;
};

/// Reads the folder X.tws. The error names the file and line, what is expected
/// and what was found.
TILEWRIGHT_PRIVATE_API StatusOr<Schedule>
readSchedule(const std::filesystem::path &folder);

/// Writes the folder, which must not exist or be a schedule package, which is
/// replaced. On failure nothing is left of the new one.
TILEWRIGHT_PRIVATE_API Status
writeSchedule(const Schedule &schedule, const std::filesystem::path &folder);

/// Whether `path` is a schedule package: its name ends in .tws, or it is a
/// folder whose manifest says so.
[[nodiscard]] TILEWRIGHT_PRIVATE_API bool
isSchedule(const std::filesystem::path &path);

/// "@4 u0.p0.w load w0,w1:wt[0+2] -> buffer 0 row 0+2 *2/1": a line without its
/// end.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
printInstruction(const Schedule &schedule, const Instruction &instruction);
/// "u0.p0.w".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string printQueue(const Queue &queue);

/// The order of lines in a file: by cycle, then by queue as text; equal ones
/// stay as they are. Indices in `instructions`.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::vector<uint32_t>
lineOrder(std::span<const Instruction> instructions);
/// "wt[2]".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
printName(const Schedule &schedule, uint32_t value, int64_t index);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_SCHEDULE_H
