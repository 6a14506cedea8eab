"""linalg.generic: maps, results, initial values, combiners, sizes."""

import re

import numpy as np

from cases import case, floats, integers

ROWS = "affine_map<(i, j) -> (i, j)>"
ROW = "affine_map<(i, j) -> (i)>"
ONE = "affine_map<(i) -> (i)>"


def generic(maps, kinds, ins, outs, body, results):
    """A linalg.generic; `ins` and `outs` are lists of (value, type)."""
    def group(word, values):
        if not values:
            return ""
        names = ", ".join(v for v, _ in values)
        types = ", ".join(t for _, t in values)
        return f"{word}({names} : {types})"

    def element(kind):
        if kind.startswith("tensor<"):
            return re.sub(r"^([0-9?]+x)*", "", kind[7:-1])
        return kind
    arguments = ", ".join(f"%{chr(97 + n)}: {element(t)}"
                          for n, (_, t) in enumerate(ins + outs))
    return f"""linalg.generic {{indexing_maps = [{", ".join(maps)}],
      iterator_types = [{", ".join('"' + k + '"' for k in kinds)}]}}
      {group("ins", ins)} {group("outs", outs)} {{
    ^bb0({arguments}):
{body}
    }} -> {results}"""


P, R = "parallel", "reduction"

case("`linalg.generic`", "two reductions with an index: the maximum and where it is", f"""
func.func @main(%x: tensor<5x7xf32>) -> (tensor<5xf32>, tensor<5xi64>) {{
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<5xf32>
  %e1 = tensor.empty() : tensor<5xi64>
  %m0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<5xf32>) -> tensor<5xf32>
  %i0 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<5xi64>) -> tensor<5xi64>
  %r:2 = {generic([ROWS, ROW, ROW], [P, R], [("%x", "tensor<5x7xf32>")],
                  [("%m0", "tensor<5xf32>"), ("%i0", "tensor<5xi64>")], '''
      %k = linalg.index 1 : index
      %n = arith.index_cast %k : index to i64
      %m = arith.maximumf %a, %b : f32
      %g = arith.cmpf ogt, %a, %b : f32
      %i = arith.select %g, %n, %c : i64
      linalg.yield %m, %i : f32, i64''', "(tensor<5xf32>, tensor<5xi64>)")}
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xi64>
}}""", [floats(5, 7)], lambda x: (x.max(1), x.argmax(1)))

case("`linalg.generic`", "only the second of two accumulated results is used", f"""
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xi32> {{
  %c0 = arith.constant 0 : index
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %d = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e0 = tensor.empty(%d) : tensor<?xf32>
  %e1 = tensor.empty(%d) : tensor<?xi32>
  %m0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
  %i0 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<?xi32>) -> tensor<?xi32>
  %r:2 = {generic([ROWS, ROW, ROW], [P, R], [("%x", "tensor<?x?xf32>")],
                  [("%m0", "tensor<?xf32>"), ("%i0", "tensor<?xi32>")], '''
      %k = linalg.index 1 : index
      %n = arith.index_cast %k : index to i32
      %m = arith.maximumf %a, %b : f32
      %g = arith.cmpf ogt, %a, %b : f32
      %i = arith.select %g, %n, %c : i32
      linalg.yield %m, %i : f32, i32''', "(tensor<?xf32>, tensor<?xi32>)")}
  return %r#1 : tensor<?xi32>
}}""", [floats(3, 70)], lambda x: x.argmax(1).astype(np.int32))

case("`linalg.generic`", "two elementwise results, indexed differently", f"""
func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<6x4xf32>) {{
  %e0 = tensor.empty() : tensor<4x6xf32>
  %e1 = tensor.empty() : tensor<6x4xf32>
  %r:2 = {generic([ROWS, ROWS, "affine_map<(i, j) -> (j, i)>"], [P, P],
                  [("%x", "tensor<4x6xf32>")],
                  [("%e0", "tensor<4x6xf32>"), ("%e1", "tensor<6x4xf32>")], '''
      %s = arith.addf %a, %a : f32
      %t = arith.mulf %a, %a : f32
      linalg.yield %s, %t : f32, f32''', "(tensor<4x6xf32>, tensor<6x4xf32>)")}
  return %r#0, %r#1 : tensor<4x6xf32>, tensor<6x4xf32>
}}""", [floats(4, 6)], lambda x: (x + x, (x * x).T))

