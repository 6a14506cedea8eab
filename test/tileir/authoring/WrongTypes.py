"""WrongTypes.py COMPILER SOURCE INCLUDE: compiles each case of WrongTypes.cpp.

The compiler must reject it with one error: it is at the line marked `// error`,
or in a header with that line among the notes of the instantiation, and holds
the text that the case expects.
"""
import re
import subprocess
import sys
import tempfile

compiler, source, include = sys.argv[1:]
lines = open(source).read().split("\n")
options = ["-std=c++20", "-I", include, "-fno-color-diagnostics"]
# What the source includes is parsed once.
folder = tempfile.TemporaryDirectory()
headers = f"{folder.name}/headers.h"
with open(headers, "w") as file:
    file.writelines(f"{line}\n" for line in lines
                    if line.startswith("#include"))
subprocess.run([compiler, *options, "-x", "c++-header", headers, "-o",
                f"{headers}.pch"], check=True)


def output(case):
    command = [compiler, *options, "-fsyntax-only", "-include-pch",
               f"{headers}.pch", f"-DCASE={case}", source]
    return subprocess.run(command, capture_output=True, text=True).stderr


def fault(case, number, expected):
    text = output(case)
    errors = re.findall(r"^(\S+?):(\d+):\d+: (?:fatal )?error: (.*)$", text,
                        re.M)
    if not errors:
        return "it compiles"
    file, line, message = errors[0]
    if expected not in message:
        return f"expected '{expected}', found '{message}'"
    if len(errors) > 1:
        return f"{len(errors)} errors, expected one"
    own = source.rsplit("/", 1)[-1]
    if file.endswith(own):
        return None if int(line) == number else f"the error is at line {line}"
    first = text.split(": error: ")[1]
    named = re.search(rf"{re.escape(own)}:{number}:\d+: note: ", first)
    return None if named else f"{file}:{line} does not name line {number}"


if output(0):
    sys.exit("WrongTypes.cpp: without a case it does not compile:\n" +
             output(0))
cases = 0
for number, line in enumerate(lines, 1):
    case = re.match(r"#(?:el)?if CASE == (\d+)\s+// expect: (.*)", line)
    if not case:
        continue
    cases += 1
    marked = next(n for n in range(number, len(lines))
                  if lines[n].endswith("// error")) + 1
    found = fault(int(case[1]), marked, case[2])
    if found:
        sys.exit(f"{source}:{marked}: case {case[1]}: {found}\n\n" +
                 output(int(case[1]))[:4000])
print(f"{cases} cases")
