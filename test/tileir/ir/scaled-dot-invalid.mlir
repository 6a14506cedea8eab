// RUN: tilewright-opt %s -verify-diagnostics -split-input-file

tile.func @scaled_dot_c1(%a: tensor<64xf8E5M2>, %as: tensor<2xf8E8M0FNU>, %b: tensor<64x8xf8E5M2>, %bs: tensor<2x8xf8E8M0FNU>, %c: tensor<8x8xf32>) {
  // expected-error @+1 {{lhs is 64, rhs 64x8, acc 8x8; expected all with 2 or all with 3 dimensions (scaled_dot_c1)}}
  %d = tile.scaled_dot %a scale %as, %b scale %bs, %c : tensor<64xf8E5M2> scale tensor<2xf8E8M0FNU>, tensor<64x8xf8E5M2> scale tensor<2x8xf8E8M0FNU> -> tensor<8x8xf32>
}

// -----

tile.func @scaled_dot_c2(%a: tensor<8x64xf8E5M2>, %as: tensor<8x2xf8E8M0FNU>, %b: tensor<32x8xf8E5M2>, %bs: tensor<1x8xf8E8M0FNU>, %c: tensor<8x8xf32>) {
  // expected-error @+1 {{inner dimensions differ: lhs is 8x64, rhs is 32x8 (scaled_dot_c2)}}
  %d = tile.scaled_dot %a scale %as, %b scale %bs, %c : tensor<8x64xf8E5M2> scale tensor<8x2xf8E8M0FNU>, tensor<32x8xf8E5M2> scale tensor<1x8xf8E8M0FNU> -> tensor<8x8xf32>
}

// -----

tile.func @scaled_dot_c3(%a: tensor<8x64xf8E5M2>, %as: tensor<8x2xf8E8M0FNU>, %b: tensor<64x8xf8E5M2>, %bs: tensor<2x8xf8E8M0FNU>, %c: tensor<8x4xf32>) {
  // expected-error @+1 {{acc is 8x4, lhs 8x64 times rhs 64x8 does not give it (scaled_dot_c3)}}
  %d = tile.scaled_dot %a scale %as, %b scale %bs, %c : tensor<8x64xf8E5M2> scale tensor<8x2xf8E8M0FNU>, tensor<64x8xf8E5M2> scale tensor<2x8xf8E8M0FNU> -> tensor<8x4xf32>
}

// -----

tile.func @scaled_dot_c4(%a: tensor<8x64xf8E5M2>, %as: tensor<8x1xf8E8M0FNU>, %b: tensor<64x8xf8E5M2>, %bs: tensor<2x8xf8E8M0FNU>, %c: tensor<8x8xf32>) {
  // expected-error @+1 {{lhs is 8x64, its scale 8x1; expected one scale for each 16 or 32 elements along dimension 1 (scaled_dot_c4)}}
  %d = tile.scaled_dot %a scale %as, %b scale %bs, %c : tensor<8x64xf8E5M2> scale tensor<8x1xf8E8M0FNU>, tensor<64x8xf8E5M2> scale tensor<2x8xf8E8M0FNU> -> tensor<8x8xf32>
}

// -----

tile.func @scaled_dot_c4_blocks(%a: tensor<8x64xf8E5M2>, %as: tensor<8x4xf8E8M0FNU>, %b: tensor<64x8xf8E5M2>, %bs: tensor<2x8xf8E8M0FNU>, %c: tensor<8x8xf32>) {
  // expected-error @+1 {{lhs has 4 scales along k, rhs 2 (scaled_dot_c4)}}
  %d = tile.scaled_dot %a scale %as, %b scale %bs, %c : tensor<8x64xf8E5M2> scale tensor<8x4xf8E8M0FNU>, tensor<64x8xf8E5M2> scale tensor<2x8xf8E8M0FNU> -> tensor<8x8xf32>
}

// -----

tile.func @scaled_dot_c5(%a: tensor<8x64xf16>, %as: tensor<8x2xf8E8M0FNU>, %b: tensor<64x8xf8E5M2>, %bs: tensor<2x8xf8E8M0FNU>, %c: tensor<8x8xf32>) {
  // expected-error @+1 {{elements 'f16' times 'f8E5M2' into 'f32'; expected f8E4M3FN, f8E5M2 or f4E2M1FN into f32 (scaled_dot_c5)}}
  %d = tile.scaled_dot %a scale %as, %b scale %bs, %c : tensor<8x64xf16> scale tensor<8x2xf8E8M0FNU>, tensor<64x8xf8E5M2> scale tensor<2x8xf8E8M0FNU> -> tensor<8x8xf32>
}

// -----

tile.func @scaled_dot_c6(%a: tensor<8x64xf8E5M2>, %as: tensor<8x2xf8E4M3FN>, %b: tensor<64x8xf8E5M2>, %bs: tensor<2x8xf8E4M3FN>, %c: tensor<8x8xf32>) {
  // expected-error @+1 {{scales 'f8E4M3FN' and 'f8E4M3FN'; expected both f8E8M0FNU, or both f8E4M3FN with f4E2M1FN operands (scaled_dot_c6)}}
  %d = tile.scaled_dot %a scale %as, %b scale %bs, %c : tensor<8x64xf8E5M2> scale tensor<8x2xf8E4M3FN>, tensor<64x8xf8E5M2> scale tensor<2x8xf8E4M3FN> -> tensor<8x8xf32>
}
