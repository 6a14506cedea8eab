"""The language server: messages of JSON-RPC, documents and their changes."""

import json

import edges
import mutate_json
from mlir_files import WORDS, parts, upstream
from mutate_text import Mutator
from reader import ROOT, Reader, Skipped

URI = "file:///k.mlir"
REQUESTS = ["hover", "definition", "references", "completion", "codeAction",
            "inlayHint", "documentSymbol", "documentLink", "rename"]


def message(method, params, number=None):
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        body["id"] = number
    return body


def frame(random, body):
    """A message with its length; some lengths and headers are wrong."""
    size = len(body)
    change = random.random()
    if change < 0.01:
        size = edges.integer(random)
    elif change < 0.02:
        size = max(0, size + random.randint(-9, 9))
    head = f"Content-Length: {size}\r\n"
    if 0.02 < change < 0.04:
        head = random.choice([
            "", head.lower(), head + head, "Content-Type: x\r\n" + head,
            "Content-Length: \r\n", "Content-Length: x\r\n", head[:-2] + "\n"])
    return head.encode() + b"\r\n" + body


class LanguageServer(Reader):
    """Sessions of tilewright-lsp-server."""
    name, weight, needs_compiler = "lsp", 3, True

    def prepare(self):
        self.server = self.session.program("tilewright-lsp-server")
        self.samples = parts([*(ROOT / "examples").glob("*/*.mlir"),
                              *(ROOT / "test/tileir").rglob("*.mlir")],
                             "tile.kernel")
        self.samples += upstream(self.session)
        if not self.samples:
            raise Skipped("there are no samples")
        self.mutator = Mutator(self.samples, WORDS)

    def _text(self, random):
        text = self.mutator.mutate(random, random.choice(self.samples))
        return text.decode(errors="surrogateescape")

    def _position(self, random):
        line, character = random.randrange(30), random.randrange(60)
        if random.random() < 0.2:
            line = edges.integer(random)
        if random.random() < 0.2:
            character = edges.integer(random)
        return {"line": line, "character": character}

    def _range(self, random):
        return {"start": self._position(random), "end": self._position(random)}

    def _request(self, random, number):
        name = random.choice(REQUESTS)
        return message(f"textDocument/{name}", {
            "textDocument": {"uri": URI}, "position": self._position(random),
            "range": self._range(random), "newName": "z",
            "context": {"includeDeclaration": True, "diagnostics": []}},
                       number)

    def _change(self, random, version):
        changes = []
        for _ in range(random.randint(1, 3)):
            text = self._text(random) if random.random() < 0.3 else \
                random.choice(["x", "", "}", "((((", "\n", "%a", "[" * 300])
            change = {"text": text}
            if random.random() < 0.7:
                change["range"] = self._range(random)
            changes.append(change)
        return message("textDocument/didChange", {
            "textDocument": {"uri": URI, "version": version},
            "contentChanges": changes})

    def make(self, random):
        messages = [message("initialize", {"capabilities": {}}, 0),
                    message("textDocument/didOpen", {"textDocument": {
                        "uri": URI, "languageId": "mlir", "version": 1,
                        "text": self._text(random)}})]
        for number in range(2, random.randint(3, 9)):
            messages.append(
                self._request(random, number) if random.random() < 0.6 else
                self._change(random, number))
        messages += [message("textDocument/didClose",
                             {"textDocument": {"uri": URI}}),
                     message("shutdown", None, 99), message("exit", None)]
        if random.random() < 0.3:
            messages = mutate_json.mutate(random, messages)
        data = b"".join(
            frame(random, mutate_json.text(random, m)
                  if random.random() < 0.1 else
                  json.dumps(m).encode("utf-8", "surrogatepass"))
            for m in messages)
        self.write("session", data)
        # Without `exit`, the input ends. The server logs to standard error.
        command = self.tool(stdin=data, errors=False, codes=(0, 1))
        command.arguments = [self.server]
        return [command]
