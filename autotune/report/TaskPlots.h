// The plots of one task's trials; private to this folder's sources and tests.
#ifndef TILEWRIGHT_AUTOTUNE_REPORT_TASKPLOTS_H
#define TILEWRIGHT_AUTOTUNE_REPORT_TASKPLOTS_H

#include "autotune/report/Summary.h"
#include "support/Markup.h"

namespace tilewright::autotune {

/// A plot, or why there is none.
struct Figure {
  std::string caption;
  /// An <svg> element; empty where there is nothing to draw.
  markup::Markup svg;
  /// What the plot shows, or what is missing, in a line of plain text.
  std::string note;
};

/// Plots show each trial with a number that this divides, and the best: more
/// dots than a thousand only make a page slow.
[[nodiscard]] size_t plotStride(const TaskSummary &summary);

/// Cost against each parameter of the schedules that has several values.
[[nodiscard]] std::vector<Figure> parameterFigures(const TaskSummary &summary);
/// The best cost so far, by trials and by time.
[[nodiscard]] std::vector<Figure>
convergenceFigures(const TaskSummary &summary);
/// Operations a second over operations a byte, under what the machine can do:
/// the members flops, bytes, peak_flops (a second) and peak_bytes (a second)
/// of `terms`.
[[nodiscard]] Figure rooflineFigure(const TaskSummary &summary);
/// The model against the measurements.
[[nodiscard]] Figure modelFigure(const TaskSummary &summary);

/// Spearman's rank correlation; equal values share their ranks' mean. None for
/// less than three pairs, or where one side is all the same.
[[nodiscard]] std::optional<double>
rankCorrelation(std::span<const std::pair<double, double>> pairs);

/// The words `key=value` of a schedule's text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
parametersOf(const std::string &schedule);

/// The CSS class of a verdict: "ok", "wrong", ..
[[nodiscard]] std::string_view verdictClass(Verdict verdict);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_REPORT_TASKPLOTS_H
