//===- interpret-model.cpp - A whole model on the reference interpreter ---===//
//
// Compiles a model to tile kernels, runs every step of its package on the
// reference interpreter (no generated code runs), and compares the outputs
// with recorded ones. With --gpu the tiles are those for a GPU, and the kernels
// run at the scheduled level, where a missing barrier is an error. Branches,
// loops and sizes that steps read are walked here as docs/package-format.md
// tells, with memory of its own for each buffer: nothing is shared with a
// session but the manifest.
//
//   interpret-model FOLDER [--gpu]
//       FOLDER has model.onnx, and in.NAME.npy and out.NAME.npy or folders that
//       have these, one for each run
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

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <unistd.h>

using namespace tilewright;

namespace {
using runtime::Expression;
using Steps = std::vector<runtime::StepManifest>;

class ModelInterpreter {
public:
  ModelInterpreter(std::filesystem::path folder, const target::GpuTarget *gpu)
      : folder(std::move(folder)), gpu(gpu) {}
  Status load();
  /// Runs the recorded inputs of one folder.
  Status run(const std::filesystem::path &record);

private:
  Status setInputs(const std::filesystem::path &record);
  Status allocate();
  Status compare(const runtime::InterfaceTensor &output,
                 const std::filesystem::path &record);

  // Steps.
  Status runList(const Steps &steps);
  Status runStep(const runtime::StepManifest &step);
  Status launch(const runtime::StepManifest &step);
  Status branch(const runtime::BranchManifest &branch);
  Status loop(const runtime::LoopManifest &loop);
  Status read(const runtime::ReadManifest &read);
  Status check(const runtime::CheckManifest &check) const;
  Status bind(const runtime::StepSymbol &symbol, int64_t value);
  /// The values of one of the symbols' expressions, with what is known now.
  StatusOr<std::vector<int64_t>>
  valuesOf(const std::vector<runtime::StepSymbol> &symbols,
           Expression runtime::StepSymbol::*which) const;
  Status bindAll(const std::vector<runtime::StepSymbol> &symbols,
                 const std::vector<int64_t> &values);

  // Memory.
  using Bytes = std::vector<std::byte>;
  size_t storageOf(size_t buffer) const;
  /// The memory of a buffer, with room for its size of now.
  StatusOr<Bytes *> memoryOf(size_t buffer);
  /// The elements of a buffer now.
  StatusOr<Bytes> contentOf(size_t buffer);
  Status setContent(size_t buffer, const Bytes &content);
  StatusOr<bool> isTrue(size_t buffer);
  StatusOr<runtime::Shape> evaluate(const std::vector<Expression> &shape) const;

  StatusOr<tile::KernelOp> kernelNamed(const std::string &name);
  StatusOr<reference::HostArgument>
  argumentOf(const runtime::StepArgument &argument);

  std::filesystem::path folder;
  /// Null for the tiles of a CPU.
  const target::GpuTarget *gpu;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> kernels;
  std::map<std::string, mlir::OwningOpRef<mlir::ModuleOp>> scheduled;
  std::shared_ptr<const runtime::Package> package;
  /// What the steps here see.
  runtime::Bindings symbols;
  std::vector<runtime::HostTensor> inputs;
  std::vector<Bytes> storage; // by buffer, aliases empty
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

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status ModelInterpreter::setInputs(const std::filesystem::path &record) {
  inputs.clear();
  symbols.clear();
  for (const runtime::InterfaceTensor &input : package->manifest().inputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        runtime::HostTensor tensor,
        runtime::readNpy(record / ("in." + input.name + ".npy")));
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

/// Grows with its buffer; what nobody wrote is no zero.
StatusOr<std::vector<std::byte> *> ModelInterpreter::memoryOf(size_t buffer) {
  const size_t root = storageOf(buffer);
  TILEWRIGHT_ASSIGN_OR_RETURN(
      int64_t bytes, package->manifest().buffers[root].bytes.evaluate(symbols));
  if (bytes < 0)
    return Status::internal("a buffer of a negative size");
  if (storage[root].size() < size_t(bytes))
    storage[root].resize(size_t(bytes), std::byte{0xcb});
  return &storage[root];
}

StatusOr<std::vector<std::byte>> ModelInterpreter::contentOf(size_t buffer) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Bytes * memory, memoryOf(buffer));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      int64_t bytes,
      package->manifest().buffers[buffer].bytes.evaluate(symbols));
  if (bytes < 0 || size_t(bytes) > memory->size())
    return Status::internal("buffer " + std::to_string(buffer) +
                            " is larger than its memory");
  return Bytes(memory->begin(), memory->begin() + bytes);
}

