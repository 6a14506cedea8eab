"""The C interfaces, by a program that gives wrong arguments (Capi.cpp)."""

from reader import ROOT, Reader

# Mutants of one process.
BATCH = 50


class CApi(Reader):
    """tilewright.h and tilewright-compiler.h."""
    name, weight, needs_compiler = "capi", 6, True

    def prepare(self):
        self.program = self.session.program("hostile-capi")
        self.session.prepare(
            self.session.tool, "compile", ROOT / "examples/1-run-a-model/"
            "mlp.mlir", "--no-cache", "-o", "mlp.twp")
        self.package = self.session.samples / "mlp.twp"

    def make(self, random):
        command = self.tool(errors=False, codes=(0,), mutants=BATCH)
        command.arguments = [self.program, self.package, BATCH,
                             random.randrange(1 << 48)]
        return [command]
