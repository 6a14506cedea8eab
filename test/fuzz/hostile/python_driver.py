"""python_driver.py PACKAGE COUNT SEED: wrong arguments of the Python module, of
the seeds SEED, SEED + 1, ..: each call returns, or raises an exception with a
message. Prints each seed, so that the last one is that of a crash, then
"rejected N"."""

import pathlib
import random
import sys
import tempfile

import numpy as np
import tilewright as tw

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
import edges  # noqa: E402  pylint: disable=wrong-import-position

ADD = """
tile.kernel @add(%x: !tile.view<?x?xf32, strides<[?, ?]>>,
                 %y: !tile.view<?x?xf32>, %n: i32, %f: f32)
    grid affine_map<()[m, n, p, q, k] -> (m ceildiv 8, n ceildiv 8)> {
  %i, %j = tile.program_id
  %a = tile.load %x[%i, %j] pad 0.0
      : !tile.view<?x?xf32, strides<[?, ?]>> -> tensor<8x8xf32>
  %b = tile.load %y[%i, %j] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x8xf32>
  %r = arith.addf %a, %b : tensor<8x8xf32>
  tile.store %r, %y[%i, %j] : tensor<8x8xf32>, !tile.view<?x?xf32>
}
"""
DTYPES = ["f4"] * 8 + ["f8", "i4", "u1", "?", ">f4", "c8", "O", "S3", "U2",
                       "M8[s]", "f2", "i8", "V3", "f4,f4"]


class Liar:
    """An array by its interface, which says what is not so."""

    def __init__(self, interface):
        self.__array_interface__ = interface


class NoCapsule:
    """DLPack of an object that has none."""

    def __dlpack__(self, **_):
        return "capsule"

    def __dlpack_device__(self):
        return (99, -1)


def array(source):
    """Of unusual types, strides and alignment, all within their memory."""
    shape = tuple(source.choice([0, 1, 2, 3, 8, 17])
                  for _ in range(source.choice([0, 1, 2, 2, 2, 2, 3, 32])))
    if np.prod(shape, dtype=object) > 1 << 16:
        shape = shape[:2]
    made = np.zeros(shape, np.dtype(source.choice(DTYPES)))
    change = source.randrange(9)
    if change == 0:
        made = made.T
    elif change == 1 and made.ndim:
        made = made[::source.choice([-1, 2, -3])]
    elif change == 2:
        made = np.broadcast_to(made, (source.choice([2, 5]), *made.shape)[:32])
    elif change == 3:
        made.flags.writeable = False
    elif change == 4:
        made = np.frombuffer(bytearray(4 * 6 + 1), "f4", 6, 1).reshape(2, 3)
    return made


def value(source):
    """Anything that is given for an array or a number."""
    change = source.randrange(12)
    if change < 7:
        return array(source)
    if change == 7:
        return edges.integer(source)
    if change == 8:
        return source.choice([None, "x", b"x", 1.5, float("inf"), [], {},
                              [[1, 2], [3]], object(), NoCapsule(), True,
                              1j, float("nan")])
    if change == 9:
        return Liar({"version": 3, "shape": (source.choice([2, -1]), 3),
                     "typestr": "<f4", "data": b"x" * 24})
    return source.choice([np.float32(1), np.int64(edges.integer(source) %
                                                  (1 << 62)), np.bool_(True)])


def text(source):
    return source.choice(edges.STRINGS + ["f32", "cpu", "x", "y", "add", "N"])


class Driver:
    def __init__(self, package, folder):
        self.package, self.folder = package, folder
        self.device = tw.open("cpu")
        self.kernel = self.device.load(tw.compile(ADD))
        self.model = self.device.load_model(package)

    def launch(self, source):
        count = source.choice([4] * 8 + [0, 1, 3, 5])
        arguments = [value(source) for _ in range(count)]
        if count == 4 and source.random() < 0.6:
            shape = (source.randrange(20), source.randrange(20))
            for at in range(2):
                if source.random() < 0.8:
                    arguments[at] = np.ones(shape, "f4")
            arguments[2:] = [source.choice([1, 2, edges.integer(source)]),
                             source.choice([1.5, 2.5, value(source)])]
        self.kernel(*arguments)

    def run(self, source):
        inputs = {"x": value(source)}
        if source.random() < 0.6:
            inputs["x"] = np.ones((source.randrange(9), 2), "f4")
        if source.random() < 0.2:
            inputs[text(source)] = value(source)
        for output in self.model.run(
                source.choice([inputs] * 8 + [None, [], {}, 3])).values():
            np.asarray(output).sum()

    def compile(self, source):
        change = source.randrange(4)
        if change == 0:
            tw.compile(source.choice([ADD, ADD[:300], "", None, 3, b"\xff"]),
                       target=source.choice(["cpu", "sm_80", "", "sm_0", None]))
        elif change == 1:
            tw.compile(ADD, kernel=text(source))
        elif change == 2:
            tw.compile_model(source.choice([self.package, "none", "", None]),
                             self.folder / "out.twp",
                             targets=source.choice([[], ["cpu"], "cpu", [""],
                                                    [None], [text(source)]]))
        else:
            tw.open(source.choice(["cpu", "cuda:99999999999", "cpu:1", "",
                                   text(source)]))

    def load(self, source):
        image = tw.compile(ADD)
        change = source.randrange(3)
        if change == 0:
            self.device.load(value(source))
        elif change == 1:
            self.device.load_model(source.choice(
                [self.folder, "x\0y", None, 3, text(source)]))
        else:
            self.device.load(image, *[value(source)
                                      for _ in range(source.randrange(3))])

    def step(self, seed):
        """Whether the mutant was rejected."""
        source = random.Random(seed)
        action = source.choice([self.launch] * 5 + [self.run] * 3 +
                               [self.compile, self.load])
        try:
            action(source)
        except tw.InternalError:
            raise
        except MemoryError:
            return True
        except Exception as error:  # pylint: disable=broad-except
            if not str(error):
                raise RuntimeError("an exception without a message") from error
            return True
        return False


def main():
    package, count, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rejected = 0
    with tempfile.TemporaryDirectory() as folder:
        driver = Driver(package, pathlib.Path(folder))
        for seed in range(first, first + count):
            print("seed", seed, flush=True)
            rejected += driver.step(seed)
    print("rejected", rejected)


if __name__ == "__main__":
    main()
