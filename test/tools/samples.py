"""Small files for the tests of the command line."""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "models"))
from bad_input import GOOD  # noqa: E402  x: f32[2, 3] -> y = relu(x)

# In place, with two scalars; the sizes have no names.
SCALE = """\
tile.kernel @scale(%x: !tile.view<?xf32> {tile.name = "x"},
                   %n: index {tile.name = "n"},
                   %factor: f32 {tile.name = "factor"})
    grid affine_map<()[d, n] -> (n ceildiv 8)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<8xf32>
  %f = tile.splat %factor : f32 -> tensor<8xf32>
  %y = arith.mulf %t, %f : tensor<8xf32>
  tile.store %y, %x[%i] : tensor<8xf32>, !tile.view<?xf32>
}
"""

# From x to y; FOR_X, FOR_Y: the arguments' attributes.
DOUBLE = """\
tile.kernel @double(%x: !tile.view<?x4xf32>FOR_X,
                    %y: !tile.view<?x4xf32>FOR_Y)
    grid affine_map<()[m, k, n, l] -> (m ceildiv 2)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %t = tile.load %x[%i, %c0] pad 0.0 : !tile.view<?x4xf32> -> tensor<2x4xf32>
  %d = arith.addf %t, %t : tensor<2x4xf32>
  tile.store %d, %y[%i, %c0] : tensor<2x4xf32>, !tile.view<?x4xf32>
}
"""


def double(for_x='{tile.name = "x", tile.dims = ["M", ""]}',
           for_y='{tile.name = "y", tile.dims = ["M", ""]}'):
    return DOUBLE.replace("FOR_X", " " + for_x).replace("FOR_Y", " " + for_y)


GRAPH = """\
func.func @main(%x: tensor<?x3xf32> {graph.name = "x", graph.dims = ["N", ""]})
    -> (tensor<?x3xf32> {graph.name = "y"}) {
  %y = arith.addf %x, %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
"""

# No element is written.
UNDEFINED = """\
func.func @main(%x: tensor<2x3xf32> {graph.name = "x"})
    -> (tensor<2x3xf32> {graph.name = "y"}) {
  %y = tensor.empty() : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
"""

UNKNOWN_OP = """\
func.func @main(%f: tensor<1x3x3x1xf32> {graph.name = "f"})
    -> (tensor<6x6x1x1xf32> {graph.name = "y"}) {
  %e = tensor.empty() : tensor<6x6x1x1xf32>
  %y = linalg.winograd_filter_transform fmr(F_4_3)
      ins(%f : tensor<1x3x3x1xf32>) outs(%e : tensor<6x6x1x1xf32>)
      -> tensor<6x6x1x1xf32>
  return %y : tensor<6x6x1x1xf32>
}
"""

# The program's row is read from memory: any row may come.
PICK = """\
tile.kernel @pick(%x: !tile.view<?xf32> {tile.name = "x"},
                  %at: !tile.view<1xi64> {tile.name = "at"},
                  %y: !tile.view<1xf32> {tile.name = "y"})
    grid affine_map<()[n, one, also] -> (1)> {
  %c0 = arith.constant 0 : index
  %base = tile.base %x : !tile.view<?xf32> -> !tile.ptr<f32>
  %row = tile.load %at[%c0] : !tile.view<1xi64> -> tensor<1xi64>
  %place = tile.offset %base, %row : !tile.ptr<f32>, tensor<1xi64>
  %value = tile.load_ptr %place : tensor<1x!tile.ptr<f32>>
  tile.store %value, %y[%c0] : tensor<1xf32>, !tile.view<1xf32>
}
"""

PTX = """\
.version 8.7
.target sm_80
.address_size 64
.visible .entry first(.param .u64 x) {
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [x];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d1, %r0, 4;
  add.u64 %d2, %d0, %d1;
  st.global.u32 [%d2], %r0;
  ret;
}
"""
LAUNCH = {"entry": "first", "grid": [1], "block": [32],
          "args": [{"buffer": {"shape": [32], "dtype": "i32"},
                    "output": "x"}]}


def write(folder):
    """Writes one of each kind, all of them good."""
    texts = {"scale.mlir": SCALE, "double.mlir": double(), "graph.mlir": GRAPH,
             "pick.mlir": PICK, "k.ptx": PTX, "k.json": json.dumps(LAUNCH),
             "two.mlir": SCALE + double()}
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "relu.onnx").write_bytes(GOOD)
    np.save(folder / "x23.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    np.save(folder / "x24.npy", np.arange(8, dtype=np.float32).reshape(2, 4))
    np.save(folder / "x10.npy", np.arange(10, dtype=np.float32))
    np.save(folder / "i24.npy", np.arange(8, dtype=np.int64).reshape(2, 4))
    (folder / "text.npy").write_text("no array")
