"""gpu_round.py SCRIPT PROGRAMS FAKE_DRIVER: runs scripts/gpu-round without a
GPU, and on the fake driver with a package whose results are right, then wrong,
then missing."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy

script, programs, fake_driver = map(pathlib.Path, sys.argv[1:])


def run(*options, fake):
    environment = dict(os.environ)
    if fake:
        environment["LD_LIBRARY_PATH"] = str(fake_driver)
    else:
        environment.pop("LD_LIBRARY_PATH", None)
    return subprocess.run([sys.executable, script, *options], env=environment, text=True,
                          capture_output=True)


def check(condition, what, *shown):
    if not condition:
        sys.exit("\n".join(["failed: " + what, *map(str, shown)]))


done = run(fake=False)
if "no GPU here" in done.stdout:
    check(done.returncode == 0 and len(done.stdout.splitlines()) == 1,
          "one line and exit 0 without a GPU", done)
else:
    print("skipped: a run without a GPU (there is one here)")

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    packages, output = folder / "packages", folder / "round.json"
    packages.mkdir()
    subprocess.run([programs / "tilewright-test-package", "--folder", packages],
                   check=True, stdout=subprocess.DEVNULL)
    options = ["--programs", programs, "--packages", packages, "--output",
               output, "--no-torch", "--repeat", "3"]

    done = run(*options, fake=True)
    check(done.returncode == 0, "a good round", done.stdout, done.stderr)
    report = json.loads(output.read_text())
    check(report["passed"] and report["conformance"]["passed"], "passed")
    check("Fake GPU" in report["device"], "the device", report["device"])
    small = report["packages"]["small"]
    check(set(small["outputs"]) == {"y", "s", "flat", "copied"}, "outputs")
    check(len(small["run_ms"]["all"]) == 3, "repeats")
    check(len(small["kernels"]) == 3, "the profile", small["kernels"])

    # The same results as if the emulator had made them, then one bit off.
    emulated = ["--programs", programs, "--emulated", packages, "--output",
                output, "--no-torch"]

    def counts_of_emulated():
        done = run(*emulated, fake=True)
        return done.returncode, json.loads(output.read_text())["emulated"]
    code, found = counts_of_emulated()
    check(code == 0 and found == {"counts": {"equal": 1}, "not_run": 0,
                                  "not_equal": {}},
          "equal bits", code, found)
    path = packages / "small.expected" / "y.npy"
    good = numpy.load(path)
    bad = good.copy()
    bad[2, 3] = numpy.nextafter(bad[2, 3], numpy.float32(1e9))
    numpy.save(path, bad)
    code, found = counts_of_emulated()
    check(code == 0 and found["counts"] == {"near": 1} and
          found["not_equal"]["small"]["outputs"]["y"]["ulps"] == 1,
          "one bit off", code, found)
    bad[2, 3] = -2 * good[2, 3] - 1
    numpy.save(path, bad)
    code, found = counts_of_emulated()
    check(code == 4 and found["counts"] == {"wrong": 1}, "wrong bits", code,
          found)
    numpy.save(path, good)

    # An error just beyond the tolerance, at a known place.
    bad = good.copy()
    bad[3, 4] += 2e-4 + 1.2e-3 * abs(bad[3, 4])
    numpy.save(path, bad)
    done = run(*options, fake=True)
    wrong = json.loads(output.read_text())["packages"]["small"]["outputs"]
    check(done.returncode == 4 and "WRONG" in done.stdout, "exit 4", done)
    check(wrong["y"]["wrong"].startswith("1 of 150 are off, the first at "
                                         "[3, 4]"), "the place", wrong)
    check("wrong" not in wrong["s"], "the other outputs", wrong)

    # One within it.
    bad = good.copy()
    bad[3, 4] += 0.9e-3 * abs(bad[3, 4])
    numpy.save(path, bad)
    check(run(*options, fake=True).returncode == 0, "within the tolerance")

    path.unlink()
    done = run(*options, fake=True)
    check(done.returncode == 4 and "nothing was recorded" in done.stdout,
          "a missing result", done.stdout)

    shutil.rmtree(packages / "small.twp" / "kernels")
    done = run(*options, fake=True)
    check(done.returncode == 4 and "no package" in done.stdout,
          "a broken package", done.stdout)

    done = run("--programs", folder, fake=True)
    check(done.returncode == 1 and "there is no tilewright" in done.stderr,
          "programs that are not there", done)
print("gpu-round does as it should")
