// The passes from the tile level to loops on a CPU.
#ifndef TILEWRIGHT_CODEGEN_CPU_PASSES
#define TILEWRIGHT_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"

def ChooseBuffers : Pass<"choose-buffers", "::tilewright::tile::KernelOp"> {
  let summary = "Chooses the tiles that have memory on a CPU";
  let description = [{
    Loads, elementwise ops, reshapes and the like are computed where somebody
    asks for their elements. A result of one of these is listed in the op's
    `tile.buffered`, and has memory that is filled where the op stands, if
    several ops would compute costly elements again, if one would at four
    indices or more (slices), if an op in a loop within asks for them, or if what it loads may change before its last reader. The
    kernel's `tile.buffers` counts them. What all other ops make lies in memory
    anyway. Runs after `assign-schedules`, before `convert-tile-to-loops`; the
    kernel means what it meant.
  }];
  let statistics = [
    Statistic<"chosenCount", "chosen", "tiles that got a buffer">
  ];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def ConvertTileToLoops : Pass<"convert-tile-to-loops", "::mlir::ModuleOp"> {
  let summary = "Kernels at the tile level as loops over vectors";
  let description = [{
    Each `tile.kernel` becomes a host function of its name that runs a range of
    its programs:

      void NAME(const uint64_t *args, const int64_t *grid, int64_t first,
                int64_t last, void *scratch)

    What a launch takes stays as its attributes: `tile.signature`,
    `tile.schedule`, and `tile.scratch`, the bytes of scratch memory that a
    thread provides. Device functions, whose calls were inlined, go away. The module's
    `tile.target` says what the CPU has, the kernel's `tile.schedule` what was
    chosen. An op that has no lowering is one error at the op, and so is a block
    of registers that the target does not hold. Runs after `choose-buffers`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif
