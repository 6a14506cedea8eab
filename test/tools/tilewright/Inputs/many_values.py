"""Prints a tile kernel with 64 tiles of a vector register each, on any x86 with
AVX2, that are all needed from the first to the last."""

COUNT = 64
TILE = "tensor<8xf32>"
VIEW = "!tile.view<?xf32>"

print(f"tile.kernel @many(%x: {VIEW}, %y: {VIEW}) {{")
for i in range(COUNT):
    print(f"  %i{i} = arith.constant {i} : index")
    print(f"  %t{i} = tile.load %x[%i{i}] pad 0.0 : {VIEW} -> {TILE}")
last = "%t0"
for op, step in (("mulf", 7), ("addf", 5)):
    for i in range(COUNT):
        print(f"  %{op}{i} = arith.{op} {last}, %t{i * step % COUNT} : {TILE}")
        last = f"%{op}{i}"
print(f"  tile.store {last}, %y[%i0] : {TILE}, {VIEW}")
print("}")