Status ModelInterpreter::setContent(size_t buffer, const Bytes &content) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Bytes old, contentOf(buffer));
  if (old.size() != content.size())
    return Status::internal("copies " + std::to_string(content.size()) +
                            " bytes to " + std::to_string(old.size()));
  TILEWRIGHT_ASSIGN_OR_RETURN(Bytes * memory, memoryOf(buffer));
  std::ranges::copy(content, memory->begin());
  return Status();
}

StatusOr<bool> ModelInterpreter::isTrue(size_t buffer) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Bytes content, contentOf(buffer));
  if (content.size() != 1 || content[0] > std::byte{1})
    return Status::internal("a condition that is no bool");
  return content[0] == std::byte{1};
}

Status ModelInterpreter::allocate() {
  using Kind = runtime::BufferManifest::Kind;
  const runtime::PackageManifest &manifest = package->manifest();
  storage.assign(manifest.buffers.size(), {});
  for (size_t i = 0; i < inputs.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(
        setContent(manifest.inputs[i].buffer,
                   {inputs[i].data(), inputs[i].data() + inputs[i].bytes()}));
  for (size_t id = 0; id < storage.size(); ++id)
    if (manifest.buffers[id].kind == Kind::weight &&
        !manifest.buffers[id].alias) {
      TILEWRIGHT_ASSIGN_OR_RETURN(auto data, package->weight(id));
      storage[id].assign(data.begin(), data.end());
    }
  for (size_t id = 0; id < storage.size(); ++id) {
    const runtime::BufferManifest &buffer = manifest.buffers[id];
    if (buffer.initial) {
      TILEWRIGHT_ASSIGN_OR_RETURN(Bytes first, contentOf(*buffer.initial));
      TILEWRIGHT_RETURN_IF_ERROR(setContent(id, first));
    } else if (buffer.kind == Kind::state) {
      storage[id].assign(size_t(*buffer.bytes.constant()), std::byte{0});
    }
  }
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

/// The only element of an input, as a kernel takes it.
static reference::HostArgument elementOf(const runtime::HostTensor &tensor) {
  using Kind = runtime::DTypeKind;
  const runtime::DTypeInfo &type = runtime::dtypeInfo(tensor.dtype());
  if (tensor.dtype() == runtime::DType::F32)
    return double(tensor.as<float>()[0]);
  if (tensor.dtype() == runtime::DType::F64)
    return tensor.as<double>()[0];
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.data(), type.bytes);
  const unsigned unused = 64 - 8 * unsigned(type.bytes);
  return type.kind == Kind::signedInteger ? int64_t(bits << unused) >> unused
                                          : int64_t(bits);
}

StatusOr<reference::HostArgument>
ModelInterpreter::argumentOf(const runtime::StepArgument &argument) {
  if (argument.input)
    return elementOf(inputs[*argument.input]);
  if (!argument.buffer) {
    TILEWRIGHT_ASSIGN_OR_RETURN(int64_t value,
                                argument.scalar.evaluate(symbols));
    return reference::HostArgument(value);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::Shape dims, evaluate(argument.dims));
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::Shape strides,
                              evaluate(argument.strides));
  TILEWRIGHT_ASSIGN_OR_RETURN(Bytes * memory, memoryOf(*argument.buffer));
  memory->reserve(1); // Two of nothing are not the same memory.
  reference::HostBuffer buffer;
  buffer.data = memory->data();
  buffer.bytes = static_cast<int64_t>(memory->size());
  buffer.dims.assign(dims.begin(), dims.end());
  buffer.strides.assign(strides.begin(), strides.end());
  return reference::HostArgument(std::move(buffer));
}

