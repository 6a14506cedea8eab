"""follow_page.py PAGE PREFIX WORK: does word for word what a page says, in an
empty folder.

Blocks of a page: ```LANGUAGE FILE is the file's contents; ```sh are commands,
run with $TILEWRIGHT set to PREFIX; ```console is what the commands before it
print last.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys


def main():
    page, prefix, work = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    text = page.read_text(encoding="utf-8")
    environment = dict(os.environ, TILEWRIGHT=str(prefix))
    blocks = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", text, re.M | re.S)
    # Files first: a page may explain one after the command that builds it.
    for _, name, contents in blocks:
        if name:
            (work / name).write_text(contents, encoding="utf-8")
    printed, checked = "", 0
    for language, name, contents in blocks:
        if language == "sh" and not name:
            run = subprocess.run(["bash", "-e", "-c", contents], cwd=work,
                                 env=environment, text=True,
                                 capture_output=True, timeout=1200)
            printed = run.stdout
            if run.returncode:
                print(f"{page}: exit {run.returncode}\n{contents}{run.stdout}"
                      f"{run.stderr}")
                return 1
        elif language == "console":
            checked += 1
            if not printed.endswith(contents):
                print(f"{page}: expected\n{contents}found\n{printed}")
                return 1
    print(f"{page}: {len(blocks)} blocks followed")
    return 0 if checked else 1


if __name__ == "__main__":
    sys.exit(main())
