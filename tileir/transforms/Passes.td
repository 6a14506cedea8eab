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
    values: lowering and interpretation refuse a tunable that is left.
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

#endif
