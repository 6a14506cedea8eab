"""compile_model, Device.load_model, Model.run."""
import json
import pathlib
import re
import tempfile
import threading
import unittest

import numpy as np
import tilewright as tw

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

# y = x + x over TYPE.
MODEL = """
#at = affine_map<(n, m) -> (n, m)>
func.func @main(%x: tensor<?x3xTYPE> {graph.name = "x", graph.dims = ["N", ""]})
    -> (tensor<?x3xTYPE> {graph.name = "y"}) {
  %y = linalg.generic {indexing_maps = [#at, #at],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x3xTYPE>) outs(%x : tensor<?x3xTYPE>) {
  ^bb0(%a: TYPE, %o: TYPE):
    %sum = arith.addf %a, %a : TYPE
    linalg.yield %sum : TYPE
  } -> tensor<?x3xTYPE>
  return %y : tensor<?x3xTYPE>
}
"""


# y = x w.
PRODUCT = """
func.func @main(%x: tensor<8x8xf32> {graph.name = "x"},
                %w: tensor<8x8xf32> {graph.name = "w"})
    -> (tensor<8x8xf32> {graph.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>)
      -> tensor<8x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>)
      outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
"""


class Models(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def compiled(self, dtype="f32", targets=("cpu",)):
        source = pathlib.Path(self.folder.name, "m.mlir")
        source.write_text(MODEL.replace("TYPE", dtype), encoding="utf-8")
        package = source.with_suffix(".twp")
        report = tw.compile_model(source, package, targets=targets)
        self.assertEqual(report.kernels, 1)
        return package

    def test_each_device(self):
        package = self.compiled(targets=["cpu", "sm_90a", "interpreter"])
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        for name in ("cpu", "emulator", "interpreter"):
            with self.subTest(name):
                model = tw.open(name).load_model(package)
                y = model.run({"x": x})["y"]
                self.assertEqual(y.tolist(), (x + x).tolist())
                self.assertEqual(y.dtype, np.float32)

    def test_precision(self):
        source = pathlib.Path(self.folder.name, "p.mlir")
        source.write_text(PRODUCT, encoding="utf-8")
        package = source.with_suffix(".twp")
        tw.compile_model(source, package, precision="tf32")
        manifest = json.loads((package / "manifest.json").read_text())
        self.assertEqual([kernel["precision"] for kernel in manifest["kernels"]],
                         ["tf32"])
        # The interpreter rounds operands, which a CPU does not.
        x = np.full((8, 8), 1 + 2.0**-12, np.float32)
        exact, rounded = (
            tw.load_onnx(source, "interpreter", precision=name).run(x=x, w=x)
            ["y"] for name in ("ieee", "tf32"))
        self.assertTrue((exact != rounded).all())
        for load in (lambda: tw.compile_model(source, package, precision="f8"),
                     lambda: tw.load_onnx(source, precision="f8")):
            with self.assertRaisesRegex(ValueError, "one of ieee, tf32, tf32x3,"
                                        " bf16x3, bf16x6, found 'f8'"):
                load()

    def test_interface(self):
        model = tw.open("cpu").load_model(self.compiled())
        self.assertEqual(model.inputs, [tw.TensorSpec("x", "f32", ("N", 3))])
        self.assertEqual([o.name for o in model.outputs], ["y"])

    def test_repr(self):
        package = self.compiled(targets=["sm_90a"])
        model = tw.open("emulator").load_model(package)
        self.assertEqual(
            repr(model), "<tilewright.Model m(x: f32[N, 3]) -> (y: f32[N, 3]) "
            "on emulator>")
        self.assertEqual(str(model.inputs[0]), "x: f32[N, 3]")

    def test_keywords(self):
        model = tw.open("cpu").load_model(self.compiled())
        x = np.ones((2, 3), np.float32)
        self.assertEqual(model.run(x=x)["y"].tolist(), [[2.0] * 3] * 2)
        with self.assertRaisesRegex(tw.InvalidInputError, "'x' is missing"):
            model.run()
        with self.assertRaisesRegex(tw.NotFoundError, "no input 'z'"):
            model.run({"x": x}, z=x)

    def test_load_onnx(self):
        source = pathlib.Path(self.folder.name, "m.mlir")
        source.write_text(MODEL.replace("TYPE", "f32"), encoding="utf-8")
        x = np.ones((2, 3), np.float32)
        for device in ("cpu", "emulator", "interpreter", tw.open("cpu")):
            model = tw.load_onnx(source, device)
            self.assertEqual(model.run(x=x)["y"].tolist(), [[2.0] * 3] * 2)
        layer = (pathlib.Path(__file__).parents[2] /
                 "examples/10-fused-op/feed-forward.onnx")
        self.assertEqual(tw.load_onnx(layer).inputs[0].shape, ("N", 16))
        fixed = tw.load_onnx(layer, input_shapes={"x": [2, 16]})
        self.assertEqual(fixed.inputs[0].shape, (2, 16))
        with self.assertRaisesRegex(tw.Error, "missing.onnx"):
            tw.load_onnx("missing.onnx")

    def test_outputs_are_their_own(self):
        model = tw.open("cpu").load_model(self.compiled())
        x = np.ones((2, 3), np.float32)
        first = model.run({"x": x})["y"]
        second = model.run({"x": x * 5})["y"]
        del model
        self.assertEqual(first.tolist(), [[2.0] * 3] * 2)
        self.assertEqual(second.tolist(), [[10.0] * 3] * 2)

    def test_strided_and_read_only(self):
        model = tw.open("cpu").load_model(self.compiled())
        x = np.arange(12, dtype=np.float32).reshape(3, 4).T[::2]
        x.flags.writeable = False
        self.assertEqual(model.run({"x": x})["y"].tolist(), (x + x).tolist())

    def test_bfloat16(self):
        model = tw.open("cpu").load_model(self.compiled("bf16"))
        x = np.full((1, 3), 0x3f80, np.uint16)
        y = model.run({"x": x})["y"]
        if ml_dtypes:
            self.assertEqual(y.dtype, ml_dtypes.bfloat16)
            y = model.run({"x": np.ones((1, 3), ml_dtypes.bfloat16)})["y"]
            self.assertEqual(y.astype(np.float32).tolist(), [[2.0] * 3])
        else:
            self.assertEqual(y.dtype, np.uint16)
            self.assertEqual(y.tolist(), [[0x4000] * 3])

    def test_uint4(self):
        text = MODEL.replace("arith.addf", "arith.addi").replace("TYPE", "i8")
        text = re.sub(r"\{(graph.name = .[xy].)", r'{graph.dtype = "u4", \1',
                      text)
        source = pathlib.Path(self.folder.name, "u4.mlir")
        source.write_text(text, encoding="utf-8")
        package = source.with_suffix(".twp")
        tw.compile_model(source, package)
        model = tw.open("cpu").load_model(package)
        y = model.run({"x": np.full((1, 3), 7, np.uint8)})["y"]
        if ml_dtypes:
            self.assertEqual(y.dtype, ml_dtypes.uint4)
            y = model.run({"x": np.full((1, 3), 7, ml_dtypes.uint4)})["y"]
        self.assertEqual(y.astype(np.uint8).tolist(), [[14] * 3])

    def test_rejects(self):
        model = tw.open("cpu").load_model(self.compiled())
        x = np.ones((2, 3), np.float32)
        model.run({"x": x})
        for inputs, pattern in (
                ({}, "input 'x' is missing"),
                ({"x": x, "z": x}, "no input 'z'"),
                ({"x": x.astype(np.float64)}, "f64"),
                ({"x": x[:, :2]}, "x")):
            with self.assertRaisesRegex(tw.Error, pattern):
                model.run(inputs)
        with self.assertRaises(TypeError):
            model.run({"x": [1.0]})

    def test_errors(self):
        device = tw.open("cpu")
        with self.assertRaises(tw.Error) as caught:
            device.load_model("missing.twp")
        self.assertEqual(caught.exception.code, "not found")
        with self.assertRaisesRegex(tw.Error, "sm_1"):
            tw.compile_model("m.mlir", "m.twp", targets=["sm_1"])
        with self.assertRaisesRegex(tw.Error, "missing.onnx"):
            tw.compile_model("missing.onnx", "m.twp")

    def test_cache_and_limits(self):
        package = self.compiled()
        source = package.with_suffix(".mlir")
        cache = tw.Cache(pathlib.Path(self.folder.name, "cache"))
        kept = [tw.compile_model(source, package, cache=cache, time_limit=600)
                for _ in range(2)]
        self.assertEqual([r.from_cache for r in kept], [False, True])
        self.assertEqual(kept[1].diagnostics, [])
        for name, code in (("llvm_ir_limit", "budget_llvm_ir"),
                           ("memory_limit", "budget_memory")):
            with self.assertRaises(tw.ResourceExhaustedError) as caught:
                tw.compile_model(source, package, **{name: 1})
            self.assertEqual(caught.exception.diagnostics[0].code, code)
            tw.compile_model(source, package, **{name: 0})
        with self.assertRaisesRegex(tw.InvalidInputError, "time_limit"):
            tw.compile_model(source, package, time_limit=0)
        source.write_text("func.func @f(", encoding="utf-8")
        with self.assertRaises(tw.InvalidInputError) as caught:
            tw.compile_model(source, package)
        found = caught.exception.diagnostics[0]
        self.assertEqual((found.file, found.line), (str(source), 1))

    def test_threads(self):
        model = tw.open("cpu").load_model(self.compiled())
        wrong = []

        def work(value):
            x = np.full((5, 3), value, np.float32)
            for _ in range(50):
                if (model.run({"x": x})["y"] != 2 * value).any():
                    wrong.append(value)

        threads = [threading.Thread(target=work, args=(v,)) for v in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