case("`linalg.generic`", "an elementwise body that reads its `outs`", f"""
func.func @main(%x: tensor<9xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {{
  %r = {generic([ONE, ONE], [P], [("%x", "tensor<9xf32>")],
                [("%y", "tensor<9xf32>")], '''
      %s = arith.subf %b, %a : f32
      linalg.yield %s : f32''', "tensor<9xf32>")}
  return %r : tensor<9xf32>
}}""", [floats(9), floats(9, seed=1)], lambda x, y: y - x)

case("`linalg.generic`", "a body that reads a filled `outs`, over loops of one point", f"""
func.func @main(%x: tensor<3x1xf32>) -> tensor<3xf32> {{
  %c = arith.constant 2.5 : f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %r = {generic([ROWS, ROW], [P, R], [("%x", "tensor<3x1xf32>")],
                [("%f", "tensor<3xf32>")], '''
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32''', "tensor<3xf32>")}
  return %r : tensor<3xf32>
}}""", [floats(3, 1)], lambda x: x[:, 0] + np.float32(2.5))

case("`linalg.generic`", "products summed along a loop that only one operand has", f"""
func.func @main(%x: tensor<?x9x40xf32>, %y: tensor<50x40xf32>) -> tensor<?x50xf32> {{
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x9x40xf32>
  %e = tensor.empty(%n) : tensor<?x50xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x50xf32>) -> tensor<?x50xf32>
  %r = {generic(["affine_map<(b, k, i, j) -> (b, i, j)>", "affine_map<(b, k, i, j) -> (k, j)>",
                 "affine_map<(b, k, i, j) -> (b, k)>"], [P, P, R, R],
                [("%x", "tensor<?x9x40xf32>"), ("%y", "tensor<50x40xf32>")],
                [("%f", "tensor<?x50xf32>")], '''
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32''', "tensor<?x50xf32>")}
  return %r : tensor<?x50xf32>
}}""", [floats(3, 9, 40), floats(50, 40)],
     lambda x, y: np.einsum("bij,kj->bk", x, y))

case("`linalg.generic`", "a reduction that starts from an argument", f"""
func.func @main(%x: tensor<4x33xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {{
  %r = {generic([ROWS, ROW], [P, R], [("%x", "tensor<4x33xf32>")],
                [("%y", "tensor<4xf32>")], '''
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32''', "tensor<4xf32>")}
  return %r : tensor<4xf32>
}}""", [floats(4, 33), floats(4)], lambda x, y: y + x.sum(1))

case("`linalg.generic`", "a reduction that starts from a computed tensor", f"""
func.func @main(%x: tensor<4x33xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {{
  %e = tensor.empty() : tensor<4xf32>
  %i = {generic([ONE, ONE], [P], [("%y", "tensor<4xf32>")],
                [("%e", "tensor<4xf32>")], '''
      %s = math.exp %a : f32
      linalg.yield %s : f32''', "tensor<4xf32>")}
  %r = {generic([ROWS, ROW], [P, R], [("%x", "tensor<4x33xf32>")],
                [("%i", "tensor<4xf32>")], '''
      %s = arith.maximumf %a, %b : f32
      linalg.yield %s : f32''', "tensor<4xf32>")}
  return %r : tensor<4xf32>
}}""", [floats(4, 33), floats(4)], lambda x, y: np.maximum(np.exp(y), x.max(1)))

case("`linalg.generic`", "any combiner: `acc * 0.5 + x`, in order", f"""
func.func @main(%x: tensor<3x10xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {{
  %h = arith.constant 0.5 : f32
  %r = {generic([ROWS, ROW], [P, R], [("%x", "tensor<3x10xf32>")],
                [("%y", "tensor<3xf32>")], '''
      %s = arith.mulf %b, %h : f32
      %t = arith.addf %s, %a : f32
      linalg.yield %t : f32''', "tensor<3xf32>")}
  return %r : tensor<3xf32>
}}""", [floats(3, 10), floats(3)], lambda x, y: horner(x, y))


def horner(x, y):
    for column in x.T:
        y = y * np.float32(0.5) + column
    return y


