"""Small models with floats, for bounds of errors, each with an exact twin: the
same text with f64 for all floats."""

import re
import struct


class Case:
    """A model, and what it is compiled with."""

    def __init__(self, name, text, options=(), kinds="01234",
                 targets=("cpu", "sm_80", "sm_90a"), is_coarse=False):
        self.name = name
        self.text = text
        # The instruction has a large bound, and the emulator a small error.
        self.is_coarse = is_coarse
        # Kinds of inputs: normal, positive, of many sizes, integers, around 10.
        self.options = [*options, "--kinds", kinds]
        self.targets = targets


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def twin(text):
    """The text with f64 for all floats, and no casts between them."""
    def constant(match):
        number = float(match[1])
        kept = single(number) if match[2] == "f32" else number
        return f"{kept!r} : f64"

    text = re.sub(r"(?<![\w.])(-?\d+\.\d*(?:[eE][-+]?\d+)?) : (f\d+|bf16)",
                  constant, text)
    text = text.replace(" precision fast", "")
    text = text.replace("0xFF800000 : f32", "0xFFF0000000000000 : f64")
    text = re.sub(r"(?<![A-Za-z0-9_])(f32|f16|bf16|f8E4M3FN|f8E5M2)\b", "f64",
                  text)
    text = re.sub(r"x(f32|f16|bf16|f8E4M3FN|f8E5M2)(?=>)", "xf64", text)
    return re.sub(r"arith\.(?:extf|truncf) (%\w+) : f64 to f64",
                  r"arith.maximumf \1, \1 : f64", text)


ALL = []


def tensor(shape, kind):
    return "tensor<" + "".join(f"{size}x" for size in shape) + f"{kind}>"


def identity(rank, kept=None):
    dims = [f"d{i}" for i in range(rank)]
    results = dims if kept is None else [dims[i] for i in kept]
    return f"affine_map<({', '.join(dims)}) -> ({', '.join(results)})>"


def filled(name, shape, kind, value="0.0"):
    return f"""
  %{name}_c = arith.constant {value} : {kind}
  %{name}_e = tensor.empty() : {tensor(shape, kind)}
  %{name} = linalg.fill ins(%{name}_c : {kind}) outs(%{name}_e : {tensor(shape, kind)}) -> {tensor(shape, kind)}"""


def generic(result, inputs, out, shape, body, reduced=(), kinds=None,
            kept=None):
    """One linalg.generic over `shape`. Inputs are (name, dims that it has)."""
    rank = len(shape)
    kinds = kinds or ["f32"] * (len(inputs) + 1)
    kept = [i for i in range(rank) if i not in reduced] if kept is None else kept
    maps = [identity(rank, dims) for _, dims in inputs] + [identity(rank, kept)]
    types = [tensor([shape[i] for i in dims], kind)
             for (_, dims), kind in zip(inputs, kinds)]
    out_type = tensor([shape[i] for i in kept], kinds[-1])
    iterators = ", ".join('"reduction"' if i in reduced else '"parallel"'
                          for i in range(rank))
    arguments = ", ".join([f"%x{i}: {kind}" for i, kind in
                           enumerate(kinds[:-1])] + [f"%o: {kinds[-1]}"])
    names = ", ".join(f"%{name}" for name, _ in inputs)
    return f"""
  %{result} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{iterators}]}}
      ins({names} : {', '.join(types)}) outs(%{out} : {out_type}) {{
  ^bb0({arguments}):
{body}
    linalg.yield %r : {kinds[-1]}
  }} -> {out_type}"""


def module(arguments, lines, result, result_type):
    inputs = ", ".join(f'%{name}: {kind} {{graph.name = "{name}"}}'
                       for name, kind in arguments)
    return (f"func.func @main({inputs})\n"
            f'    -> ({result_type} {{graph.name = "y"}}) {{'
            f"{''.join(lines)}\n  return %{result} : {result_type}\n}}\n")


def case(name, *parts, **options):
    ALL.append(Case(name, module(*parts), **options))


