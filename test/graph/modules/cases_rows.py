"""The ops of the graph dialect along rows, and those at computed indices. Each
kind of device has kernels of its own for them."""

import numpy as np

from cases import ALL_DEVICES, case, floats, integers


def keys_of(x):
    """Unsigned integers that order as the elements do: -0 equals 0, and a NaN is
    the greatest."""
    if x.dtype.kind != "f":
        return x
    unsigned = np.dtype(f"u{x.itemsize}").type
    bits = np.where(x == 0, np.zeros_like(x), x).view(unsigned)
    sign = unsigned(1 << (8 * x.itemsize - 1))
    keys = np.where(bits & sign, ~bits, bits | sign)
    return np.where(np.isnan(x), ~unsigned(0), keys)


def order_of(x, axis, descending=False):
    keys = keys_of(x)
    return np.argsort(~keys if descending else keys, axis=axis, kind="stable")


def with_special(x, seed=0):
    """Some elements are equal, infinite, zeros of both signs or NaN."""
    generator = np.random.default_rng(seed + x.size)
    draw = generator.random(x.shape)
    for least, value in ((0.9, np.nan), (0.8, -0.0), (0.7, 0.0), (0.6, np.inf),
                         (0.5, -np.inf), (0.3, 1.5)):
        x = np.where((draw > least) & (draw <= least + 0.1), x.dtype.type(value),
                     x)
    return x


def sort_case(form, shape, axis, element, x, descending="", unsigned=""):
    """Keys of `shape`, as text, and what is sorted with them."""
    type_ = f"tensor<{shape}{element}>"
    places = f"tensor<{shape}i64>"
    positions = np.broadcast_to(
        np.arange(x.shape[axis]).reshape([-1 if d == axis else 1
                                          for d in range(x.ndim)]),
        x.shape).astype(np.int64).copy()

    def expected(x, positions):
        seen = x.view(f"u{x.itemsize}") if unsigned else x
        order = order_of(seen, axis, bool(descending))
        return (np.take_along_axis(x, order, axis),
                np.take_along_axis(positions, order, axis))

    case("`graph.sort`", form, f"""
func.func @main(%x: {type_}, %p: {places}) -> ({type_}, {places}) {{
  %k, %v = graph.sort %x, %p axis {axis} {descending} {unsigned} : {type_}, {places}
  return %k, %v : {type_}, {places}
}}""", [x, positions], expected, ALL_DEVICES)


sort_case("rows of a tile", "5x70x", 1, "f32", with_special(floats(5, 70)))
sort_case("rows of a tile, descending, across them", "70x5x", 0, "f16",
          with_special(floats(70, 5, dtype=np.float16)), "descending")
sort_case("unsigned, of one element", "3x1x", 1, "i8",
          integers(3, 1, dtype=np.int8), "", "unsigned")
sort_case("long rows", "2x3000x", 1, "f32", with_special(floats(2, 3000)))
sort_case("long rows, descending", "9000x", 0, "i16",
          integers(9000, low=-300, high=300, dtype=np.int16), "descending")
sort_case("rows of unknown length", "?x?x", 1, "i8",
          integers(2, 1100, low=-128, high=128, dtype=np.int8), "", "unsigned")
sort_case("rows of unknown length, across them", "?x?x", 0, "f64",
          with_special(floats(40, 3, dtype=np.float64)), "descending")
sort_case("no elements", "?x4x", 0, "f32", floats(0, 4))


def top_case(form, shape, count, axis, element, x, smallest="", unsigned=""):
    dims = shape.split("x")
    dims[axis] = str(count)
    result = "x".join(dims)

    def expected(x):
        seen = x.view(f"u{x.itemsize}") if unsigned else x
        order = np.take(order_of(seen, axis, not smallest), range(count), axis)
        return np.take_along_axis(x, order, axis), order.astype(np.int64)

    case("`graph.top_k`", form, f"""
func.func @main(%x: tensor<{shape}{element}>) -> (tensor<{result}{element}>, tensor<{result}i64>) {{
  %v, %i = graph.top_k %x axis {axis} {smallest} {unsigned} : tensor<{shape}{element}> -> tensor<{result}{element}>, tensor<{result}i64>
  return %v, %i : tensor<{result}{element}>, tensor<{result}i64>
}}""", [x], expected, ALL_DEVICES)


top_case("few elements", "5x300x", 7, 1, "f32", with_special(floats(5, 300)))
top_case("few unsigned ones", "300x", 5, 0, "i32",
         integers(300, low=-9, high=9), "", "unsigned")
top_case("many elements of a tile", "3x200x", 150, 1, "f32",
         with_special(floats(3, 200)), "smallest")
top_case("many elements of a long row", "2x1200x", 300, 1, "i64",
         integers(2, 1200, dtype=np.int64))
top_case("candidates of a long row", "2x4001x", 40, 1, "f32",
         with_special(floats(2, 4001)))
top_case("the least of a long row, across it", "4000x2x", 33, 0, "f16",
         with_special(floats(4000, 2, dtype=np.float16)), "smallest")
top_case("many elements of a row of unknown length", "2x?x", 50, 1, "f32",
         with_special(floats(2, 700)))


