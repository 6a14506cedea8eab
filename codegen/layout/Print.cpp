//===- Print.cpp - Layouts to text ----------------------------------------===//
#include "codegen/layout/Text.h"
#include "support/Format.h"

namespace tilewright::layout {

static std::string list(const Dims &dims) { return joined(dims, ","); }

std::string print(const Layout &layout) {
  std::string text = layout.kind() == Kind::registers ? "registers" : "memory";
  text += " cell=" + layout.cellShape().text();
  if (layout.repeats().product() != 1)
    text += " repeats=" + layout.repeats().text();
  if (!layout.hasRowMajorRepeats())
    text += " repeat-order=" + list(fullRepeatOrder(layout));
  for (HardwareDim hardwareDim : allHardwareDims) {
    if (!layout.bits(hardwareDim))
      continue;
    std::string columns;
    for (Bits column : layout.columns(hardwareDim))
      columns += format("{}({})", {columns.empty() ? "" : ",",
                                   list(layout.cellCoordinates(column))});
    text += format(" {}={}", {hardwareDimName(hardwareDim), columns});
  }
  return text;
}

} // namespace tilewright::layout
