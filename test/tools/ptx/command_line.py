"""command_line.py TOOL: `tilewright run K.ptx` from outside: results, errors,
findings and exit codes."""

import json
import pathlib
import sys
import tempfile

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "forked"))
import forked  # noqa: E402

KERNEL = """
.version 8.7
.target sm_80
.address_size 64
// y[i] = x[i] * scale + bits, for 64 threads.
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 scale,
                      .param .u8 bits, .param .u64 unused) {
  .reg .b32 %r<8>;
  .reg .b64 %d<6>;
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [y];
  ld.param.f32 %r0, [scale];
  ld.param.u8 %r1, [bits];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d2, %r2, 4;
  add.u64 %d3, %d0, %d2;
  add.u64 %d4, %d1, %d2;
  ld.global.f32 %r3, [%d3];
  cvt.rn.f32.u32 %r4, %r1;
  fma.rn.f32 %r5, %r3, %r0, %r4;
  st.global.f32 [%d4], %r5;
  ret;
}
"""
ENDLESS = KERNEL.replace("  ret;", "L:\n  bra L;")


class Case:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        np.save(folder / "x.npy", np.arange(64, dtype=np.float32))
        self.launch = {
            "entry": "scale", "grid": [1], "block": [64],
            "args": [{"buffer": "x.npy"},
                     {"buffer": {"shape": [64], "dtype": "f32"},
                      "output": "y"},
                     {"scalar": "f32", "value": 0.5},
                     {"scalar": "u8", "value": 3}, {"null": True}]}

    def run(self, *options, text=KERNEL, device="emulator"):
        (self.folder / "k.ptx").write_text(text)
        (self.folder / "k.json").write_text(json.dumps(self.launch))
        return forked.run(
            [self.tool, "run", self.folder / "k.ptx", "--device", device,
             "--launch", self.folder / "k.json", "--output-dir",
             self.folder / "out", *options],
            capture_output=True, text=True, check=False)


def expect(done, code, *texts):
    everything = done.stdout + done.stderr
    assert done.returncode == code, f"exit {done.returncode}: {everything}"
    for text in texts:
        assert text in everything, f"expected {text!r} in {everything!r}"
    if code == 1:
        assert done.stderr.count("error:") == 1, done.stderr


def check_results(case):
    expect(case.run(), 0, "y: f32[64] -> ")
    found = np.load(case.folder / "out" / "y.npy")
    assert np.array_equal(found, np.arange(64, dtype=np.float32) * 0.5 + 3)
    done = case.run("--json")
    expect(done, 0)
    assert json.loads(done.stdout)["findings"] == []


def check_launches_that_do_not_fit(case):
    def rejected(change, *texts):
        saved = json.loads(json.dumps(case.launch))
        change(case.launch)
        expect(case.run(), 1, *texts)
        case.launch = saved

    rejected(lambda l: l["args"].pop(), "expected 5 arguments", "found 4")
    rejected(lambda l: l["args"].__setitem__(3, {"scalar": "i32", "value": 3}),
            "args[3]", "expected 1 bytes for parameter 'bits', found 4")
    rejected(lambda l: l["args"][3].update(value=256), "a number of 8 bits")
    rejected(lambda l: l.update(block=[2048]), "1 to 1024 threads", "2048")
    rejected(lambda l: l.update(grid=[1, 70000]), "at most 65535", "70000")
    rejected(lambda l: l.update(cluster=[2]), "expected no cluster on sm_80")
    rejected(lambda l: l.update(dynamicShared=200000),
            "at most 166912 bytes of shared memory", "200000")
    rejected(lambda l: l.update(entry="other"), "kernel (.entry) 'other'")
    rejected(lambda l: l.update(grids=[1]), "found 'grids'")
    rejected(lambda l: l["args"][0].update(buffer="z.npy"), "z.npy")
    # A buffer of a tensor map is an object with that key, too.
    rejected(lambda l: l["args"].__setitem__(
        4, {"tensorMap": {"of": {"shape": [8], "dtype": "f16"}}}),
            "args[4].tensorMap.of: expected an object with buffer")


def check_malformed(case):
    expect(case.run(text=KERNEL.replace("fma.rn.f32", "fma.f32")), 1,
           "k.ptx:20:", "'fma.f32': expected .rn")
    expect(case.run(text=KERNEL.replace("ret;", "frobnicate %r1;")), 1,
           "unknown instruction 'frobnicate'", "k.ptx:22:3")
    expect(case.run(text="hello"), 1, "k.ptx:1:1", "expected")
    expect(case.run(device="cpu"), 2, "--device emulator", "found --device cpu")


def check_findings(case):
    case.launch["block"] = [96]
    expect(case.run(), 4, "k.ptx:18:3: error: out-of-bounds: ld of 4 bytes",
           "block 0,0,0, warp 2, lane 0")
    # With .loc, at the line of the source.
    located = KERNEL.replace("  ld.global", "  .loc 1 7 5\n  ld.global")
    expect(case.run(text=located + '.file 1 "scale.cu"\n'), 4,
           "scale.cu:7:5: error: out-of-bounds", "k.ptx:19:3, in scale")
    done = case.run("--json")
    expect(done, 4)
    finding, = json.loads(done.stdout)["findings"]
    assert finding["code"] == "out-of-bounds" and finding["line"] == 18
    assert finding["block"] == [0, 0, 0] and finding["warp"] == 2
    expect(case.run("--threads", "100000"), 1, "at most 4096 threads")
    case.launch["block"] = [64]
    case.launch["args"][0] = {"buffer": {"shape": [64], "dtype": "f32"}}
    expect(case.run(), 0)
    expect(case.run("--check", "bounds,init"), 4, "error: uninitialized: ld")
    expect(case.run("--max-instructions", "5000", text=ENDLESS), 1,
           "limit: expected at most 5000 instructions", "k.ptx:2")


