"""compile, Compiler, Cache: images, errors, futures."""
import os
import pathlib
import pickle
import tempfile
import threading
import time
import unittest

import kernels
import numpy as np
import tilewright as tw


class Images(unittest.TestCase):
    def test_each_target(self):
        beginnings = {"cpu": b"\x7fELF", "sm_90a": b"//", "interpreter": b""}
        for target, beginning in beginnings.items():
            image = tw.compile(kernels.SCALE, target=target)
            self.assertEqual((image.name, image.target), ("scale", target))
            self.assertTrue(image.code.startswith(beginning))
            self.assertEqual(image.manifest["entry"], "scale")
            self.assertEqual(image.diagnostics, [])
            self.assertFalse(image.from_cache)

    def test_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "scale.mlir")
            path.write_text(kernels.SCALE, encoding="utf-8")
            codes = {tw.compile(source, target="sm_80").code
                     for source in (path, str(path), kernels.SCALE,
                                    kernels.SCALE.encode())}
        self.assertEqual(len(codes), 1)

    def test_one_of_several(self):
        both = kernels.SCALE + kernels.BUMP
        self.assertEqual(tw.compile(both, kernel="bump").name, "bump")
        with self.assertRaises(tw.Error) as caught:
            tw.compile(both)
        self.assertEqual(caught.exception.diagnostics[0].code, "kernel")

    def test_precision(self):
        self.assertNotIn("precision", tw.compile(kernels.SQUARE).manifest)
        for target in ("cpu", "sm_80", "interpreter"):
            image = tw.compile(kernels.SQUARE, target, precision="tf32x3")
            self.assertEqual(image.manifest["precision"], "tf32x3")
        compiler = tw.Compiler()
        image = compiler.submit(kernels.SQUARE, precision="tf32").result()
        self.assertEqual(image.manifest["precision"], "tf32")
        with self.assertRaisesRegex(ValueError, "one of ieee, tf32, tf32x3, "
                                    "bf16x3, bf16x6, found 'f16'"):
            tw.compile(kernels.SQUARE, precision="f16")

    def test_remarks(self):
        image = tw.compile(kernels.SCALE, target="sm_90a", remarks=True)
        codes = [remark.code for remark in image.remarks]
        self.assertIn("schedule", codes)
        self.assertEqual(image.remarks[0].kernel, "scale")

    def test_saved_and_loaded(self):
        x = np.ones(3, np.float32)
        with tempfile.TemporaryDirectory() as folder:
            for device in ("cpu", "emulator", "interpreter"):
                path = pathlib.Path(folder, f"scale.{device}.zip")
                image = tw.compile(kernels.SCALE,
                                   target=tw.open(device).targets[0])
                image.save(path)
                for again in (tw.KernelImage.load(path),
                              pickle.loads(pickle.dumps(image))):
                    self.assertEqual(again.code, image.code)
                    self.assertEqual(again.manifest, image.manifest)
                    tw.open(device).load(again)(x, 2)
                before = path.read_bytes()
                image.save(str(path))
                self.assertEqual(path.read_bytes(), before)
            self.assertEqual(x.tolist(), [64.0] * 3)
            self.assertEqual(len(os.listdir(folder)), 3)

    def test_damaged_files(self):
        image = tw.compile(kernels.SCALE, target="sm_80")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "scale.zip")
            image.save(path)
            whole = path.read_bytes()
            for damaged in (b"", b"no image", whole[:-9], whole[:200],
                            whole[:90] + b"????" + whole[94:]):
                path.write_bytes(damaged)
                with self.assertRaisesRegex(tw.InvalidInputError, "scale.zip"):
                    tw.KernelImage.load(path)
            for call, where in ((tw.KernelImage.load, "missing.zip"),
                                (image.save, "none/scale.zip")):
                with self.assertRaisesRegex(tw.InputOutputError, where):
                    call(pathlib.Path(folder, where))

    def test_fixed_sizes_are_guards(self):
        guards = tw.compile(kernels.NEGATE).manifest["guards"]
        self.assertIn("arg0.dim1 == 8", guards)
        self.assertIn("arg0.stride1 == 1", guards)


