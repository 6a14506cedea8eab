"""torch.compile(model, backend="tilewright"): results, counts and errors."""
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

import torch
import torch.nn as nn
import torch.nn.functional as F

import tilewright
from tilewright.torch import backend, explain


def compiled(model, dynamic=None, **options):
    return torch.compile(model, backend="tilewright", dynamic=dynamic,
                         options=options or None)


class Counter:
    """A backend that counts how many graphs it compiles."""

    def __init__(self, **options):
        self.graphs = []
        self.options = options

    def __call__(self, module, inputs):
        return backend(module, inputs, options=self.options,
                       _report=self.graphs)


class Attention(nn.Module):
    """A block of a transformer."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(2)])
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 64), nn.GELU(),
                                 nn.Linear(64, width))

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.norms[0](x)).view(
            batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norms[1](x))


class Case(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.manual_seed(0)
        self.addCleanup(torch.set_grad_enabled, torch.is_grad_enabled())
        torch.set_grad_enabled(False)

    def expect_same(self, found, expected):
        torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-5)
        self.assertEqual(found.stride(), expected.stride())


def mlp():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4),
                         nn.Softmax(-1)).eval()


class Models(Case):
    def test_mlp(self):
        model, x = mlp(), torch.randn(3, 8)
        self.expect_same(compiled(model, strict=True)(x), model(x))

    def test_cnn(self):
        model = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8),
            nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, groups=4),
            nn.Hardswish(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(8, 5)).eval()
        x = torch.randn(2, 3, 12, 12)
        self.expect_same(compiled(model, strict=True)(x), model(x))

    def test_transformer(self):
        model, x = Attention().eval(), torch.randn(2, 7, 32)
        self.expect_same(compiled(model, strict=True)(x), model(x))

    def test_devices(self):
        model, x = mlp(), torch.randn(3, 8)
        for device in ["interpreter", "emulator"]:
            torch._dynamo.reset()
            self.expect_same(
                compiled(model, strict=True, device=device)(x), model(x))

    def test_half(self):
        model, x = mlp().bfloat16(), torch.randn(3, 8).bfloat16()
        torch.testing.assert_close(compiled(model, strict=True)(x), model(x),
                                   rtol=2e-2, atol=1e-2)


class Sizes(Case):
    def test_batches_compile_once(self):
        count, model = Counter(strict=True), mlp()
        run = torch.compile(model, backend=count, dynamic=True)
        for batch in range(2, 22):
            x = torch.randn(batch, 8)
            self.expect_same(run(x), model(x))
        self.assertEqual(len(count.graphs), 1)

    def test_transformer_lengths(self):
        count, model = Counter(strict=True), Attention().eval()
        run = torch.compile(model, backend=count, dynamic=True)
        for length in range(3, 9):
            x = torch.randn(2, length, 32)
            self.expect_same(run(x), model(x))
        self.assertEqual(len(count.graphs), 1)

    def test_number_as_input(self):
        def scale(x, n):
            return x * n + n
        run, x = compiled(scale, dynamic=True, strict=True), torch.randn(4)
        for n in [3, 5, 8]:
            self.expect_same(run(x, n), scale(x, n))

    def test_size_as_result(self):
        def model(x):
            return x.relu(), x.shape[0] * 2
        run = compiled(model, dynamic=True)
        for n in [3, 5]:
            x = torch.randn(n, 4)
            y, size = run(x)
            self.expect_same(y, x.relu())
            self.assertEqual(size, 2 * n)

    def test_empty(self):
        model = mlp()
        run = compiled(model, strict=True)
        for n in [0, 2]:
            x = torch.randn(n, 8)
            self.expect_same(run(x), model(x))


class Memory(Case):
    def test_changed_weights_count(self):
        model, x = mlp(), torch.randn(3, 8)
        run = compiled(model, strict=True)
        self.expect_same(run(x), model(x))
        model[0].weight.mul_(2)
        self.expect_same(run(x), model(x))
        model[2].weight.data = torch.randn(4, 16)
        self.expect_same(run(x), model(x))

    def test_weight_in_other_strides(self):
        model, x = mlp(), torch.randn(3, 8)
        run = compiled(model, strict=True)
        run(x)
        model[0].weight.data = torch.randn(8, 16).t()
        self.expect_same(run(x), model(x))

    def test_frozen_weights_are_constants(self):
        model, x = mlp(), torch.randn(3, 8)
        run = compiled(model, strict=True, freeze=True)
        expected = model(x)
        self.expect_same(run(x), expected)
        model[0].weight.mul_(2)
        self.expect_same(run(x), expected)

    def test_input_is_written(self):
        def step(cache, x):
            cache.mul_(2).add_(x)
            return cache.sum()
        run, expected = compiled(step), torch.ones(5, 3)
        cache = expected.clone()
        for _ in range(3):
            x = torch.randn(3)
            torch.testing.assert_close(run(cache, x), step(expected, x))
            torch.testing.assert_close(cache, expected)

    def test_results_have_memory_for_each_element(self):
        def model(x):
            y = x + 1
            return y.unfold(0, 3, 1), y.expand(2, 5), y[None].expand(0, 5)
        x = torch.randn(5)
        for found, expected in zip(compiled(model, strict=True)(x), model(x)):
            torch.testing.assert_close(found, expected)

    def test_rows_of_inputs_are_written_in_place(self):
        def step(cache, x, position):
            cache.index_copy_(1, position, x)
            return cache[:, :2].sum(1)
        cache, x = torch.randn(2, 9, 4), torch.randn(2, 1, 4)
        self.assertEqual(explain(step, cache, x, torch.tensor([3])).copies, 0)
        run = compiled(step, strict=True)
        # The cache, one of other strides, and memory that inputs share.
        shared = torch.randn(2, 9, 8)
        for cache in (cache, torch.randn(2, 4, 9).mT, shared[:, :, ::2]):
            expected = cache.clone()
            for n in range(3):
                x, position = torch.randn(2, 1, 4), torch.tensor([n])
                torch.testing.assert_close(run(cache, x, position),
                                           step(expected, x, position))
                torch.testing.assert_close(cache, expected)

    def test_inputs_between_each_other_are_written(self):
        def step(a, b):
            a.add_(b)
            b.mul_(2)
            return a * b
        memory = torch.arange(12.).view(6, 2)
        expected, run = memory.clone(), compiled(step)
        for _ in range(3):
            torch.testing.assert_close(
                run(memory[:, 0], memory[:, 1]),
                step(expected[:, 0], expected[:, 1]))
            torch.testing.assert_close(memory, expected)

    def test_buffer_is_written(self):
        class Sum(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("sum", torch.zeros(4))

            def forward(self, x):
                self.sum += x
                return self.sum * 2
        for freeze in [False, True]:
            torch._dynamo.reset()
            one, two = Sum(), Sum()
            run = compiled(one, freeze=freeze)
            for _ in range(3):
                x = torch.randn(4)
                torch.testing.assert_close(run(x), two(x))
                torch.testing.assert_close(one.sum, two.sum)

    def test_tied_weights(self):
        model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))
        model[2].weight = model[0].weight
        x = torch.randn(3, 8)
        for freeze in [False, True]:
            torch._dynamo.reset()
            run = compiled(model.eval(), strict=True, freeze=freeze)
            self.expect_same(run(x), model(x))

    def test_inference_mode(self):
        model, x = mlp(), torch.randn(3, 8)
        with torch.inference_mode():
            self.expect_same(compiled(model, strict=True)(x), model(x))

    def test_cache(self):
        model, x = mlp(), torch.randn(3, 8)
        with tempfile.TemporaryDirectory() as folder:
            self.expect_same(compiled(model, cache=folder)(x), model(x))
            self.assertTrue(any(pathlib.Path(folder).rglob("*")))

    def test_strides_of_inputs(self):
        model = mlp()
        for x in [torch.randn(8, 3).t(), torch.randn(3, 16)[:, ::2],
                  torch.randn(8).expand(3, 8), torch.randn(25)[1:].view(3, 8)]:
            torch._dynamo.reset()
            self.expect_same(compiled(model, strict=True)(x), model(x))

    def test_strides_of_results(self):
        def model(x):
            y = x * 2
            return y.t(), y[:, ::2] + 1, y, (x + 1).permute(1, 0)
        x = torch.randn(3, 8)
        for found, expected in zip(compiled(model)(x), model(x)):
            self.expect_same(found, expected)

    def test_copies_are_counted(self):
        model = mlp()
        self.assertEqual(explain(model, torch.randn(3, 8)).copies, 0)
        torch._dynamo.reset()
        found = explain(model, torch.randn(8, 3).t())
        self.assertEqual((found.copies, found.copied_bytes), (1, 3 * 8 * 4))

    def test_same_tensor_twice(self):
        def model(x, y):
            z = x + y
            return z, z, x
        x = torch.randn(4)
        a, b, c = compiled(model)(x, x)
        self.expect_same(a, x + x)
        self.expect_same(b, x + x)
        self.assertIs(c, x)

    def test_results_stay(self):
        """A later call does not write to results of an earlier one."""
        model = mlp()
        run = compiled(model, strict=True)
        inputs = [torch.randn(3, 8) for _ in range(4)]
        results = [run(x) for x in inputs]
        for x, y in zip(inputs, results):
            self.expect_same(y, model(x))


class LeftOvers(Case):
    @staticmethod
    def model(x):
        y = torch.relu(x * 3 + 1).sin()
        y = torch.linalg.matrix_exp(y)
        return torch.softmax(y.exp() - 1, -1).sigmoid() * 2

    def test_parts(self):
        x = torch.randn(4, 4)
        torch.testing.assert_close(
            compiled(self.model, min_block_size=2)(x), self.model(x),
            rtol=1e-3, atol=1e-5)
        torch._dynamo.reset()
        found = explain(self.model, x, options={"min_block_size": 2})
        (graph,) = found.graphs
        self.assertEqual(len(graph.parts), 2)
        self.assertEqual({each.operator for each in graph.left_over},
                         {"aten.linalg_matrix_exp.default"})
        self.assertIn("test_compile.py", graph.left_over[0].line)
        self.assertIn("aten.linalg_matrix_exp.default: the operator is not "
                      "supported", str(found))

    def test_rejected_by_the_import(self):
        def model(x):
            y = F.avg_pool2d(x.exp() + 1, 2, divisor_override=3)
            return y.sin() * 2 + 1
        x = torch.randn(1, 2, 4, 6)
        torch.testing.assert_close(compiled(model)(x), model(x))
        torch._dynamo.reset()
        (graph,) = explain(model, x, options={"min_block_size": 2}).graphs
        self.assertEqual(len(graph.parts), 2)
        (left,) = graph.left_over
        self.assertEqual(left.operator, "aten.avg_pool2d.default")
        self.assertIn("divisor_override' is not supported", left.reason)

    def test_failed_part(self):
        """A part that does not compile is left to PyTorch, as a whole."""
        model, x = mlp(), torch.randn(3, 8)
        fault = tilewright.InternalError("internal error", "a fault")
        with unittest.mock.patch("tilewright.torch._call._compile_torch",
                                 side_effect=fault):
            self.expect_same(compiled(model)(x), model(x))
            torch._dynamo.reset()
            self.assertIn("a fault", str(explain(model, x)))
            torch._dynamo.reset()
            with self.assertRaisesRegex(Exception, "a fault"):
                compiled(model, strict=True)(x)

    def test_block_size(self):
        found = explain(self.model, torch.randn(4, 4),
                        options={"min_block_size": 1000})
        (graph,) = found.graphs
        self.assertEqual(graph.parts, [])
        self.assertIn("below min_block_size, 1000", str(found))

    def test_strict(self):
        with self.assertRaisesRegex(
                Exception, r"1 operator is not supported:\n"
                r"  aten\.linalg_matrix_exp\.default: .*test_compile\.py:\d+: "):
            compiled(self.model, strict=True)(torch.randn(4, 4))

    def test_strict_wants_inference(self):
        torch.set_grad_enabled(True)
        with self.assertRaisesRegex(Exception, r"torch\.no_grad"):
            compiled(mlp(), strict=True)(torch.randn(3, 8))

    def test_gradients_by_torch(self):
        torch.set_grad_enabled(True)
        model, x = mlp(), torch.randn(3, 8)
        compiled(model)(x)[0, 0].backward()
        self.assertGreater(model[0].weight.grad.abs().sum(), 0)

    def test_unknown_option(self):
        with self.assertRaisesRegex(Exception, "there is no option 'stict'"):
            compiled(mlp(), stict=True)(torch.randn(3, 8))

    def test_break(self):
        def model(x):
            y = x * 2
            torch._dynamo.graph_break()
            return y + 1
        found = explain(model, torch.randn(3))
        self.assertEqual(len(found.graphs), 2)
        self.assertEqual(len(found.breaks), 1)

    def test_complex_is_left(self):
        def model(x):
            return torch.fft.fft(x + 1).real * 2
        x = torch.randn(8)
        torch.testing.assert_close(compiled(model, min_block_size=1)(x),
                                   model(x))


class Process(Case):
    def test_threads(self):
        model = Attention().eval()
        run = compiled(model, strict=True)
        inputs = [torch.randn(2, 7, 32) for _ in range(4)]
        run(inputs[0])
        expected = [model(x) for x in inputs]
        failed = []

        def work(i):
            with torch.no_grad():
                for _ in range(20):
                    if not torch.allclose(run(inputs[i]), expected[i],
                                          rtol=1e-3, atol=1e-5):
                        failed.append(i)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(failed, [])

    def test_import_orders(self):
        use = ("f = torch.compile(lambda x: x * 2, backend='tilewright')\n"
               "assert f(torch.ones(3)).tolist() == [2, 2, 2]\n")
        for first, second in [("torch", "tilewright"), ("tilewright", "torch")]:
            subprocess.run([sys.executable, "-c", f"import {first}\nimport "
                            f"{second}\n{use}"], check=True)

    def test_import_without_torch(self):
        subprocess.run([sys.executable, "-c", "import sys, tilewright\n"
                        "assert 'torch' not in sys.modules"], check=True)

    def test_backend_is_listed(self):
        self.assertIn("tilewright", torch._dynamo.list_backends())


if __name__ == "__main__":
    unittest.main()
