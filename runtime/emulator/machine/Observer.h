// Observers of a launch's execution: counters, checkers.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_OBSERVER_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_OBSERVER_H

#include "runtime/emulator/machine/Warp.h"

namespace tilewright::emulator {

/// The paths of data; counters have bytes for each.
enum class DataPath : uint8_t {
#define DATA_PATH(ENUMERATOR, NAME, MEANING) ENUMERATOR,
#include "runtime/emulator/machine/DataPaths.inc"
#undef DATA_PATH
};

/// Watches the warps that one host thread runs. The calls for one warp are in
/// the order of its execution, those for different warps in the scheduler's
/// order.
class Observer {
public:
  virtual ~Observer() = default;
  /// Before `instruction` runs for Warp::active (which is not empty): the
  /// registers still have its operands. A waiting instruction is reported
  /// again.
  virtual void begins(Warp &warp, const Instruction &instruction) = 0;
  /// `instruction` is done for `lanes` of Warp::group. None: its guard is false
  /// for all lanes, and it did not begin.
  virtual void ends(Warp &warp, const Instruction &instruction,
                    uint32_t lanes) = 0;
  /// `instruction`, which has begun, moves bytes asynchronously: by bulk and
  /// tensor copies, st.async and red.async. `address` is where they go in
  /// global memory or come from it; 0 where neither end is global.
  virtual void copies(Warp &warp, const Instruction &instruction, DataPath path,
                      uint64_t address, uint64_t bytes) = 0;
};

/// Called by such instructions, once for each contiguous piece.
inline void tellCopy(Warp &warp, const Instruction &instruction, DataPath path,
                     uint64_t address, uint64_t bytes) {
  if (warp.observer)
    warp.observer->copies(warp, instruction, path, address, bytes);
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_OBSERVER_H
