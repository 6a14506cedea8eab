// Plots as SVG: axes with round ticks, points, lines.
#ifndef TILEWRIGHT_AUTOTUNE_REPORT_PLOT_H
#define TILEWRIGHT_AUTOTUNE_REPORT_PLOT_H

#include "support/Svg.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::autotune {

/// One axis: which values it shows, and where it has ticks.
struct Axis {
  struct Tick {
    double value = 0;
    std::string label;
  };
  /// The quantity with its unit: "time (us)". Empty: a caption has it.
  std::string label;
  bool isLog = false;
  double low = 0, high = 1;
  std::vector<Tick> ticks;

  /// The position of `value`: 0 at `low`, 1 at `high`, clamped.
  [[nodiscard]] double position(double value) const;

  /// Shows `low` to `high` with some room at both ends, at ticks of 1, 2 or 5
  /// times a power of ten. Values are divided by `unit` for the labels.
  static Axis numbers(std::string label, double low, double high,
                      bool isLog = false, double unit = 1);
  /// Nanoseconds, in the unit that fits; logarithmic from a range of 6 on.
  static Axis times(const std::string &label, double low, double high);
  /// The values 0, 1, .. with these names.
  static Axis names(std::string label, const std::vector<std::string> &names);
};

class Plot {
public:
  Plot(std::string title, Axis x, Axis y, int width = 460, int height = 290)
      : title(std::move(title)), x(std::move(x)), y(std::move(y)), width(width),
        height(height) {}

  /// A dot of the CSS class `kind`; `tip` is shown where the pointer rests.
  void point(double atX, double atY, std::string_view kind,
             const std::string &tip);
  /// A ring around a position, and a word next to it.
  void mark(double atX, double atY, std::string_view kind,
            const std::string &word);
  /// A dot in a lane above the plot, of what has no value.
  void outside(double atX, std::string_view kind, const std::string &tip);
  /// What the lane above is called; without a name there is none.
  void nameLane(std::string name) { lane = std::move(name); }
  void line(const std::vector<std::pair<double, double>> &points,
            std::string_view kind);

  /// A whole <svg> element.
  [[nodiscard]] markup::Markup svg() const;

private:
  [[nodiscard]] double left() const { return 58; }
  [[nodiscard]] double right() const { return width - 14; }
  [[nodiscard]] double top() const { return lane.empty() ? 12 : 34; }
  [[nodiscard]] double bottom() const {
    return height - (x.label.empty() ? 26 : 44);
  }
  [[nodiscard]] double atX(double value) const;
  [[nodiscard]] double atY(double value) const;
  [[nodiscard]] markup::Markup frame() const;
  [[nodiscard]] markup::Markup xAxis() const;
  [[nodiscard]] markup::Markup yAxis() const;

  /// What is drawn, in order; of values, because the lane moves the top.
  struct Shape {
    enum class Type { point, mark, outside, line } type;
    std::vector<std::pair<double, double>> points;
    std::string kind, text;
  };
  [[nodiscard]] markup::Markup draw(const Shape &shape) const;

  std::string title;
  Axis x, y;
  int width, height;
  std::string lane;
  std::vector<Shape> shapes;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_REPORT_PLOT_H
