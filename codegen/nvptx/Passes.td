// The passes from the scheduled level to the code of one thread.
#ifndef TILEWRIGHT_CODEGEN_NVPTX_PASSES
#define TILEWRIGHT_CODEGEN_NVPTX_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileGpuToThreads
    : Pass<"convert-tilegpu-to-threads", "::mlir::ModuleOp"> {
  let summary = "Kernels at the scheduled level as functions of one thread";
  let description = [{
    Each `tile.kernel` becomes a function of its name: what one thread of a
    block does, as loops and branches over vectors. Its parameters are the words
    of the kernel's arguments; what a launch takes stays as its attributes:
    `tile.signature`, `tile.schedule`, `tilegpu.shared`. Device functions, whose
    calls were inlined, go away. The module's `tile.target` names the GPU. An op
    that has no lowering is an error at the op.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ScalarizePredicates
    : Pass<"scalarize-predicates", "::mlir::ModuleOp"> {
  let summary = "Scalars in place of vectors of i1";
  let description = [{
    A predicate is a register of its own, and no vector of them is legal for
    NVPTX: LLVM would keep one as the bits of an integer, which it puts together
    and takes apart again. Ops that compute such vectors element by element, or
    select by them, become one op for each element.
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

#endif
