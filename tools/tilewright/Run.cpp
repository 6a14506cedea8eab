//===- Run.cpp - tilewright run -------------------------------------------===//
#include "runtime/core/DeviceRegistry.h"
#include "runtime/core/Model.h"
#include "runtime/core/Npy.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/RunKernel.h"
#include "tools/tilewright/TensorFile.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tilewright::tool {

namespace {
struct RunArguments {
  std::string model, device = "cpu", outputDirectory;
  std::vector<std::string> inputs, shapes;
  unsigned threads = 0, repeat = 1;
  uint64_t seed = 0;
  bool json = false, profile = false;
};

/// A folder that goes away with the object.
struct TemporaryFolder {
  std::filesystem::path path;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty())
      std::filesystem::remove_all(path, ignored);
  }
};

class Runner {
public:
  explicit Runner(const RunArguments &arguments) : arguments(arguments) {}
  Status run();

private:
  Status readInputs();
  Status load();
  Status compile(const std::filesystem::path &package);
  Status start();
  Status setInputs();
  Status measure();
  Status writeOutputs();
  void report();

  const RunArguments &arguments;
  RunInputs inputs;
  /// The inputs' files by name, for messages.
  std::map<std::string, std::string> files;
  TemporaryFolder temporary;
  std::shared_ptr<const runtime::Model> model;
  std::unique_ptr<runtime::Session> session;
  double compileMs = 0;
  std::vector<double> runMs;
  std::vector<runtime::StepTime> profile;
  bool usedSeed = false;
  nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
};
} // namespace

using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

Status Runner::readInputs() {
  for (const std::string &text : arguments.inputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto assignment,
                                parseAssignment(text, "--input"));
    if (!files.insert(assignment).second)
      return Status::invalidInput("--input '" + assignment.first +
                                  "' is given twice");
  }
  for (const auto &[name, file] : files) {
    TILEWRIGHT_ASSIGN_OR_RETURN(inputs.tensors[name], readTensor(file));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(inputs.shapes, parseShapes(arguments.shapes));
  return Status();
}

/// A model that cannot be compiled for all shapes is compiled for these.
Status Runner::compile(const std::filesystem::path &package) {
  auto start = Clock::now();
  Status compiled =
      compileForRun(arguments.model, package, arguments.device, inputs);
  if (!compiled.ok() && !inputs.fixShapes && !inputs.tensors.empty()) {
    inputs.fixShapes = true;
    compiled =
        compileForRun(arguments.model, package, arguments.device, inputs);
  }
  compileMs += millisecondsSince(start);
  return compiled;
}

/// Opens the package, compiling the model into a temporary one if need be.
Status Runner::load() {
  std::filesystem::path package = arguments.model;
  if (package.extension() != ".twp") {
    std::error_code error;
    std::filesystem::path folder = std::filesystem::temp_directory_path(error) /
                                   ("tilewright-" + std::to_string(::getpid()));
    temporary.path = folder;
    std::filesystem::create_directories(folder, error);
    if (error)
      return Status::ioError(folder.string() +
                             ": cannot be created: " + error.message());
    package =
        folder / (inputs.fixShapes ? "model-for-shapes.twp" : "model.twp");
    TILEWRIGHT_RETURN_IF_ERROR(compile(package));
  }
  runtime::DeviceOptions deviceOptions;
  deviceOptions.threads = arguments.threads;
  // Beside the results of --json, which are one object.
  deviceOptions.prints = [to = arguments.json ? stderr
                                              : stdout](std::string_view line) {
    std::fprintf(to, "%.*s\n", int(line.size()), line.data());
  };
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::shared_ptr<runtime::Device> device,
      runtime::openDevice(arguments.device, deviceOptions));
  TILEWRIGHT_ASSIGN_OR_RETURN(model, runtime::Model::load(device, package));
  TILEWRIGHT_ASSIGN_OR_RETURN(session, model->createSession());
  return Status();
}

