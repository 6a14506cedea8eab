//===- interpret-model.cpp - A whole model on the reference interpreter ---===//
//
// Compiles a model to tile kernels, runs every step of its package on the
// reference interpreter (no generated code runs), and compares the outputs
// with recorded ones. With --gpu the tiles are those for a GPU, and the kernels
// run at the scheduled level, where a missing barrier is an error.
//
//   interpret-model FOLDER [--gpu]
//       FOLDER has model.onnx, in.NAME.npy, out.NAME.npy
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"
#include "tileir/reference/HostLaunch.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/mlir/Compile.h"
#include "tilewright/runtime/Npy.h"
#include "tilewright/runtime/Package.h"
#include "verify/scheduled/ScheduledOps.h"

#include <cmath>
#include <cstdio>
#include <unistd.h>

using namespace tilewright;

namespace {
class ModelInterpreter {
public:
  ModelInterpreter(std::filesystem::path folder, const target::GpuTarget *gpu)
      : folder(std::move(folder)), gpu(gpu) {}
  Status run();

private:
  Status load();
  Status setInputs();
  Status allocate();
  Status runStep(const runtime::StepManifest &step);
  Status compare(const runtime::InterfaceTensor &output);
  size_t storageOf(size_t buffer) const;
  StatusOr<runtime::Shape>
  evaluate(const std::vector<runtime::Expression> &shape) const;

  StatusOr<tile::KernelOp> kernelNamed(const std::string &name);

  std::filesystem::path folder;
  /// Null for the tiles of a CPU.
  const target::GpuTarget *gpu;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> kernels;
  std::map<std::string, mlir::OwningOpRef<mlir::ModuleOp>> scheduled;
  std::shared_ptr<const runtime::Package> package;
  runtime::Bindings symbols;
  std::vector<runtime::HostTensor> inputs;
  std::vector<std::vector<std::byte>> storage; // by buffer, aliases empty
};
} // namespace

Status ModelInterpreter::load() {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("interpret-" + std::to_string(::getpid()) + ".twp");
  CompileModelOptions options;
  options.wantTiles = true;
  if (gpu) {
    options.cpu = std::nullopt;
    options.gpus = {gpu};
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      CompileModelReport report,
      compileModel(folder / "model.onnx", path, options));
  StatusOr<std::shared_ptr<const runtime::Package>> loaded =
      runtime::Package::load(path);
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
  TILEWRIGHT_RETURN_IF_ERROR(loaded.status());
  package = *loaded;
  prepareContext(context);
  kernels = mlir::parseSourceString<mlir::ModuleOp>(
      report.tiles, mlir::ParserConfig(&context));
  return kernels ? Status() : Status::internal("the tile IR does not parse");
}

Status ModelInterpreter::setInputs() {
  for (const runtime::InterfaceTensor &input : package->manifest().inputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        runtime::HostTensor tensor,
        runtime::readNpy(folder / ("in." + input.name + ".npy")));
    for (size_t d = 0; d < input.shape.size(); ++d)
      if (std::optional<std::string_view> name = input.shape[d].name())
        symbols[std::string(*name)] = tensor.shape()[d];
    inputs.push_back(std::move(tensor));
  }
  return Status();
}

size_t ModelInterpreter::storageOf(size_t buffer) const {
  while (std::optional<size_t> next = package->manifest().buffers[buffer].alias)
    buffer = *next;
  return buffer;
}

