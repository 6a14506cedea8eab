"""Compiles one of Triton's kernels where there is no GPU, and completes its
launch with what Triton's own launcher adds."""

import importlib.util
import sys

from .case import Buffer, Bytes, Launch, Null, Scalar, TensorMap

# Element types as tensormap.replace numbers them (PTX 9.7.9.28); 8 is f32
# with subnormals flushed.
_MAP_DTYPES = {0: "u8", 1: "u16", 2: "u32", 3: "i32", 4: "u64", 5: "i64",
               6: "f16", 7: "f32", 9: "f64", 10: "bf16"}
_SWIZZLES = ("none", "32B", "64B", "128B")


def load(file):
    """The module of a file of kernels."""
    name = f"triton_kernels_{file.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def compile(case, file, target):
    """(PTX, facts that complete() needs) of a case."""
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    function = getattr(load(file), case.entry)
    options = case.options
    names = function.arg_names
    types = iter(options.types)
    signature = {name: "constexpr" if name in options.constants
                 else next(types) for name in names}
    attributes = {
        (index,): [["tt.divisibility", 16]] for index, name in enumerate(names)
        if signature[name].startswith("*") or name in options.divisible}
    constants = {(names.index(name),): getattr(tl, value[3:])
                 if str(value).startswith("tl.") else value
                 for name, value in options.constants.items()}
    source = ASTSource(fn=function, signature=signature, attrs=attributes,
                       constexprs=constants)
    version = int(target[3:].rstrip("a"))
    made = triton.compile(source, target=GPUTarget("cuda", version, 32),
                          options=dict(options.options))
    data = made.metadata
    return made.asm["ptx"], {
        "warps": data.num_warps, "shared": data.shared,
        "ctas": data.num_ctas, "scratch": data.global_scratch_size,
        "maps": [dict(entry) if entry else None for entry in
                 getattr(data, "tensordesc_meta", None) or []],
        "name": data.name}


def complete(launch, facts):
    """The launch with the block, shared memory and hidden arguments that
    Triton's launcher gives: descriptors in parts, two scratch buffers."""
    maps = iter(facts["maps"])
    arguments = []
    for argument in launch.arguments:
        if isinstance(argument, Descriptor):
            arguments += argument.parts(next(maps, None))
        else:
            arguments.append(argument)
    grid = launch.grid if isinstance(launch.grid, tuple) else (launch.grid,)
    blocks = facts["ctas"]
    for extent in grid:
        blocks *= extent
    scratch = Null()
    if facts["scratch"]:
        scratch = Buffer(None, "u8", shape=(blocks * facts["scratch"],))
    return Launch(
        grid=(grid[0] * facts["ctas"],) + grid[1:], expected=launch.expected,
        arguments=arguments + [scratch, Null()], block=32 * facts["warps"],
        cluster=facts["ctas"], shared=facts["shared"])


class Descriptor:
    """A tensor descriptor made by the host, over a whole buffer. `pad` is what
    is read beyond it: zeros or nan."""

    def __init__(self, buffer, pad="zeros"):
        self.buffer, self.pad = buffer, pad

    def parts(self, facts):
        """What the kernel takes: a tensor map where the target has them (then
        `facts` is Triton's description of it), else the pointer and extents;
        then the extents again."""
        shape = (self.buffer.shape if self.buffer.array is None
                 else self.buffer.array.shape)
        strides = [1]
        for extent in reversed(shape[1:]):
            strides.insert(0, strides[0] * extent)
        tail = [Scalar("i32", n) for n in shape] + [
            Scalar("i64", n) for n in strides]
        if facts is None:
            flags = [Bytes(bytes([self.pad == "nan"])), Bytes(b"\0")]
            return [self.buffer] + [Scalar("i64", n) for n in
                                    list(shape) + strides] + flags + tail
        width = facts["elem_size"]
        return [TensorMap(
            of=self.buffer, dtype=_MAP_DTYPES[facts["elem_type"]],
            shape=tuple(reversed(shape)),
            strides=tuple(width * n for n in reversed(strides[:-1])),
            box=tuple(reversed(facts["block_size"])),
            swizzle=_SWIZZLES[facts["swizzle"]], fill=self.pad)] + tail
