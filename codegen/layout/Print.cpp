//===- Print.cpp - Layouts to text ----------------------------------------===//
#include "codegen/layout/Text.h"
#include "support/Format.h"

namespace tilewright::layout {

static std::string list(const Dims &dims) { return joined(dims, ","); }

/// repeats=6x3 repeat-order=1,0 dealt=4; copies2 is a digit of copies.
static std::string repeatsText(const Repeats &repeats) {
  std::string text;
  if (repeats.counts().product() != 1)
    text += " repeats=" + repeats.counts().text();
  std::string order;
  if (repeats.isPlain()) {
    order = repeats.isRowMajor() ? "" : list(repeats.order());
  } else if (repeats.total() != repeats.counts().product() ||
             !repeats.isRowMajor()) {
    for (unsigned i = 0; i < repeats.digits().rank(); ++i) {
      order += order.empty() ? "" : ",";
      order += repeats.digits()[i] == Repeats::copies
                   ? format("copies{}", {repeats.digitCounts()[i]})
                   : std::to_string(repeats.digits()[i]);
    }
  }
  if (!order.empty())
    text += " repeat-order=" + order;
  if (repeats.parts() > 1)
    text += format(" dealt={}", {repeats.parts()});
  return text;
}

std::string print(const Layout &layout) {
  std::string text = layout.kind() == Kind::registers ? "registers" : "memory";
  text += " cell=" + layout.cellShape().text();
  text += repeatsText(layout.repeats());
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
