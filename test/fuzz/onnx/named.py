"""Runs the named cases: small graphs of faults that were mended, one for each
form in which a fault was seen.

    named.py TOOL [--pypi PYPI] [--device DEVICE [--target TARGET]]
             [--fast-math] [--group GROUP...] [NAME...]
"""

import argparse
import concurrent.futures
import fnmatch
import importlib
import random
import sys

import numpy as np

import wheels

GROUPS = ("faults", "attention", "empty", "numbers", "edges")


def cases_of(group):
    name = "cases" if group == "faults" else f"cases_{group}"
    return importlib.import_module(name).CASES


def build(entry):
    """The case of an entry of cases*.py. Expected values are ONNX
    Runtime's; a run that it rejects must be rejected."""
    import onnx
    import onnx.parser

    import oracle
    import values
    from case import Case
    from mismatch import loose
    model = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : {entry.opset}]>\n'
        f"g {entry.text}")
    generator = random.Random(entry.name)
    names = [value.name for value in model.graph.output]
    feeds, expected, errors = [], [], []
    for sizes in entry.sizes or [{}]:
        feed = {}
        for value in model.graph.input:
            if value.name in entry.data:
                dtype = onnx.helper.tensor_dtype_to_np_dtype(
                    value.type.tensor_type.elem_type)
                feed[value.name] = np.array(entry.data[value.name], dtype)
                continue
            kind = value.type.tensor_type
            shape = tuple(sizes[d.dim_param] if d.dim_param else d.dim_value
                          for d in kind.shape.dim)
            feed[value.name] = values.make(
                generator, onnx.helper.tensor_dtype_to_np_dtype(
                    kind.elem_type), shape, entry.domain)
        feeds.append(feed)
        if entry.rejected:
            expected.append(None)
            errors.append({"rejected": "it must"})
            continue
        if entry.expected is not None:
            found = [np.asarray(v) for v in entry.expected(feed)]
        else:
            found = [np.asarray(v) for v in oracle.run_model(model, feed)]
        expected.append(dict(zip(names, found)))
        errors.append({n: loose(v) for n, v in zip(names, found)})
    return Case(model, feeds, expected, errors, entry.by_run)


def check(entry, runner):
    """None, or what is wrong."""
    import oracle
    try:
        case = build(entry)
    except oracle.Rejected as error:
        return f"ONNX Runtime rejects the case: {error}"
    if entry.rejected:
        texts = []
        for k, feed in enumerate(case.feeds):
            alone = type(case)(case.model, [feed], [case.expected[k]],
                               [case.errors[k]], case.by_run)
            verdict = runner.check(alone)
            if verdict.kind != "match":
                texts.append(f"at {entry.sizes[k] if entry.sizes else ''} "
                             f"{verdict.kind}: {verdict.text}")
        return "; ".join(texts) or None
    verdict = runner.check(case)
    if verdict.kind == "match":
        return None
    return f"assignment {verdict.assignment}: {verdict.kind}: {verdict.text}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("names", nargs="*", help="or patterns of them")
    parser.add_argument("--pypi")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--target")
    parser.add_argument("--fast-math", action="store_true")
    parser.add_argument("--group", nargs="+", choices=GROUPS, default=GROUPS,
                        help="cases_GROUP.py; `faults` is cases.py")
    parser.add_argument("--update", action="store_true",
                        help="write the list of what fails today")
    options = parser.parse_args()
    missing = wheels.use(options.pypi)
    if missing:
        print(f"skipped: {missing}")
        return 77
    import device
    import known
    runner = device.Device(options.tool, options.device, options.target,
                           options=["--fast-math"] * options.fast_math)
    entries = [entry for group in options.group for entry in cases_of(group)
               if not options.names or any(fnmatch.fnmatchcase(
                   entry.name, name) for name in options.names)]
    texts = {}
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        for entry, text in zip(entries, workers.map(
                lambda entry: check(entry, runner), entries)):
            if text:
                texts[entry.name] = f"(item {entry.item}): {text[:500]}"
    ran = [entry.name for entry in entries]
    not_yet = known.NotYet("named-not-yet.txt")
    if options.update:
        not_yet.update(texts, ran)
        return 0
    new, good = not_yet.problems(texts, ran)
    for name in texts if options.names else new:
        print(name, texts[name])
    for name in good:
        print(f"{name} passes: take it out of named-not-yet.txt (--update)")
    print(f"{len(entries)} cases, {len(texts)} fail, {len(new)} of them are "
          "not listed")
    return 1 if new or good else 0


if __name__ == "__main__":
    sys.exit(main())
