// The passes from the scheduled level to the code of one thread.
#ifndef TILEWRIGHT_CODEGEN_NVPTX_PASSES
#define TILEWRIGHT_CODEGEN_NVPTX_PASSES

include "mlir/Pass/PassBase.td"
include "support/Relations.td"

def ConvertTileGpuToThreads
    : Pass<"convert-tilegpu-to-threads", "::mlir::ModuleOp">,
      Bounded<"lanes of a warp combine their parts in a tree, and `afn` "
              "permits approximate instructions"> {
  let summary = "Makes functions of one thread from scheduled kernels";
  let description = [{
    Each `tile.kernel` becomes a function of the same name: the code of one
    thread of a block, as loops and branches over vectors. Reductions and scans
    within a warp become shuffles here. The parameters of the function are the
    words of the kernel's arguments. Its attributes have what a launch needs:
    `tile.signature`, `tile.schedule`, `tilegpu.shared`. Removes device
    functions, whose calls were inlined. The module's `tile.target` names the
    GPU. An op without a lowering is an error at the op.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ScalarizePredicates
    : Pass<"scalarize-predicates", "::mlir::ModuleOp">, Exact {
  let summary = "Replaces vectors of i1 by scalars";
  let description = [{
    On a GPU a predicate is a register of its own, and NVPTX has no legal vector
    of predicates: LLVM would keep such a vector as the bits of an integer, and
    assemble and extract them. Ops that compute vectors of i1 element by
    element, or select by them, become one op for each element.
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

#endif
