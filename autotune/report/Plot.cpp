#include "autotune/report/Plot.h"
#include "support/Format.h"

#include <algorithm>
#include <cmath>

namespace tilewright::autotune {

using namespace markup;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// "0.5", "200", "1e+06".
static std::string tickText(double value) {
  // A rounding error near zero is not a tick.
  return formatGeneral(std::abs(value) < 1e-12 ? 0.0 : value, 6);
}

double Axis::position(double value) const {
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
  // The number that fits.
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
      return numbers(format("{} ({})", {label, name}), low, high, isLog, unit);
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

static Markup text(double x, double y, const char *anchor,
                   std::string_view kind, const std::string &words) {
  return svg::text(x, y, {{"text-anchor", anchor}, {"class", kind}}, words);
}

static Markup segment(double x1, double y1, double x2, double y2,
                      std::string_view kind) {
  const std::pair<double, double> ends[] = {{x1, y1}, {x2, y2}};
  return svg::path(ends, {{"class", kind}});
}

static Attributes circle(std::string_view radius, const svg::Pixels &x,
                         const svg::Pixels &y, std::string_view kind) {
  return {{"r", radius}, {"cx", x.str()}, {"cy", y.str()}, {"class", kind}};
}

/// `tip` is shown where the pointer rests.
static Markup dot(std::string_view radius, const svg::Pixels &x,
                  const svg::Pixels &y, std::string_view kind,
                  const std::string &tip) {
  return line(
      element("circle", circle(radius, x, y, kind), element("title", tip)));
}

double Plot::atX(double value) const {
  return left() + x.position(value) * (right() - left());
}
double Plot::atY(double value) const {
  return bottom() - y.position(value) * (bottom() - top());
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

Markup Plot::yAxis() const {
  Markup axis;
  for (const Axis::Tick &tick : y.ticks) {
    double position = atY(tick.value);
    axis += segment(left(), position, right(), position, "grid");
    axis += text(left() - 6, position + 4, "end", "tick", tick.label);
  }
  return axis;
}

Markup Plot::xAxis() const {
  // Of the letters at 11 px.
  constexpr double letter = 6.4;
  Markup axis;
  double free = 0;
  for (const Axis::Tick &tick : x.ticks) {
    double position = atX(tick.value),
           half = double(tick.label.size()) * letter / 2;
    axis += segment(position, bottom(), position, bottom() + 4, "axis");
    // A label that would touch the one before it is left out.
    if (position - half < free)
      continue;
    free = position + half + letter;
    axis += text(position, bottom() + 16, "middle", "tick", tick.label);
  }
  axis += segment(left(), bottom(), right(), bottom(), "axis");
  if (!x.label.empty())
    axis += text((left() + right()) / 2, height - 8, "middle", "name", x.label);
  return axis;
}

Markup Plot::frame() const {
  Markup frame = yAxis() + xAxis();
  svg::Pixels middle = (top() + bottom()) / 2;
  frame += markup::line(element(
      "g",
      {{"transform", format("translate(13 {}) rotate(-90)", {middle.str()})}},
      text(0, 0, "middle", "name", y.label)));
  if (!lane.empty()) {
    frame +=
        svg::rectangle(left(), 6, right() - left(), 20, {{"class", "lane"}});
    frame += text(left() - 6, 20, "end", "tick", lane);
  }
  return frame;
}

Markup Plot::draw(const Shape &shape) const {
  auto [valueX, valueY] = shape.points.front();
  double px = atX(valueX), py = atY(valueY);
  switch (shape.type) {
  case Shape::Type::point:
    return dot("3", px, py, shape.kind, shape.text);
  case Shape::Type::outside:
    return dot("2.5", px, 16, shape.kind, shape.text);
  case Shape::Type::mark: {
    // The word stays inside, and off the ring.
    bool isLeft = px > (left() + right()) / 2;
    bool isHigh = py < top() + 16;
    return markup::line(
               emptyElement("circle", circle("6", px, py, shape.kind))) +
           text(px + (isLeft ? -9 : 9), py + (isHigh ? 14 : -7),
                isLeft ? "end" : "start", "word", shape.text);
  }
  case Shape::Type::line: {
    std::vector<std::pair<double, double>> path;
    for (auto [lineX, lineY] : shape.points)
      path.emplace_back(atX(lineX), atY(lineY));
    return svg::path(path, {{"class", shape.kind}});
  }
  }
  return {};
}

Markup Plot::svg() const {
  Markup shown = frame();
  for (const Shape &shape : shapes)
    if (!shape.points.empty())
      shown += draw(shape);
  return svg::picture(
      {svg::viewBox(width, height), {"role", "img"}, {"aria-label", title}},
      shown);
}

} // namespace tilewright::autotune
