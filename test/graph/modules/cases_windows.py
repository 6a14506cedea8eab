"""All of linalg's convolutions and poolings, from their names: the letters say
where the batch (n), the groups (g), the channels (c), the filters (f) and the
spatial dimensions lie."""

import itertools
import re

import numpy as np

from cases import case, floats, integers

EXTENT = {"n": 2, "g": 2, "c": 3, "f": 4, "m": 2, "d": 5, "h": 6, "w": 7}
KERNEL = {"d": 2, "h": 3, "w": 2}

CONVOLUTIONS = """
conv_1d_nwc_wcf conv_1d_ncw_fcw conv_2d_nhwc_hwcf conv_2d_nhwc_fhwc
conv_2d_nhwc_hwcf_q conv_2d_nhwc_fhwc_q conv_2d_nchw_fchw_q conv_2d_nchw_fchw
conv_2d_ngchw_fgchw conv_2d_ngchw_gfchw conv_2d_nhwgc_gfhwc
conv_2d_nhwgc_gfhwc_q conv_2d_ngchw_gfchw_q conv_3d_ndhwc_dhwcf
conv_3d_ndhwc_dhwcf_q conv_3d_ncdhw_fcdhw depthwise_conv_1d_nwc_wc
depthwise_conv_1d_ncw_cw depthwise_conv_1d_nwc_wcm depthwise_conv_2d_nhwc_hwc
depthwise_conv_2d_nchw_chw depthwise_conv_2d_nhwc_hwc_q
depthwise_conv_2d_nhwc_hwcm depthwise_conv_2d_nhwc_hwcm_q
depthwise_conv_3d_ndhwc_dhwc depthwise_conv_3d_ncdhw_cdhw
depthwise_conv_3d_ndhwc_dhwcm
""".split()
POOLINGS = """
pooling_nhwc_sum pooling_nchw_sum pooling_nhwc_max pooling_nhwc_max_unsigned
pooling_nchw_max pooling_nhwc_min pooling_nhwc_min_unsigned pooling_nwc_sum
pooling_ncw_sum pooling_nwc_max pooling_nwc_max_unsigned pooling_ncw_max
pooling_nwc_min pooling_nwc_min_unsigned pooling_ndhwc_sum pooling_ndhwc_max
pooling_ndhwc_min
""".split()


def windows(x, layout, spatial):
    """For each point of the kernel, the part of `x` that meets it, with stride 2
    along the first spatial dimension."""
    for point in itertools.product(*(range(KERNEL[s]) for s in spatial)):
        at = [slice(None)] * x.ndim
        for start, s in zip(point, spatial):
            step = 2 if s == spatial[0] else 1
            count = (EXTENT[s] - KERNEL[s]) // step + 1
            at[layout.index(s)] = slice(start, start + (count - 1) * step + 1,
                                        step)
        yield point, x[tuple(at)]


def output_sizes(letters, spatial):
    sizes = dict(EXTENT)
    for s in spatial:
        step = 2 if s == spatial[0] else 1
        sizes[s] = (EXTENT[s] - KERNEL[s]) // step + 1
    return [sizes[c] for c in letters]


def kind(shape, element):
    return "tensor<" + "x".join([*map(str, shape), element]) + ">"


def convolution(name):
    is_depthwise, is_quantized = "depthwise" in name, name.endswith("_q")
    source, weights = re.search(r"d_([a-z]+)_([a-z]+)", name).groups()
    spatial = [c for c in source if c in "dhw"]
    if "m" in weights:
        result = source + "m"
    else:
        result = source if is_depthwise else source.replace("c", "f")
    x_shape = [EXTENT[c] for c in source]
    w_shape = [KERNEL.get(c, EXTENT[c]) for c in weights]
    out = output_sizes(result, spatial)
    element, wide = ("i8", "i32") if is_quantized else ("f32", "f32")
    make = (lambda *s, seed: integers(*s, dtype=np.int8, seed=seed)) \
        if is_quantized else floats
    inputs = [make(*x_shape, seed=1), make(*w_shape, seed=2)]
    types = [kind(x_shape, element), kind(w_shape, element)]
    if is_quantized:
        inputs += [np.int32(3).reshape(()), np.int32(-2).reshape(())]
        types += ["i32", "i32"]
    names = [f"%x{n}" for n in range(len(types))]
    strides = ", ".join("2" if s == spatial[0] else "1" for s in spatial)
    zero = "0" if is_quantized else "0.0"
    text = f"""func.func @main({", ".join(map(": ".join, zip(names, types)))}) -> {kind(out, wide)} {{
  %z = arith.constant dense<{zero}> : {kind(out, wide)}
  %r = linalg.{name} {{strides = dense<[{strides}]> : tensor<{len(spatial)}xi64>}} ins({", ".join(names)} : {", ".join(types)}) outs(%z : {kind(out, wide)}) -> {kind(out, wide)}
  return %r : {kind(out, wide)}
}}"""

    def expected(x, w, p=0, q=0):
        if is_quantized:
            x, w = x.astype(np.int32) - p, w.astype(np.int32) - q
        rest = "".join(c for c in weights if c not in "dhw")
        total = 0
        for point, part in windows(x, source, spatial):
            at = [slice(None)] * w.ndim
            for index, s in zip(point, spatial):
                at[weights.index(s)] = index
            total = total + np.einsum(f"{source},{rest}->{result}", part,
                                      w[tuple(at)])
        return total
    case("convolutions", f"`{name}`", text, inputs, expected)


def pooling(name):
    _, layout, how, *sign = name.split("_")
    spatial = [c for c in layout if c in "dhw"]
    element = "i32" if sign else "f32"
    shape = [EXTENT[c] for c in layout]
    out = output_sizes(layout, spatial)
    window = kind([KERNEL[s] for s in spatial], element)
    first = {"sum": "0.0", "max": "0" if sign else "0xFF800000",
             "min": "-1" if sign else "0x7F800000"}[how]
    data = integers(*shape, low=0, high=100) if sign else floats(*shape)
    strides = ", ".join("2" if s == spatial[0] else "1" for s in spatial)
    text = f"""func.func @main(%x: {kind(shape, element)}) -> {kind(out, element)} {{
  %z = arith.constant {first} : {element}
  %e = tensor.empty() : {kind(out, element)}
  %f = linalg.fill ins(%z : {element}) outs(%e : {kind(out, element)}) -> {kind(out, element)}
  %w = tensor.empty() : {window}
  %r = linalg.{name} {{strides = dense<[{strides}]> : tensor<{len(spatial)}xi64>}} ins(%x, %w : {kind(shape, element)}, {window}) outs(%f : {kind(out, element)}) -> {kind(out, element)}
  return %r : {kind(out, element)}
}}"""
    combine = {"sum": np.sum, "max": np.max, "min": np.min}[how]
    case("poolings", f"`{name}`", text, [data], lambda x: combine(
        [part for _, part in windows(x, layout, spatial)], axis=0))


for one in CONVOLUTIONS:
    convolution(one)
for one in POOLINGS:
    pooling(one)
