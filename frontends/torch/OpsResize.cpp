// Interpolation.
#include "frontends/torch/Call.h"
#include "graph/build/Resize.h"
#include "graph/build/Sample.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

/// How far the positions of two elements of the result are apart. Where corners
/// are aligned, that follows from the sizes alone.
LogicalResult setScales(Call &c, MutableArrayRef<ResizeAxis> axes,
                        bool aligned) {
  TRY(Dims dims, c.dims());
  if (dims.size() != axes.size())
    return c.fail("its result has other dimensions than its input");
  std::vector<double> scales;
  const Argument *given = aligned ? nullptr : c.find("scale_factors");
  if (given)
    if (const auto *list = std::get_if<Argument::List>(&given->value))
      for (const Argument &each : *list) {
        const auto *scale = std::get_if<double>(&each.value);
        if (!scale)
          return c.fail("a scale is not known at import");
        scales.push_back(*scale);
      }
  for (size_t i = 2; i < axes.size(); ++i) {
    if (i - 2 < scales.size()) {
      if (failed(setScale(c.b, scales[i - 2], axes[i])))
        return failure();
      // PyTorch multiplies sizes by scales in f64.
      if (constantOf(dims[i]))
        axes[i].out = dims[i];
      continue;
    }
    axes[i].out = dims[i];
    axes[i].active = dims[i] != axes[i].in;
    setScaleOfSizes(c.b.sizes, axes[i]);
  }
  return success();
}

LogicalResult importUpsample(Call &c) {
  TRY(Tensor x, c.tensor(c.find("input") ? "input" : "self"));
  StringRef name = c.target;
  ResizeOptions options;
  if (name.contains("nearest")) {
    bool isExact = name.contains("exact");
    options.coordinates =
        isExact ? ResizeCoordinates::HalfPixel : ResizeCoordinates::Asymmetric;
    options.rounding = isExact ? ResizeRounding::HalfUp : ResizeRounding::Floor;
  } else {
    options.interpolation =
        name.contains("bicubic") ? Interpolation::Cubic : Interpolation::Linear;
    TRY(bool aligned, c.flag("align_corners"));
    if (aligned)
      options.coordinates = ResizeCoordinates::AlignCorners;
    options.antialias = name.contains("_aa");
    if (options.antialias) {
      options.excludeOutside = true;
      options.cubic = -0.5;
    }
  }
  // Images of bytes.
  options.fixedPoint = !options.isNearest() && x->rank() == 4 &&
                       x->element.isUnsigned && x->element.type.isInteger(8);
  SmallVector<ResizeAxis> axes = keptAxes(c.b, x);
  const bool aligned = options.coordinates == ResizeCoordinates::AlignCorners;
  if (failed(setScales(c, axes, aligned)))
    return failure();
  return c.done(resize(c.b, x, options, axes));
}

LogicalResult importGridSample(Call &c) {
  TRY(Tensor x, c.tensor("input"));
  TRY(Tensor grid, c.tensor("grid"));
  TRY(int64_t mode, c.integer("interpolation_mode"));
  TRY(int64_t padding, c.integer("padding_mode"));
  GridOptions options;
  TRY(options.alignCorners, c.flag("align_corners"));
  options.interpolation = mode == 0   ? Interpolation::Linear
                          : mode == 1 ? Interpolation::Nearest
                                      : Interpolation::Cubic;
  options.padding = padding == 0   ? GridPadding::Zeros
                    : padding == 1 ? GridPadding::Border
                                   : GridPadding::Reflection;
  return c.done(gridSample(c.b, x, grid, options));
}

} // namespace

void addResizeOps(OpTable &t) {
  t.add({"aten.upsample_nearest1d.vec",
         "aten.upsample_nearest2d.vec",
         "aten.upsample_nearest3d.vec",
         "aten.upsample_linear1d.vec",
         "aten.upsample_bilinear2d.vec",
         "aten.upsample_trilinear3d.vec",
         "aten.upsample_bicubic2d.vec",
         "aten._upsample_nearest_exact1d.vec",
         "aten._upsample_nearest_exact2d.vec",
         "aten._upsample_bilinear2d_aa.vec",
         "aten._upsample_bicubic2d_aa.vec",
         "aten.upsample_nearest1d.default",
         "aten.upsample_nearest2d.default",
         "aten.upsample_nearest3d.default",
         "aten.upsample_linear1d.default",
         "aten.upsample_bilinear2d.default",
         "aten.upsample_trilinear3d.default",
         "aten.upsample_bicubic2d.default",
         "aten._upsample_nearest_exact1d.default",
         "aten._upsample_nearest_exact2d.default",
         "aten._upsample_nearest_exact3d.default",
         "aten._upsample_bilinear2d_aa.default",
         "aten._upsample_bicubic2d_aa.default"},
        importUpsample);
  t.add({"aten.grid_sampler.default", "aten.grid_sampler_2d.default",
         "aten.grid_sampler_3d.default"},
        importGridSample);
}

} // namespace tilewright::torch
