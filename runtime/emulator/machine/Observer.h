// Who is told what a launch executes: counters, checkers.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_OBSERVER_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_OBSERVER_H

#include "runtime/emulator/machine/Warp.h"

namespace tilewright::emulator {

/// The ways that data take; counters give bytes for each.
enum class DataPath : uint8_t {
#define DATA_PATH(ENUMERATOR, NAME, MEANING) ENUMERATOR,
#include "runtime/emulator/machine/DataPaths.inc"
#undef DATA_PATH
};

/// Watches the warps that one host thread runs. The calls for one warp come in
/// the order of its execution, those for different warps as the scheduler
/// takes turns.
class Observer {
public:
  virtual ~Observer() = default;
  /// Before `instruction` runs for Warp::active (which is not empty): the
  /// registers still hold its operands. An instruction that waits comes again.
  virtual void begins(Warp &warp, const Instruction &instruction) = 0;
  /// `instruction` is done for `lanes` of Warp::group. None: its guard holds
  /// for no lane, and it did not begin.
  virtual void ends(Warp &warp, const Instruction &instruction,
                    uint32_t lanes) = 0;
  /// `instruction`, which has begun, moves bytes asynchronously: by bulk and
  /// tensor copies, st.async and red.async. `address` is where they go in
  /// global memory or come from it; 0 where neither end is global.
  virtual void copies(Warp &warp, const Instruction &instruction, DataPath path,
                      uint64_t address, uint64_t bytes) = 0;
};

/// To be called by such instructions, once for each piece that lies together.
inline void tellCopy(Warp &warp, const Instruction &instruction, DataPath path,
                     uint64_t address, uint64_t bytes) {
  if (warp.observer)
    warp.observer->copies(warp, instruction, path, address, bytes);
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_OBSERVER_H