Status ModelInterpreter::launch(const runtime::StepManifest &step) {
  TILEWRIGHT_ASSIGN_OR_RETURN(tile::KernelOp kernel, kernelNamed(step.kernel));
  // Memory that grows moves.
  for (const runtime::StepArgument &argument : step.arguments)
    if (argument.buffer)
      TILEWRIGHT_RETURN_IF_ERROR(memoryOf(*argument.buffer).status());
  std::vector<reference::HostArgument> arguments;
  for (const runtime::StepArgument &argument : step.arguments) {
    TILEWRIGHT_ASSIGN_OR_RETURN(arguments.emplace_back(), argumentOf(argument));
  }
  reference::LaunchOptions options;
  options.moreOps = &verify::scheduledOps();
  if (failed(reference::interpretOnHost(kernel, arguments, options)))
    return Status::internal("kernel '" + step.kernel + "' fails");
  return Status();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Status ModelInterpreter::bind(const runtime::StepSymbol &symbol,
                              int64_t value) {
  TILEWRIGHT_ASSIGN_OR_RETURN(int64_t least, symbol.least.evaluate(symbols));
  int64_t most = std::numeric_limits<int64_t>::max();
  if (symbol.greatest) {
    TILEWRIGHT_ASSIGN_OR_RETURN(most, symbol.greatest->evaluate(symbols));
  }
  if (value < least || value > most)
    return Status::invalidInput("the size " + symbol.name + " is " +
                                std::to_string(value));
  symbols[symbol.name] = value;
  return Status();
}

StatusOr<std::vector<int64_t>>
ModelInterpreter::valuesOf(const std::vector<runtime::StepSymbol> &list,
                           Expression runtime::StepSymbol::*which) const {
  std::vector<int64_t> values;
  for (const runtime::StepSymbol &symbol : list) {
    TILEWRIGHT_ASSIGN_OR_RETURN(values.emplace_back(),
                                (symbol.*which).evaluate(symbols));
  }
  return values;
}

Status ModelInterpreter::bindAll(const std::vector<runtime::StepSymbol> &list,
                                 const std::vector<int64_t> &values) {
  for (size_t i = 0; i < list.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(bind(list[i], values[i]));
  return Status();
}

Status ModelInterpreter::read(const runtime::ReadManifest &read) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Bytes content, contentOf(read.buffer));
  if (content.size() == sizeof(int32_t)) {
    int32_t value = 0;
    std::memcpy(&value, content.data(), sizeof(value));
    return bind(read.symbol, value);
  }
  int64_t value = 0;
  if (content.size() != sizeof(value))
    return Status::internal("a size that is no i32 or i64");
  std::memcpy(&value, content.data(), sizeof(value));
  return bind(read.symbol, value);
}

Status ModelInterpreter::check(const runtime::CheckManifest &check) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(int64_t that, check.that.evaluate(symbols));
  TILEWRIGHT_ASSIGN_OR_RETURN(int64_t equals, check.equals.evaluate(symbols));
  return that == equals ? Status() : Status::invalidInput(check.message);
}

/// What a side binds is not seen behind it.
Status ModelInterpreter::branch(const runtime::BranchManifest &branch) {
  using Symbol = runtime::StepSymbol;
  TILEWRIGHT_ASSIGN_OR_RETURN(bool isFirst, isTrue(branch.condition));
  const runtime::Bindings outer = symbols;
  TILEWRIGHT_RETURN_IF_ERROR(runList(isFirst ? branch.first : branch.second));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::vector<int64_t> values,
      valuesOf(branch.symbols, isFirst ? &Symbol::first : &Symbol::second));
  std::vector<Bytes> results;
  for (const runtime::BranchManifest::Result &result : branch.results) {
    const size_t from = isFirst ? result.first : result.second;
    // Where it is in its place already, its size is known behind the branch.
    Bytes &content = results.emplace_back();
    if (from != result.buffer) {
      TILEWRIGHT_ASSIGN_OR_RETURN(content, contentOf(from));
    }
  }
  symbols = outer;
  TILEWRIGHT_RETURN_IF_ERROR(bindAll(branch.symbols, values));
  for (size_t i = 0; i < results.size(); ++i) {
    const runtime::BranchManifest::Result &result = branch.results[i];
    if ((isFirst ? result.first : result.second) != result.buffer)
      TILEWRIGHT_RETURN_IF_ERROR(setContent(result.buffer, results[i]));
  }
  return Status();
}

/// All that is carried gets its new value at once.
Status ModelInterpreter::loop(const runtime::LoopManifest &loop) {
  using Symbol = runtime::StepSymbol;
  using Carried = runtime::LoopManifest::Carried;
  int64_t count = std::numeric_limits<int64_t>::max();
  if (loop.count) {
    TILEWRIGHT_ASSIGN_OR_RETURN(count, loop.count->evaluate(symbols));
  }
  const runtime::Bindings outer = symbols;
  auto leave = [&](size_t Carried::*from, Expression Symbol::*which) -> Status {
    std::vector<Bytes> left;
    for (const Carried &carried : loop.carried) {
      Bytes &content = left.emplace_back();
      if (carried.*from != carried.buffer) {
        TILEWRIGHT_ASSIGN_OR_RETURN(content, contentOf(carried.*from));
      }
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<int64_t> values,
                                valuesOf(loop.symbols, which));
    symbols = outer;
    TILEWRIGHT_RETURN_IF_ERROR(bindAll(loop.symbols, values));
    for (size_t i = 0; i < left.size(); ++i)
      if (loop.carried[i].*from != loop.carried[i].buffer)
        TILEWRIGHT_RETURN_IF_ERROR(setContent(loop.carried[i].buffer, left[i]));
    return Status();
  };
  TILEWRIGHT_RETURN_IF_ERROR(leave(&Carried::start, &Symbol::first));
  for (int64_t iteration = 0; iteration < count; ++iteration) {
    if (loop.condition) {
      TILEWRIGHT_ASSIGN_OR_RETURN(bool isOn, isTrue(*loop.condition));
      if (!isOn)
        break;
    }
    TILEWRIGHT_RETURN_IF_ERROR(runList(loop.steps));
    TILEWRIGHT_RETURN_IF_ERROR(leave(&Carried::next, &Symbol::second));
  }
  return Status();
}

