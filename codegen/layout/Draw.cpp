//===- Draw.cpp - Layouts as tables ---------------------------------------===//
#include "codegen/layout/Draw.h"
#include "codegen/layout/Access.h"
#include "codegen/layout/DrawMatrix.h"
#include "codegen/layout/Text.h"
#include "support/Format.h"

namespace tilewright::layout {

/// "lane bits 0, 3 and warp bit 1".
static std::string redundantText(const HardwareIndex &masks) {
  std::string text;
  for (HardwareDim hardwareDim : allHardwareDims) {
    std::string list;
    for (Bits rest = masks[hardwareDim]; rest; rest &= rest - 1)
      list +=
          (list.empty() ? "" : ", ") + std::to_string(std::countr_zero(rest));
    if (!list.empty())
      text +=
          (text.empty() ? "" : " and ") +
          std::string(hardwareDimName(hardwareDim)) +
          (std::popcount(Bits(masks[hardwareDim])) == 1 ? " bit " : " bits ") +
          list;
  }
  return text;
}

std::string describe(const Layout &layout) {
  std::string text = print(layout) + "\n";
  text += format("  covers {}: a cell of {}",
                 {layout.shape().text(), layout.cellShape().text()});
  if (layout.repeats().counts().product() != 1)
    text += ", repeated " + layout.repeats().counts().text();
  if (layout.repeats().parts() > 1)
    text +=
        format(", dealt to {} warps{}",
               {layout.repeats().parts(),
                layout.bits(HardwareDim::warp)
                    ? format(" of {}", {1 << layout.bits(HardwareDim::warp)})
                    : std::string()});
  text += "\n  ";
  if (layout.kind() == Kind::memory) {
    text += counted(layout.items(), "element");
    if (layout.bits(HardwareDim::block))
      text +=
          " in each of " + counted(layout.size(HardwareDim::block), "block");
    return text + "\n";
  }
  text += format("{} in each of {}, {}",
                 {counted(layout.items(), "register"),
                  counted(layout.size(HardwareDim::lane), "lane"),
                  counted(layout.size(HardwareDim::warp), "warp")});
  if (layout.bits(HardwareDim::block))
    text += ", " + counted(layout.size(HardwareDim::block), "block");
  if (layout.copies() > 1)
    text += format("\n  {} copies of each element; owners have zeros in {}",
                   {layout.copies(), redundantText(layout.redundantBits())});
  if (layout.rank()) {
    VectorAccess access =
        vectorAccess(layout, rowMajorOrder(layout.rank()), 8, 16, 128);
    text += format("\n  up to {} at once along dimension {}",
                   {counted(access.elements, "element"), layout.rank() - 1});
  }
  return text + "\n";
}

std::vector<Matrix> matricesOf(const Layout &layout,
                               const DrawOptions &options) {
  Dims shape = options.shape.rank() ? options.shape : layout.shape();
  unsigned rank = shape.rank();
  Matrix first;
  first.rows = rank > 1 ? shape[rank - 2] : 1;
  first.columns = rank > 0 ? shape[rank - 1] : 1;
  first.shownRows = std::min(first.rows, options.maxRows);
  first.shownColumns = std::min(first.columns, options.maxColumns);
  Dims outer;
  for (unsigned dim = 0; dim + 2 < rank; ++dim)
    outer.append(shape[dim]);
  std::vector<Matrix> matrices;
  forEachCoordinate(outer, [&](const Dims &at) {
    if (matrices.size() == 16)
      return;
    Matrix matrix = first;
    for (int64_t coordinate : at)
      matrix.title += format("{}, ", {coordinate});
    if (!matrix.title.empty())
      matrix.title = format("[{}:, :]", {matrix.title});
    for (int64_t row = 0; row < matrix.shownRows; ++row)
      for (int64_t column = 0; column < matrix.shownColumns; ++column) {
        Dims coordinates = at;
        if (rank > 1)
          coordinates.append(row);
        if (rank > 0)
          coordinates.append(column);
        matrix.holders.push_back(layout.invert(coordinates));
      }
    matrices.push_back(std::move(matrix));
  });
  return matrices;
}

std::string threadText(const Layout &layout, const HardwareIndex &holder) {
  std::string text;
  if (layout.bits(HardwareDim::block))
    text += format("{}/", {holder[HardwareDim::block]});
  if (layout.kind() == Kind::memory)
    return text;
  if (layout.size(HardwareDim::warp) > 1)
    text += format("{}.", {holder[HardwareDim::warp]});
  return text + std::to_string(holder[HardwareDim::lane]);
}

std::string legend(const Layout &layout) {
  std::string text = layout.bits(HardwareDim::block) ? "block/" : "";
  if (layout.kind() == Kind::memory)
    return text + "offset of each element";
  return format("{}{}lane:register that owns each element",
                {text, layout.size(HardwareDim::warp) > 1 ? "warp." : ""});
}

std::string drawTable(const Layout &layout, const DrawOptions &options) {
  std::string text = legend(layout) + "\n";
  for (const Matrix &matrix : matricesOf(layout, options)) {
    std::vector<std::string> cells;
    size_t width = std::to_string(matrix.shownColumns - 1).size();
    for (const HardwareIndex &holder : matrix.holders) {
      bool inMemory = layout.kind() == Kind::memory;
      cells.push_back(threadText(layout, holder) + (inMemory ? "" : ":") +
                      std::to_string(holder[layout.itemDim()]));
      width = std::max(width, cells.back().size());
    }
    if (!matrix.title.empty())
      text += matrix.title + "\n";
    size_t margin = std::to_string(matrix.shownRows - 1).size();
    std::string line(margin, ' ');
    for (int64_t column = 0; column < matrix.shownColumns; ++column)
      line += "  " + alignedRight(std::to_string(column), width);
    text += line + "\n";
    for (int64_t row = 0; row < matrix.shownRows; ++row) {
      line = alignedRight(std::to_string(row), margin);
      for (int64_t column = 0; column < matrix.shownColumns; ++column)
        line += "  " +
                alignedRight(cells[row * matrix.shownColumns + column], width);
      text += line + "\n";
    }
    if (!matrix.isWhole())
      text += matrix.elision() + "\n";
  }
  return text;
}

std::string Matrix::elision() const {
  return format("shown: {} of {}, {} of {}",
                {shownRows, counted(rows, "row"), shownColumns,
                 counted(columns, "column")});
}

} // namespace tilewright::layout