def elementwise(name, body, count=1, shape=(7, 33), kind="f32", out=None,
                **options):
    out = out or kind
    inputs = [("abc"[i], list(range(len(shape)))) for i in range(count)]
    case(name, [(each, tensor(shape, kind)) for each, _ in inputs],
         [f"\n  %e = tensor.empty() : {tensor(shape, out)}",
          generic("y", inputs, "e", shape, body,
                  kinds=[kind] * count + [out])],
         "y", tensor(shape, out), **options)


def reduction(name, body, shape=(5, 100), start="0.0", kind="f32", acc=None,
              **options):
    acc = acc or kind
    case(name, [("a", tensor(shape, kind))],
         [filled("z", shape[:1], acc, start),
          generic("y", [("a", [0, 1])], "z", shape, body, reduced=[1],
                  kinds=[kind, acc])],
         "y", tensor(shape[:1], acc), **options)


def matmul(name, m, n, k, kind="f32", acc="f32", out=None, **options):
    lines = [filled("z", (m, n), acc), f"""
  %p = linalg.matmul ins(%a, %b : {tensor((m, k), kind)}, {tensor((k, n), kind)})
      outs(%z : {tensor((m, n), acc)}) -> {tensor((m, n), acc)}"""]
    result = "p"
    if out:
        lines += [f"\n  %e = tensor.empty() : {tensor((m, n), out)}",
                  generic("y", [("p", [0, 1])], "e", (m, n),
                          f"    %r = arith.truncf %x0 : {acc} to {out}",
                          kinds=[acc, out])]
        result = "y"
    case(name, [("a", tensor((m, k), kind)), ("b", tensor((k, n), kind))],
         lines, result, tensor((m, n), out or acc), **options)


def normalized(name, kind="f32"):
    """Softmax of rows; wider inside if the type is narrow."""
    shape, rows = (6, 50), (6,)
    wide = "" if kind == "f32" else f"    %w = arith.extf %x0 : {kind} to f32\n"
    x = "%x0" if kind == "f32" else "%w"
    lines = [
        filled("low", rows, "f32", "-3.0e38"), filled("zero", rows, "f32"),
        generic("m", [("a", [0, 1])], "low", shape,
                wide + f"    %r = arith.maximumf {x}, %o : f32", reduced=[1],
                kinds=[kind, "f32"]),
        f"\n  %e = tensor.empty() : {tensor(shape, 'f32')}",
        generic("p", [("a", [0, 1]), ("m", [0])], "e", shape,
                wide + f"    %s = arith.subf {x}, %x1 : f32\n"
                "    %r = math.exp %s : f32", kinds=[kind, "f32", "f32"]),
        generic("s", [("p", [0, 1])], "zero", shape,
                "    %r = arith.addf %x0, %o : f32", reduced=[1]),
        f"\n  %f = tensor.empty() : {tensor(shape, kind)}",
        generic("y", [("p", [0, 1]), ("s", [0])], "f", shape,
                "    %r = arith.divf %x0, %x1 : f32" if kind == "f32" else
                "    %q = arith.divf %x0, %x1 : f32\n"
                f"    %r = arith.truncf %q : f32 to {kind}",
                kinds=["f32", "f32", kind])]
    case(name, [("a", tensor(shape, kind))], lines, "y", tensor(shape, kind))


def layer_norm(name, is_centered):
    shape, rows = (5, 64), (5,)
    lines = [filled("z", rows, "f32"),
             f"\n  %e = tensor.empty() : {tensor(shape, 'f32')}"]
    source = "a"
    if is_centered:
        lines += [
            generic("s", [("a", [0, 1])], "z", shape,
                    "    %r = arith.addf %x0, %o : f32", reduced=[1]),
            generic("c", [("a", [0, 1]), ("s", [0])], "e", shape,
                    "    %n = arith.constant 64.0 : f32\n"
                    "    %m = arith.divf %x1, %n : f32\n"
                    "    %r = arith.subf %x0, %m : f32")]
        source = "c"
    lines += [
        generic("q", [(source, [0, 1])], "z", shape,
                "    %t = arith.mulf %x0, %x0 : f32\n"
                "    %r = arith.addf %t, %o : f32", reduced=[1]),
        generic("y", [(source, [0, 1]), ("q", [0])], "e", shape,
                "    %n = arith.constant 64.0 : f32\n"
                "    %d = arith.constant 1.0e-5 : f32\n"
                "    %v = arith.divf %x1, %n : f32\n"
                "    %w = arith.addf %v, %d : f32\n"
                "    %i = math.rsqrt %w : f32\n"
                "    %r = arith.mulf %x0, %i : f32")]
    case(name, [("a", tensor(shape, "f32"))], lines, "y", tensor(shape, "f32"))