class Errors(unittest.TestCase):
    def failure(self, *arguments, **options):
        with self.assertRaises(tw.Error) as caught:
            tw.compile(*arguments, **options)
        self.assertIsInstance(caught.exception, RuntimeError)
        return caught.exception

    def test_diagnostics(self):
        wrong = kernels.SCALE.replace("%t, %b :", "%t, %c :")
        error = self.failure(wrong)
        self.assertEqual(error.code, "invalid input")
        self.assertEqual(str(error), error.message)
        found = error.diagnostics[0]
        self.assertEqual((found.severity, found.code), ("error", "parse"))
        self.assertEqual(found.line, wrong[:wrong.index("%c")].count("\n") + 1)
        self.assertIn(found.message, error.message)

    def test_rule_of_the_dialect(self):
        error = self.failure(kernels.BUMP.replace(
            "tensor<8x!tile.ptr<i32>>\n  %b", "tensor<9x!tile.ptr<i32>>\n  %b"))
        self.assertTrue(error.diagnostics)

    def test_classes(self):
        for ours, theirs in ((tw.InvalidInputError, ValueError),
                             (tw.UnsupportedError, NotImplementedError),
                             (tw.NotFoundError, LookupError),
                             (tw.ResourceExhaustedError, MemoryError)):
            self.assertTrue(issubclass(ours, tw.Error))
            self.assertTrue(issubclass(ours, theirs))
        with self.assertRaises(tw.InvalidInputError):
            tw.compile("tile.kernel @k() {")
        with self.assertRaises(tw.NotFoundError):
            tw.open("tpu")
        with self.assertRaises(tw.UnsupportedError):
            tw.open("cpu").load(tw.compile(kernels.SCALE, target="sm_80"))

    def test_codes(self):
        cases = {"target": dict(target="sm_1"),
                 "tunable": dict(tunables={"no": 1}),
                 "schedule": dict(target="sm_80", schedule="warps=many"),
                 "kernel": dict(kernel="no")}
        for code, options in cases.items():
            with self.subTest(code):
                error = self.failure(kernels.SCALE, **options)
                self.assertEqual(error.diagnostics[-1].code, code)

    def test_files(self):
        error = self.failure("missing.mlir")
        self.assertIn("missing.mlir", error.message)
        self.assertIn(error.code, ("not found", "input/output error"))

    def test_wrong_kinds(self):
        for arguments in ((1,), (None,), (kernels.SCALE, 1)):
            with self.assertRaises(TypeError):
                tw.compile(*arguments)
        self.assertIn("time_limit", str(self.failure(kernels.SCALE,
                                                     time_limit=-1)))
        self.assertIn("llvm_ir_limit", str(self.failure(kernels.SCALE,
                                                        llvm_ir_limit=-1)))

    def test_llvm_ir_limit(self):
        error = self.failure(kernels.SCALE, llvm_ir_limit=5)
        self.assertEqual(error.code, "resource exhausted")
        self.assertEqual(error.diagnostics[-1].code, "budget_llvm_ir")
        tw.compile(kernels.SCALE, llvm_ir_limit=0)


class Futures(unittest.TestCase):
    def test_many(self):
        with tempfile.TemporaryDirectory() as folder:
            compiler = tw.Compiler(threads=2, cache=tw.Cache(folder))
            for cached in (False, True):
                work = [compiler.submit(kernels.TUNED, tunables={"by": n},
                                        target="sm_80") for n in (2, 3, 5)]
                images = [one.result() for one in work]
                self.assertEqual([i.from_cache for i in images], [cached] * 3)
                self.assertTrue(all(one.done() for one in work))
            self.assertEqual(len({i.code for i in images}), 3)
            again = tw.compile(kernels.TUNED, tunables={"by": 3},
                               target="sm_80", cache=tw.Cache(folder))
            self.assertTrue(again.from_cache)
            self.assertTrue(os.listdir(folder))

    def test_cancel(self):
        compiler = tw.Compiler(threads=1)
        work = [compiler.submit(kernels.ADD, target="sm_90a")
                for _ in range(20)]
        with self.assertRaises(TimeoutError):
            work[-1].result(timeout=0)
        for one in work:
            one.cancel()
        with self.assertRaises(tw.Error) as caught:
            work[-1].result()
        self.assertEqual(caught.exception.code, "cancelled")
        self.assertEqual(caught.exception.diagnostics[0].code, "cancelled")

    def test_the_end_of_a_compiler(self):
        work = tw.Compiler(threads=1).submit(kernels.ADD, target="sm_90a")
        try:
            work.result()
        except tw.Error as error:
            self.assertEqual(error.code, "cancelled")

    def test_the_lock_is_free(self):
        # Another thread runs while this one waits for the compiler.
        compiler, ticks, stop = tw.Compiler(threads=1), [], threading.Event()

        def tick():
            while not stop.wait(0.001):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        start = time.monotonic()
        for one in [compiler.submit(kernels.ADD, target="sm_90a")
                    for _ in range(10)]:
            one.result()
        spent = time.monotonic() - start
        stop.set()
        thread.join()
        self.assertGreater(len(ticks), spent * 1000 / 50)


if __name__ == "__main__":
    unittest.main()
