#!/usr/bin/env bash
# run.sh READ_TEXT PYPI: the image must read "hello tile".
set -euo pipefail
model=$(find "$2/" -name 'ch_PP-OCRv4_rec_infer.onnx' 2>/dev/null | head -n 1)
if [[ -z $model ]]; then
  echo "skipped: no PP-OCRv4 model in $2"
  exit 77
fi
output=$("$1" "$model" "$(dirname "$0")/hello.png")
echo "$output"
grep -q 'the image reads:   hello tile$' <<<"$output"
