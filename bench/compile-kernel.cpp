//===- compile-kernel.cpp - The time from tile IR text to PTX -------------===//
//
//   compile-kernel TARGET REPEATS KERNEL.mlir ..
//
// Compiles each kernel REPEATS times in one process, parsing included, and
// prints a line of JSON for each: the least milliseconds, and the sizes of the
// optimized LLVM IR and of the PTX in bytes.
//
//===----------------------------------------------------------------------===//
#include "mlir/Parser/Parser.h"
#include "tilewright/mlir/Compile.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tilewright;

static StatusOr<KernelImage> compileText(const std::string &text,
                                         mlir::MLIRContext &context,
                                         const target::GpuTarget &target,
                                         bool wantText) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return Status::invalidInput("the kernel does not parse");
  auto kernels = module->getOps<tile::KernelOp>();
  if (!llvm::hasSingleElement(kernels))
    return Status::invalidInput("expected one tile.kernel");
  CompileOptions options;
  options.wantText = wantText;
  return compile(*kernels.begin(), target, options);
}

static Status measure(const std::filesystem::path &path,
                      const target::GpuTarget &target, int repeats) {
  using Clock = std::chrono::steady_clock;
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  mlir::MLIRContext context;
  context.disableMultithreading();
  prepareContext(context);
  double least = 1e9;
  for (int i = 0; i < repeats; ++i) {
    Clock::time_point start = Clock::now();
    StatusOr<KernelImage> image =
        compileText(text.str(), context, target, false);
    TILEWRIGHT_RETURN_IF_ERROR(image.status());
    std::chrono::duration<double, std::milli> took = Clock::now() - start;
    least = std::min(least, took.count());
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(KernelImage image,
                              compileText(text.str(), context, target, true));
  llvm::outs() << llvm::json::Value(llvm::json::Object{
                      {"kernel", path.stem().string()},
                      {"ms", least},
                      {"llvm_ir_bytes", int64_t(image.llvmIr.size())},
                      {"ptx_bytes", int64_t(image.code.size())}})
               << "\n";
  return Status();
}

int main(int argc, char **argv) {
  const target::GpuTarget *target =
      argc > 3 ? target::findGpuTarget(argv[1]) : nullptr;
  int repeats = argc > 3 ? std::atoi(argv[2]) : 0;
  if (!target || repeats < 1) {
    llvm::errs() << "usage: compile-kernel TARGET REPEATS KERNEL.mlir ..\n";
    return 2;
  }
  for (int i = 3; i < argc; ++i)
    if (Status status = measure(argv[i], *target, repeats); !status.ok()) {
      llvm::errs() << argv[i] << ": " << status.message() << "\n";
      return 1;
    }
}