def check_sample(case):
    """Each block writes the element of its number; 4 of 64 run."""
    np.save(case.folder / "before.npy", np.full(64, -1, dtype=np.float32))
    case.launch.update(grid=[64], block=[1])
    case.launch["args"][1] = {"buffer": "before.npy", "output": "y"}
    stats = case.folder / "sample"
    done = case.run("--blocks", "4", "--summary", "--stats", stats,
                    text=KERNEL.replace("%tid.x", "%ctaid.x"))
    expect(done, 0, "grid 64, block 1, 4 of its blocks")
    written = np.load(case.folder / "out/y.npy") != -1
    assert list(np.flatnonzero(written)) == [0, 16, 32, 48]
    counted = json.loads(stats.read_text())
    assert counted["blocks"] == 4 and counted["totals"]["warps"] == 4 * 13


COPIES = """
.version 8.7
.target sm_80
.address_size 64
// y[i] = x[63 - i], through shared memory.
.visible .entry turn(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<6>;
  .reg .b64 %d<6>;
  .shared .align 4 .b8 tile[256];
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [y];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 4;
  add.u64 %d0, %d0, %d2;
  add.u64 %d1, %d1, %d2;
  mov.u32 %r1, tile;
  shl.b32 %r2, %r0, 2;
  add.u32 %r1, %r1, %r2;
  cp.async.ca.shared.global [%r1], [%d0], 4;
  cp.async.wait_all;
  bar.sync 0;
  mov.u32 %r3, tile;
  sub.u32 %r3, %r3, %r2;
  ld.shared.u32 %r4, [%r3+252];
  st.global.u32 [%d1], %r4;
  ret;
}
"""


def check_orders(case):
    """When copies land, and where warps change."""
    case.launch.update(entry="turn", args=case.launch["args"][:2])
    stats = []
    for options in ([], ["--landing", "early"], ["--landing", "late"],
                    ["--interleave", "0"],
                    ["--landing", "late", "--interleave", "7"]):
        file = case.folder / f"stats{len(stats)}"
        expect(case.run(*options, "--stats", file, text=COPIES), 0, "y: f32[64]")
        found = np.load(case.folder / "out" / "y.npy")
        assert np.array_equal(found, np.arange(63, -1, -1, dtype=np.float32))
        stats.append(file.read_text())
    assert len(set(stats)) == 1, "counters depend on the order"
    wrong = COPIES.replace("  cp.async.wait_all;\n", "  .loc 1 9 2\n") + \
        '.file 1 "turn.cu"\n'
    for options in (["--landing", "early"], ["--landing", "late"]):
        expect(case.run(*options, text=wrong), 4,
               "turn.cu:9:2: error: race: ld of 4 bytes at 0x7c: expected that "
               "warp 0, lane 31 had waited for its cp.async at line 19:3, which "
               "writes 4 bytes of shared memory at 0x7c",
               "k.ptx:24:3, in turn, block 0,0,0, warp 1, lane 0")
    done = case.run("--json", text=wrong)
    expect(done, 4)
    finding, = json.loads(done.stdout)["findings"]
    assert finding["code"] == "race" and finding["line"] == 24
    for options, text in (
            (["--landing", "lat"], "expected one of early, late, found 'lat'; "
                                   "did you mean 'late'?"),
            (["--interleave", "-1"], "expected a whole number of at least 0, "
                                     "found '-1'"),
            (["--interleave", "x"], "found 'x'")):
        expect(case.run(*options, text=COPIES), 2, text)


def check_counters(case):
    files = {name: case.folder / name for name in ("stats", "annotate", "html")}
    done = case.run("--summary", *(text for name, file in files.items()
                                   for text in (f"--{name}", file)))
    # 13 instructions in two warps; 256 bytes each way.
    expect(done, 0, "26 of warps, 100.0 % of their lanes active",
           "4 requests, 16 sectors of 32 B, 100.0 % of")
    stats = json.loads(files["stats"].read_text())
    assert stats["kernel"] == "scale" and stats["totals"]["warps"] == 26
    assert stats["totals"]["bytes"]["global_read"] == 256
    assert "2 100.0 %  8 sectors" in files["annotate"].read_text()
    assert files["html"].read_text().startswith("<!DOCTYPE html>")
    again = case.folder / "again"
    expect(case.run("--stats", again, "--threads", "1"), 0)
    assert again.read_text() == files["stats"].read_text()
    expect(case.run("--stats", case.folder), 1, "cannot be written")


def main():
    for check in (check_results, check_launches_that_do_not_fit,
                  check_malformed, check_findings, check_sample, check_orders,
                  check_counters):
        with tempfile.TemporaryDirectory() as folder:
            check(Case(sys.argv[1], pathlib.Path(folder)))
    print("results, errors and findings are as they should be")


main()
