// Faults of a running kernel.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_FAULT_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_FAULT_H

#include "runtime/emulator/program/SpecialRegisters.h"
#include "runtime/emulator/ptx/Ast.h"
#include "tilewright/support/Export.h"
#include <string>

namespace tilewright::emulator {

enum class FaultCode : uint8_t {
  outOfBounds,
  misaligned,
  uninitialized,
  /// An access to what a copy writes, for which its thread has not waited.
  race,
  trap,
  /// No warp can go on.
  deadlock,
  /// The manual calls it undefined.
  undefinedBehavior,
  unsupported,
  /// More instructions than were allowed.
  limit,
  /// The host has no memory for it.
  resources,
};

/// Whether the kernel is at fault; limits of the emulator or of the machine are
/// no finding.
[[nodiscard]] TILEWRIGHT_PRIVATE_API bool isFinding(FaultCode code);

/// "out-of-bounds", as in reports.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string_view faultName(FaultCode code);

/// The first thing that went wrong, and where.
struct TILEWRIGHT_PRIVATE_API Fault {
  FaultCode code = FaultCode::trap;
  /// What happened: "ld.global of 4 bytes at 0x... ".
  std::string message;
  /// In the PTX text.
  ptx::Location at;
  /// The source location in `.loc`, if any; else no file.
  std::string sourceFile;
  uint32_t sourceLine = 0, sourceColumn = 0;
  std::string function;
  Dim3 block = {0, 0, 0};
  uint32_t warp = 0;
  uint32_t lane = 0;
  /// Of memory; 0 where it has to do with none.
  uint64_t address = 0;

  /// "in k, block 0,0,0, warp 1, lane 5".
  [[nodiscard]] std::string where() const;
  /// "12:3: out-of-bounds: ... (in k, block 0,0,0, warp 1, lane 5)".
  [[nodiscard]] std::string str() const;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_FAULT_H