def greatest_so_far(x, axis, reverse):
    x = np.flip(x, axis) if reverse else x
    rows = np.moveaxis(x, axis, 0)
    values, places = rows.copy(), np.zeros(rows.shape, np.int64)
    for at in range(1, len(rows)):
        takes = rows[at] >= values[at - 1]
        values[at] = np.where(takes, rows[at], values[at - 1])
        places[at] = np.where(takes, at, places[at - 1])
    values, places = np.moveaxis(values, 0, axis), np.moveaxis(places, 0, axis)
    if not reverse:
        return values, places
    return (np.flip(values, axis),
            x.shape[axis] - 1 - np.flip(places, axis))


def scan_case(form, shape, axis, x, reverse=""):
    type_, places = f"tensor<{shape}i32>", f"tensor<{shape}i64>"
    positions = np.broadcast_to(
        np.arange(x.shape[axis]).reshape([-1 if d == axis else 1
                                          for d in range(x.ndim)]),
        x.shape).astype(np.int64).copy()
    case("`graph.scan`", form, f"""
func.func @main(%x: {type_}, %p: {places}) -> ({type_}, {places}) {{
  %v, %i = graph.scan %x, %p axis {axis} {reverse} {{
  ^bb0(%a: i32, %ai: i64, %b: i32, %bi: i64):
    %takes = arith.cmpi sge, %b, %a : i32
    %max = arith.select %takes, %b, %a : i32
    %at = arith.select %takes, %bi, %ai : i64
    graph.yield %max, %at : i32, i64
  }} : {type_}, {places}
  return %v, %i : {type_}, {places}
}}""", [x, positions],
         lambda x, p: greatest_so_far(x, axis, bool(reverse)), ALL_DEVICES)


scan_case("rows of a tile", "6x90x", 1, integers(6, 90))
scan_case("long rows, from the end", "2x5000x", 1,
          integers(2, 5000, low=-10**9, high=10**9), "reverse")
scan_case("rows of unknown length, across them", "?x?x", 0, integers(300, 40))
scan_case("rows of unknown length, from the end", "?x", 0, integers(2100),
          "reverse")


def scattered(kind, data, updates, index):
    """data[index[i]] is changed by updates[i], in order."""
    combine = {"set": lambda old, new: new, "add": np.add, "mul": np.multiply,
               "min": np.minimum, "max": np.maximum}
    unsigned = kind.startswith("u")
    result = data.view(f"u{data.itemsize}").copy() if unsigned else data.copy()
    source = updates.view(result.dtype)
    for at, update in zip(index, source):
        if -len(data) <= at < len(data):
            result[at] = combine[kind.lstrip("u") or kind](result[at], update)
    return result.view(data.dtype)


def scatter_case(kind, form, element, data, updates, index, before=""):
    """Rows into rows; `before` computes the data %d from %x."""
    rows, owners = "", ""
    if kind == "set":
        rows, owners = ", %o", f" owners tensor<{len(data)}xi32>"
    source = f"tensor<{len(data)}x{data.shape[1]}x{element}>"
    new = f"tensor<{len(updates)}x{data.shape[1]}x{element}>"
    case("`graph.scatter`", form, f"""
func.func @main(%x: {source}, %u: {new}, %i: tensor<{len(index)}xi64>) -> {source} {{
{before}
  %y{rows} = graph.scatter "{kind}" %u into {"%d" if before else "%x"} at(%i : tensor<{len(index)}xi64>) target affine_map<(d0, d1)[s0] -> (s0, d1)> index_maps [affine_map<(d0, d1) -> (d0)>] : {new}, {source}{owners}
  return %y : {source}
}}""", [data, updates, index],
         lambda x, u, i: scattered(kind, -x if before else x, u, i),
         ALL_DEVICES)


INDEX = integers(60, low=-25, high=24, dtype=np.int64)
for kind in ("set", "add", "mul", "min", "max"):
    scatter_case(kind, f"{kind}, several to one row", "f32", floats(20, 6),
                 floats(60, 6, seed=1), INDEX)
scatter_case("set", "set, of bytes", "i8", integers(20, 3, dtype=np.int8),
             integers(60, 3, dtype=np.int8, seed=1), INDEX)
scatter_case("mul", "products of f16", "f16", floats(20, 2, dtype=np.float16),
             floats(9, 2, dtype=np.float16), np.arange(9, dtype=np.int64))
scatter_case("umax", "unsigned maxima", "i64",
             integers(20, 3, dtype=np.int64),
             integers(60, 3, dtype=np.int64, seed=1), INDEX)
for kind in ("set", "add"):
    scatter_case(kind, f"{kind}, of no updates", "f32", 1 + floats(20, 6),
                 floats(0, 6), np.arange(0, dtype=np.int64))
scatter_case("set", "into what a kernel computed", "f32", floats(20, 6),
             floats(60, 6, seed=1), INDEX, """
  %e = tensor.empty() : tensor<20x6xf32>
  %d = linalg.negf ins(%x : tensor<20x6xf32>) outs(%e : tensor<20x6xf32>) -> tensor<20x6xf32>""")

REQUIRE = """
func.func @main(%x: tensor<?xi64>) -> tensor<?xi64> {
  %low = arith.constant -4 : index
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  graph.require %x in(%low, %n), "a number is not in [-4, n)" : tensor<?xi64>
  graph.require %x, "a number is zero" : tensor<?xi64>
  %y = arith.addi %x, %x : tensor<?xi64>
  return %y : tensor<?xi64>
}"""
case("`graph.require`", "bounds, and no zeros", REQUIRE,
     [np.array([-4, -1, 1, 3, 4], np.int64)], lambda x: x + x, ALL_DEVICES)
