#include "autotune/report/Plot.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewright::autotune {

std::string escapeMarkup(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      bool isControl = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
      out += isControl ? ' ' : c;
    }
  }
  return out;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// "0.5", "200", "1e+06".
static std::string tickText(double value) {
  char buffer[40];
  // What a sum of steps leaves of zero is no tick of its own.
  auto end = std::to_chars(buffer, buffer + sizeof buffer,
                           std::abs(value) < 1e-12 ? 0.0 : value,
                           std::chars_format::general, 6);
  return {buffer, end.ptr};
}

double Axis::place(double value) const {
  double share =
      isLog ? std::log(std::max(value, low) / low) / std::log(high / low)
            : (value - low) / (high - low);
  return std::clamp(share, 0.0, 1.0);
}

static std::vector<double> linearTicks(double low, double high) {
  double step = std::pow(10, std::floor(std::log10((high - low) / 4)));
  for (double factor : {5.0, 2.0})
    if ((high - low) / (step * factor) >= 3) {
      step *= factor;
      break;
    }
  std::vector<double> ticks;
  for (double i = std::ceil(low / step); i * step <= high; ++i)
    ticks.push_back(i * step);
  return ticks;
}

static std::vector<double> logTicks(double low, double high) {
  auto within = [&](std::initializer_list<double> factors, int stride) {
    std::vector<double> ticks;
    for (int power = int(std::floor(std::log10(low)));
         std::pow(10, power) <= high; power += 1)
      for (double factor : factors) {
        double tick = factor * std::pow(10, power);
        if (power % stride == 0 && tick >= low && tick <= high)
          ticks.push_back(tick);
      }
    return ticks;
  };
  // As many as there is room for.
  constexpr size_t most = 9;
  std::vector<double> ticks = within({1, 1.5, 2, 3, 4, 5, 7}, 1);
  if (ticks.size() > most)
    ticks = within({1, 2, 5}, 1);
  for (int stride = 1; ticks.size() > most; ++stride)
    ticks = within({1}, stride);
  return ticks.size() < 2 ? linearTicks(low, high) : ticks;
}

Axis Axis::numbers(std::string label, double low, double high, bool isLog,
                   double unit) {
  Axis axis{.label = std::move(label), .isLog = isLog, .ticks = {}};
  low /= unit;
  high /= unit;
  if (isLog) {
    low = std::max(low, 1e-30);
    double room = std::pow(std::max(high / low, 1.5), 0.05);
    axis.low = low / room;
    axis.high = std::max(high, low) * room;
  } else {
    double room = high > low ? 0.05 * (high - low)
                             : std::max(0.1 * std::abs(high), 1e-12);
    // An axis of what is not negative does not begin below zero.
    axis.low = low >= 0 ? std::max(low - room, 0.0) : low - room;
    axis.high = high + room;
  }
  for (double tick :
       isLog ? logTicks(axis.low, axis.high) : linearTicks(axis.low, axis.high))
    axis.ticks.push_back({tick * unit, tickText(tick)});
  axis.low *= unit;
  axis.high *= unit;
  return axis;
}

