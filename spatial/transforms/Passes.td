// The passes from a graph to a program on vectors.
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_PASSES
#define TILEWRIGHT_SPATIAL_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"
include "support/Relations.td"

def ConvertGraphToVectors : Pass<"convert-graph-to-vectors",
                                 "::mlir::ModuleOp">,
    Bounded<"factors are rounded, sums have another order"> {
  let summary = "Makes a graph a program on the vectors of a machine";
  let description = [{
    The module's attribute `spatial.machine` is the machine file, as text, and
    `spatial.precision` the type of the factors of products (f32, f16 or bf16).
    The function becomes one on `!spatial.vectors`, whose arguments and results
    say which element of the model lies in which vector and lane. Shapes must be
    static. All ops that have no lowering are reported. Runs after
    `verify-graph-form`. With `record-layouts` the function says in `spatial.layouts`
    how the vectors hold each tensor.
  }];
  let options = [Option<"recordLayouts", "record-layouts", "bool", "false",
                        "Say how vectors hold each tensor">];
  let dependentDialects = ["::tilewright::spatial::SpatialDialect",
                           "::mlir::func::FuncDialect"];
}

#endif
