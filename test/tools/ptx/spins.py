"""spins.py TOOL: kernels that wait for what other blocks write, and kernels
that run for long, on the emulator: each ends, or says what it waits for."""

import json
import pathlib
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "forked"))
import forked  # noqa: E402

HEAD = """
.version 8.7
.target sm_90a
.address_size 64
"""
# Counts up to the limit, then writes the number.
LONG = HEAD + """
.visible .entry long(.param .u64 out, .param .u32 limit) {
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .b64 %d;
  ld.param.u64 %d, [out];
  ld.param.u32 %r1, [limit];
  mov.u32 %r0, 0;
L:
  add.u32 %r0, %r0, 1;
  setp.ne.u32 %p, %r0, %r1;
  @%p bra L;
  st.global.u32 [%d], %r0;
  ret;
}
"""
# Thread 0 copies a box of 4 numbers to shared memory, all read them there.
BOX = HEAD + """
.visible .entry box(.param .align 64 .b8 map[128], .param .u64 out) {
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  .shared .align 128 .b8 tile[128];
  .shared .align 8 .b64 bar;
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra WAIT;
  mbarrier.init.shared.b64 [bar], 1;
  mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
  mov.b64 %d0, map;
  cvta.param.u64 %d0, %d0;
  mov.u32 %r1, 0;
  cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes
      [tile], [%d0, {%r1}], [bar];
WAIT:
  bar.sync 0;
L:
  mbarrier.try_wait.parity.shared.b64 %p1, [bar], -2;
  @!%p1 bra L;
  ld.param.u64 %d1, [out];
  mul.wide.u32 %d2, %r0, 4;
  add.u64 %d1, %d1, %d2;
  mov.u32 %r2, tile;
  shl.b32 %r3, %r0, 2;
  add.u32 %r2, %r2, %r3;
  ld.shared.b32 %r3, [%r2];
  st.global.b32 [%d1], %r3;
  ret;
}
"""


class Case:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder

    def run(self, *options, text=None, launch=None):
        kernel, file = HERE / "spin/k.ptx", HERE / "spin" / str(launch)
        if text:
            kernel, file = self.folder / "k.ptx", self.folder / "k.json"
            kernel.write_text(text)
            file.write_text(json.dumps(launch))
        return forked.run(
            [self.tool, "run", kernel, "--device", "emulator", "--launch", file,
             "--output-dir", self.folder / "out", *options],
            capture_output=True, text=True, check=False)

    def output(self, name="out"):
        return np.load(self.folder / "out" / f"{name}.npy")


def expect(done, code, *texts):
    everything = done.stdout + done.stderr
    assert done.returncode == code, f"exit {done.returncode}: {everything}"
    for text in texts:
        assert text in everything, f"expected {text!r} in {everything!r}"


def check_flags(case):
    """A block polls, between barriers, what the next one sets."""
    for order in ([], ["--interleave", "1"], ["--interleave", "2"]):
        expect(case.run(*order, launch="launch.json"), 0, "out: i32[1]")
        assert case.output() == [1]
        done = case.run(*order, launch="launch_never_set.json")
        expect(done, 4, "k.ptx:23:8: error: deadlock: no warp can go on: "
               "warp 0 looks at 0x100000000000 (argument 0, 'flag') at line "
               "23; warp 1 at line 2",
               "in spin, block 0,0,0, warp 0, lane 0")
    done = case.run("--json", launch="launch_never_set.json")
    expect(done, 4)
    finding, = json.loads(done.stdout)["findings"]
    assert finding["code"] == "deadlock" and finding["line"] == 23
    assert finding["address"] == 0x100000000000


def long_launch(limit):
    return {"entry": "long", "grid": [1], "block": [32],
            "args": [{"buffer": {"shape": [1], "dtype": "u32"},
                      "output": "out"}, {"scalar": "u32", "value": limit}]}


def check_limits(case):
    """Three million instructions without effect, and endless ones."""
    fits = long_launch(1_000_000)
    expect(case.run(text=LONG, launch=fits), 0)
    assert case.output() == [1_000_000]
    expect(case.run("--max-idle-instructions", "4000000", text=LONG,
                    launch=fits), 0)
    expect(case.run("--max-idle-instructions", "1000000", text=LONG,
                    launch=fits), 1,
           "k.ptx:1", "error: limit: expected that global memory changes or a "
           "warp ends within 1000000 instructions of warps: warp 0 at line 1",
           "needs a larger --max-idle-instructions")
    endless = long_launch(0)
    for options in ([], ["--max-idle-instructions", "0"]):
        done = case.run("--time-limit", "1", *options, text=LONG,
                        launch=endless)
        expect(done, 1, "error: limit: it takes longer than 1 s (--time-limit): "
               "warp 0 at line 1")
        assert done.stderr.count("error:") == 1, done.stderr
        assert "--max-idle" not in done.stderr, done.stderr
    # Nothing is printed of short runs.
    done = case.run("--time-limit", "100", text=LONG, launch=fits)
    expect(done, 0)
    assert done.stderr == "", done.stderr


def check_progress(case):
    """On a terminal a line comes after a second, and goes in the end."""
    kernel, file = case.folder / "k.ptx", case.folder / "k.json"
    kernel.write_text(LONG)
    file.write_text(json.dumps(long_launch(0)))
    command = (f"'{case.tool}' run '{kernel}' --device emulator --launch "
               f"'{file}' --time-limit 3 2>&1 >/dev/null")
    done = forked.run(["script", "-qec", command, "/dev/null"],
                      capture_output=True, check=False)
    shown = done.stdout.decode()
    for text in ("\r  run        0 of 1 blocks ended, ",
                 " M without effect, 2 s\x1b[K", "\r\x1b[K"):
        assert text in shown, f"expected {text!r} in {shown!r}"
    assert done.returncode == 1


def check_maps(case):
    """A tensor map may come before its buffer."""
    np.save(case.folder / "x.npy", np.arange(4, dtype=np.float32))
    shape = {"dtype": "f32", "shape": [4], "box": [4]}
    launch = {"entry": "box", "grid": [1], "block": [4],
              "args": [{"tensorMap": {"of": 1, **shape}},
                       {"buffer": "x.npy", "output": "out"}]}
    expect(case.run(text=BOX, launch=launch), 0)
    assert list(case.output()) == [0, 1, 2, 3]
    for of in (0, 2, "x", -1):
        launch["args"][0] = {"tensorMap": {"of": of, **shape}}
        expect(case.run(text=BOX, launch=launch), 1,
               "args[0].tensorMap.of: expected the index of an argument with "
               "a buffer, or a buffer, found ")
    launch["args"][0] = {"tensorMap": {"of": 1, **shape}}
    launch["args"][1] = {"null": True}
    expect(case.run(text=BOX, launch=launch), 1, "the index of an argument")


def main():
    for check in (check_flags, check_limits, check_progress, check_maps):
        with tempfile.TemporaryDirectory() as folder:
            check(Case(sys.argv[1], pathlib.Path(folder)))
    print("kernels that wait, and long ones, end as they should")


main()
