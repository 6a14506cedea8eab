"""Whole models by both doors, torch.compile and .pt2 archives: results, and that
PyTorch runs nothing of them. bench/torch_models.py has the models."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
import torch
import transformers
from torch._dynamo.utils import counters

# No ONNX on the way: an import of it fails.
sys.modules["onnx"] = None

import tilewright  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import torch_models  # noqa: E402

# What PyTorch may run in a call of a compiled model: it makes the memory of results.
# Dynamo's own steps (guards, its cache) are no operators, and have other names.
ALLOWED = {"aten::empty", "aten::empty_strided"}
ON_EMULATOR = ["ResNet-50", "ConvNeXt-T", "ViT-B", "BERT-base", "Llama-style",
               "T5-small"]


def operators_of(call):
    """The operators of PyTorch that a call runs, by PyTorch's profiler."""
    with torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        result = call()
    return result, {event.name for event in profile.events()
                    if "::" in event.name}


class Case(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        transformers.logging.set_verbosity_error()
        torch._dynamo.reset()
        torch.manual_seed(0)
        self.addCleanup(torch.set_grad_enabled, torch.is_grad_enabled())
        torch.set_grad_enabled(False)

    def expect_same(self, found, expected):
        """Within 1e-3, relative to the largest element."""
        self.assertEqual(tuple(found.shape), tuple(expected.shape))
        expected = expected.numpy()
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-3,
                                   atol=1e-3 * np.abs(expected).max())

    def expect_compiled(self, model, arguments, **options):
        """Compiles the model; its calls run no operator of PyTorch."""
        run = torch.compile(model, backend="tilewright",
                            options={"strict": True, **options})
        expected = model(*arguments)
        self.expect_same(run(*arguments), expected)
        found, operators = operators_of(lambda: run(*arguments))
        self.expect_same(found, expected)
        self.assertEqual(operators - ALLOWED, set())

    def expect_archive(self, model, arguments, device="cpu"):
        """The same of its archive."""
        program = torch.export.export(model, arguments)
        device = tilewright.open(device)
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder) / "model.pt2"
            torch.export.save(program, archive)
            tilewright.compile_model(archive, archive.with_suffix(".twp"),
                                     targets=[device.targets[0]])
            loaded = device.load_model(archive.with_suffix(".twp"))
            inputs = {name: value.numpy() for name, value in zip(
                program.graph_signature.user_inputs, arguments)}
            found, operators = operators_of(lambda: loaded.run(inputs))
        (output,) = found.values()
        self.expect_same(output, model(*arguments))
        self.assertEqual(operators, set())


class Whole(Case):
    """At full size, on the cpu."""

    def expect_both(self, name):
        model, arguments = torch_models.MODELS[name]()
        model.eval()
        self.expect_compiled(model, arguments)
        self.expect_archive(model, arguments)


class Small(Case):
    """Small ones, with parameters that are constants."""

    def expect_frozen(self, name):
        model, arguments = torch_models.SMALL[name]()
        self.expect_compiled(model.eval(), arguments, freeze=True)


class Emulator(Case):
    """Small ones on the emulator of a GPU, which checks each access."""

    def expect_emulated(self, name):
        model, arguments = torch_models.SMALL[name]()
        self.assertEqual(tilewright.open("emulator").targets[0], "sm_90a")
        self.expect_compiled(model.eval(), arguments, device="emulator")
        self.expect_archive(model, arguments, "emulator")


def add_tests(group, method, names):
    """One test for each model, so that each can be run alone."""
    for name in names:
        identifier = "test_" + "".join(
            c if c.isalnum() else "_" for c in name.lower())
        setattr(group, identifier,
                lambda self, name=name: getattr(self, method)(name))


add_tests(Whole, "expect_both", torch_models.MODELS)
add_tests(Small, "expect_frozen", torch_models.SMALL)
add_tests(Emulator, "expect_emulated", ON_EMULATOR)


class Batches(Case):
    """Twenty batch sizes compile one graph."""

    def expect_one_graph(self, name, first):
        model, arguments = torch_models.SMALL[name]()
        run = torch.compile(model.eval(), backend="tilewright", dynamic=True,
                            options={"strict": True})
        before = counters["stats"]["unique_graphs"]
        for batch in range(first, first + 20):
            inputs = [torch.cat([value] * batch) for value in arguments]
            self.expect_same(run(*inputs), model(*inputs))
        self.assertEqual(counters["stats"]["unique_graphs"] - before, 1)

    def test_images(self):
        # Below 16, PyTorch's choice of a convolution is a guard on the batch.
        self.expect_one_graph("ResNet-50", 16)

    def test_tokens(self):
        self.expect_one_graph("BERT-base", 2)


class NoOnnx(unittest.TestCase):
    def test_not_imported(self):
        code = ("import sys; sys.modules['onnx'] = None\n"
                "import torch, tilewright\n"
                "f = torch.compile(lambda x: x * 2, backend='tilewright')\n"
                "assert f(torch.ones(3)).tolist() == [2, 2, 2]\n"
                "assert not [m for m in sys.modules if m.startswith('onnx.')]\n")
        subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    unittest.main()
