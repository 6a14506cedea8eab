#!/usr/bin/env bash
# run.sh TILEWRIGHT: run a tile kernel from a file, at two sizes, from one
# package.
set -euo pipefail
tilewright=$1
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=/usr/bin/python3
[[ -x $python ]] || python=python3

"$tilewright" compile "$here/softmax.mlir" -o "$work/softmax.twp"
for rows in 4 7; do
  "$python" - "$work" $rows <<'PY'
import sys, numpy as np
rows = int(sys.argv[2])
np.save(sys.argv[1] + "/x.npy",
        np.random.default_rng(rows).normal(size=(rows, 5)).astype(np.float32))
PY
  "$tilewright" run "$work/softmax.twp" --input x="$work/x.npy" \
    --output-dir "$work"
  "$python" - "$work" <<'PY'
import sys, numpy as np
x, y = np.load(sys.argv[1] + "/x.npy"), np.load(sys.argv[1] + "/y.npy")
e = np.exp(x - x.max(1, keepdims=True))
np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5)
print(len(y), "rows are right, the first is", y[0].round(3).tolist())
PY
done
