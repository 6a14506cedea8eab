"""PTX with one instruction a line, and with `.loc` directives that number them."""

import re

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# What describes another source, or its debug information.
LOCATION = re.compile(r"(?<![\w.%$])\.(?:loc|file)\s[^\n]*")
DEBUG_SECTION = re.compile(r"^\s*\.section\b[^{]*\{[^}]*\}", re.MULTILINE)
STATEMENT = re.compile(r"\s*([{}]|[\w$%]+\s*:(?!:)|[^;{}](?:[^;]*);)")
OPCODE = re.compile(r"(?:@!?[\w%$]+\s+)?([a-z]\w*(?:\.\w+|::\w+)*)")
DIRECTIVES = (".reg", ".shared", ".local", ".param", ".const", ".global",
              ".pragma", ".branchtargets", ".calltargets", ".callprototype",
              ".alias")


def body_lines(text, start):
    """The statements from the `{` at `start` to its `}`, and where that ends."""
    lines, depth, position = [], 0, start
    while True:
        match = STATEMENT.match(text, position)
        if not match:
            raise ValueError(f"no PTX statement: {text[position:position + 60]!r}")
        statement, position = " ".join(match[1].split()), match.end()
        lines.append(statement)
        depth += {"{": 1, "}": -1}.get(statement, 0)
        if not depth:
            return lines, position


def one_a_line(ptx):
    """The same module, with each statement of its functions on a line of its
    own, without comments and locations."""
    text = COMMENT.sub("", ptx)
    text = LOCATION.sub("", text)
    text = DEBUG_SECTION.sub("", text)
    result, position = [], 0
    for head in re.finditer(r"\.(?:entry|func)\b[^;{]*\{", text):
        if head.start() < position:
            continue
        brace = head.end() - 1
        result += [line for line in text[position:brace].split("\n")
                   if line.strip()]
        lines, position = body_lines(text, brace)
        result += lines
    result += [line for line in text[position:].split("\n") if line.strip()]
    return "\n".join(result) + "\n"


def opcodes(text):
    """{line: opcode} of the instructions of a text of one_a_line."""
    found, depth = {}, 0
    for number, line in enumerate(text.split("\n"), start=1):
        # In a function a brace stands alone.
        depth += {"{": 1, "}": -1}.get(line, 0)
        if not depth or not line.endswith(";") or line.startswith(DIRECTIVES):
            continue
        if match := OPCODE.match(line):
            found[number] = match[1]
    return found


def numbered(text):
    """A text of one_a_line, with a `.loc 1 N 0` before the instruction of each
    line N."""
    instructions = opcodes(text)
    result = []
    for number, line in enumerate(text.split("\n"), start=1):
        if number in instructions:
            result.append(f".loc 1 {number} 0")
        result.append(line)
        if line.lstrip().startswith(".address_size"):
            result.append('.file 1 "kernel.ptx"')
    return "\n".join(result)
