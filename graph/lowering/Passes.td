// The passes that make tile kernels of the groups of a graph.
#ifndef TILEWRIGHT_GRAPH_LOWERING_PASSES
#define TILEWRIGHT_GRAPH_LOWERING_PASSES

include "mlir/Pass/PassBase.td"
include "support/Relations.td"

def ConvertGraphToTile : Pass<"convert-graph-to-tile", "::mlir::ModuleOp">,
      Bounded<"the parts of a reduction are combined on their own, and an "
              "attention scales its sums when it finds a larger score"> {
  let summary = "Makes a tile kernel and its launch from each graph.group";
  let description = [{
    The module's attribute `graph.targets` is a list of `#tile.target`. The pass
    makes one module of kernels for the CPU (and the interpreter), with tiles
    that suit one core, and one for GPUs, or several if groups have other
    schedules for some GPUs. The `graph.targets` of such a module are the
    targets that it is for. Kernels of one name have the same arguments in all
    modules.

    Products of f32 get the `precision`; others, also those of operands that
    were extended from f16 or bf16, have none. With one other than `ieee`,
    matrix units compute them where all GPUs of a module have some, so their
    tiles are chosen as those of f16 are.

    A program computes one tile of the group's result. The kernel is emitted by
    walking back from this tile through the ops to the inputs. The group's
    `schedules` say how it is tiled; the rest of the schedule becomes the
    kernel's `tile.schedule`.

    In the function, each group and each `graph.composite` becomes a
    `graph.launch`. A concatenation becomes one launch for each input, which
    stores its part of the result. A scatter becomes two, of which the first
    copies the data; on the way from a state to its new value only the second is
    needed, which writes to the memory of the state (graph/analysis/States.h). A
    group whose result has no elements becomes
    nothing. The kernel of a composite is in a module with the attribute
    `graph.user_kernels`; a composite without a kernel is an error. Runs after
    `form-groups`. Afterwards the function is the program.
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"ieee\"",
           "of products of f32: ieee, tf32, tf32x3, bf16x3 or bf16x6">
  ];
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

def LoopsToKernels : Pass<"loops-to-kernels", "::mlir::ModuleOp">, Exact {
  let summary = "Moves loops of small iterations into one kernel each";
  let description = [{
    The kernel is one program. In each iteration it runs the programs of the
    kernels of the body one after the other, and what the loop carries is
    updated in its place. It has their schedule, if all have the same one. In
    the function the loop stays, around the launch of that kernel, which runs a
    number of iterations: so a run may still be cancelled.

    A loop becomes a kernel if it counts, and an iteration only launches kernels
    whose work follows from the sizes of what the iteration makes, and uses no
    more memory than the caches of a core hold. Where such sizes are open, as
    that of a batch, the loop becomes two: the kernel runs all iterations if the
    sizes are small, and the loop behind it none, or the other way round. The
    others stay, as loops of launches, with the reason in `graph.no_kernel`.
    Runs after `convert-graph-to-tile`.
  }];
  let statistics = [
    Statistic<"loopCount", "loops", "loops that became kernels">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilewright::tile::TileDialect"];
}

def DeduplicateKernels : Pass<"deduplicate-kernels", "::mlir::ModuleOp">,
      Exact {
  let summary = "Merges kernels that are equal for all targets";
  let description = [{
    Two kernels are equal if their text and schedule are equal except for the
    name, in each of the modules that `convert-graph-to-tile` made. The first of
    equal kernels stays, and all launches use it. Does not change kernels of the
    user.
  }];
  let statistics = [
    Statistic<"erasedCount", "erased", "kernels that were another's equal">
  ];
}

#endif
