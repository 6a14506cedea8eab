"""tutorials.py EXAMPLES BIN: each tutorial does what its page says.

A page shows code (```cpp, ```c or ```mlir), which must stand in a source of the
tutorial as it is and be no longer than the page promises ("at most N lines"). The
page of a program for all devices shows what it prints (```console, after a line
`$ NAME DEVICE`); pages with commands are followed by test/install instead.
"""
import pathlib
import re
import subprocess
import sys

DEVICES = ("interpreter", "cpu", "emulator")


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)


def check_code(folder, page, problems):
    sources = "\n".join(path.read_text(encoding="utf-8")
                        for suffix in ("cpp", "c", "mlir")
                        for path in sorted(folder.glob(f"*.{suffix}")))
    shown = blocks(page, "(?:cpp|c|mlir)")
    if not shown and not blocks(page, "sh"):
        problems.append(f"{folder.name}: the page shows no code")
    for block in shown:
        if block not in sources:
            problems.append(f"{folder.name}: the page's code does not stand "
                            f"in the tutorial's sources:\n{block}")
    promise = re.search(r"at most (\d+) lines", page)
    lines = max((b.count("\n") for b in shown), default=0)
    if promise and lines > int(promise.group(1)):
        problems.append(f"{folder.name}: the kernel has {lines} lines, the "
                        f"page promises {promise.group(1)}")


def check_output(folder, name, page, binary, problems):
    shown = blocks(page, "console")
    if not shown:
        problems.append(f"{folder.name}: the page shows no output")
    for block in shown:
        command, _, expected = block.partition("\n")
        if not command.startswith(f"$ {name} "):
            problems.append(f"{folder.name}: expected '$ {name} DEVICE', "
                            f"found '{command}'")
            continue
        arguments = command.split()[3:]
        for device in DEVICES:
            run = subprocess.run([binary.resolve(), device, *arguments],
                                 text=True,
                                 capture_output=True, timeout=300,
                                 cwd=folder)
            if run.returncode or run.stdout != expected:
                problems.append(f"{name} {device}: expected\n{expected}found "
                                f"(exit {run.returncode})\n"
                                f"{run.stdout}{run.stderr}")


def main():
    examples, binaries = map(pathlib.Path, sys.argv[1:])
    problems, tutorials = [], 0
    for page in sorted(examples.glob("[0-9]*-*/README.md")):
        folder = page.parent
        name = re.sub(r"^\d+-", "", folder.name)
        text = page.read_text(encoding="utf-8")
        check_code(folder, text, problems)
        if not re.search(r"^```sh", text, re.M):
            check_output(folder, name, text, binaries / name, problems)
            tutorials += 1
    print("\n".join(problems) or
          f"{tutorials} tutorials on {', '.join(DEVICES)} do what their pages say")
    return 1 if problems or not tutorials else 0


if __name__ == "__main__":
    sys.exit(main())
