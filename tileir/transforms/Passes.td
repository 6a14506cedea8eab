// The passes that stay within the tile level.
#ifndef TILEWRIGHT_TILEIR_TRANSFORMS_PASSES
#define TILEWRIGHT_TILEIR_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def BindTunables : Pass<"bind-tunables"> {
  let summary = "Gives tunables their values";
  let description = [{
    Replaces each `tile.tunable` that a binding names by a constant, and leaves
    the others. A binding that names no tunable, or gives a value that is not
    among the legal ones, is an error. Runs before anything that needs the
    values: lowering and interpretation reject a tunable that is left.
  }];
  let options = [
    ListOption<"bindings", "values", "std::string",
               "bindings, each NAME=NUMBER">
  ];
  let statistics = [
    Statistic<"numBound", "num-bound", "Number of tunables replaced">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def DropAssertions : Pass<"drop-assertions", "::tilewright::tile::KernelOp"> {
  let summary = "Leaves assertions out";
  let description = [{
    Erases each `tile.assert`: what it would find goes unnoticed.
  }];
}

def InlineCalls : Pass<"inline-calls"> {
  let summary = "Puts the bodies of device functions where they are called";
  let description = [{
    Replaces each `tile.call`, in kernels and in device functions, by the body
    of its callee. Leaves the device functions themselves. No call is left
    afterwards; lowerings need that, as a tile has no place in a calling
    convention.
  }];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "Number of calls replaced">
  ];
}

def VerifyTileForm : Pass<"verify-tile-form", "::tilewright::tile::KernelOp"> {
  let summary = "What a target's own passes rely on";
  let description = [{
    A kernel from here on has no `tile.call` and no `tile.tunable`, and its
    `tile.schedule` is there. Changes nothing; an error names the op.
  }];
}

#endif