Status ModelInterpreter::allocate() {
  const runtime::PackageManifest &manifest = package->manifest();
  storage.resize(manifest.buffers.size());
  for (size_t id = 0; id < storage.size(); ++id) {
    const runtime::BufferManifest &buffer = manifest.buffers[id];
    if (buffer.alias)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(int64_t bytes, buffer.bytes.evaluate(symbols));
    storage[id].resize(bytes);
    if (buffer.kind == runtime::BufferManifest::Kind::weight) {
      TILEWRIGHT_ASSIGN_OR_RETURN(auto data, package->weight(id));
      std::copy(data.begin(), data.end(), storage[id].begin());
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    std::copy_n(inputs[i].data(), inputs[i].bytes(),
                storage[storageOf(manifest.inputs[i].buffer)].begin());
  return Status();
}

StatusOr<runtime::Shape> ModelInterpreter::evaluate(
    const std::vector<runtime::Expression> &shape) const {
  runtime::Shape sizes;
  for (const runtime::Expression &size : shape) {
    TILEWRIGHT_ASSIGN_OR_RETURN(int64_t value, size.evaluate(symbols));
    sizes.push_back(value);
  }
  return sizes;
}

/// The kernel at the level that is run.
StatusOr<tile::KernelOp>
ModelInterpreter::kernelNamed(const std::string &name) {
  auto kernel = kernels->lookupSymbol<tile::KernelOp>(name);
  if (!kernel)
    return Status::internal("no kernel '" + name + "'");
  if (!gpu)
    return kernel;
  mlir::OwningOpRef<mlir::ModuleOp> &module = scheduled[name];
  if (!module) {
    mlir::TimingScope untimed;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        module,
        scheduleForGpu(kernel, *gpu, defaultSchedule(kernel, *gpu).schedule,
                       untimed));
  }
  return *module->getOps<tile::KernelOp>().begin();
}

Status ModelInterpreter::runStep(const runtime::StepManifest &step) {
  TILEWRIGHT_ASSIGN_OR_RETURN(tile::KernelOp kernel, kernelNamed(step.kernel));
  std::vector<reference::HostArgument> arguments;
  for (const runtime::StepArgument &argument : step.arguments) {
    if (!argument.buffer) {
      TILEWRIGHT_ASSIGN_OR_RETURN(int64_t value,
                                  argument.scalar.evaluate(symbols));
      arguments.push_back(value);
      continue;
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(runtime::Shape dims, evaluate(argument.dims));
    std::vector<std::byte> &data = storage[storageOf(*argument.buffer)];
    reference::HostBuffer buffer;
    buffer.data = data.data();
    buffer.bytes = static_cast<int64_t>(data.size());
    buffer.dims.assign(dims.begin(), dims.end());
    arguments.push_back(std::move(buffer));
  }
  reference::LaunchOptions options;
  options.moreOps = &verify::scheduledOps();
  if (failed(reference::interpretOnHost(kernel, arguments, options)))
    return Status::internal("kernel '" + step.kernel + "' fails");
  return Status();
}

/// error <= 1e-4 + 1e-3 * |expected|
Status ModelInterpreter::compare(const runtime::InterfaceTensor &output) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      runtime::HostTensor expected,
      runtime::readNpy(folder / ("out." + output.name + ".npy")));
  const std::vector<std::byte> &data = storage[storageOf(output.buffer)];
  if (output.dtype != runtime::DType::F32 || data.size() != expected.bytes())
    return Status::internal("output '" + output.name +
                            "' has another type or size than the record");
  auto *found = reinterpret_cast<const float *>(data.data());
  auto wanted = expected.as<float>();
  double worst = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    double error = std::abs(static_cast<double>(found[i]) - wanted[i]);
    if (!(error <= 1e-4 + 1e-3 * std::abs(wanted[i])))
      return Status::internal(
          "output '" + output.name + "', element " + std::to_string(i) + ": " +
          std::to_string(found[i]) + ", expected " + std::to_string(wanted[i]));
    worst = std::max(worst, error);
  }
  std::printf("%s: %zu elements, worst error %.2e\n", output.name.c_str(),
              wanted.size(), worst);
  return Status();
}

Status ModelInterpreter::run() {
  TILEWRIGHT_RETURN_IF_ERROR(load());
  TILEWRIGHT_RETURN_IF_ERROR(setInputs());
  TILEWRIGHT_RETURN_IF_ERROR(allocate());
  for (const runtime::StepManifest &step : package->manifest().steps)
    TILEWRIGHT_RETURN_IF_ERROR(runStep(step));
  for (const runtime::InterfaceTensor &output : package->manifest().outputs)
    TILEWRIGHT_RETURN_IF_ERROR(compare(output));
  return Status();
}

int main(int argc, char **argv) {
  const bool isGpu = argc == 3 && argv[2] == std::string_view("--gpu");
  if (argc != 2 && !isGpu) {
    std::fprintf(stderr, "usage: interpret-model FOLDER [--gpu]\n");
    return 2;
  }
  Status status =
      ModelInterpreter(argv[1],
                       isGpu ? target::findGpuTarget("sm_90a") : nullptr)
          .run();
  if (!status.ok())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
