// The tuner's progress on a terminal.
#ifndef TILEWRIGHT_AUTOTUNE_REPORT_TERMINALVIEW_H
#define TILEWRIGHT_AUTOTUNE_REPORT_TERMINALVIEW_H

#include "tilewright/support/Export.h"
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::autotune {

/// What a run is at.
struct RunProgress {
  /// Its label, and which of how many it is, from 1.
  std::string task;
  size_t taskNumber = 1, taskCount = 1;
  /// Of this task; planned 0: limited by time alone.
  size_t done = 0, planned = 0;
  /// Of the run: trials, their time, and the part of it in launches.
  size_t trials = 0;
  double seconds = 0, measuring = 0;
  /// Until the run ends; negative where that is not known.
  double secondsLeft = -1;
  /// Of this task, in nanoseconds, or in the unit of `metric` for counters
  /// ("counters"). 0: none yet.
  double best = 0, defaultCost = 0;
  std::string metric;
  std::string bestSchedule;
  /// Why candidates were rejected, and how often, most frequent first.
  std::vector<std::pair<std::string, size_t>> rejected;
};

/// Formats progress as text. It counts the lines it drew, to draw over them;
/// the caller prints.
class TILEWRIGHT_PRIVATE_API TerminalView {
public:
  /// `isTerminal`: lines may be drawn over. `width`: its columns.
  explicit TerminalView(bool isTerminal, size_t width = 80)
      : isTerminal(isTerminal), width(width) {}

  /// What to print: on a terminal, lines that replace the previous ones;
  /// elsewhere nothing.
  [[nodiscard]] std::string update(const RunProgress &progress);
  /// What to print at the end of a task, also elsewhere: a final line, which on
  /// a terminal replaces the drawn ones.
  [[nodiscard]] std::string finishTask(const RunProgress &progress);
  /// `text` (with its line end) above the drawn lines, such as a warning.
  [[nodiscard]] std::string above(const std::string &text);

private:
  [[nodiscard]] std::string erase();
  bool isTerminal;
  size_t width;
  std::vector<std::string> drawn;
};

/// The lines of a view, each at most `width` wide.
[[nodiscard]] std::vector<std::string>
progressLines(const RunProgress &progress, size_t width);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_REPORT_TERMINALVIEW_H
