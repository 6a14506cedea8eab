// The passes from the tile level to loops on a CPU.
#ifndef TILEWRIGHT_CODEGEN_CPU_PASSES
#define TILEWRIGHT_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"
include "support/Relations.td"

def ChooseBuffers : Pass<"choose-buffers", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Chooses the tiles that get memory on a CPU";
  let description = [{
    Results of loads, elementwise ops, reshapes and the like are computed where
    they are used, element by element. The pass chooses those that get a buffer
    instead, which is filled where the op stands, and lists them in the op's
    `tile.buffered`. A result gets a buffer if several ops would compute costly
    elements again, if one op would compute them at four indices or more
    (slices), if an op in an inner loop uses them, or if the memory that it
    loads may change before its last use. The kernel's `tile.buffers` counts the
    buffers. Results of all other ops are in memory anyway. Runs after
    `assign-schedules`, before `convert-tile-to-loops`; the kernel's meaning
    does not change.
  }];
  let statistics = [
    Statistic<"chosenCount", "chosen", "tiles that got a buffer">
  ];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def ConvertTileToLoops : Pass<"convert-tile-to-loops", "::mlir::ModuleOp">,
      Reassociated<"lanes of vectors, and blocks of registers, accumulate on "
                   "their own"> {
  let summary = "Makes loops over vectors from kernels at the tile level";
  let description = [{
    Each `tile.kernel` becomes a host function of its name that runs a range of
    its programs:

      void NAME(const uint64_t *args, const int64_t *grid, int64_t first,
                int64_t last, void *scratch)

    The attributes of the function have what a launch needs: `tile.signature`,
    `tile.schedule`, and `tile.scratch`, the bytes of scratch memory that each
    thread provides. Removes device functions, whose calls were inlined. The
    module's `tile.target` describes the CPU, the kernel's `tile.schedule` the
    choices for it. An op without a lowering is an error at the op, and so is a
    block of registers that the target does not hold. Runs after
    `choose-buffers`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandMinMax : Pass<"expand-min-max", "::mlir::ModuleOp">, Exact {
  let summary = "Writes minima and maxima of vectors in few instructions of x86";
  let description = [{
    `arith.minimumf` and `arith.maximumf` propagate NaN and order -0 before +0.
    The instructions of x86 do neither, but return one of the operands then:
    with the operands in both orders, each result has what the other lacks. The
    pass combines the two by their bits, in three instructions for a minimum and
    five for a maximum; LLVM takes six, which wait for each other longer.

    Changes vectors of f32 and f64 that fill a register of the module's
    `tile.target`, or a half or a quarter of it. Does not change ops with a
    constant operand or with a flag (`nnan`, `nsz`), for which LLVM needs less,
    and nothing for other CPUs. Runs after `convert-tile-to-loops`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

#endif
