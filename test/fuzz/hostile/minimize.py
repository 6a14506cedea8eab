"""minimize.py FUZZER CORPUS FOLDER...: replaces the corpus by the files, of it
and of the folders, that together reach most code. libFuzzer finds what each
file reaches; then, again and again, the file that reaches most that is new is
kept, of equals the smaller one. Files named finding-* stay."""
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

MOST_FILES = 150
MOST_BYTES = 300 * 1000
LONGEST = 16384


def reached(fuzzer, folders, scratch):
    """For each file of the folders, by its path, the features that libFuzzer
    counts for it: edges of the control flow."""
    (scratch / "out").mkdir()
    control = scratch / "control"
    subprocess.run([fuzzer, "-set_cover_merge=1", "-use_counters=0",
                    f"-merge_control_file={control}", scratch / "out",
                    *folders], check=True, stderr=subprocess.DEVNULL)
    lines = control.read_text().split("\n")
    # The number of files, of those in the first folder, and the files.
    names = lines[2:2 + int(lines[0])]
    features = {}
    for line in lines[2 + len(names):]:
        kind, _, rest = line.partition(" ")
        if kind == "FT":
            index, *numbers = rest.split()
            features.setdefault(names[int(index)], set()).update(numbers)
    return features


def most_useful(features, kept):
    """Of files with these features, those to keep besides `kept`."""
    sizes = {name: pathlib.Path(name).stat().st_size for name in features}
    left = {name for name in features if 0 < sizes[name] <= LONGEST}
    chosen = list(kept)
    seen = set().union(*(features.get(name, set()) for name in kept))
    room = MOST_BYTES - sum(pathlib.Path(name).stat().st_size for name in kept)
    while len(chosen) < MOST_FILES:
        left = {name for name in left
                if sizes[name] <= room and features[name] - seen}
        if not left:
            break
        best = max(left, key=lambda name: (len(features[name] - seen),
                                           -sizes[name], name))
        chosen.append(best)
        seen |= features[best]
        room -= sizes[best]
    return chosen, len(seen)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    fuzzer, corpus = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        features = reached(fuzzer, sys.argv[2:], scratch)
        kept = [str(path) for path in sorted(corpus.glob("finding-*"))]
        chosen, count = most_useful(features, kept)
        made = scratch / "made"
        made.mkdir()
        for name in chosen:
            content = pathlib.Path(name).read_bytes()
            named = hashlib.sha1(content).hexdigest()[:16]
            if name in kept:
                named = pathlib.Path(name).name
            (made / named).write_bytes(content)
        shutil.rmtree(corpus)
        shutil.copytree(made, corpus)
    everything = len(set().union(*features.values()))
    print(f"{len(chosen)} of {len(features)} files, {count} of {everything} "
          "features")


if __name__ == "__main__":
    main()
