// softmax(Q K^T / 8) V of f16: 4 heads of 256 x 64, a program for 64 queries, in
// blocks of 128 keys; and with a mask that is added to the scores.
tile.kernel @attention(%o: !tile.view<4x256x64xf16>, %q: !tile.view<4x256x64xf16>, %k: !tile.view<4x256x64xf16>, %v: !tile.view<4x256x64xf16>)
    grid affine_map<()[h, n, d, h1, n1, d1, h2, m2, d2, h3, m3, d3] -> (n ceildiv 64, h)>
    attributes {tile.schedule = #tile.schedule<warps = 4>} {
  %c0 = arith.constant 0 : index
  %keys = arith.constant 256 : index
  %bm = arith.constant 64 : index
  %bn = arith.constant 128 : index
  %p:2 = tile.program_id
  %row = arith.muli %p#0, %bm : index
  %q3 = tile.load %q at [%p#1, %row, %c0] : !tile.view<4x256x64xf16> -> tensor<1x64x64xf16>
  %qt = tile.reshape %q3 : tensor<1x64x64xf16> -> tensor<64x64xf16>
  %zs = arith.constant dense<0.0> : tensor<64x128xf32>
  %zo = arith.constant dense<0.0> : tensor<64x64xf32>
  %m0 = arith.constant dense<0xFF800000> : tensor<64x1xf32>
  %l0 = arith.constant dense<0.0> : tensor<64x1xf32>
  %scale = arith.constant dense<0.125> : tensor<64x128xf32>
  %r:3 = scf.for %j = %c0 to %keys step %bn iter_args(%acc = %zo, %m = %m0, %l = %l0) -> (tensor<64x64xf32>, tensor<64x1xf32>, tensor<64x1xf32>) {
    %k3 = tile.load %k at [%p#1, %j, %c0] : !tile.view<4x256x64xf16> -> tensor<1x128x64xf16>
    %k2 = tile.reshape %k3 : tensor<1x128x64xf16> -> tensor<128x64xf16>
    %kt = tile.transpose %k2 [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %s0 = tile.dot %qt, %kt, %zs : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
    %s = arith.mulf %s0, %scale : tensor<64x128xf32>
    %mx0 = tile.reduce %s axis 1 {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maximumf %a, %b : f32
      tile.yield %x : f32
    } : tensor<64x128xf32> -> tensor<64xf32>
    %mx = tile.reshape %mx0 : tensor<64xf32> -> tensor<64x1xf32>
    %now = arith.maximumf %m, %mx : tensor<64x1xf32>
    %nowb = tile.broadcast %now : tensor<64x1xf32> -> tensor<64x128xf32>
    %d = arith.subf %s, %nowb : tensor<64x128xf32>
    %e = math.exp %d : tensor<64x128xf32>
    %df = arith.subf %m, %now : tensor<64x1xf32>
    %fade = math.exp %df : tensor<64x1xf32>
    %sum0 = tile.reduce %e axis 1 {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      tile.yield %x : f32
    } : tensor<64x128xf32> -> tensor<64xf32>
    %sum = tile.reshape %sum0 : tensor<64xf32> -> tensor<64x1xf32>
    %lf = arith.mulf %l, %fade : tensor<64x1xf32>
    %l1 = arith.addf %lf, %sum : tensor<64x1xf32>
    %fb = tile.broadcast %fade : tensor<64x1xf32> -> tensor<64x64xf32>
    %acc1 = arith.mulf %acc, %fb : tensor<64x64xf32>
    %v3 = tile.load %v at [%p#1, %j, %c0] : !tile.view<4x256x64xf16> -> tensor<1x128x64xf16>
    %v2 = tile.reshape %v3 : tensor<1x128x64xf16> -> tensor<128x64xf16>
    %pr = arith.truncf %e : tensor<64x128xf32> to tensor<64x128xf16>
    %acc2 = tile.dot %pr, %v2, %acc1 : tensor<64x128xf16>, tensor<128x64xf16> -> tensor<64x64xf32>
    scf.yield %acc2, %now, %l1 : tensor<64x64xf32>, tensor<64x1xf32>, tensor<64x1xf32>
  }
  %lb = tile.broadcast %r#2 : tensor<64x1xf32> -> tensor<64x64xf32>
  %out = arith.divf %r#0, %lb : tensor<64x64xf32>
  %oh = arith.truncf %out : tensor<64x64xf32> to tensor<64x64xf16>
  %o3 = tile.reshape %oh : tensor<64x64xf16> -> tensor<1x64x64xf16>
  tile.store %o3, %o at [%p#1, %row, %c0] : tensor<1x64x64xf16>, !tile.view<4x256x64xf16>
}

tile.kernel @masked_attention(%o: !tile.view<4x256x64xf16>, %q: !tile.view<4x256x64xf16>, %k: !tile.view<4x256x64xf16>, %v: !tile.view<4x256x64xf16>, %mask: !tile.view<256x256xf16>)
    grid affine_map<()[h, n, d, h1, n1, d1, h2, m2, d2, h3, m3, d3, q4, k4] -> (n ceildiv 64, h)>
    attributes {tile.schedule = #tile.schedule<warps = 4>} {
  %c0 = arith.constant 0 : index
  %keys = arith.constant 256 : index
  %bm = arith.constant 64 : index
  %bn = arith.constant 128 : index
  %p:2 = tile.program_id
  %row = arith.muli %p#0, %bm : index
  %q3 = tile.load %q at [%p#1, %row, %c0] : !tile.view<4x256x64xf16> -> tensor<1x64x64xf16>
  %qt = tile.reshape %q3 : tensor<1x64x64xf16> -> tensor<64x64xf16>
  %zs = arith.constant dense<0.0> : tensor<64x128xf32>
  %zo = arith.constant dense<0.0> : tensor<64x64xf32>
  %m0 = arith.constant dense<0xFF800000> : tensor<64x1xf32>
  %l0 = arith.constant dense<0.0> : tensor<64x1xf32>
  %scale = arith.constant dense<0.125> : tensor<64x128xf32>
  %r:3 = scf.for %j = %c0 to %keys step %bn iter_args(%acc = %zo, %m = %m0, %l = %l0) -> (tensor<64x64xf32>, tensor<64x1xf32>, tensor<64x1xf32>) {
    %k3 = tile.load %k at [%p#1, %j, %c0] : !tile.view<4x256x64xf16> -> tensor<1x128x64xf16>
    %k2 = tile.reshape %k3 : tensor<1x128x64xf16> -> tensor<128x64xf16>
    %kt = tile.transpose %k2 [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %s0 = tile.dot %qt, %kt, %zs : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
    %s1 = arith.mulf %s0, %scale : tensor<64x128xf32>
    %mk = tile.load %mask at [%row, %j] : !tile.view<256x256xf16> -> tensor<64x128xf16>
    %mw = arith.extf %mk : tensor<64x128xf16> to tensor<64x128xf32>
    %s = arith.addf %s1, %mw : tensor<64x128xf32>
    %mx0 = tile.reduce %s axis 1 {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maximumf %a, %b : f32
      tile.yield %x : f32
    } : tensor<64x128xf32> -> tensor<64xf32>
    %mx = tile.reshape %mx0 : tensor<64xf32> -> tensor<64x1xf32>
    %now = arith.maximumf %m, %mx : tensor<64x1xf32>
    %nowb = tile.broadcast %now : tensor<64x1xf32> -> tensor<64x128xf32>
    %d = arith.subf %s, %nowb : tensor<64x128xf32>
    %e = math.exp %d : tensor<64x128xf32>
    %df = arith.subf %m, %now : tensor<64x1xf32>
    %fade = math.exp %df : tensor<64x1xf32>
    %sum0 = tile.reduce %e axis 1 {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      tile.yield %x : f32
    } : tensor<64x128xf32> -> tensor<64xf32>
    %sum = tile.reshape %sum0 : tensor<64xf32> -> tensor<64x1xf32>
    %lf = arith.mulf %l, %fade : tensor<64x1xf32>
    %l1 = arith.addf %lf, %sum : tensor<64x1xf32>
    %fb = tile.broadcast %fade : tensor<64x1xf32> -> tensor<64x64xf32>
    %acc1 = arith.mulf %acc, %fb : tensor<64x64xf32>
    %v3 = tile.load %v at [%p#1, %j, %c0] : !tile.view<4x256x64xf16> -> tensor<1x128x64xf16>
    %v2 = tile.reshape %v3 : tensor<1x128x64xf16> -> tensor<128x64xf16>
    %pr = arith.truncf %e : tensor<64x128xf32> to tensor<64x128xf16>
    %acc2 = tile.dot %pr, %v2, %acc1 : tensor<64x128xf16>, tensor<128x64xf16> -> tensor<64x64xf32>
    scf.yield %acc2, %now, %l1 : tensor<64x64xf32>, tensor<64x1xf32>, tensor<64x1xf32>
  }
  %lb = tile.broadcast %r#2 : tensor<64x1xf32> -> tensor<64x64xf32>
  %out = arith.divf %r#0, %lb : tensor<64x64xf32>
  %oh = arith.truncf %out : tensor<64x64xf32> to tensor<64x64xf16>
  %o3 = tile.reshape %oh : tensor<64x64xf16> -> tensor<1x64x64xf16>
  tile.store %o3, %o at [%p#1, %row, %c0] : tensor<1x64x64xf16>, !tile.view<4x256x64xf16>
}
