//===- DrawSvg.cpp - Layouts as pictures ----------------------------------===//
#include "codegen/layout/BankConflicts.h"
#include "codegen/layout/DrawMatrix.h"
#include "support/Format.h"
#include "support/Svg.h"

#include <cmath>

namespace tilewright::layout {

using namespace markup;

static constexpr int cellWidth = 40, cellHeight = 28, margin = 44,
                     titleHeight = 64;

/// Centred on its point, unless an attribute says otherwise.
static Markup label(int64_t x, int64_t y, int size, const std::string &words,
                    Attributes more = {}) {
  more.insert(more.begin(), {"font-size", std::to_string(size)});
  return svg::text(x, y, more, words);
}

/// Hue in degrees, lightness and saturation 0 to 1, as #rrggbb.
static std::string color(double hue, double saturation, double lightness) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string result = "#";
  double amplitude = saturation * std::min(lightness, 1 - lightness);
  for (double offset : {0.0, 8.0, 4.0}) {
    double k = std::fmod(offset + hue / 30, 12);
    double value =
        lightness - amplitude * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
    int byte = int(std::lround(value * 255));
    result += digits[byte >> 4];
    result += digits[byte & 15];
  }
  return result;
}

/// Lanes are hues and warps shades; in memory banks are hues.
static std::string colorOf(const Layout &layout, const HardwareIndex &holder,
                           unsigned elementBits) {
  if (layout.kind() == Kind::memory) {
    int64_t byte = holder[HardwareDim::offset] * elementBits / 8;
    return color(double(byte / bankBytes % banks) * 360 / banks, 0.65, 0.78);
  }
  double hue =
      double(holder[HardwareDim::lane]) * 360 / layout.size(HardwareDim::lane);
  return color(hue, 0.6, 0.88 - 0.05 * double(holder[HardwareDim::warp] % 4));
}

static Markup drawElement(const Layout &layout, const HardwareIndex &holder,
                          int64_t x, int64_t y, unsigned elementBits) {
  Markup shapes =
      svg::rectangle(x, y, cellWidth, cellHeight,
                     {{"fill", colorOf(layout, holder, elementBits)},
                      {"stroke", "#666666"},
                      {"stroke-width", "0.5"}});
  std::string item = std::to_string(holder[layout.itemDim()]);
  std::string thread = threadText(layout, holder);
  int64_t middle = x + cellWidth / 2;
  if (layout.kind() == Kind::memory)
    return shapes + label(middle, y + 18, 11, thread + item);
  return shapes + label(middle, y + 12, 11, "t" + thread) +
         label(middle, y + 24, 10, "r" + item, {{"fill", "#444444"}});
}

static Markup drawMatrix(const Layout &layout, const Matrix &matrix,
                         int64_t top, unsigned elementBits) {
  Markup shapes;
  if (!matrix.title.empty())
    shapes +=
        label(margin, top - 20, 12, matrix.title, {{"text-anchor", "start"}});
  for (int64_t column = 0; column < matrix.shownColumns; ++column)
    shapes += label(margin + column * cellWidth + cellWidth / 2, top - 5, 10,
                    std::to_string(column), {{"fill", "#555555"}});
  for (int64_t row = 0; row < matrix.shownRows; ++row) {
    int64_t y = top + row * cellHeight;
    shapes += label(margin - 6, y + 18, 10, std::to_string(row),
                    {{"fill", "#555555"}, {"text-anchor", "end"}});
    for (int64_t column = 0; column < matrix.shownColumns; ++column)
      shapes += drawElement(layout,
                            matrix.holders[row * matrix.shownColumns + column],
                            margin + column * cellWidth, y, elementBits);
  }
  if (!matrix.isWhole())
    shapes += label(margin, top + matrix.shownRows * cellHeight + 14, 11,
                    matrix.elision(), {{"text-anchor", "start"}});
  return shapes;
}

/// What the texts and the colours mean.
static std::string meaningOf(const Layout &layout, unsigned elementBits) {
  const std::string owner = legend(layout);
  if (layout.kind() == Kind::memory)
    return format("numbers: {}; colours: banks, for elements of {} bits",
                  {owner, elementBits});
  return format("t: {}, r: register", {owner.substr(0, owner.find(':'))});
}

std::string drawSvg(const Layout &layout, const DrawOptions &options) {
  std::vector<Matrix> matrices = matricesOf(layout, options);
  const Matrix &first = matrices.front();
  int64_t each = first.shownRows * cellHeight + 44;
  std::string meaning = meaningOf(layout, options.elementBits);
  int64_t words = int64_t(meaning.size()) * 7 + 2 * margin;
  Attribute width = {"width",
                     std::to_string(std::max(
                         first.shownColumns * cellWidth + 2 * margin, words))};
  Attribute height = {
      "height",
      std::to_string(titleHeight + int64_t(matrices.size()) * each + 10)};
  Dims shape = options.shape.rank() ? options.shape : layout.shape();
  Markup shapes =
      line(emptyElement("rect", {width, height, {"fill", "#ffffff"}})) +
      label(margin, 18, 14, "tile " + shape.text(),
            {{"text-anchor", "start"}, {"font-weight", "bold"}}) +
      label(margin, 34, 11, meaning, {{"text-anchor", "start"}});
  int64_t top = titleHeight + 12;
  for (const Matrix &matrix : matrices) {
    shapes += drawMatrix(layout, matrix, top, options.elementBits);
    top += each;
  }
  return svg::picture({width,
                       height,
                       {"font-family", "sans-serif"},
                       {"text-anchor", "middle"}},
                      shapes)
      .str();
}

} // namespace tilewright::layout
