// A kernel compiled through the headers that show nothing of MLIR.
#include "tilewright/authoring.h"
#include "tilewright/compiler.h"
#include "tilewright/tuning.h"

#ifdef MLIR_IR_MLIRCONTEXT_H
#error "the library's headers lead to MLIR"
#endif

int main() {
  tilewright::CompileRequest request;
  request.module.code = "tile.kernel @k(%A: !tile.view<8xf32>) {\n"
                        "  %c0 = arith.constant 0 : index\n"
                        "  %x = arith.constant dense<1.0> : tensor<8xf32>\n"
                        "  tile.store %x, %A[%c0] : tensor<8xf32>, "
                        "!tile.view<8xf32>\n}";
  auto compiler = tilewright::Compiler::create();
  return compiler.ok() && (*compiler)->compile(request).ok() ? 0 : 1;
}
