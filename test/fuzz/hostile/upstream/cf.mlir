func.func private @callee(%x: i32) -> (i32, f32)
func.func @cf_ops(%n: i32, %c: i1, %f: f32) -> f32 {
  cf.assert %c, "message"
  %0:2 = func.call @callee(%n) : (i32) -> (i32, f32)
  cf.cond_br %c weights([1, 2]), ^bb1(%f : f32), ^bb2
^bb1(%a: f32):
  cf.switch %n : i32, [
    default: ^bb2,
    42: ^bb1(%a : f32),
    43: ^bb2
  ]
^bb2:
  %u = ub.poison : f32
  %k = func.constant @callee : (i32) -> (i32, f32)
  %1:2 = func.call_indirect %k(%n) : (i32) -> (i32, f32)
  cf.br ^bb3(%1#1 : f32)
^bb3(%r: f32):
  return %r : f32
}

