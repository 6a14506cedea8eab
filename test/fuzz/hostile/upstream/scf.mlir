func.func @scf_ops(%n: index, %x: tensor<4x8xf32>, %c: i1, %f: f32) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4x8xf32>) {
    scf.yield %a : tensor<4x8xf32>
  }
  %1 = scf.if %c -> (tensor<4x8xf32>) {
    scf.yield %0 : tensor<4x8xf32>
  } else {
    scf.yield %x : tensor<4x8xf32>
  }
  %2 = scf.while (%a = %n) : (index) -> index {
    scf.condition(%c) %a : index
  } do {
  ^bb0(%b: index):
    scf.yield %b : index
  }
  %3 = scf.index_switch %n -> f32
  case 2 {
    scf.yield %f : f32
  }
  default {
    scf.yield %f : f32
  }
  %4 = scf.execute_region -> i32 {
    %k = arith.constant 4 : i32
    scf.yield %k : i32
  }
  %5 = scf.forall (%i, %j) in (4, %n) shared_outs(%o = %x) -> (tensor<4x8xf32>) {
    %s = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  %6 = scf.forall (%i) = (0) to (4) step (2) shared_outs(%o = %x) -> (tensor<4x8xf32>) {
    scf.forall.in_parallel {
    }
  }
  %7 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%f) -> f32 {
    scf.reduce(%f : f32) {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      scf.reduce.return %s : f32
    }
  }
  return %5 : tensor<4x8xf32>
}