Axis Axis::times(const std::string &label, double low, double high) {
  static constexpr std::pair<double, const char *> units[] = {
      {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  bool isLog = low > 0 && high / low > 6;
  // In the middle, so that ticks on both ends are short.
  double middle = isLog ? std::sqrt(low * high) * 2 : high;
  for (auto [unit, name] : units)
    if (middle >= unit || unit == 1)
      return numbers(label + " (" + name + ")", low, high, isLog, unit);
  return {};
}

Axis Axis::names(std::string label, const std::vector<std::string> &names) {
  Axis axis{.label = std::move(label),
            .low = -0.5,
            .high = double(names.size()) - 0.5,
            .ticks = {}};
  for (size_t i = 0; i < names.size(); ++i)
    axis.ticks.push_back({double(i), names[i]});
  return axis;
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

/// A coordinate, to a tenth of a pixel.
static std::string at(double value) {
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                           std::chars_format::fixed, 1);
  return {buffer, end.ptr};
}

static std::string text(double x, double y, const char *anchor,
                        std::string_view kind, std::string_view content) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" +
         anchor + "\" class=\"" + std::string(kind) + "\">" +
         escapeMarkup(content) + "</text>\n";
}

static std::string segment(double x1, double y1, double x2, double y2,
                           std::string_view kind) {
  return "<path d=\"M" + at(x1) + " " + at(y1) + "L" + at(x2) + " " + at(y2) +
         "\" class=\"" + std::string(kind) + "\"/>\n";
}

double Plot::atX(double value) const {
  return left() + x.place(value) * (right() - left());
}
double Plot::atY(double value) const {
  return bottom() - y.place(value) * (bottom() - top());
}

void Plot::point(double px, double py, std::string_view kind,
                 const std::string &tip) {
  shapes.push_back({Shape::Type::point, {{px, py}}, std::string(kind), tip});
}
void Plot::mark(double px, double py, std::string_view kind,
                const std::string &word) {
  shapes.push_back({Shape::Type::mark, {{px, py}}, std::string(kind), word});
}
void Plot::outside(double px, std::string_view kind, const std::string &tip) {
  shapes.push_back({Shape::Type::outside, {{px, 0}}, std::string(kind), tip});
}
void Plot::line(const std::vector<std::pair<double, double>> &points,
                std::string_view kind) {
  shapes.push_back({Shape::Type::line, points, std::string(kind), ""});
}

std::string Plot::frame() const {
  // Of the letters at 11 px.
  constexpr double letter = 6.4;
  std::string svg;
  for (const Axis::Tick &tick : y.ticks) {
    double place = atY(tick.value);
    svg += segment(left(), place, right(), place, "grid");
    svg += text(left() - 6, place + 4, "end", "tick", tick.label);
  }
  double free = 0;
  for (const Axis::Tick &tick : x.ticks) {
    double place = atX(tick.value),
           half = double(tick.label.size()) * letter / 2;
    svg += segment(place, bottom(), place, bottom() + 4, "axis");
    // A label that would touch the one before it is left out.
    if (place - half < free)
      continue;
    free = place + half + letter;
    svg += text(place, bottom() + 16, "middle", "tick", tick.label);
  }
  svg += segment(left(), bottom(), right(), bottom(), "axis");
  if (!x.label.empty())
    svg += text((left() + right()) / 2, height - 8, "middle", "name", x.label);
  double middle = (top() + bottom()) / 2;
  svg += "<g transform=\"translate(13 " + at(middle) + ") rotate(-90)\">" +
         text(0, 0, "middle", "name", y.label) + "</g>\n";
  if (!lane.empty()) {
    svg += "<rect x=\"" + at(left()) + "\" y=\"6\" width=\"" +
           at(right() - left()) + "\" height=\"20\" class=\"lane\"/>\n";
    svg += text(left() - 6, 20, "end", "tick", lane);
  }
  return svg;
}

std::string Plot::draw(const Shape &shape) const {
  auto [valueX, valueY] = shape.points.front();
  double px = atX(valueX), py = atY(valueY);
  std::string center = " cx=\"" + at(px) + "\" cy=\"";
  std::string kind = " class=\"" + shape.kind + "\"";
  std::string tip = "><title>" + escapeMarkup(shape.text) + "</title></circle>";
  switch (shape.type) {
  case Shape::Type::point:
    return "<circle r=\"3\"" + center + at(py) + "\"" + kind + tip + "\n";
  case Shape::Type::outside:
    return "<circle r=\"2.5\"" + center + "16\"" + kind + tip + "\n";
  case Shape::Type::mark: {
    // The word stays inside, and off the ring.
    bool isLeft = px > (left() + right()) / 2;
    bool isHigh = py < top() + 16;
    return "<circle r=\"6\"" + center + at(py) + "\"" + kind + "/>\n" +
           text(px + (isLeft ? -9 : 9), py + (isHigh ? 14 : -7),
                isLeft ? "end" : "start", "word", shape.text);
  }
  case Shape::Type::line: {
    std::string path;
    for (auto [lineX, lineY] : shape.points)
      path +=
          (path.empty() ? "M" : "L") + at(atX(lineX)) + " " + at(atY(lineY));
    return "<path d=\"" + path + "\"" + kind + "/>\n";
  }
  }
  return "";
}

std::string Plot::svg() const {
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
                    std::to_string(width) + " " + std::to_string(height) +
                    "\" role=\"img\" aria-label=\"" + escapeMarkup(title) +
                    "\">\n" + frame();
  for (const Shape &shape : shapes)
    if (!shape.points.empty())
      svg += draw(shape);
  return svg + "</svg>\n";
}

} // namespace tilewright::autotune
