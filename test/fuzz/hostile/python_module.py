"""The Python module, by python_driver.py in its Python."""

from reader import HERE, ROOT, Reader, Skipped

BATCH = 25


class PythonModule(Reader):
    """Arrays, kernels and models of the module tilewright."""
    name, weight, needs_compiler = "python", 3, True

    def prepare(self):
        if not self.session.python or not self.session.python.exists():
            raise Skipped("--python names no Python with the module")
        if self.session.sanitized:
            raise Skipped("a library with sanitizers cannot be loaded")
        self.session.prepare(self.session.python, "-c", "import tilewright")
        self.session.prepare(
            self.session.tool, "compile", ROOT / "examples/1-run-a-model/"
            "mlp.mlir", "--no-cache", "-o", "mlp.twp")

    def make(self, random):
        command = self.tool(errors=False, codes=(0,), mutants=BATCH)
        command.arguments = [
            self.session.python, HERE / "python_driver.py",
            self.session.samples / "mlp.twp", BATCH, random.randrange(1 << 48)]
        return [command]