case("`linalg.generic`", "a combiner that reads the accumulator twice, dynamic length", f"""
func.func @main(%x: tensor<?xi32>, %y: tensor<i32>) -> tensor<i32> {{
  %r = {generic([ONE, "affine_map<(i) -> ()>"], [R], [("%x", "tensor<?xi32>")],
                [("%y", "tensor<i32>")], '''
      %s = arith.muli %b, %b : i32
      %t = arith.subi %a, %s : i32
      %u = arith.remsi %t, %c17 : i32
      linalg.yield %u : i32''', "tensor<i32>").replace("%c17", "%m")}
  return %r : tensor<i32>
}}""".replace("{\n  %r", "{\n  %m = arith.constant 17 : i32\n  %r", 1),
     [integers(13), integers(1)[0].reshape(())],
     lambda x, y: squares(x, y))


def squares(x, y):
    y = int(y)
    for v in x:
        y = int(np.fmod(int(v) - y * y, 17))
    return np.int32(y).reshape(())


# The reduction has several programs for each column, and no size that they
# share.
BACKWARDS = ["affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (-i + 4, j)>",
             "affine_map<(i, j) -> (j)>"]
case("`linalg.generic`", "an operand read backwards, dynamic length", f"""
func.func @main(%x: tensor<?x16xf32>, %w: tensor<5x16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {{
  %r = {generic(BACKWARDS, [R, P],
                [("%x", "tensor<?x16xf32>"), ("%w", "tensor<5x16xf32>")],
                [("%y", "tensor<16xf32>")], '''
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32''', "tensor<16xf32>")}
  return %r : tensor<16xf32>
}}""",
     [floats(4, 16), floats(5, 16), floats(16)],
     lambda x, w, y: y + (x * w[:0:-1]).sum(0))

DIAGONAL = ["affine_map<(i, j) -> (i, i, j)>", "affine_map<(i, j) -> (j)>"]
case("`linalg.generic`", "the sum of a diagonal, dynamic length", f"""
func.func @main(%x: tensor<?x?x16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {{
  %r = {generic(DIAGONAL, [R, P], [("%x", "tensor<?x?x16xf32>")],
                [("%y", "tensor<16xf32>")], '''
      %s = arith.addf %b, %a : f32
      linalg.yield %s : f32''', "tensor<16xf32>")}
  return %r : tensor<16xf32>
}}""",
     [floats(7, 7, 16), floats(16)],
     lambda x, y: y + np.trace(x))


case("`linalg.generic`", "a product over integers, exclusive or, and", f"""
func.func @main(%x: tensor<6x5xi16>) -> (tensor<6xi16>, tensor<6xi16>, tensor<6xi16>) {{
  %one = arith.constant dense<1> : tensor<6xi16>
  %zero = arith.constant dense<0> : tensor<6xi16>
  %all = arith.constant dense<-1> : tensor<6xi16>
  %p = {generic([ROWS, ROW], [P, R], [("%x", "tensor<6x5xi16>")],
                [("%one", "tensor<6xi16>")],
                '''
      %s = arith.muli %a, %b : i16
      linalg.yield %s : i16''',
                "tensor<6xi16>")}
  %q = {generic([ROWS, ROW], [P, R], [("%x", "tensor<6x5xi16>")],
                [("%zero", "tensor<6xi16>")],
                '''
      %s = arith.xori %a, %b : i16
      linalg.yield %s : i16''',
                "tensor<6xi16>")}
  %r = {generic([ROWS, ROW], [P, R], [("%x", "tensor<6x5xi16>")],
                [("%all", "tensor<6xi16>")],
                '''
      %s = arith.andi %a, %b : i16
      linalg.yield %s : i16''',
                "tensor<6xi16>")}
  return %p, %q, %r : tensor<6xi16>, tensor<6xi16>, tensor<6xi16>
}}""", [integers(6, 5, dtype=np.int16)],
     lambda x: (np.multiply.reduce(x, 1, dtype=np.int16),
                np.bitwise_xor.reduce(x, 1), np.bitwise_and.reduce(x, 1)))

case("`linalg.index`", "in an elementwise body", f"""
func.func @main(%x: tensor<?x6xf32>) -> tensor<?x6xf32> {{
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x6xf32>
  %e = tensor.empty(%d) : tensor<?x6xf32>
  %r = {generic([ROWS, ROWS], [P, P], [("%x", "tensor<?x6xf32>")],
                [("%e", "tensor<?x6xf32>")], '''
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %g = arith.cmpi sge, %i, %j : index
      %z = arith.constant 0.0 : f32
      %s = arith.select %g, %a, %z : f32
      linalg.yield %s : f32''', "tensor<?x6xf32>")}
  return %r : tensor<?x6xf32>
}}""", [floats(9, 6)], np.tril)

