// A user's kernel inside an imported model, replacing three of its nodes.
#include "tutorial.h"

#include "tilewright/compiler/CompileModel.h"
#include "tilewright/runtime/Model.h"

#include <unistd.h>

using namespace tutorial;

/// y = g * sigmoid(g) * h, what a gated feed-forward layer does between its
/// matrix products.
static void gate(View<F32, 2> g, View<F32, 2> h, View<F32, 2> y) {
  int64_t rows = tunable("rows", {16}), width = tunable("width", {32});
  auto [i, j] = program(ceilDiv(g.dim(0), rows), ceilDiv(g.dim(1), width));
  auto a = g.load({i, j}, {rows, width});
  y.store({i, j}, a / (1 + exp(-a)) * h.load({i, j}, {rows, width}));
}

/// Those of feed-forward.onnx; N is 5.
static const std::pair<const char *, runtime::Shape> inputs[] = {
    {"x", {5, 16}}, {"up", {16, 24}}, {"gate", {16, 24}}, {"down", {24, 16}}};

/// The model's output for inputs that look random, with or without our kernel.
static StatusOr<std::vector<float>> runModel(const DeviceSetup &setup,
                                             const char *path, bool replace) {
  const std::string &target = setup.device->info().targets.front();
  CompileModelOptions options;
  options.interpreter = target == "interpreter";
  if (const target::GpuTarget *gpu = target::findGpuTarget(target))
    options.gpus = {gpu};
  if (replace) {
    TILEWRIGHT_ASSIGN_OR_RETURN(BuiltKernel built,
                                kernel("gate", gate).build());
    options.replacements = {
        {"y = Mul(Mul(g, Sigmoid(g)), h)", built.module, "gate"}};
  }
  std::error_code ignored;
  std::filesystem::path package =
      std::filesystem::temp_directory_path(ignored) /
      ("fused-op-" + std::to_string(::getpid()) + ".twp");
  TILEWRIGHT_ASSIGN_OR_RETURN(CompileModelReport report,
                              compileModel(path, package, options));
  std::printf("%s: %zu kernels\n", replace ? "with ours" : "without",
              report.kernels);
  auto model = runtime::Model::load(setup.device, package);
  std::filesystem::remove_all(package, ignored);
  TILEWRIGHT_RETURN_IF_ERROR(model.status());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto session, (*model)->createSession());
  uint32_t seed = 0;
  for (const auto &[name, shape] : inputs) {
    std::vector<float> numbers = noise(size_t(shape[0] * shape[1]), ++seed);
    TILEWRIGHT_RETURN_IF_ERROR(session->setInput(
        name, {runtime::DType::F32, shape, std::as_bytes(std::span(numbers))}));
  }
  TILEWRIGHT_RETURN_IF_ERROR(session->run());
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor output, session->output("y"));
  auto numbers = output.as<float>();
  return std::vector<float>(numbers.begin(), numbers.end());
}

static const char *modelPath = "feed-forward.onnx";

static Status replaceNodes(const DeviceSetup &setup) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<float> plain,
                              runModel(setup, modelPath, false));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<float> replaced,
                              runModel(setup, modelPath, true));
  std::printf("the results %s\n", difference(plain, replaced) < 1e-5
                                      ? "agree within 1e-5"
                                      : "differ");
  return {};
}

int main(int argc, char **argv) {
  if (argc > 2)
    modelPath = argv[2];
  return run(argc, argv, replaceNodes);
}
