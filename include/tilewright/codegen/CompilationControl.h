//===- CompilationControl.h - What ends a compilation early -----*- C++ -*-===//
//
// A compilation that is controlled tells at each step what it does, and ends
// where it passed a limit or its caller gave it up. Includes neither LLVM nor
// MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_COMPILATIONCONTROL_H
#define TILEWRIGHT_CODEGEN_COMPILATIONCONTROL_H

#include "tilewright/support/Export.h"
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Limits of one compilation of a kernel; std::nullopt: none.
struct Budget {
  /// From the moment a thread takes up the request to the finished image, by
  /// the steady clock; waiting in a queue does not count. Looked at before each
  /// pass, rewrite and op that is lowered. LLVM's instruction selection and
  /// register allocation of one kernel are not interrupted, but are cut short:
  /// the optional passes among them are left out once the limit is passed.
  std::optional<std::chrono::milliseconds> time;
  /// Bytes of the IR of the kernel at hand: its ops (in LLVM IR instructions)
  /// with their operands, results and blocks, by the sizes of these objects;
  /// not types and constants, which a context shares, nor what a pass holds
  /// besides, nor machine code. Counted before each pass, of LLVM's before
  /// every sixteenth, so that it depends on the request alone and never on the
  /// machine.
  std::optional<int64_t> memory = defaultMemory;
  /// Instructions of LLVM IR; counted after translation and before every
  /// sixteenth pass of LLVM. For a GPU one on vectors counts once for each
  /// element: code generation takes it apart.
  std::optional<int64_t> llvmIr = defaultLlvmIr;

  static constexpr int64_t defaultMemory = int64_t(1) << 30;
  static constexpr int64_t defaultLlvmIr = 1'000'000;
};

/// Whether one of LLVM's optional passes runs: "instcombine" on the function,
/// loop or module `where`.
using LlvmPassFilter =
    std::function<bool(std::string_view pass, std::string_view where)>;

/// How long one phase of a compilation took.
struct PhaseTime {
  std::string name;
  double milliseconds = 0;
};

/// Why a compilation was ended.
struct Stop {
  enum class Reason : uint8_t { time, memory, llvmIr, cancelled };
  Reason reason = Reason::cancelled;
  /// What was running: "pass 'cse'", "phase 'parse'".
  std::string where;
  /// In milliseconds, bytes or instructions; 0 of one that was cancelled.
  int64_t limit = 0, used = 0;
};

/// "pass 'cse' of kernel 'k' passed the limit of 50 ms (61 ms)", and what to do
/// about it; `kernel` may be empty.
TILEWRIGHT_API std::string describe(const Stop &stop, std::string_view kernel);

/// The state of one compilation. Once stopped, it stays so, and what the
/// compilation makes from there on is worth nothing. Its passes may run on
/// several threads, all of which may begin passes and ask whether to go on;
/// phases begin, and are read, on one.
class TILEWRIGHT_API CompilationControl {
public:
  explicit CompilationControl(const Budget &budget = {},
                              std::stop_token token = {});

  /// Ends the phase before and begins another.
  void beginPhase(std::string_view name);
  /// Ends the last phase.
  void finish();
  /// Says which pass runs from now on, of several threads' the last one that
  /// began. Returns whether to go on.
  bool beginPass(std::string_view name);

  /// Whether to go on. Looks at the clock and at the caller's request.
  bool goOn();
  /// Whether to go on with so many bytes or instructions of IR.
  bool allowMemory(int64_t bytes);
  bool allowLlvmIr(int64_t instructions);
  /// Whether anybody wants to know how large IR is.
  [[nodiscard]] bool countsMemory() const { return bool(budget.memory); }
  [[nodiscard]] bool countsLlvmIr() const { return bool(budget.llvmIr); }

  [[nodiscard]] bool stopped() const;
  /// Why it ended; only of one that is stopped.
  [[nodiscard]] const Stop &stop() const { return *reasonToStop; }
  [[nodiscard]] const std::vector<PhaseTime> &phases() const { return times; }

private:
  using Clock = std::chrono::steady_clock;
  // These with `mutex` locked.
  bool goOnLocked();
  bool allow(Stop::Reason reason, const std::optional<int64_t> &limit,
             int64_t used);
  bool reject(Stop::Reason reason, int64_t limit, int64_t used);

  /// Of the pass and the reason to stop.
  mutable std::mutex mutex;
  Budget budget;
  std::stop_token token;
  Clock::time_point start, phaseStart;
  std::string phase, pass;
  std::optional<Stop> reasonToStop;
  std::vector<PhaseTime> times;
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_COMPILATIONCONTROL_H