case("`linalg.generic`", "maps: transposed, broadcast, constant subscript, strided", f"""
func.func @main(%x: tensor<6x4xf32>, %y: tensor<6xf32>, %z: tensor<3x6xf32>, %w: tensor<7x6xf32>) -> tensor<4x6xf32> {{
  %o = tensor.empty() : tensor<4x6xf32>
  %r = {generic(["affine_map<(i, j) -> (j, i)>", "affine_map<(i, j) -> (j)>",
                 "affine_map<(i, j) -> (2, j)>",
                 "affine_map<(i, j) -> (i * 2, j)>", ROWS], [P, P],
                [("%x", "tensor<6x4xf32>"), ("%y", "tensor<6xf32>"),
                 ("%z", "tensor<3x6xf32>"), ("%w", "tensor<7x6xf32>")],
                [("%o", "tensor<4x6xf32>")], '''
      %s = arith.addf %a, %b : f32
      %t = arith.mulf %s, %c : f32
      %u = arith.subf %t, %d : f32
      linalg.yield %u : f32''', "tensor<4x6xf32>")}
  return %r : tensor<4x6xf32>
}}""", [floats(6, 4), floats(6), floats(3, 6), floats(7, 6)],
     lambda x, y, z, w: (x.T + y) * z[2] - w[::2])

case("`linalg.generic`", "maps: reversed, a diagonal, sums of loops", f"""
func.func @main(%x: tensor<5xf32>, %y: tensor<5x5xf32>, %z: tensor<9xf32>) -> tensor<5x5xf32> {{
  %e = tensor.empty() : tensor<5x5xf32>
  %r = {generic(["affine_map<(i, j) -> (-i + 4)>",
                 "affine_map<(i, j) -> (j, j)>",
                 "affine_map<(i, j) -> (i + j)>", ROWS], [P, P],
                [("%x", "tensor<5xf32>"), ("%y", "tensor<5x5xf32>"),
                 ("%z", "tensor<9xf32>")], [("%e", "tensor<5x5xf32>")], '''
      %s = arith.addf %a, %b : f32
      %t = arith.mulf %s, %c : f32
      linalg.yield %t : f32''', "tensor<5x5xf32>")}
  return %r : tensor<5x5xf32>
}}""", [floats(5), floats(5, 5), floats(9)],
     lambda x, y, z: (x[::-1, None] + np.diag(y)) *
     z[np.add.outer(np.arange(5), np.arange(5))])

case("`linalg.generic`", "a computed tensor read along its diagonal: a trace", f"""
func.func @main(%x: tensor<7x7xf32>) -> tensor<f32> {{
  %e = tensor.empty() : tensor<7x7xf32>
  %i = arith.constant dense<0.0> : tensor<f32>
  %y = {generic([ROWS, ROWS], [P, P], [("%x", "tensor<7x7xf32>")],
                [("%e", "tensor<7x7xf32>")], '''
      %s = arith.mulf %a, %a : f32
      linalg.yield %s : f32''', "tensor<7x7xf32>")}
  %r = {generic(["affine_map<(i) -> (i, i)>", "affine_map<(i) -> ()>"], [R],
                [("%y", "tensor<7x7xf32>")], [("%i", "tensor<f32>")], '''
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32''', "tensor<f32>")}
  return %r : tensor<f32>
}}""", [floats(7, 7)], lambda x: np.trace(x * x).reshape(()))

case("`linalg.generic`", "maps with `floordiv` and `mod`", f"""
func.func @main(%x: tensor<3x4xf32>) -> tensor<12xf32> {{
  %e = tensor.empty() : tensor<12xf32>
  %r = {generic(["affine_map<(i) -> (i floordiv 4, i mod 4)>", ONE], [P],
                [("%x", "tensor<3x4xf32>")], [("%e", "tensor<12xf32>")],
                "      linalg.yield %a : f32", "tensor<12xf32>")}
  return %r : tensor<12xf32>
}}""", [floats(3, 4)], lambda x: x.reshape(12))

