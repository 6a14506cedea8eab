"""Model.session: states, and arrays of the caller."""
import os
import pathlib
import signal
import tempfile
import threading
import unittest

import numpy as np
import tilewright as tw

# s = s / 2 + x, and y is the new s; one row of a cache is replaced.
MODEL = """
func.func @main(%x: tensor<1x4xf32> {graph.name = "x"},
                %position: tensor<i64> {graph.name = "position"},
                %s: tensor<1x4xf32> {graph.state = "s",
                    graph.initial = dense<2.0> : tensor<1x4xf32>},
                %cache: tensor<6x4xf32> {graph.state = "cache"})
    -> (tensor<1x4xf32> {graph.name = "y"},
        tensor<1x4xf32> {graph.updates = "s"},
        tensor<6x4xf32> {graph.updates = "cache"}) {
  %half = arith.constant dense<0.5> : tensor<1x4xf32>
  %p = tensor.extract %position[] : tensor<i64>
  %at = arith.index_cast %p : i64 to index
  %a = arith.mulf %s, %half : tensor<1x4xf32>
  %b = arith.addf %a, %x : tensor<1x4xf32>
  %new = tensor.insert_slice %b into %cache[%at, 0] [1, 4] [1, 1]
      : tensor<1x4xf32> into tensor<6x4xf32>
  return %b, %b, %new : tensor<1x4xf32>, tensor<1x4xf32>, tensor<6x4xf32>
}
"""

# Ends if x is below 0.
ENDLESS = """
func.func @main(%x: tensor<4xf32> {graph.name = "x"})
    -> (tensor<4xf32> {graph.name = "y"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %y = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.extract %a[%c0] : tensor<4xf32>
    %c = arith.cmpf oge, %e, %zero : f32
    scf.condition(%c) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %b = math.sqrt %a : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
"""


class Reference:
    """The same in NumPy."""

    def __init__(self):
        self.s = np.full((1, 4), 2, np.float32)
        self.cache = np.zeros((6, 4), np.float32)

    def step(self, x, position):
        self.s = self.s * np.float32(0.5) + x
        self.cache[position] = self.s[0]
        return self.s


