"""Resize and Upsample with exact rational coordinates, by the text of the
specification. ONNX Runtime divides by a float32 scale, so at ties and at whole
coordinates it may take another element."""

import fractions
import math

import numpy as np

OPERATORS = ("Resize", "Upsample")
HALF = fractions.Fraction(1, 2)


def compute(op, attributes, inputs, opset):
    """The result for the arrays `inputs`, None where absent."""
    x = inputs[0]
    inputs = list(inputs) + [None] * (4 - len(inputs))
    if op == "Upsample" or opset < 11:
        scales, sizes = inputs[1], None
        if scales is None:
            scales = np.array(attributes["scales"], np.float32)
        defaults = {"coordinate_transformation_mode": "asymmetric",
                    "nearest_mode": "simple"}
    else:
        scales, sizes = inputs[2], inputs[3]
        defaults = {"coordinate_transformation_mode": "half_pixel",
                    "nearest_mode": "round_prefer_floor"}
    given = {"mode": "nearest", **defaults, **attributes}
    if given["mode"] == "bilinear":
        given["mode"] = "linear"
    axes = [axis % x.ndim for axis in given.get("axes", range(x.ndim))]
    if sizes is not None and sizes.size:
        plan = by_sizes(x.shape, axes, [int(n) for n in sizes], given)
    else:
        ratios = [fractions.Fraction(float(s)) for s in scales]
        plan = [(axis, ratio, math.floor(x.shape[axis] * ratio))
                for axis, ratio in zip(axes, ratios)]
    nearest = given["mode"] == "nearest"
    result = x if nearest else x.astype(np.float64)
    for axis, scale, length in plan:
        before = result.shape[axis]
        if scale == 1 and length == before:
            continue
        places = [position(given["coordinate_transformation_mode"], i, scale,
                           before, length) for i in range(length)]
        if nearest:
            result = result.take([
                min(max(rounded(given["nearest_mode"], place, scale), 0),
                    before - 1) for place in places], axis)
        else:
            matrix = np.array([weights(given, place, scale, before)
                               for place in places]).reshape(length, before)
            result = np.moveaxis(np.tensordot(matrix, result, (1, axis)), 0,
                                 axis)
    return result if nearest else as_type(result, x.dtype, given)


def by_sizes(shape, axes, sizes, attributes):
    """Axis, scale and length of each resized dimension."""
    # Of nothing, no position is computed.
    scales = [fractions.Fraction(size, shape[axis]) if shape[axis] else
              fractions.Fraction(1) for axis, size in zip(axes, sizes)]
    policy = attributes.get("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return list(zip(axes, scales, sizes))
    scale = min(scales) if policy == "not_larger" else max(scales)
    return [(axis, scale, math.floor(scale * shape[axis] + HALF))
            for axis in axes]


def position(mode, i, scale, before, length):
    if mode == "asymmetric":
        return i / scale
    if mode == "tf_half_pixel_for_nn":
        return (i + HALF) / scale
    if mode == "align_corners":
        exact = scale * before
        return fractions.Fraction(0) if exact == 1 else \
            i * (before - 1) / (exact - 1)
    if mode == "pytorch_half_pixel" and length == 1:
        return fractions.Fraction(0)
    place = (i + HALF) / scale - HALF
    if mode == "half_pixel_symmetric":
        adjustment = length / (scale * before)
        place += fractions.Fraction(before, 2) * (1 - adjustment)
    return place


def rounded(mode, place, scale):
    if mode == "simple":
        mode = "ceil" if scale < 1 else "floor"
    if mode == "floor":
        return math.floor(place)
    if mode == "ceil":
        return math.ceil(place)
    if mode == "round_prefer_ceil":
        return math.floor(place + HALF)
    return math.ceil(place - HALF)


def weights(attributes, place, scale, before):
    """The weight of each element of a line."""
    linear = attributes["mode"] == "linear"
    stretch = 1.0
    if attributes.get("antialias"):
        stretch = max(1.0, float(1 / scale))
    reach = math.ceil((1 if linear else 2) * stretch)
    base = math.floor(place)
    indices = range(base + 1 - reach, base + reach + 1)
    found = [(linear_weight if linear else cubic_weight)(
        abs(float(place - index)) / stretch,
        attributes.get("cubic_coeff_a", -.75)) for index in indices]
    if attributes.get("exclude_outside"):
        found = [w if 0 <= index < before else 0.
                 for w, index in zip(found, indices)]
    if attributes.get("exclude_outside") or stretch != 1:
        found = [w / sum(found) for w in found]
    line = np.zeros(before)
    for index, weight in zip(indices, found):
        line[min(max(index, 0), before - 1)] += weight
    return line


def linear_weight(distance, _):
    return max(1 - distance, 0.)


def cubic_weight(distance, a):
    d = distance
    if d <= 1:
        return ((a + 2) * d - (a + 3)) * d * d + 1
    if d < 2:
        return ((d - 5) * d + 8) * d * a - 4 * a
    return 0.


def as_type(result, dtype, attributes):
    """ONNX Runtime truncates integers between two others; the rest is rounded
    as onnx's reference does."""
    if dtype.kind == "f":
        return result.astype(dtype)
    if attributes["mode"] == "linear" and not attributes.get("antialias"):
        return np.trunc(result).astype(dtype)
    info = np.iinfo(dtype)
    return np.clip(np.rint(result), info.min, info.max).astype(dtype)