def attention(name, kind, **options):
    n, m, d = 16, 32, 32
    narrow = kind != "f32"
    lines = [
        filled("zs", (n, m), "f32"), filled("zo", (n, d), "f32"),
        filled("low", (n,), "f32", "-3.0e38"), filled("z", (n,), "f32"),
        f"\n  %e = tensor.empty() : {tensor((n, m), 'f32')}",
        f"\n  %h = tensor.empty() : {tensor((n, m), kind)}",
        f"\n  %k = linalg.matmul ins(%a, %b : {tensor((n, d), kind)}, "
        f"{tensor((d, m), kind)}) outs(%zs : {tensor((n, m), 'f32')}) -> "
        f"{tensor((n, m), 'f32')}",
        generic("g", [("k", [0, 1])], "low", (n, m),
                "    %r = arith.maximumf %x0, %o : f32", reduced=[1]),
        generic("p", [("k", [0, 1]), ("g", [0])], "e", (n, m),
                "    %s = arith.subf %x0, %x1 : f32\n"
                "    %t = arith.constant 0.125 : f32\n"
                "    %u = arith.mulf %s, %t : f32\n"
                "    %r = math.exp %u : f32"),
        generic("s", [("p", [0, 1])], "z", (n, m),
                "    %r = arith.addf %x0, %o : f32", reduced=[1]),
        generic("w", [("p", [0, 1]), ("s", [0])], "h", (n, m),
                "    %r = arith.divf %x0, %x1 : f32" if not narrow else
                "    %q = arith.divf %x0, %x1 : f32\n"
                f"    %r = arith.truncf %q : f32 to {kind}",
                kinds=["f32", "f32", kind]),
        f"\n  %y = linalg.matmul ins(%w, %c : {tensor((n, m), kind)}, "
        f"{tensor((m, d), kind)}) outs(%zo : {tensor((n, d), 'f32')}) -> "
        f"{tensor((n, d), 'f32')}"]
    case(name, [("a", tensor((n, d), kind)), ("b", tensor((d, m), kind)),
                ("c", tensor((m, d), kind))], lines, "y",
         tensor((n, d), "f32"), **options)


GPUS = ("sm_80", "sm_90a")
FAST = ["--fast-math"]
SUM = "    %r = arith.addf %x0, %o : f32"

matmul("matmul f32", 40, 33, 48)
matmul("matmul f32, long", 8, 8, 500)
matmul("matmul f16", 32, 32, 64, "f16")
matmul("matmul bf16", 32, 32, 64, "bf16")
matmul("matmul bf16, long", 16, 16, 512, "bf16")
matmul("matmul f16 to f16", 32, 24, 64, "f16", out="f16")
matmul("matmul bf16 to bf16", 32, 24, 64, "bf16", out="bf16")
matmul("matmul f64", 16, 16, 32, "f64", "f64")
for each in ("tf32", "tf32x3", "bf16x3", "bf16x6"):
    matmul(f"matmul {each}", 32, 32, 64, options=["--precision", each],
           targets=GPUS)

