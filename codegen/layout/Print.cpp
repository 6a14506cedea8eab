//===- Print.cpp - Layouts to text ----------------------------------------===//
#include "codegen/layout/Text.h"

namespace tilewright::layout {

static std::string list(const Dims &dims) {
  std::string text;
  for (int64_t value : dims)
    text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

std::string print(const Layout &layout) {
  std::string text = layout.kind() == Kind::registers ? "registers" : "memory";
  text += " cell=" + layout.cellShape().text();
  if (layout.repeats().product() != 1)
    text += " repeats=" + layout.repeats().text();
  if (!layout.hasRowMajorRepeats())
    text += " repeat-order=" + list(fullRepeatOrder(layout));
  for (Axis axis : allAxes) {
    if (!layout.bits(axis))
      continue;
    std::string columns;
    for (Bits column : layout.columns(axis))
      columns += (columns.empty() ? "(" : ",(") +
                 list(layout.cellCoordinates(column)) + ")";
    text += " " + std::string(axisName(axis)) + "=" + columns;
  }
  return text;
}

} // namespace tilewright::layout
