"""Calls of kernels: arrays in place and copied, and what is rejected."""
import contextlib
import functools
import io
import sys
import threading
import unittest

import kernels
import numpy as np
import tilewright as tw

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
try:
    import torch
except ImportError:
    torch = None

DEVICES = ("cpu", "emulator", "interpreter")


def each_device(test):
    """Calls a test with each device."""
    @functools.wraps(test)
    def tests(self):
        for name in DEVICES:
            with self.subTest(device=name):
                test(self, tw.open(name))
    return tests


class Prints(unittest.TestCase):
    def test_lines(self):
        for name in DEVICES:
            with self.subTest(device=name):
                lines = []
                device = tw.open(name, prints=lines.append)
                device.load(kernels.SAY)(7)
                device.load(kernels.SAY)(8)
                self.assertEqual(len(lines), 2)
                self.assertIn("n = 7", lines[0])
                self.assertIn("n = 8", lines[1])

    def test_python_prints(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            tw.open("cpu").load(kernels.SAY)(7)
        self.assertIn("n = 7\n", said.getvalue())

    def test_nowhere_and_errors(self):
        tw.open("cpu", prints=None).load(kernels.SAY)(7)
        told = []
        hook, sys.unraisablehook = sys.unraisablehook, told.append
        try:
            tw.open("cpu", prints=lambda: None).load(kernels.SAY)(7)
        finally:
            sys.unraisablehook = hook
        self.assertEqual(len(told), 1)
        self.assertIs(told[0].exc_type, TypeError)


class EachDevice(unittest.TestCase):
    @each_device
    def test_writes_the_array_it_is_given(self, device):
        x = np.arange(3000, dtype=np.float32)
        address = x.ctypes.data
        device.load(kernels.SCALE)(x, 2)
        np.testing.assert_array_equal(x, np.arange(3000) * 2)
        self.assertEqual(x.ctypes.data, address)

    @each_device
    def test_strided(self, device):
        x = np.arange(40 * 50, dtype=np.float32).reshape(50, 40).T[::2]
        before, y = x.copy(), np.ones((20, 50), np.float32)
        device.load(kernels.ADD)(x, y)
        np.testing.assert_array_equal(y, before + 1)
        np.testing.assert_array_equal(x, before)

    @each_device
    def test_arrays_that_overlap(self, device):
        # The copy of x must not undo what was written to y.
        both = np.arange(64, dtype=np.float32).reshape(8, 8)
        device.load(kernels.ADD)(both, both)
        np.testing.assert_array_equal(both.ravel(), np.arange(64) * 2)
        # Row 1 is read as x and written as y, in no given order.
        rows = np.zeros((6, 8), np.float32)
        rows[:2] = 1
        device.load(kernels.ADD)(rows[:3], rows[3:])
        rows[0] = 5
        device.load(kernels.ADD)(rows[:2], rows[1:3])
        self.assertEqual(rows[:, 0].tolist(), [5, 6, rows[2, 0], 1, 1, 0])
        self.assertIn(rows[2, 0], (1, 6))

    @each_device
    def test_pointer(self, device):
        x = np.arange(8, dtype=np.int32)
        device.load(kernels.BUMP)(x, -3)
        np.testing.assert_array_equal(x, np.arange(8) - 3)

    @each_device
    def test_scalars_of_every_type(self, device):
        cases = [("f16", np.float16, [0.5, np.float16(-2), 3]),
                 ("f32", np.float32, [0.5, np.float32(-2), 3, np.inf]),
                 ("f64", np.float64, [0.1, np.float64(-2), 3]),
                 ("i1", np.bool_, [True, np.bool_(True), False, 1]),
                 ("i8", np.int8, [-128, np.int8(5), 127]),
                 ("i8", np.uint8, [255, np.uint8(200)]),
                 ("i16", np.int16, [-2**15, np.int16(5)]),
                 ("i32", np.int32, [-2**31, np.int64(5), True]),
                 ("i64", np.int64, [-2**63, 2**63 - 1, np.int8(5)]),
                 ("i64", np.uint64, [2**64 - 1, np.uint64(2**63)])]
        if ml_dtypes:
            cases.append(("bf16", ml_dtypes.bfloat16,
                          [0.5, ml_dtypes.bfloat16(-2), 3]))
        for name, dtype, numbers in cases:
            keep = device.load(kernels.KEEP.replace("TYPE", name))
            for number in numbers:
                with self.subTest(type=name, number=number):
                    x = np.zeros(1, dtype)
                    keep(x, number)
                    self.assertEqual(x[0], np.array(number).astype(dtype))

    @each_device
    def test_tunables(self, device):
        x = np.ones(16, np.int32)
        device.load(kernels.TUNED)(x)
        device.load(kernels.TUNED, tunables={"by": 5})(x)
        self.assertEqual(x.tolist(), [10] * 16)

    @each_device
    def test_bfloat16_as_integers(self, device):
        x = np.array([0x3f80, 0x4000], np.uint16)
        y = np.zeros_like(x)
        device.load(kernels.TWICE.replace("TYPE", "bf16"))(x, y)
        self.assertEqual(y.tolist(), [0x4000, 0x4080])

    @unittest.skipUnless(ml_dtypes, "ml_dtypes is not installed")
    def test_ml_dtypes(self):
        types = {"bf16": ml_dtypes.bfloat16, "f8E5M2": ml_dtypes.float8_e5m2,
                 "f8E4M3FN": ml_dtypes.float8_e4m3fn}
        for ours, theirs in types.items():
            x = np.array([0.5, 1.0, -2.0], dtype=theirs)
            y = np.zeros_like(x)
            tw.open("cpu").load(kernels.TWICE.replace("TYPE", ours))(x, y)
            self.assertEqual(y.astype(np.float32).tolist(), [1.0, 2.0, -4.0])
        with self.assertRaisesRegex(tw.Error, "expected elements of f8E4M3FN"):
            tw.open("cpu").load(kernels.TWICE.replace("TYPE", "f8E4M3FN"))(
                np.zeros(3, ml_dtypes.float8_e5m2), y)

    @unittest.skipUnless(torch, "torch is not installed")
    def test_torch(self):
        x = torch.ones(5)
        tw.open("cpu").load(kernels.SCALE)(x, 3.0)
        self.assertEqual(x.tolist(), [3.0] * 5)


class OnlyDLPack:
    """What another library's array is to us."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Arguments(unittest.TestCase):
    def setUp(self):
        self.device = tw.open("cpu")
        self.scale = self.device.load(kernels.SCALE)
        self.x = np.ones(4, np.float32)

    def rejected(self, kernel, arguments, pattern, code="invalid input"):
        with self.assertRaisesRegex(tw.Error, pattern) as caught:
            kernel(*arguments)
        self.assertEqual(caught.exception.code, code)

    def test_dlpack(self):
        self.scale(OnlyDLPack(self.x), 2.0)
        self.assertEqual(self.x.tolist(), [2.0] * 4)

    def test_in_place(self):
        where = self.device.load(kernels.WHERE)
        whole = np.zeros(9, np.int64)
        for x in (whole, whole[3:5], OnlyDLPack(whole[7:])):
            where(x, x)
        self.assertEqual(whole[[0, 3, 7]].tolist(),
                         [whole.ctypes.data + 8 * i for i in (0, 3, 7)])
        x = np.zeros(2, np.int64)
        tw.open("emulator").load(kernels.WHERE)(x, x)
        self.assertNotIn(x[0], (0, x.ctypes.data))

    def test_any_alignment_to_elements(self):
        whole = np.ones(1000, np.float32)
        for first in range(1, 20):
            self.scale(whole[first:first + 900], 1.0 + first)
        self.assertEqual(whole[0], 1.0)
        self.assertEqual(whole[999], 1.0)

    def test_numbers_of_numpy(self):
        for number in (np.float32(2), np.int64(2), np.float16(2), True):
            self.scale(self.x, number)
        self.assertEqual(self.x.tolist(), [8.0] * 4)

    def test_no_array(self):
        for value in ([1.0], 1.0, "x", None):
            with self.assertRaisesRegex(TypeError, "expected an array"):
                self.scale(value, 1.0)

    def test_no_number(self):
        for value in ("x", self.x, None):
            with self.assertRaisesRegex(TypeError, "expected a number"):
                self.scale(self.x, value)

    def test_count(self):
        self.rejected(self.scale, [self.x],
                     "kernel 'scale': expected 2 arguments, found 1")

    def test_names(self):
        named = self.device.load(kernels.NAMED)
        named(self.x, by=2)
        named(by=3, x=self.x)
        self.scale(arg1=2, arg0=self.x)
        self.assertEqual(self.x.tolist(), [12.0] * 4)
        for arguments, names, pattern, kind in (
                ([], {"x": self.x}, "argument 'by' is missing",
                 tw.InvalidInputError),
                ([self.x], {"x": self.x, "by": 1}, "'x' is given twice",
                 tw.InvalidInputError),
                ([self.x, 1], {"z": 1}, "no argument 'z'; .* are x, by$",
                 tw.NotFoundError)):
            with self.assertRaisesRegex(kind, pattern):
                named(*arguments, **names)

    def test_repr(self):
        self.assertEqual(repr(self.device.load(kernels.NAMED)),
                         "<tilewright.Kernel scale(x: f32[?], by: f32) on cpu>")
        self.assertEqual(repr(self.device.load(kernels.NEGATE)),
                         "<tilewright.Kernel negate(arg0: f32[4, 8]) on cpu>")
        self.assertEqual(
            repr(tw.open("interpreter").load(kernels.BUMP)),
            "<tilewright.Kernel bump(arg0: index or pointer, arg1: i32) on "
            "interpreter>")

    def test_elements(self):
        self.rejected(self.scale, [self.x.astype(np.float64), 1],
                     "argument 0: expected elements of f32, found f64")
        self.rejected(self.scale, [self.x.astype(np.complex64), 1], "64 bits")
        self.rejected(self.scale, [self.x.astype(object), 1],
                     "does not hand out its memory")

    def test_rank(self):
        self.rejected(self.scale, [self.x.reshape(2, 2), 1], "rank 1")

    def test_fixed_sizes(self):
        negate = self.device.load(kernels.NEGATE)
        x = np.ones((4, 8), np.float32)
        negate(x)
        self.assertEqual(x.sum(), -32)
        self.rejected(negate, [x[:2].copy()], r"arg0.dim0 == 4.*2 against 4")
        self.rejected(negate, [np.ones((8, 4), np.float32).T],
                     r"arg0.stride0 == .*1 against")

    def test_strides(self):
        self.rejected(self.scale, [np.ones(8, np.float32)[::2], 1],
                     r"arg0.stride0 == 1.*2 against 1")
        self.rejected(self.scale, [self.x[::-1], 1], "is negative")
        # Of one element they are of no account.
        self.scale(np.ones((3, 2), np.float32)[:1, 0], 1)

    def test_read_only(self):
        self.x.flags.writeable = False
        self.rejected(self.scale, [self.x, 1], "read-only")

    def test_not_aligned(self):
        x = np.frombuffer(bytearray(17), np.uint8)[1:].view(np.float32)
        self.rejected(self.scale, [x, 1], "not aligned")

    def test_integers(self):
        bump = self.device.load(kernels.BUMP)
        x = np.zeros(8, np.int32)
        self.rejected(bump, [x, 2**40], "does not fit i32")
        self.rejected(bump, [x, 2**70], "does not fit 64 bits")
        self.rejected(bump, [x, 1.5], "expected an integer")
        self.rejected(bump, [np.zeros(16, np.int32)[::2], 1], "in one piece")


class Faults(unittest.TestCase):
    def test_nothing_comes_back(self):
        for name in ("emulator", "interpreter"):
            device, x = tw.open(name), np.zeros(4, np.int32)
            with self.assertRaisesRegex(tw.Error, "kernel 'fault'.*as told"):
                device.load(kernels.FAULT)(x)
            self.assertEqual(x.tolist(), [0] * 4)
            # The device still works.
            device.load(kernels.TUNED)(np.ones(16, np.int32))

    def test_outside_of_an_array(self):
        x = np.arange(5, dtype=np.int32)
        with self.assertRaisesRegex(tw.Error, "kernel 'bump'"):
            tw.open("interpreter").load(kernels.BUMP)(x, 1)
        self.assertEqual(x.tolist(), [0, 1, 2, 3, 4])

    def test_foreign_image(self):
        image = tw.compile(kernels.SCALE, target="sm_80")
        with self.assertRaisesRegex(tw.Error, "sm_80") as caught:
            tw.open("cpu").load(image)
        self.assertEqual(caught.exception.code, "unsupported")
        with self.assertRaisesRegex(tw.Error, "an image is compiled"):
            tw.open("emulator").load(image, tunables={"a": 1})

    def test_devices(self):
        self.assertLessEqual(set(DEVICES), set(tw.devices()))
        with self.assertRaises(tw.Error) as caught:
            tw.open("tpu")
        self.assertEqual(caught.exception.code, "not found")
        self.assertTrue(tw.open("cpu").in_place)
        self.assertFalse(tw.open("emulator").in_place)

    def test_threads(self):
        scale = tw.open("cpu").load(kernels.SCALE)
        arrays = [np.ones(5000, np.float32) for _ in range(4)]

        def work(x):
            for _ in range(50):
                scale(x, 2.0)
                scale(x, 0.5)
            scale(x, 3.0)

        threads = [threading.Thread(target=work, args=(x,)) for x in arrays]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for x in arrays:
            self.assertTrue((x == 3.0).all())


if __name__ == "__main__":
    unittest.main()
