// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(tile.kernel(choose-instructions))'

module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @type(%a: !tile.view<16x16xf32>) attributes {tile.schedule = #tile.schedule<instruction = "mma.m16n8k16.f16">} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  // expected-error @+1 {{tile.dot: the schedule asks for mma.m16n8k16.f16: no matrix instruction multiplies f32 for sums of f32}}
  %r = tile.dot %x, %x, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %r, %a[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}
}

// -----

module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @shape(%a: !tile.view<8x8xf16>, %c: !tile.view<8x8xf32>) attributes {tile.schedule = #tile.schedule<instruction = "mma.m16n8k8.f16">} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<8x8xf16> -> tensor<8x8xf16>
  // expected-error @+1 {{tile.dot: the schedule asks for mma.m16n8k8.f16: m=8 n=8 k=8 is no multiple of mma.m16n8k8.f16}}
  %r = tile.dot %x, %x, %zero : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
  tile.store %r, %c[%c0, %c0] : tensor<8x8xf32>, !tile.view<8x8xf32>
}
}

// -----

module attributes {tile.target = #tile.target<"sm_90a">} {
// expected-error @+1 {{schedule: expected 'instruction' to be one of auto, fma, mma.m16n8k16.f16}}
tile.kernel @name(%a: !tile.view<8x8xf16>) attributes {tile.schedule = #tile.schedule<instruction = "mma">} {
}
}