case("`linalg.generic`", "a transposed result, a result with a constant subscript", f"""
func.func @main(%x: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<1x6xf32>) {{
  %e = tensor.empty() : tensor<6x4xf32>
  %r = {generic([ROWS, "affine_map<(i, j) -> (j, i)>"], [P, P],
                [("%x", "tensor<4x6xf32>")], [("%e", "tensor<6x4xf32>")], '''
      %s = arith.negf %a : f32
      linalg.yield %s : f32''', "tensor<6x4xf32>")}
  %z = arith.constant dense<0.0> : tensor<1x6xf32>
  %t = {generic([ROWS, "affine_map<(i, j) -> (0, j)>"], [R, P],
                [("%x", "tensor<4x6xf32>")], [("%z", "tensor<1x6xf32>")], '''
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32''', "tensor<1x6xf32>")}
  return %r, %t : tensor<6x4xf32>, tensor<1x6xf32>
}}""", [floats(4, 6)], lambda x: (-x.T, x.sum(0, keepdims=True)))

case("`linalg.generic`", "a result of which one row is written, the rest is `outs`", f"""
func.func @main(%x: tensor<6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {{
  %r = {generic([ONE, "affine_map<(i) -> (2, i)>"], [P],
                [("%x", "tensor<6xf32>")], [("%y", "tensor<4x6xf32>")], '''
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32''', "tensor<4x6xf32>")}
  return %r : tensor<4x6xf32>
}}""", [floats(6), floats(4, 6)],
     lambda x, y: np.concatenate([y[:2], y[2:3] + x, y[3:]]))

case("`linalg.generic`", "no loops at all", f"""
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {{
  %r = {generic(["affine_map<() -> ()>", "affine_map<() -> ()>"], [],
                [("%x", "tensor<f32>")], [("%y", "tensor<f32>")], '''
      %s = arith.divf %a, %b : f32
      linalg.yield %s : f32''', "tensor<f32>")}
  return %r : tensor<f32>
}}""", [floats(1)[0].reshape(()), np.float32(3).reshape(())],
     lambda x, y: (x / y).reshape(()))

case("`linalg.generic`", "dimensions of size 0 and 1, reduced and kept", f"""
func.func @main(%x: tensor<0x3xf32>, %y: tensor<2x0xf32>, %z: tensor<?x?xf32>) -> (tensor<0x3xf32>, tensor<2xf32>, tensor<?xf32>) {{
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<0x3xf32>
  %r = {generic([ROWS, ROWS], [P, P], [("%x", "tensor<0x3xf32>")],
                [("%e", "tensor<0x3xf32>")], '''
      %s = arith.negf %a : f32
      linalg.yield %s : f32''', "tensor<0x3xf32>")}
  %i = arith.constant dense<4.0> : tensor<2xf32>
  %m = {generic([ROWS, ROW], [P, R], [("%y", "tensor<2x0xf32>")],
                [("%i", "tensor<2xf32>")], '''
      %s = arith.maximumf %a, %b : f32
      linalg.yield %s : f32''', "tensor<2xf32>")}
  %d = tensor.dim %z, %c0 : tensor<?x?xf32>
  %f = tensor.empty(%d) : tensor<?xf32>
  %five = arith.constant 5.0 : f32
  %g = linalg.fill ins(%five : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  %t = {generic([ROWS, ROW], [P, R], [("%z", "tensor<?x?xf32>")],
                [("%g", "tensor<?xf32>")], '''
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32''', "tensor<?xf32>")}
  return %r, %m, %t : tensor<0x3xf32>, tensor<2xf32>, tensor<?xf32>
}}""", [floats(0, 3), floats(2, 0), floats(3, 0)],
     lambda x, y, z: (x, np.full(2, 4, np.float32), np.full(3, 5, np.float32)))

case("`linalg.generic`", "a reduction of nothing, whose body does not read `outs`", f"""
func.func @main(%x: tensor<?xf32>, %y: tensor<f32>) -> tensor<f32> {{
  %r = {generic([ONE, "affine_map<(i) -> ()>"], [R], [("%x", "tensor<?xf32>")],
                [("%y", "tensor<f32>")], "      linalg.yield %a : f32",
                "tensor<f32>")}
  return %r : tensor<f32>
}}""", [floats(0), np.float32(9).reshape(())], lambda x, y: y)