class Sessions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        source = pathlib.Path(cls.folder.name, "m.mlir")
        source.write_text(MODEL, encoding="utf-8")
        cls.package = source.with_suffix(".twp")
        tw.compile_model(source, cls.package,
                         targets=["cpu", "sm_90a", "interpreter"])

    def model(self, device="cpu"):
        return tw.open(device).load_model(self.package)

    def check(self, session, seed, steps=50):
        random = np.random.default_rng(seed)
        reference = Reference()
        for step in range(steps):
            x = random.standard_normal((1, 4)).astype(np.float32)
            position = np.array(step % 6, np.int64)
            y = session.run(x=x, position=position)["y"]
            np.testing.assert_array_equal(y, reference.step(x, step % 6))
        np.testing.assert_array_equal(session.state("cache"), reference.cache)
        np.testing.assert_array_equal(session.state("s"), reference.s)

    def test_fifty_steps_on_each_device(self):
        for device in ("cpu", "emulator", "interpreter"):
            with self.subTest(device):
                session = self.model(device).session()
                self.check(session, 1)
                session.reset()
                self.check(session, 2, 5)

    def test_states_are_described(self):
        self.assertEqual(self.model().states,
                         [tw.TensorSpec("s", "f32", (1, 4)),
                          tw.TensorSpec("cache", "f32", (6, 4))])

    def test_run_of_the_model_names_session(self):
        with self.assertRaisesRegex(tw.InvalidInputError,
                                    r"has state \('s'\).*model\.session\(\)"):
            self.model().run(x=np.zeros((1, 4), np.float32),
                             position=np.array(0, np.int64))

    def test_read_write_and_copy(self):
        model = self.model()
        first, second = model.session(), model.session()
        first.set_state("s", np.arange(4, dtype=np.float64)[None].astype("f4"))
        zero = {"x": np.zeros((1, 4), np.float32),
                "position": np.array(2, np.int64)}
        self.assertEqual(first.run(zero)["y"].tolist(), [[0, 0.5, 1, 1.5]])
        second.copy_states(first)
        self.assertEqual(second.run(zero)["y"].tolist(),
                         [[0, 0.25, 0.5, 0.75]])
        self.assertEqual(first.state("s").tolist(), [[0, 0.5, 1, 1.5]])
        with self.assertRaisesRegex(tw.NotFoundError, "no state 'q'"):
            first.state("q")
        with self.assertRaisesRegex(tw.InvalidInputError, "state 's' is f32"):
            first.set_state("s", np.zeros(4, np.float32))
        with self.assertRaisesRegex(tw.InvalidInputError, "another model"):
            first.copy_states(self.model().session())

    def test_threads(self):
        model = self.model()
        errors = []

        def work(seed):
            try:
                self.check(model.session(), seed)
            except Exception as error:  # pylint: disable=broad-except
                errors.append(error)

        threads = [threading.Thread(target=work, args=(seed,))
                   for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])

    def test_bound_arrays(self):
        session = self.model().session()
        x, y = np.ones((1, 4), np.float32), np.zeros((1, 4), np.float32)
        position = np.array(1, np.int64)
        session.bind("x", x)
        session.bind("position", position)
        session.bind("y", y, role="output")
        self.assertEqual(session.run(), {})
        self.assertEqual(y.tolist(), [[2.0] * 4])
        x[:], position[...] = 5, 4
        session.run()
        self.assertEqual(y.tolist(), [[6.0] * 4])
        self.assertEqual(session.state("cache")[[1, 4], 0].tolist(), [2, 6])
        self.assertEqual(session.bound_copies, (0, 0))
        wide = np.zeros((1, 8), np.float32)
        session.bind("y", wide[:, ::2], role="output")
        session.run()
        self.assertEqual(wide.tolist(), [[8.0, 0.0] * 4])
        self.assertEqual(session.bound_copies, (1, 16))
        session.unbind("y", role="output")
        self.assertEqual(session.run()["y"].tolist(), [[9.0] * 4])

    def test_bad_bindings(self):
        session = self.model().session()
        x = np.ones((1, 4), np.float32)
        for arguments, pattern in (
                (("z", x), "no input 'z'"),
                (("x", x, "outputs"), "expected 'input', 'output' or 'weight'"),
                (("x", x.astype(np.float64)), "f64"),
                (("x", x[:, :3]), "dimension 1 is 3, expected 4")):
            with self.assertRaisesRegex(tw.Error, pattern):
                session.bind(*arguments)
        session.bind("x", x)
        with self.assertRaisesRegex(tw.InvalidInputError, "overlaps"):
            session.bind("y", x, role="output")
        x.flags.writeable = False
        with self.assertRaisesRegex(tw.InvalidInputError, "read-only"):
            session.bind("y", x, role="output")

    def endless_model(self):
        source = pathlib.Path(self.folder.name, "endless.mlir")
        source.write_text(ENDLESS, encoding="utf-8")
        package = source.with_suffix(".twp")
        tw.compile_model(source, package)
        return tw.open("cpu").load_model(package)

    def test_runs_that_do_not_end(self):
        session = self.endless_model().session()
        x = np.ones(4, np.float32)
        self.assertEqual(session.run(x=-x)["y"].tolist(), [-1.0] * 4)
        session.set_time_limit(0.2)
        with self.assertRaisesRegex(tw.CancelledError, "200 ms|limit"):
            session.run(x=x)
        session.set_time_limit(None)
        timer = threading.Timer(0.3, session.cancel)
        timer.start()
        with self.assertRaises(tw.CancelledError):
            session.run(x=x)
        timer.join()
        self.assertEqual(session.run(x=-x)["y"].tolist(), [-1.0] * 4)
        with self.assertRaisesRegex(tw.InvalidInputError, "seconds"):
            session.set_time_limit(0)

    def test_interrupted_runs(self):
        model = self.endless_model()
        x = np.ones(4, np.float32)
        session = model.session()
        for run in (session.run, model.run):
            timer = threading.Timer(
                0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                run(x=x)
            timer.join()
            self.assertEqual(run(x=-x)["y"].tolist(), [-1.0] * 4)

    def test_signals_that_interrupt_nothing(self):
        """A handler that returns leaves the run alone."""
        session = self.endless_model().session()
        session.set_time_limit(0.5)
        calls = []
        before = signal.signal(signal.SIGINT, lambda *_: calls.append(1))
        try:
            timer = threading.Timer(
                0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaisesRegex(tw.CancelledError, "limit"):
                session.run(x=np.ones(4, np.float32))
            timer.join()
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(calls, [1])


if __name__ == "__main__":
    unittest.main()
