#!/usr/bin/env bash
# run.sh TILEWRIGHT: compile a model once, run the package at two batch sizes.
# For a model of your own, replace mlp.mlir by model.onnx.
set -euo pipefail
tilewright=$1
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tilewright" compile "$here/mlp.mlir" -o "$work/mlp.twp" --explain-fusion
"$tilewright" inspect "$work/mlp.twp"
python=/usr/bin/python3
[[ -x $python ]] || python=python3
"$python" - "$work" <<'PY'
import sys, numpy as np
np.save(sys.argv[1] + "/x.npy", np.array([[1, 2], [-3, 1]], np.float32))
np.save(sys.argv[1] + "/one.npy", np.array([[3, 5]], np.float32))
PY
"$tilewright" run "$work/mlp.twp" --input x="$work/x.npy" --output-dir "$work/a"
"$tilewright" run "$work/mlp.twp" --input x="$work/one.npy" --output-dir "$work/b"
# relu([2a, 2b, a - b]) summed: [2+4+0, 0+2+0] and [6+10+0].
"$python" - "$work" <<'PY'
import sys, numpy as np
a, b = np.load(sys.argv[1] + "/a/y.npy"), np.load(sys.argv[1] + "/b/y.npy")
print("y =", a.tolist(), b.tolist())
assert a.tolist() == [[6.0], [2.0]] and b.tolist() == [[16.0]]
PY