Status ModelInterpreter::runStep(const runtime::StepManifest &step) {
  if (step.branch)
    return branch(*step.branch);
  if (step.loop)
    return loop(*step.loop);
  if (step.read)
    return read(*step.read);
  if (step.check)
    return check(*step.check);
  if (!step.copy)
    return launch(step);
  TILEWRIGHT_ASSIGN_OR_RETURN(Bytes content, contentOf(step.copy->from));
  return setContent(step.copy->to, content);
}

Status ModelInterpreter::runList(const Steps &steps) {
  for (const runtime::StepManifest &step : steps)
    if (Status ran = runStep(step); !ran.ok())
      return ran.prefixed(step.label);
  return Status();
}

/// Floats: error <= 1e-4 + 1e-3 * |expected|.
Status ModelInterpreter::compare(const runtime::InterfaceTensor &output,
                                 const std::filesystem::path &record) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      runtime::HostTensor expected,
      runtime::readNpy(record / ("out." + output.name + ".npy")));
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::Shape shape, evaluate(output.shape));
  TILEWRIGHT_ASSIGN_OR_RETURN(Bytes * data, memoryOf(output.buffer));
  const std::string where = "output '" + output.name + "'";
  if (output.dtype != expected.dtype() || shape != expected.shape() ||
      data->size() < expected.bytes())
    return Status::internal(where + " is " +
                            std::string(runtime::dtypeName(output.dtype)) +
                            runtime::printShape(shape) + ", the record is " +
                            runtime::printShape(expected.shape()));
  if (output.dtype != runtime::DType::F32)
    return std::equal(expected.data(), expected.data() + expected.bytes(),
                      data->begin())
               ? Status()
               : Status::internal(where + " differs from the record");
  auto *found = reinterpret_cast<const float *>(data->data());
  auto wanted = expected.as<float>();
  double worst = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    double error = std::abs(static_cast<double>(found[i]) - wanted[i]);
    if (!(error <= 1e-4 + 1e-3 * std::abs(wanted[i])))
      return Status::internal(where + ", element " + std::to_string(i) + ": " +
                              std::to_string(found[i]) + ", expected " +
                              std::to_string(wanted[i]));
    worst = std::max(worst, error);
  }
  std::printf("%s: %zu elements, worst error %.2e\n", output.name.c_str(),
              wanted.size(), worst);
  return Status();
}

Status ModelInterpreter::run(const std::filesystem::path &record) {
  TILEWRIGHT_RETURN_IF_ERROR(setInputs(record));
  for (const runtime::CheckManifest &condition : package->manifest().checks)
    TILEWRIGHT_RETURN_IF_ERROR(check(condition));
  TILEWRIGHT_RETURN_IF_ERROR(allocate());
  TILEWRIGHT_RETURN_IF_ERROR(runList(package->manifest().steps));
  for (const runtime::InterfaceTensor &output : package->manifest().outputs)
    TILEWRIGHT_RETURN_IF_ERROR(compare(output, record));
  return Status();
}

/// The runs in a folder: those in its folders, or it is one.
static std::vector<std::filesystem::path>
recordsIn(const std::filesystem::path &folder) {
  std::vector<std::filesystem::path> records;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.is_directory())
      records.push_back(entry.path());
  std::ranges::sort(records);
  return records.empty() ? std::vector{folder} : records;
}

int main(int argc, char **argv) {
  const bool isGpu = argc == 3 && argv[2] == std::string_view("--gpu");
  if (argc != 2 && !isGpu) {
    std::fprintf(stderr, "usage: interpret-model FOLDER [--gpu]\n");
    return 2;
  }
  ModelInterpreter model(argv[1],
                         isGpu ? target::findGpuTarget("sm_90a") : nullptr);
  Status status = model.load();
  for (const std::filesystem::path &record : recordsIn(argv[1]))
    if (status.ok())
      status = model.run(record).prefixed(record.filename().string());
  if (!status.ok())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
