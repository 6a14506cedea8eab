#!/usr/bin/env bash
# run.sh TILEWRIGHT RUN_FROM_C MODEL: compile a model, run it from C.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" compile "$3" -o "$work/mlp.twp"
output=$("$2" "$work/mlp.twp")
echo "$output"
grep -q 'y = 16$' <<<"$output"
