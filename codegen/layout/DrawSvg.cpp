//===- DrawSvg.cpp - Layouts as pictures ----------------------------------===//
#include "codegen/layout/BankConflicts.h"
#include "codegen/layout/DrawMatrix.h"
#include "codegen/layout/Text.h"

#include <cmath>

namespace tilewright::layout {

namespace {
constexpr int cellWidth = 40, cellHeight = 28, margin = 44, titleHeight = 64;

/// Pixels from the top left; text is centred on its point.
class Svg {
public:
  Svg(int64_t width, int64_t height) {
    std::string size =
        std::to_string(width) + "\" height=\"" + std::to_string(height) + "\"";
    text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size +
           " font-family=\"sans-serif\" text-anchor=\"middle\">\n"
           "<rect width=\"" +
           size + " fill=\"#ffffff\"/>\n";
  }
  void rectangle(int64_t x, int64_t y, const std::string &fill) {
    text += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
            "\" width=\"" + std::to_string(cellWidth) + "\" height=\"" +
            std::to_string(cellHeight) + "\" fill=\"" + fill +
            "\" stroke=\"#666666\" stroke-width=\"0.5\"/>\n";
  }
  void write(int64_t x, int64_t y, int size, const std::string &words,
             const char *extra = "") {
    text += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
            "\" font-size=\"" + std::to_string(size) + "\"" + extra + ">" +
            words + "</text>\n";
  }
  std::string finish() { return text + "</svg>\n"; }

private:
  std::string text;
};
} // namespace

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
    int64_t byte = holder[Axis::offset] * elementBits / 8;
    return color(double(byte / bankBytes % banks) * 360 / banks, 0.65, 0.78);
  }
  double hue = double(holder[Axis::lane]) * 360 / layout.size(Axis::lane);
  return color(hue, 0.6, 0.88 - 0.05 * double(holder[Axis::warp] % 4));
}

static void drawMatrix(Svg &svg, const Layout &layout, const Matrix &matrix,
                       int64_t top, unsigned elementBits) {
  bool inMemory = layout.kind() == Kind::memory;
  if (!matrix.title.empty())
    svg.write(margin, top - 20, 12, matrix.title, " text-anchor=\"start\"");
  for (int64_t column = 0; column < matrix.shownColumns; ++column)
    svg.write(margin + column * cellWidth + cellWidth / 2, top - 5, 10,
              std::to_string(column), " fill=\"#555555\"");
  for (int64_t row = 0; row < matrix.shownRows; ++row) {
    int64_t y = top + row * cellHeight;
    svg.write(margin - 6, y + 18, 10, std::to_string(row),
              " fill=\"#555555\" text-anchor=\"end\"");
    for (int64_t column = 0; column < matrix.shownColumns; ++column) {
      const HardwareIndex &holder =
          matrix.holders[row * matrix.shownColumns + column];
      int64_t x = margin + column * cellWidth;
      svg.rectangle(x, y, colorOf(layout, holder, elementBits));
      std::string item = std::to_string(holder[layout.itemAxis()]);
      if (inMemory) {
        svg.write(x + cellWidth / 2, y + 18, 11,
                  threadText(layout, holder) + item);
        continue;
      }
      svg.write(x + cellWidth / 2, y + 12, 11,
                "t" + threadText(layout, holder));
      svg.write(x + cellWidth / 2, y + 24, 10, "r" + item, " fill=\"#444444\"");
    }
  }
  if (!matrix.isWhole())
    svg.write(margin, top + matrix.shownRows * cellHeight + 14, 11,
              matrix.elision(), " text-anchor=\"start\"");
}

std::string drawSvg(const Layout &layout, const DrawOptions &options) {
  std::vector<Matrix> matrices = matricesOf(layout, options);
  const Matrix &first = matrices.front();
  int64_t each = first.shownRows * cellHeight + 44;
  std::string meaning =
      layout.kind() == Kind::memory
          ? "numbers: " + legend(layout) +
                "; colours: banks, for elements of " +
                std::to_string(options.elementBits) + " bits"
          : "t: " + legend(layout).substr(0, legend(layout).find(':')) +
                ", r: register";
  int64_t words = int64_t(meaning.size()) * 7 + 2 * margin;
  int64_t width = std::max(first.shownColumns * cellWidth + 2 * margin, words);
  Svg svg(width, titleHeight + int64_t(matrices.size()) * each + 10);
  Dims shape = options.shape.rank() ? options.shape : layout.shape();
  svg.write(margin, 18, 14, "tile " + shape.text(),
            " text-anchor=\"start\" font-weight=\"bold\"");
  svg.write(margin, 34, 11, meaning, " text-anchor=\"start\"");
  int64_t top = titleHeight + 12;
  for (const Matrix &matrix : matrices) {
    drawMatrix(svg, layout, matrix, top, options.elementBits);
    top += each;
  }
  return svg.finish();
}

} // namespace tilewright::layout