case("`linalg.generic`", "a captured scalar argument, a scalar operand", f"""
func.func @main(%x: tensor<8xf32>, %s: f32, %t: f32) -> tensor<8xf32> {{
  %e = tensor.empty() : tensor<8xf32>
  %u = arith.mulf %s, %t : f32
  %r = {generic([ONE, "affine_map<(i) -> ()>", ONE], [P],
                [("%x", "tensor<8xf32>"), ("%s", "f32")],
                [("%e", "tensor<8xf32>")], '''
      %v = arith.mulf %a, %b : f32
      %w = arith.addf %v, %u : f32
      linalg.yield %w : f32''', "tensor<8xf32>")}
  return %r : tensor<8xf32>
}}""", [floats(8), np.float32(1.5).reshape(()), np.float32(-2).reshape(())],
     lambda x, s, t: x * s + s * t)

case("`linalg.generic`", "`tensor.extract` in a body, indices from another tensor", f"""
func.func @main(%x: tensor<10x4xf32>, %n: tensor<6xi64>) -> tensor<6x4xf32> {{
  %e = tensor.empty() : tensor<6x4xf32>
  %r = {generic([ROW, ROWS], [P, P], [("%n", "tensor<6xi64>")],
                [("%e", "tensor<6x4xf32>")], '''
      %i = arith.index_cast %a : i64 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %x[%i, %j] : tensor<10x4xf32>
      linalg.yield %v : f32''', "tensor<6x4xf32>")}
  return %r : tensor<6x4xf32>
}}""", [floats(10, 4), integers(6, low=0, dtype=np.int64)], lambda x, n: x[n])

case("`linalg.generic`", "`scf.if` in a body", f"""
func.func @main(%x: tensor<20xf32>) -> tensor<20xf32> {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20xf32>
  %r = {generic([ONE, ONE], [P], [("%x", "tensor<20xf32>")],
                [("%e", "tensor<20xf32>")], '''
      %c = arith.cmpf olt, %a, %z : f32
      %v = scf.if %c -> f32 {{
        %w = math.exp %a : f32
        scf.yield %w : f32
      }} else {{
        %w = arith.addf %a, %a : f32
        scf.yield %w : f32
      }}
      linalg.yield %v : f32'''.replace("{{", "{").replace("}}", "}"),
                "tensor<20xf32>")}
  return %r : tensor<20xf32>
}}""", [floats(20)], lambda x: np.where(x < 0, np.exp(x), x + x))

case("`linalg.generic`", "a parallel loop that no result has: the last element", f"""
func.func @main(%x: tensor<5x1xf32>) -> tensor<5xf32> {{
  %e = tensor.empty() : tensor<5xf32>
  %r = {generic([ROWS, ROW], [P, P], [("%x", "tensor<5x1xf32>")],
                [("%e", "tensor<5xf32>")], '''
      %s = math.absf %a : f32
      linalg.yield %s : f32''', "tensor<5xf32>")}
  return %r : tensor<5xf32>
}}""", [floats(5, 1)], lambda x: np.abs(x[:, 0]))

case("`linalg.generic`", "tensors of `index`, held as i64", f"""
func.func @main(%x: tensor<5x9xf32>) -> (tensor<5xindex>, tensor<5xf32>) {{
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %e0 = tensor.empty() : tensor<5xf32>
  %e1 = tensor.empty() : tensor<5xindex>
  %m0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<5xf32>) -> tensor<5xf32>
  %i0 = linalg.fill ins(%c0 : index) outs(%e1 : tensor<5xindex>) -> tensor<5xindex>
  %r:2 = {generic([ROWS, ROW, ROW], [P, R], [("%x", "tensor<5x9xf32>")],
                  [("%m0", "tensor<5xf32>"), ("%i0", "tensor<5xindex>")], '''
      %k = linalg.index 1 : index
      %m = arith.maximumf %a, %b : f32
      %g = arith.cmpf ogt, %a, %b : f32
      %i = arith.select %g, %k, %c : index
      linalg.yield %m, %i : f32, index''', "(tensor<5xf32>, tensor<5xindex>)")}
  %f = {generic([ONE, ONE], [P], [("%r#1", "tensor<5xindex>")],
                [("%e0", "tensor<5xf32>")], '''
      %i = linalg.index 0 : index
      %v = tensor.extract %x[%i, %a] : tensor<5x9xf32>
      linalg.yield %v : f32''', "tensor<5xf32>")}
  return %r#1, %f : tensor<5xindex>, tensor<5xf32>
}}""", [floats(5, 9)], lambda x: (x.argmax(1), x.max(1)))


