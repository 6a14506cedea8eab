"""beside.py PROGRAM TILEWRIGHT LLVM: Tilewright and another LLVM in one process
give what each gives alone, whichever is loaded first.

Exits with 77, and says so, where that LLVM is not installed.
"""
import subprocess
import sys


def run(program, *compilers):
    """What each result is, or the program's end where it failed."""
    done = subprocess.run([program, *compilers], capture_output=True, text=True,
                          timeout=600)
    if done.returncode == 77:
        print(f"skipped: {done.stderr.strip()}")
        sys.exit(77)
    if done.returncode:
        print(f"{' '.join(compilers)}: exit status {done.returncode}\n"
              f"{done.stdout}{done.stderr}")
        sys.exit(1)
    return sorted(done.stdout.splitlines())


def main():
    program, tilewright, llvm = sys.argv[1:]
    tilewright, llvm = f"tilewright={tilewright}", f"llvm={llvm}"
    other = run(program, llvm)
    own = run(program, tilewright)
    alone = sorted(own + other)
    # Each says of what went wrong, and of a kernel or an object for each part.
    if len(own) < 5 or len(other) < 5:
        print("expected 5 results of each, found", *alone, sep="\n")
        return 1
    for order in ((llvm, tilewright), (tilewright, llvm)):
        both = run(program, *order)
        if both != alone:
            print(f"{' '.join(order)}: expected", *alone, "found", *both,
                  sep="\n")
            return 1
    print(*alone, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
