"""abi.py READELF PRINT_ABI COMPILER RUNTIME HEADERS... GOLDEN: the C interfaces
are what programs in binary form were built for.

The golden file has the C symbols that each library exports, and what PRINT_ABI
prints. An addition goes there, too, and raises the minor version; for any
other change, keep what was there, or raise the major version. Each symbol is
declared in a header, and each field and value of a header is printed. Of C++
the compiler library exports nothing of LLVM.
"""
import difflib
import pathlib
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


def symbols(readelf, library):
    """What a library defines for others."""
    names = set()
    for line in run(readelf, "--dyn-syms", "-W", library).splitlines():
        fields = line.split()
        if (len(fields) > 7 and fields[4] in ("GLOBAL", "WEAK")
                and fields[6] != "UND"):
            names.add(fields[7].split("@")[0])
    return sorted(names)


def c_symbols(names):
    """Without mangled ones, and those that linkers and sanitizers add."""
    return [n for n in names if not n.startswith("_")]


def of_others(names):
    """Copies of inline functions and tables of LLVM and of the C++ library:
    that of one library would be used by all in the process."""
    return [n for n in names
            if re.match(r"_Z(T[VIST]|GV|T[hv]\w*?_)?Z?(N[KRO]*)?"
                        r"(4llvm|S[tabso]|9__gnu_cxx|8nlohmann)", n)]


def not_printed(headers, text):
    """Names of values and fields in the headers that `text` does not have."""
    names = set()
    for header in headers:
        names.update(re.findall(r"^\s*(TWC?_[A-Z_]+) = \d", header, re.M))
        for body in re.findall(r"^typedef struct \w+ {\n(.*?)^}", header,
                               re.M | re.S):
            body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
            for declared in re.findall(r"([^;]+);", body):
                names.update(re.findall(r"(\w+)\s*(?:,|$)", declared.strip()))
    return sorted(n for n in names if not re.search(rf"\b{n}\b", text))


def main():
    readelf, printer, compiler, runtime, *headers, golden = sys.argv[1:]
    headers = [pathlib.Path(h).read_text(encoding="utf-8") for h in headers]
    golden = pathlib.Path(golden)
    lines = run(printer).splitlines()
    problems = [f"{name}: in a header, not in PrintAbi.c"
                for name in not_printed(headers, "\n".join(lines))]
    for name, library in (("compiler", compiler), ("runtime", runtime)):
        exports = symbols(readelf, library)
        if name == "compiler":
            problems += [f"{n}: exported; see cmake/exports.map"
                         for n in of_others(exports)]
        for symbol in c_symbols(exports):
            lines.append(f"{name} {symbol}")
            if not any(re.search(rf"\b{symbol}\(", h) for h in headers):
                problems.append(f"{symbol}: exported, in no header")
    declared = {n for h in headers for n in re.findall(r"\b(twc?_\w+)\(", h)}
    exported = {line.split()[1] for line in lines}
    problems += [f"{n}: in a header, not exported"
                 for n in sorted(declared - exported)]
    expected = golden.read_text(encoding="utf-8").splitlines()
    problems += difflib.unified_diff(expected, lines, str(golden), "found",
                                     n=0, lineterm="")
    print("\n".join(problems) or f"{len(lines)} facts are as they were")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
