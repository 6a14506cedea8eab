//===- ThreadsKernel.cpp - Kernels of threads, executed -------------------===//
#include "tilewright/mlir/Tile.h"
#include "verify/device/InterpretedKernel.h"
#include "verify/threads/ThreadsReference.h"

using namespace mlir;

namespace tilewright::verify {

namespace {
class ThreadsKernel : public InterpretedKernel {
public:
  ThreadsKernel(tile::SignatureAttr signature,
                std::shared_ptr<threads::Program> program,
                const runtime::KernelManifest &manifest)
      : InterpretedKernel(signature), program(std::move(program)),
        threads(manifest.block), shared(manifest.shared),
        scratch(manifest.scratch) {}

  LogicalResult run(const InterpretedLaunch &launch) override {
    std::vector<reference::Memory::Mapping> memory;
    for (const std::shared_ptr<Block> &block : launch.blocks) {
      std::span<uint8_t> bytes = block->bytes(), written = block->written();
      memory.push_back({nameOf(*block, signature, launch.words),
                        block->address(),
                        {bytes.data(), bytes.size()},
                        {written.data(), written.size()},
                        block->readOnly,
                        launch.options.holdsPoison});
    }
    threads::LaunchOptions options;
    llvm::copy(launch.grid, options.grid.begin());
    options.threads = threads;
    options.shared = shared;
    options.scratch = scratch;
    options.reachedLimit = &launch.reachedLimit;
    if (launch.options.errors) {
      options.errors = &launch.errors;
      options.functions = launch.options.functions;
      options.undetermined = &launch.undetermined;
    }
    // So many lanes a second.
    if (launch.options.timeLimit)
      options.stepLimit = int64_t(launch.options.timeLimit->count() * 4e7);
    options.orderSeed = launch.options.orderSeed;
    options.mostPrograms = launch.options.mostPrograms;
    options.copiesLandLate = launch.options.copiesLandLate;
    if (launch.prints.wanted())
      options.prints = [&](StringRef line) { launch.prints.line(line); };
    return success(succeeded(program->run(
        {launch.words.data(), launch.words.size()}, memory, options)));
  }

private:
  std::shared_ptr<threads::Program> program;
  int64_t threads, shared, scratch;
};
} // namespace

FailureOr<std::unique_ptr<InterpretedKernel>>
makeThreadsKernel(FunctionOpInterface function,
                  const runtime::KernelManifest &manifest) {
  FailureOr<std::shared_ptr<threads::Program>> program =
      threads::Program::compile(function);
  if (failed(program))
    return failure();
  auto signature = function->getAttrOfType<tile::SignatureAttr>(
      tile::TileDialect::kSignatureAttr);
  return std::unique_ptr<InterpretedKernel>(
      std::make_unique<ThreadsKernel>(signature, *program, manifest));
}

} // namespace tilewright::verify
