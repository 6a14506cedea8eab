// RUN: tilewright-opt %s --flatten-control-flow=limit=100 --split-input-file --verify-diagnostics

func.func @bounds(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected the bounds and the step of a loop to be constants, or to follow from static sizes; found an upper bound that is known only at run time}}
    %v = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> f32 {
      %e = math.exp %b : f32
      scf.yield %e : f32
    }
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{expected a loop with a positive step}}
  %r = scf.for %i = %c0 to %c4 step %c0 iter_args(%a = %x) -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @long(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1000 = arith.constant 1000 : index
    // expected-error @+1 {{expected a loop that unrolls to at most 100 ops}}
    %v = scf.for %i = %c0 to %c1000 step %c1 iter_args(%b = %a) -> f32 {
      %e = math.exp %b : f32
      scf.yield %e : f32
    }
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @forever(%x: tensor<4xf32>) -> tensor<4xf32> {
  %true = arith.constant true
  // expected-error @+1 {{expected a loop that ends after at most 100 ops}}
  %r = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%true) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @data(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    %z = arith.constant 0.0 : f32
    // expected-error @+1 {{expected the condition of a loop to become a constant in each iteration}}
    %v = scf.while (%b = %a) : (f32) -> f32 {
      %c = arith.cmpf ogt, %b, %z : f32
      scf.condition(%c) %b : f32
    } do {
    ^bb0(%b: f32):
      %n = arith.negf %b : f32
      scf.yield %n : f32
    }
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @effects(%x: tensor<4xf32>, %c: i1, %d: i1) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    scf.if %c {
      // expected-error @+1 {{expected no effects under a condition that is known only at run time}}
      cf.assert %d, "d"
    }
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @negative(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %low = arith.constant -4 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected a loop that stays to begin at 0 or more}}
  %r = scf.for %i = %low to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = math.exp %a : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
