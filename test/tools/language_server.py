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


def diagnostics(server, text):
    """(line from 0, message) of each."""
    messages = [
        {"id": 0, "method": "initialize", "params": {"capabilities": {}}},
        {"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": "file:///k.mlir", "languageId": "mlir", "version": 1,
            "text": text}}},
        {"id": 1, "method": "shutdown"}, {"method": "exit"}]
    framed = ""
    for message in messages:
        body = json.dumps({"jsonrpc": "2.0", **message})
        framed += f"Content-Length: {len(body.encode())}\r\n\r\n{body}"
    done = subprocess.run([server], input=framed.encode(), check=True,
                          capture_output=True, timeout=60)
    decoder, rest, found = json.JSONDecoder(), done.stdout.decode(), None
    while "{" in rest:
        answer, end = decoder.raw_decode(rest[rest.index("{"):])
        rest = rest[rest.index("{") + end:]
        if answer.get("method") == "textDocument/publishDiagnostics":
            found = [(d["range"]["start"]["line"], d["message"])
                     for d in answer["params"]["diagnostics"]]
    if found is None:
        sys.exit(f"the server published nothing: {done.stdout}")
    return found


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
    print("\n".join(problems) or f"{count} modules without a diagnostic, a "
          "mistake at its line")
    return 1 if problems or count < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