def fast_dot(name, m, n, k, kind, **options):
    """A tile kernel: 8-bit floats are added with few bits."""
    types = [tensor(shape, each) for shape, each in
             (((m, k), kind), ((k, n), kind), ((m, n), "f32"))]
    views = [each.replace("tensor", "!tile.view") for each in types]
    arguments = ", ".join(f'%{each}: {view} {{tile.name = "{each}"}}'
                          for each, view in zip("aby", views))
    ALL.append(Case(name, f"""tile.kernel @dot({arguments}) {{
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : {types[2]}
  %l = tile.load %a[%c0, %c0] : {views[0]} -> {types[0]}
  %r = tile.load %b[%c0, %c0] : {views[1]} -> {types[1]}
  %p = tile.dot %l, %r, %z precision fast : {types[0]}, {types[1]} -> {types[2]}
  tile.store %p, %y[%c0, %c0] : {types[2]}, {views[2]}
}}
""", **options))


fast_dot("matmul f8, fast", 32, 32, 512, "f8E4M3FN", kinds="013",
         targets=("sm_89", "sm_90a"))
# Where one score is far above the others, errors are far smaller than bounds.
attention("attention f32", "f32", kinds="013")
attention("attention f16", "f16", kinds="013")
attention("attention bf16", "bf16", kinds="013")
attention("attention tf32x3", "f32", kinds="013", options=["--precision", "tf32x3"],
          targets=GPUS)
normalized("softmax")
normalized("softmax f16", "f16")
normalized("softmax bf16", "bf16")
layer_norm("layer norm", True)
layer_norm("rms norm", False)
reduction("sum", SUM)
reduction("sum, long", SUM, (2, 3000))
reduction("sum of f16", "    %w = arith.extf %x0 : f16 to f32\n"
          "    %r = arith.addf %w, %o : f32", kind="f16", acc="f32")
reduction("sum in f16", "    %r = arith.addf %x0, %o : f16", kind="f16")
reduction("sum in bf16", "    %r = arith.addf %x0, %o : bf16", kind="bf16")
reduction("sum of squares", "    %t = arith.mulf %x0, %x0 : f32\n"
          "    %r = arith.addf %t, %o : f32")
reduction("sum of exp", "    %t = math.exp %x0 : f32\n"
          "    %r = arith.addf %t, %o : f32", kinds="0134")
reduction("maximum", "    %r = arith.maximumf %x0, %o : f32",
          start="-3.0e38")
elementwise("polynomial", "    %c = arith.constant 0.1 : f32\n"
            "    %t = arith.mulf %x0, %x1 : f32\n"
            "    %u = arith.addf %t, %c : f32\n"
            "    %v = arith.mulf %u, %x0 : f32\n"
            "    %r = arith.subf %v, %x1 : f32", 2)
elementwise("polynomial f16", "    %t = arith.mulf %x0, %x1 : f16\n"
            "    %u = arith.addf %t, %x0 : f16\n"
            "    %r = arith.mulf %u, %x1 : f16", 2, kind="f16", kinds="0134")
elementwise("polynomial bf16", "    %t = arith.mulf %x0, %x1 : bf16\n"
            "    %u = arith.addf %t, %x0 : bf16\n"
            "    %r = arith.mulf %u, %x1 : bf16", 2, kind="bf16")
elementwise("quotient", "    %c = arith.constant 1.5 : f32\n"
            "    %t = math.absf %x1 : f32\n    %u = arith.addf %t, %c : f32\n"
            "    %r = arith.divf %x0, %u : f32", 2)
elementwise("sigmoid", "    %c = arith.constant 1.0 : f32\n"
            "    %n = arith.negf %x0 : f32\n    %t = math.exp %n : f32\n"
            "    %u = arith.addf %t, %c : f32\n"
            "    %r = arith.divf %c, %u : f32", kinds="0134")
elementwise("gelu", "    %h = arith.constant 0.5 : f32\n"
            "    %c = arith.constant 0.70710678 : f32\n"
            "    %one = arith.constant 1.0 : f32\n"
            "    %s = arith.mulf %x0, %c : f32\n    %t = math.erf %s : f32\n"
            "    %u = arith.addf %t, %one : f32\n"
            "    %v = arith.mulf %x0, %u : f32\n"
            "    %r = arith.mulf %v, %h : f32", kinds="0123")