Status Runner::setInputs() {
  for (const auto &[name, given] : inputs.tensors) {
    TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor, given.clone());
    // A .npy file cannot say bf16: take its integers as the model's type.
    for (const runtime::InterfaceTensor &input : model->manifest().inputs)
      if (input.name == name && input.dtype != tensor.dtype() &&
          runtime::dtypeBytes(input.dtype) ==
              runtime::dtypeBytes(tensor.dtype()) &&
          (tensor.dtype() == runtime::DType::U16 ||
           tensor.dtype() == runtime::DType::U8)) {
        TILEWRIGHT_ASSIGN_OR_RETURN(tensor, tensor.reinterpretAs(input.dtype));
      }
    TILEWRIGHT_RETURN_IF_ERROR(session->setInput(name, tensor, files[name]));
  }
  std::mt19937_64 generator(arguments.seed);
  for (const runtime::InterfaceTensor &input : model->manifest().inputs) {
    if (files.count(input.name))
      continue;
    runtime::Shape shape;
    if (auto given = inputs.shapes.find(input.name);
        given != inputs.shapes.end()) {
      shape = given->second;
    } else {
      for (const runtime::Expression &size : input.shape) {
        if (!size.constant())
          return Status::invalidInput(
              "input '" + input.name + "' has no data and its shape " +
              runtime::printTensorType(input.dtype, input.shape) +
              " is not fixed\n  give --input " + input.name +
              "=FILE.npy, or --input-shape " + input.name +
              "=... for random data");
        shape.push_back(*size.constant());
      }
    }
    usedSeed = true;
    TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor,
                                randomTensor(input.dtype, shape, generator));
    TILEWRIGHT_RETURN_IF_ERROR(
        session->setInput(input.name, tensor, "random data"));
  }
  return Status();
}

Status Runner::measure() {
  for (unsigned i = 0; i < std::max(1u, arguments.repeat); ++i) {
    auto start = Clock::now();
    TILEWRIGHT_RETURN_IF_ERROR(session->run());
    runMs.push_back(millisecondsSince(start));
  }
  if (arguments.profile) {
    TILEWRIGHT_ASSIGN_OR_RETURN(profile, session->profile());
  }
  return Status();
}

Status Runner::writeOutputs() {
  const std::filesystem::path directory = arguments.outputDirectory;
  if (!directory.empty()) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error)
      return Status::ioError(directory.string() +
                             ": cannot be created: " + error.message());
  }
  for (const runtime::InterfaceTensor &output : model->manifest().outputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor,
                                session->output(output.name));
    nlohmann::ordered_json entry = {
        {"name", output.name},
        {"dtype", std::string(runtime::dtypeName(tensor.dtype()))},
        {"shape", tensor.shape()}};
    if (!directory.empty()) {
      std::filesystem::path file = directory / (fileName(output.name) + ".npy");
      TILEWRIGHT_RETURN_IF_ERROR(runtime::writeNpy(file, tensor));
      entry["file"] = file.string();
    }
    outputs.push_back(std::move(entry));
  }
  return Status();
}

void Runner::report() {
  std::vector<double> sorted = runMs;
  std::sort(sorted.begin(), sorted.end());
  double median = sorted[sorted.size() / 2];
  StatusOr<runtime::MemoryUse> memory = session->memoryUse();
  size_t peak =
      memory.ok() ? memory->interface + memory->weights + memory->arena : 0;
  if (arguments.json) {
    nlohmann::ordered_json object = {
        {"outputs", outputs},
        {"compile_ms", compileMs},
        {"run_ms", {{"min", sorted[0]}, {"median", median}, {"all", runMs}}},
        {"peak_bytes", peak}};
    if (usedSeed)
      object["seed"] = arguments.seed;
    for (const runtime::StepTime &step : profile)
      object["profile"].push_back({{"kernel", step.kernel},
                                   {"label", step.label},
                                   {"us", step.time.count() * 1e-3}});
    std::cout << object.dump(2) << "\n";
    return;
  }
  if (usedSeed)
    std::printf("  random input, seed %llu\n",
                static_cast<unsigned long long>(arguments.seed));
  for (const auto &output : outputs)
    std::printf("  %s: %s%s%s\n", output["name"].get<std::string>().c_str(),
                output["dtype"].get<std::string>().c_str(),
                output["shape"].dump().c_str(),
                output.contains("file")
                    ? (" -> " + output["file"].get<std::string>()).c_str()
                    : "");
  if (compileMs > 0)
    std::printf("  compile %.0f ms\n", compileMs);
  std::printf("  run %.3f ms (median of %zu, min %.3f), peak %.1f MB\n", median,
              runMs.size(), sorted[0], peak / 1e6);
  std::sort(profile.begin(), profile.end(),
            [](auto &a, auto &b) { return a.time > b.time; });
  for (const runtime::StepTime &step : profile)
    std::printf("  %10.1f us  %-32s %s\n", step.time.count() * 1e-3,
                step.kernel.c_str(), step.label.c_str());
}

