"""language_server.py SERVER TILEWRIGHT EXAMPLES: the language server takes
modules of every level without a word, and tells a mistake at its place."""
import json
import pathlib
import subprocess
import sys
import tempfile

GATE = """tile.kernel @gate(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>)
    grid affine_map<()[m, n, ym, yn] -> (m, n)> {
}
"""
MISTAKE = GATE.replace("{\n", "{\n  %t = tile.load %x[%i, %i]"
                       " : !tile.view<?x?xf32> -> tensor<1x1xf32>\n", 1)


URI = "file:///k.mlir"


def opened(text):
    return {"method": "textDocument/didOpen", "params": {"textDocument": {
        "uri": URI, "languageId": "mlir", "version": 1, "text": text}}}


def changed(*changes):
    return {"method": "textDocument/didChange", "params": {
        "textDocument": {"uri": URI, "version": 2},
        "contentChanges": list(changes)}}


def session(server, *messages):
    """What the server answers to messages, or to texts of some."""
    framed = ""
    for message in ({"id": 0, "method": "initialize",
                     "params": {"capabilities": {}}}, *messages,
                    {"id": 1, "method": "shutdown"}, {"method": "exit"}):
        body = message if isinstance(message, str) else \
            json.dumps({"jsonrpc": "2.0", **message})
        framed += f"Content-Length: {len(body.encode())}\r\n\r\n{body}"
    done = subprocess.run([server], input=framed.encode(), check=True,
                          capture_output=True, timeout=60)
    decoder, rest, answers = json.JSONDecoder(), done.stdout.decode(), []
    while "{" in rest:
        answer, end = decoder.raw_decode(rest[rest.index("{"):])
        rest = rest[rest.index("{") + end:]
        answers.append(answer)
    return answers


def published(answers):
    """(line from 0, message) of each diagnostic, of each publication."""
    return [[(d["range"]["start"]["line"], d["message"])
             for d in answer["params"]["diagnostics"]] for answer in answers
            if answer.get("method") == "textDocument/publishDiagnostics"]


def diagnostics(server, text):
    """(line from 0, message) of each."""
    found = published(session(server, opened(text)))
    if not found:
        sys.exit("the server published nothing")
    return found[-1]


DEEP = "expected brackets nested at most 256 deep, found more"


def check_limits(server):
    """What is nested too deep is told, and the next message is read."""
    deep = GATE + "\n#a = " + "[" * 100000
    found = published(session(
        server, opened(deep), changed({"text": GATE}),
        # Brackets that come one change after the other.
        *[changed({"text": "((" * 100, "range": {
            "start": {"line": 3, "character": 0},
            "end": {"line": 3, "character": 0}}})] * 2,
        changed({"text": MISTAKE})))
    mistake = [(2, "use of undeclared SSA value name")]
    # The server finds nothing in what it gets for a text that is too deep.
    yield found == [[], [(4, DEEP)], [],
                    [(2, "expected operation name in quotes")],
                    [], [(3, DEEP)], mistake], found
    # Changes that fit no text: of a document that was not opened, and of lines
    # that are not there.
    nowhere = {"start": {"line": -1, "character": -1},
               "end": {"line": 9, "character": 9}}
    found = published(session(server, changed({"text": deep})))
    yield found == [[], [(4, DEEP)]], found
    found = published(session(
        server, opened(GATE), changed({"text": deep, "range": nowhere})))
    yield found == [[], [], [(4, DEEP)]], found
    nested = '{"jsonrpc": "2.0", "id": 5, "method": ' + "[" * 100000
    answers = session(server, nested, opened(MISTAKE))
    errors = [a["error"] for a in answers if "error" in a]
    yield len(errors) == 1 and errors[0]["code"] == -32700 and \
        "nested at most 100 deep" in errors[0]["message"], errors
    yield published(answers) == [mistake], answers


def modules(tool, examples, folder):
    """Texts of the graph, tile and scheduled levels, by name."""
    gate = folder / "gate.mlir"
    gate.write_text(GATE)
    model = examples / "10-fused-op/feed-forward.onnx"
    softmax = examples / "2-tile-kernel/softmax.mlir"
    commands = {
        "graph": [model, "--emit", "graph", "--replace",
                  "y = Mul(x, Sigmoid(x))", "--with", gate],
        "tile": [model, "--emit", "tile"],
        "scheduled": [softmax, "--target", "sm_90a", "--emit", "scheduled"]}
    for path in sorted(examples.glob("*/*.mlir")):
        yield path.name, path.read_text()
    for name, arguments in commands.items():
        yield name, subprocess.run([tool, "compile", *arguments], check=True,
                                   capture_output=True, text=True).stdout


def main():
    server, tool, examples = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    problems, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in modules(tool, examples, pathlib.Path(folder)):
            count += 1
            problems += [f"{name}:{line + 1}: {message}"
                         for line, message in diagnostics(server, text)]
    found = diagnostics(server, MISTAKE)
    if found != [(2, "use of undeclared SSA value name")]:
        problems.append(f"a mistake in line 3: found {found}")
    problems += [f"limits: found {found}"
                 for good, found in check_limits(server) if not good]
    print("\n".join(problems) or f"{count} modules without a diagnostic, a "
          "mistake at its line")
    return 1 if problems or count < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