def prefixes(shape, axis, kind, order, combine):
    """The combination, for each element, of those before it along an axis."""
    rank = len(shape)
    loops = ", ".join(f"d{n}" for n in range(rank)) + ", j"
    read = ", ".join("j" if n == axis else f"d{n}" for n in range(rank))
    write = ", ".join(f"d{n}" for n in range(rank))
    tensor = f"tensor<{'x'.join(map(str, shape))}x{kind}>"
    return f"""
func.func @main(%x: {tensor}, %s: {tensor}) -> {tensor} {{
  %r = {generic([f"affine_map<({loops}) -> ({read})>",
                 f"affine_map<({loops}) -> ({write})>"],
                [P] * rank + [R], [("%x", tensor)], [("%s", tensor)], f'''
      %k = linalg.index {axis} : index
      %j = linalg.index {rank} : index
      %taken = arith.cmpi {order}, %j, %k : index
      %next = arith.{combine} %b, %a : {kind}
      %n = arith.select %taken, %next, %b : {kind}
      linalg.yield %n : {kind}''', tensor)}
  return %r : {tensor}
}}"""


case("`linalg.generic`", "cumulative sums of rows, from an argument on",
     prefixes((5, 300), 1, "f32", "sle", "addf"),
     [floats(5, 300), floats(5, 300)],
     lambda x, s: s + np.cumsum(x, 1))
case("`linalg.generic`", "cumulative sums of columns, from the end on",
     prefixes((70, 6), 0, "i32", "sge", "addi"),
     [integers(70, 6), integers(70, 6)],
     lambda x, s: s + np.flip(np.cumsum(np.flip(x, 0), 0, x.dtype), 0))
case("`linalg.generic`", "running maxima along a dimension in the middle",
     prefixes((3, 33, 4), 1, "f32", "ule", "maximumf"),
     [floats(3, 33, 4), floats(3, 33, 4)],
     lambda x, s: np.maximum(s, np.maximum.accumulate(x, 1)))
case("`linalg.generic`", "sums of all before each element of a row",
     prefixes((5, 300), 1, "f32", "slt", "addf"),
     [floats(5, 300), floats(5, 300)],
     lambda x, s: s + np.cumsum(x, 1) - x)
case("`linalg.generic`", "products of all after each element of a column",
     prefixes((70, 6), 0, "i32", "sgt", "muli"),
     [integers(70, 6), integers(70, 6)],
     lambda x, s: s * np.concatenate(
         [np.flip(np.cumprod(np.flip(x, 0), 0, x.dtype), 0)[1:],
          np.ones((1, 6), x.dtype)]))
case("`linalg.generic`", "cumulative sums of rows longer than a program holds",
     prefixes((3, 9001), 1, "i32", "sle", "addi"),
     [integers(3, 9001), integers(3, 9001)],
     lambda x, s: s + np.cumsum(x, 1, x.dtype))
case("`linalg.generic`", "sums of all after each element of a long row",
     prefixes((3, 9001), 1, "i32", "sgt", "addi"),
     [integers(3, 9001), integers(3, 9001)],
     lambda x, s: s + np.flip(np.cumsum(np.flip(x, 1), 1, x.dtype), 1) - x)
case("`linalg.generic`", "running maxima of long columns, from the end on",
     prefixes((9001, 3), 0, "f32", "sge", "maximumf"),
     [floats(9001, 3), floats(9001, 3)],
     lambda x, s: np.maximum(
         s, np.flip(np.maximum.accumulate(np.flip(x, 0), 0), 0)))
case("`linalg.generic`", "cumulative sums of rows of any length",
     prefixes("?" * 2, 1, "i32", "sle", "addi"),
     [integers(3, 777), integers(3, 777)],
     lambda x, s: s + np.cumsum(x, 1, x.dtype))
case("`linalg.generic`", "sums from the end of more elements than results",
     prefixes("?", 0, "i32", "sge", "addi"),
     [integers(900), integers(700)],
     lambda x, s: s + np.flip(np.cumsum(np.flip(x, 0), 0, x.dtype), 0)[:700])