elementwise("tanh", "    %t = arith.mulf %x0, %x1 : f32\n"
            "    %r = math.tanh %t : f32", 2)
elementwise("sin and cos", "    %t = arith.mulf %x0, %x1 : f32\n"
            "    %u = math.sin %t : f32\n    %v = math.cos %x0 : f32\n"
            "    %r = arith.addf %u, %v : f32", 2)
elementwise("logarithm", "    %c = arith.constant 1.0 : f32\n"
            "    %t = arith.mulf %x0, %x0 : f32\n"
            "    %u = arith.addf %t, %c : f32\n    %v = math.log %u : f32\n"
            "    %w = math.log1p %t : f32\n    %r = arith.addf %v, %w : f32")
elementwise("power", "    %c = arith.constant 0.5 : f32\n"
            "    %t = math.absf %x0 : f32\n    %u = arith.addf %t, %c : f32\n"
            "    %v = arith.constant 1.7 : f32\n"
            "    %r = math.powf %u, %v : f32")
elementwise("root", "    %t = arith.mulf %x0, %x0 : f32\n"
            "    %u = arith.mulf %x1, %x1 : f32\n"
            "    %v = arith.addf %t, %u : f32\n    %r = math.sqrt %v : f32", 2)
elementwise("clamp", "    %t = arith.mulf %x0, %x1 : f32\n"
            "    %c = arith.constant 1.0 : f32\n"
            "    %d = arith.constant -1.0 : f32\n"
            "    %u = arith.minimumf %t, %c : f32\n"
            "    %r = arith.maximumf %u, %d : f32", 2, kinds="0123")
elementwise("leaky", "    %t = arith.subf %x0, %x1 : f32\n"
            "    %z = arith.constant 0.0 : f32\n"
            "    %c = arith.constant 0.01 : f32\n"
            "    %u = arith.mulf %t, %c : f32\n"
            "    %p = arith.cmpf ogt, %t, %z : f32\n"
            "    %r = arith.select %p, %t, %u : f32", 2)
elementwise("no NaN", "    %t = arith.mulf %x0, %x1 : f32\n"
            "    %z = arith.constant 0.0 : f32\n"
            "    %p = arith.cmpf uno, %t, %t : f32\n"
            "    %r = arith.select %p, %z, %t : f32", 2)
elementwise("narrow", "    %t = arith.mulf %x0, %x1 : f32\n"
            "    %r = arith.truncf %t : f32 to bf16", 2, out="bf16")
elementwise("narrow to f16", "    %t = arith.mulf %x0, %x1 : f32\n"
            "    %r = arith.truncf %t : f32 to f16", 2, out="f16")
for each in ("f8E4M3FN", "f8E5M2"):
    # Rounded, decoded, and rounded again.
    elementwise(f"narrow to {each}", "    %t = arith.mulf %x0, %x1 : f32\n"
                f"    %u = arith.truncf %t : f32 to {each}\n"
                f"    %v = arith.extf %u : {each} to f32\n"
                "    %w = arith.mulf %v, %x0 : f32\n"
                f"    %r = arith.truncf %w : f32 to {each}", 2, out=each,
                kinds="013")
elementwise("fast exp", "    %t = arith.mulf %x0, %x1 : f32\n"
            "    %u = math.exp %t : f32\n    %c = arith.constant 1.0 : f32\n"
            "    %v = arith.addf %u, %c : f32\n"
            "    %r = arith.divf %u, %v : f32", 2, kinds="013", options=FAST)
elementwise("fast tanh", "    %r = math.tanh %x0 : f32", options=FAST,
            targets=("sm_80",), is_coarse=True)
elementwise("fast functions", "    %t = math.absf %x0 : f32\n"
            "    %c = arith.constant 1.0 : f32\n"
            "    %u = arith.mulf %x0, %x0 : f32\n"
            "    %v = arith.addf %u, %c : f32\n    %w = math.rsqrt %v : f32\n"
            "    %l = math.log %v : f32\n    %s = arith.addf %t, %w : f32\n"
            "    %r = arith.mulf %s, %l : f32", options=FAST)
