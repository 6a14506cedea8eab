// The passes that make tile kernels of the groups of a graph.
#ifndef TILEWRIGHT_GRAPH_LOWERING_PASSES
#define TILEWRIGHT_GRAPH_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def ConvertGraphToTile : Pass<"convert-graph-to-tile", "::mlir::ModuleOp"> {
  let summary = "Makes each graph.group a tile kernel and its launch";
  let description = [{
    What is compiled for is the list of `#tile.target` in the module's attribute
    `graph.targets`. There is a module of kernels for the CPU (and the
    interpreter), with tiles that suit one of its cores, and one for GPUs, or
    several where groups have other schedules for some; its `graph.targets` are
    those that it is for. Kernels of one name have the same arguments in all of
    them. A group is emitted by walking back from the tile of its result that
    one program computes, tiled as its `schedules` say; the rest of the schedule
    is the kernel's `tile.schedule`.

    In the function each group and each `graph.composite` becomes a
    `graph.launch`; a concatenation one for each input, which stores its part of
    the result; nothing where the result has no elements. A composite's kernel is in a module with the
    attribute `graph.user_kernels`; that there is none is an error. Runs after
    `form-groups`. Afterwards the function is the program.
  }];
  let statistics = [
    Statistic<"launchCount", "launches", "launches of the program">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::tilewright::graph::GraphDialect",
    "::tilewright::tile::TileDialect"
  ];
}

def DeduplicateKernels : Pass<"deduplicate-kernels", "::mlir::ModuleOp"> {
  let summary = "Leaves one of kernels that are equal for all targets";
  let description = [{
    Kernels whose text and schedule are equal but for the name, in each of the
    modules that `convert-graph-to-tile` made: the first stays, and launches
    name it. What the user gave is left alone.
  }];
  let statistics = [
    Statistic<"erasedCount", "erased", "kernels that were another's equal">
  ];
}

#endif
