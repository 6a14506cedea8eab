// Runs passes over MLIR text at the graph, tile or scheduled level.
#include "codegen/math/LowerMathFunctions.h"
#include "library/model/session/ModelPipeline.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tilewright/mlir/Compile.h"
#include "tools/Dialects.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerToolDialects(registry);
  tilewright::registerCompilerDialects(registry);
  mlir::registerConversionPasses();
  tilewright::registerModelPipelines();
  tilewright::math::registerMathPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tilewright optimizer driver\n", registry));
}
