// Interpolating reads at given positions.
#include "frontends/onnx/Readers.h"
#include "graph/build/Sample.h"

namespace tilewright::onnx {
namespace {

LogicalResult importGridSample(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor grid, node.input(1));
  TRY(std::string mode,
      node.attributes.string("mode", node.opset >= 20 ? "linear" : "bilinear"));
  if (mode == "bilinear" || mode == "bicubic")
    mode = mode.substr(2);
  TRY(std::string padding, node.attributes.string("padding_mode", "zeros"));
  GridOptions options;
  TRY(options.alignCorners, node.attributes.flag("align_corners", false));
  int64_t spatial = x->rank() - 2;
  if (spatial < 1 || grid->rank() != x->rank() ||
      !isConst(grid->dims.back(), spatial) || !x->element.isFloat() ||
      !grid->element.isFloat())
    return node.fail("input has shape " + b.sizes.str(x->dims) +
                     " and the grid " + b.sizes.str(grid->dims));
  if ((mode != "linear" && mode != "nearest" && mode != "cubic") ||
      (padding != "zeros" && padding != "border" && padding != "reflection"))
    return node.fail("mode '" + mode + "' with padding '" + padding +
                     "' is not supported");
  if (mode != "linear")
    options.interpolation =
        mode == "nearest" ? Interpolation::Nearest : Interpolation::Cubic;
  if (padding != "zeros")
    options.padding =
        padding == "border" ? GridPadding::Border : GridPadding::Reflection;
  return node.done(gridSample(b, x, grid, options));
}

LogicalResult importAffineGrid(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor theta, node.input(0));
  TRY(SmallVector<Expr> size, sizesOf(node, 1, "size", 0));
  TRY(bool alignCorners, node.attributes.flag("align_corners", false));
  int64_t spatial = int64_t(size.size()) - 2;
  if (spatial < 2 || spatial > 3 || theta->rank() != 3 ||
      !isConst(theta->dims[1], spatial) ||
      !isConst(theta->dims[2], spatial + 1))
    return node.fail("theta has shape " + b.sizes.str(theta->dims) +
                     " and size is " + b.sizes.str(size));
  return node.done(affineGrid(b, theta, size, alignCorners));
}

} // namespace

void addSampleOps(OpTable &t) {
  t.add("GridSample", 16, importGridSample);
  t.add("AffineGrid", 20, importAffineGrid);
}

} // namespace tilewright::onnx