Status Runner::start() {
  TILEWRIGHT_RETURN_IF_ERROR(load());
  TILEWRIGHT_RETURN_IF_ERROR(setInputs());
  return measure();
}

Status Runner::run() {
  TILEWRIGHT_RETURN_IF_ERROR(readInputs());
  Status started = start();
  // Shapes for which a model compiled for all shapes does not hold.
  bool mayBeFixed = !temporary.path.empty() && !inputs.fixShapes &&
                    !inputs.tensors.empty() &&
                    started.code() == StatusCode::invalidInput;
  if (mayBeFixed) {
    inputs.fixShapes = true;
    started = start();
  }
  TILEWRIGHT_RETURN_IF_ERROR(started);
  TILEWRIGHT_RETURN_IF_ERROR(writeOutputs());
  report();
  return Status();
}

/// Takes over what models and kernels share.
static int runOneKernel(const RunArguments &shared, RunKernelArguments kernel) {
  if (shared.device != "emulator")
    return fail(Status::unsupported(
        "a kernel in PTX runs with --device emulator, found --device " +
        shared.device));
  if (kernel.launch.empty())
    return fail(Status::invalidInput(
        "a kernel in PTX needs --launch L.json: its grid, block and "
        "arguments"));
  kernel.file = shared.model;
  kernel.outputDirectory = shared.outputDirectory;
  kernel.threads = shared.threads;
  kernel.seed = shared.seed;
  kernel.json = shared.json;
  return runKernel(kernel);
}

void addRun(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<RunArguments>();
  auto kernel = std::make_shared<RunKernelArguments>();
  CLI::App *command =
      app.add_subcommand("run", "Run a model, a package or a kernel in PTX");
  command
      ->add_option("MODEL", arguments->model,
                   ".onnx, graph-level .mlir, package X.twp, or kernel K.ptx")
      ->required();
  command
      ->add_option("--device", arguments->device,
                   "cpu, emulator, interpreter, cuda:0 (see devices)")
      ->capture_default_str();
  command->add_option("--input", arguments->inputs,
                      "NAME=FILE.npy or .pb; without it, random data");
  command->add_option("--input-shape", arguments->shapes,
                      "Shape of a random input: NAME=2x3x45x61");
  command->add_option("--output-dir", arguments->outputDirectory,
                      "Write each output to DIR/NAME.npy");
  command->add_option("--repeat", arguments->repeat, "Run so many times");
  command->add_option("--threads", arguments->threads,
                      "Threads of the device; default all cores");
  command->add_option("--seed", arguments->seed,
                      "Seed of random inputs; of a kernel: not 0 lets "
                      "approximate functions be as wrong as PTX allows");
  command->add_option("--launch", kernel->launch,
                      "Of a kernel: grid, block and arguments, as JSON");
  command
      ->add_option("--check", kernel->check,
                   "Of a kernel: none, bounds (always done), or bounds,init")
      ->check(CLI::IsMember({"none", "bounds", "init", "bounds,init"}))
      ->capture_default_str();
  command->add_option("--max-instructions", kernel->maxInstructions,
                      "Of a kernel: stop after so many instructions of warps");
  command->add_option("--stats", kernel->stats,
                      "Of a kernel: write what it executed to a file of JSON");
  command->add_option("--annotate", kernel->annotate,
                      "Of a kernel: write the PTX, each line with what it "
                      "executed");
  command->add_option("--html", kernel->html,
                      "Of a kernel: write what it executed as a page of HTML");
  command->add_flag("--summary", kernel->summary,
                    "Of a kernel: print what it executed");
  command->add_flag("--profile", arguments->profile,
                    "Measure each step, slowest first");
  command->add_flag("--json", arguments->json, "Machine-readable results");
  command->footer("Examples:\n"
                  "  tilewright run m.onnx --input x=x.npy --output-dir out\n"
                  "  tilewright run m.twp --input-shape x=1x3x48x320 "
                  "--repeat 10\n"
                  "  tilewright run k.ptx --device emulator --launch k.json "
                  "--output-dir out");
  command->callback([arguments, kernel, &action] {
    action = [arguments, kernel] {
      if (std::filesystem::path(arguments->model).extension() == ".ptx")
        return runOneKernel(*arguments, *kernel);
      Status status = Runner(*arguments).run();
      return status.ok() ? exitGood : fail(status);
    };
  });
}

} // namespace tilewright::tool
