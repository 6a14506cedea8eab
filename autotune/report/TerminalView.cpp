#include "autotune/report/TerminalView.h"

#include "autotune/report/Format.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::autotune {

/// "1.21 ms, default 2.23 ms, gain 1.84x"; what there is of it.
static std::string bestText(const RunProgress &progress) {
  if (progress.best <= 0)
    return "none yet";
  auto cost = [&](double value) {
    return progress.metric.empty() ? formatTime(value) : formatNumber(value);
  };
  std::string text = cost(progress.best);
  if (!progress.metric.empty())
    text += format(" ({})", {progress.metric});
  if (progress.defaultCost > 0)
    text += format(", default {}, gain {}",
                   {cost(progress.defaultCost),
                    formatRatio(progress.defaultCost / progress.best)});
  return text;
}

/// "[=======>            ]"
static std::string bar(const RunProgress &progress) {
  constexpr size_t cells = 20;
  double share = double(progress.done) / double(progress.planned);
  auto full = size_t(std::clamp(share, 0.0, 1.0) * cells);
  std::string text(full, '=');
  if (full < cells)
    text += ">";
  text.resize(cells, ' ');
  return format("[{}]", {text});
}

static std::string speedText(const RunProgress &progress) {
  std::string text;
  if (progress.seconds > 0) {
    text += format("{} trials/s, {} % measuring, ",
                   {formatNumber(double(progress.trials) / progress.seconds),
                    formatNumber(100 * progress.measuring / progress.seconds)});
  }
  text += formatDuration(progress.seconds);
  if (progress.secondsLeft >= 0)
    text += format(", {} left", {formatDuration(progress.secondsLeft)});
  return text;
}

std::vector<std::string> progressLines(const RunProgress &progress,
                                       size_t width) {
  std::string head =
      format("  task {} of {}  {}",
             {progress.taskNumber, progress.taskCount, progress.task});
  std::string trials = "  trials    " + formatCount(progress.done);
  if (progress.planned > 0)
    trials = format("  trials    {} {} of {}",
                    {bar(progress), formatCount(progress.done),
                     formatCount(progress.planned)});
  std::string rejected = joined(progress.rejected, ", ", [](const auto &entry) {
    return format("{} {}", {formatCount(entry.second), entry.first});
  });
  std::vector<std::string> lines = {head, trials,
                                    "  speed     " + speedText(progress),
                                    "  best      " + bestText(progress)};
  if (!progress.bestSchedule.empty())
    lines.push_back("            " + progress.bestSchedule);
  lines.push_back("  rejected  " + (rejected.empty() ? "none" : rejected));
  for (std::string &line : lines)
    line = oneLine(line, width);
  return lines;
}

std::string TerminalView::erase() {
  // Moves up by the lines that were drawn, and clears all below.
  std::string text;
  if (!drawn.empty())
    text = format("\033[{}A\r\033[J", {drawn.size()});
  drawn.clear();
  return text;
}

std::string TerminalView::update(const RunProgress &progress) {
  if (!isTerminal)
    return "";
  // A line that fills the last column may wrap to two.
  std::vector<std::string> lines =
      progressLines(progress, std::max<size_t>(width, 21) - 1);
  if (lines == drawn)
    return "";
  std::string text = erase();
  for (const std::string &line : lines)
    text += line + "\n";
  drawn = std::move(lines);
  return text;
}

std::string TerminalView::finishTask(const RunProgress &progress) {
  size_t rejected = 0;
  for (const auto &[reason, count] : progress.rejected)
    rejected += count;
  std::string line =
      format("  {}: {}; {}, {} rejected",
             {progress.task, bestText(progress),
              formatPlural(progress.done, "trial"), formatCount(rejected)});
  return format("{}{}\n", {erase(), oneLine(line, 400)});
}

std::string TerminalView::above(const std::string &text) {
  std::vector<std::string> lines = drawn;
  std::string out = erase() + text;
  for (const std::string &line : lines)
    out += line + "\n";
  drawn = std::move(lines);
  return out;
}

} // namespace tilewright::autotune
