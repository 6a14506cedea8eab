"""The kernels of these tests."""

SCALE = """
tile.kernel @scale(%x: !tile.view<?xf32>, %by: f32)
    grid affine_map<()[n] -> (n ceildiv 1024)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<1024xf32>
  %b = tile.splat %by : f32 -> tensor<1024xf32>
  %r = arith.mulf %t, %b : tensor<1024xf32>
  tile.store %r, %x[%i] : tensor<1024xf32>, !tile.view<?xf32>
}
"""

# y += x; x of any strides.
ADD = """
tile.kernel @add(%x: !tile.view<?x?xf32, strides<[?, ?]>>,
                 %y: !tile.view<?x?xf32>)
    grid affine_map<()[m, n, p, q] -> (m ceildiv 32, n ceildiv 32)> {
  %i, %j = tile.program_id
  %a = tile.load %x[%i, %j] pad 0.0
      : !tile.view<?x?xf32, strides<[?, ?]>> -> tensor<32x32xf32>
  %b = tile.load %y[%i, %j] pad 0.0 : !tile.view<?x?xf32> -> tensor<32x32xf32>
  %r = arith.addf %a, %b : tensor<32x32xf32>
  tile.store %r, %y[%i, %j] : tensor<32x32xf32>, !tile.view<?x?xf32>
}
"""

# y = x + x in TYPE.
TWICE = """
tile.kernel @twice(%x: !tile.view<?xTYPE>, %y: !tile.view<?xTYPE>)
    grid affine_map<()[n, m] -> (n ceildiv 64)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xTYPE> -> tensor<64xTYPE>
  %r = arith.addf %t, %t : tensor<64xTYPE>
  tile.store %r, %y[%i] : tensor<64xTYPE>, !tile.view<?xTYPE>
}
"""

# x = x + x x, a product of matrices.
SQUARE = """
tile.kernel @square(%x: !tile.view<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<8x8xf32> -> tensor<8x8xf32>
  %r = tile.dot %t, %t, %t : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  tile.store %r, %x[%c0, %c0] : tensor<8x8xf32>, !tile.view<8x8xf32>
}
"""

# Adds to the 8 integers at a pointer.
BUMP = """
tile.kernel @bump(%p: !tile.ptr<i32>, %by: i32) {
  %o = tile.iota : tensor<8xi32>
  %q = tile.offset %p, %o : !tile.ptr<i32>, tensor<8xi32>
  %v = tile.load_ptr %q : tensor<8x!tile.ptr<i32>>
  %b = tile.splat %by : i32 -> tensor<8xi32>
  %r = arith.addi %v, %b : tensor<8xi32>
  tile.store_ptr %r, %q : tensor<8x!tile.ptr<i32>>
}
"""

# The same with names for callers.
NAMED = SCALE.replace("%x: !tile.view<?xf32>,",
                      '%x: !tile.view<?xf32> {tile.name = "x"},').replace(
                          "%by: f32)", '%by: f32 {tile.name = "by"})')

# x[0] = v, of TYPE.
KEEP = """
tile.kernel @keep(%x: !tile.view<1xTYPE>, %v: TYPE) {
  %c0 = arith.constant 0 : index
  %t = tile.splat %v : TYPE -> tensor<1xTYPE>
  tile.store %t, %x[%c0] : tensor<1xTYPE>, !tile.view<1xTYPE>
}
"""

# A matrix of 4 by 8, negated.
NEGATE = """
tile.kernel @negate(%x: !tile.view<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<4x8xf32> -> tensor<4x8xf32>
  %r = arith.negf %t : tensor<4x8xf32>
  tile.store %r, %x[%c0, %c0] : tensor<4x8xf32>, !tile.view<4x8xf32>
}
"""

# x multiplied by the tunable `by`.
TUNED = """
tile.kernel @tuned(%x: !tile.view<16xi32>) {
  %c0 = arith.constant 0 : index
  %n = tile.tunable "by" of [2, 3, 5]
  %b = arith.index_cast %n : index to i32
  %t = tile.load %x[%c0] : !tile.view<16xi32> -> tensor<16xi32>
  %s = tile.splat %b : i32 -> tensor<16xi32>
  %r = arith.muli %t, %s : tensor<16xi32>
  tile.store %r, %x[%c0] : tensor<16xi32>, !tile.view<16xi32>
}
"""

# Writes the address that it was given to that address.
WHERE = """
tile.kernel @where(%p: !tile.ptr<i64>, %x: !tile.view<?xi64>) {
  %a = tile.ptr_to_int %p : !tile.ptr<i64> -> i64
  tile.store_ptr %a, %p : !tile.ptr<i64>
}
"""

# Writes, then fails.
FAULT = """
tile.kernel @fault(%x: !tile.view<4xi32>) {
  %c0 = arith.constant 0 : index
  %sevens = arith.constant dense<7> : tensor<4xi32>
  tile.store %sevens, %x[%c0] : tensor<4xi32>, !tile.view<4xi32>
  %false = arith.constant false
  tile.assert %false, "as told" : i1
}
"""

# Prints a number.
SAY = """
tile.kernel @say(%n: i32) {
  tile.print "n = ", %n : i32
}
"""
