"""gpu_torch.py [--quick]: times of the vendor's libraries (cuBLAS, cuDNN) as
torch calls them, as JSON on standard output: for each case its name, its
sizes, the median and the least time in microseconds, and what that is per
second (floating-point operations, or bytes that must be moved at least)."""

import json
import statistics
import sys

try:
    import torch
except ImportError:
    sys.exit("this Python has no torch")
import torch.nn.functional as functional


def microseconds(run, repeat):
    """Times of `run` on the device, after a warm-up. Before each run, memory of
    twice the L2 cache is written, so that the run finds a cold cache."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    flush = torch.empty(2 * cache, dtype=torch.int8, device="cuda")
    for _ in range(5):
        run()
    times = []
    for _ in range(repeat):
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        flush.zero_()
        start.record()
        run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return times


def random(*shape, dtype):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def matmul(m, n, k, dtype):
    a, b = random(m, k, dtype=dtype), random(k, n, dtype=dtype)
    return lambda: torch.matmul(a, b), {"operations": 2 * m * n * k}


def softmax(rows, columns, dtype):
    x = random(rows, columns, dtype=dtype)
    return (lambda: torch.softmax(x, -1),
            {"bytes": 2 * x.numel() * x.element_size()})


def layernorm(rows, columns, dtype):
    x = random(rows, columns, dtype=dtype)
    scale, shift = random(columns, dtype=dtype), random(columns, dtype=dtype)
    return (lambda: functional.layer_norm(x, (columns,), scale, shift),
            {"bytes": 2 * x.numel() * x.element_size()})


def attention(batch, heads, length, width, dtype):
    q, k, v = (random(batch, heads, length, width, dtype=dtype)
               for _ in range(3))
    return (lambda: functional.scaled_dot_product_attention(q, k, v),
            {"operations": 4 * batch * heads * length * length * width})


def convolution(batch, channels, size, filters, dtype):
    x = random(batch, channels, size, size, dtype=dtype)
    weight = random(filters, channels, 3, 3, dtype=dtype)
    return (lambda: functional.conv2d(x, weight, padding=1),
            {"operations": 2 * 9 * batch * filters * channels * size * size})


def copy(size, dtype):
    x = random(size, dtype=dtype)
    y = torch.empty_like(x)
    return lambda: y.copy_(x), {"bytes": 2 * size * x.element_size()}


CASES = {
    "matmul": (matmul, [(512, 512, 512), (2048, 2048, 2048),
                        (4096, 4096, 4096), (8192, 8192, 8192),
                        (16, 4096, 4096)],
               (torch.bfloat16, torch.float16, torch.float32)),
    "softmax": (softmax, [(4096, 1024), (8192, 8192)],
                (torch.bfloat16, torch.float32)),
    "layernorm": (layernorm, [(4096, 1024), (8192, 8192)],
                  (torch.bfloat16, torch.float32)),
    "attention": (attention, [(4, 16, 2048, 64), (4, 16, 4096, 128)],
                  (torch.bfloat16, torch.float16)),
    "convolution": (convolution, [(32, 64, 56, 64), (32, 256, 14, 256)],
                    (torch.bfloat16, torch.float32)),
    "copy": (copy, [(1 << 28,)], (torch.float32,)),
}


def main():
    if not torch.cuda.is_available():
        sys.exit("torch sees no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    repeat = 5 if "--quick" in sys.argv else 50
    results = []
    for name, (make, shapes, dtypes) in CASES.items():
        for shape in shapes:
            for dtype in dtypes:
                run, work = make(*shape, dtype=dtype)
                times = microseconds(run, repeat)
                median = statistics.median(times)
                results.append({
                    "name": name, "sizes": shape,
                    "dtype": str(dtype).removeprefix("torch."),
                    "us": {"median": median, "min": min(times)},
                    **{f"{what}_per_second": amount / (median * 1e-6)
                       for what, amount in work.items()}})
    print(json.dumps({
        "torch": torch.__version__, "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
        "device": torch.cuda.get_device_name(0), "tf32": False,
        "cases": results}))


if __name__ == "__main__":
    main()
