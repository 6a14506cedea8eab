#include "TestPackage.h"
#include "runtime/core/PackageWriter.h"
#include "tilewright/runtime/MappedFile.h"
#include "tilewright/runtime/Safetensors.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

namespace tilewright::runtime {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::random_device random;
  path = fs::temp_directory_path() /
         ("tilewright-test-" + std::to_string(random()));
  fs::create_directory(path);
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

std::string objectBytes(const std::string &name) {
  auto bytes = readFile(fs::path(TEST_OBJECTS) / (name + ".o"));
  INFO(bytes.status().message());
  REQUIRE(bytes.ok());
  return *bytes;
}

HostTensor floats(Shape shape, const std::vector<float> &values) {
  auto tensor = HostTensor::allocate(DType::F32, std::move(shape));
  REQUIRE(tensor.ok());
  REQUIRE(tensor->size() == values.size());
  std::copy(values.begin(), values.end(), tensor->as<float>().begin());
  return *tensor;
}

static KernelManifest cpuKernel(const std::string &name) {
  KernelManifest kernel;
  kernel.name = kernel.entry = name;
  kernel.target = "cpu";
  kernel.image = "kernels/kernels.cpu.o";
  return kernel;
}

KernelManifest affineKernel() {
  KernelManifest kernel = cpuKernel("affine");
  kernel.arguments = {KernelArgument::view(DType::F32, 2, {0, 1}),
                      KernelArgument::view(DType::F32, 1, {}),
                      KernelArgument::view(DType::F32, 2, {}),
                      KernelArgument::scalar()};
  kernel.grid = {ceilDiv(
      Expression::symbol("arg0.dim0") * Expression::symbol("arg0.dim1"), 64)};
  kernel.scratch = 64 * sizeof(float);
  return kernel;
}

KernelManifest rowSumKernel() {
  KernelManifest kernel = cpuKernel("row_sum");
  kernel.arguments = {KernelArgument::view(DType::F32, 2, {1}),
                      KernelArgument::view(DType::F32, 1, {})};
  kernel.grid = {Expression::symbol("arg0.dim0")};
  return kernel;
}

KernelManifest programIdsKernel() {
  KernelManifest kernel = cpuKernel("program_ids");
  kernel.arguments = {KernelArgument::view(DType::I64, 3, {})};
  kernel.grid = {Expression::symbol("arg0.dim2"),
                 Expression::symbol("arg0.dim1"),
                 Expression::symbol("arg0.dim0")};
  return kernel;
}

/// One of x: f32[N], another view and perhaps an integer.
static KernelManifest listKernel(const std::string &name, DType to,
                                 std::vector<unsigned> dims, bool hasScalar) {
  KernelManifest kernel = cpuKernel(name);
  const size_t rank = to == DType::F32 ? 1 : 0;
  kernel.arguments = {KernelArgument::view(DType::F32, 1, {0}),
                      KernelArgument::view(to, rank, std::move(dims))};
  if (hasScalar)
    kernel.arguments.push_back(KernelArgument::scalar());
  kernel.grid = {1};
  return kernel;
}

KernelManifest belowKernel() {
  return listKernel("below", DType::Bool, {}, true);
}
KernelManifest countPositiveKernel() {
  return listKernel("count_positive", DType::I64, {}, false);
}
KernelManifest takePositiveKernel() {
  return listKernel("take_positive", DType::F32, {0}, false);
}
KernelManifest appendKernel() {
  return listKernel("append", DType::F32, {}, true);
}
KernelManifest putKernel() { return listKernel("put", DType::F32, {}, true); }

std::vector<float> testBias() { return {0.5f, -1.0f, 2.0f, 8.0f}; }

std::vector<float> biasTimes(float factor, float offset) {
  std::vector<float> result = testBias();
  for (float &value : result)
    value = value * factor + offset;
  return result;
}

PackageManifest testManifest() {
  using Kind = BufferManifest::Kind;
  Expression n = Expression::symbol("N"), w = Expression::symbol("W");
  PackageManifest package;
  package.producer = "test";
  package.name = "small";
  package.metadata = {{"origin", "by hand"}};
  package.symbols = {"N", "W"};
  auto buffer = [&](Kind kind, Expression bytes) {
    package.buffers.push_back({kind, DType::F32, std::move(bytes), "", {}});
    return package.buffers.size() - 1;
  };
  size_t x = buffer(Kind::input, n * w * 4);
  size_t bias = buffer(Kind::weight, 16);
  package.buffers[bias].weight = "bias";
  size_t t = buffer(Kind::transient, n * w * 4);
  size_t tFlat = buffer(Kind::transient, n * w * 4);
  package.buffers[tFlat].alias = t;
  size_t y = buffer(Kind::output, n * w * 4);
  size_t s = buffer(Kind::output, n * 4);
  size_t flat = buffer(Kind::output, n * w * 4);
  package.buffers[flat].alias = x;
  size_t copied = buffer(Kind::output, 16);
  package.buffers[copied].alias = bias;
  package.inputs = {{"x", DType::F32, {n, w}, x}};
  package.outputs = {{"y", DType::F32, {n, w}, y},
                     {"s", DType::F32, {n}, s},
                     {"flat", DType::F32, {n * w}, flat},
                     {"copied", DType::F32, {2, 2}, copied}};
  package.kernels = {affineKernel(), rowSumKernel()};
  package.steps = {
      {"affine",
       {StepArgument::view(x, {n, w}), StepArgument::view(bias, {4}),
        StepArgument::view(t, {n, w}), StepArgument::value(w)},
       "t"},
      {"affine",
       {StepArgument::view(tFlat, {n, w}), StepArgument::view(bias, {4}),
        StepArgument::view(y, {n, w}), StepArgument::value(2)},
       "y"},
      {"row_sum",
       {StepArgument::view(t, {n, w}), StepArgument::view(s, {n})},
       "s"}};
  return package;
}

PackageManifest withGpuKernels(PackageManifest package) {
  for (KernelManifest kernel : std::vector(package.kernels)) {
    kernel.target = "sm_80";
    kernel.image = "kernels/kernels.sm_80.ptx";
    kernel.scratch = 0;
    kernel.block = 64;
    package.kernels.push_back(std::move(kernel));
  }
  return package;
}

PackageManifest statesManifest() {
  using Kind = BufferManifest::Kind;
  PackageManifest package;
  package.producer = "test";
  package.name = "states";
  package.buffers = {{Kind::weight, DType::F32, 16, "bias", {}},
                     {Kind::state, DType::F32, 16, "", {}, 0},
                     {Kind::state, DType::F32, 16, "", {}},
                     {Kind::transient, DType::F32, 16, "", {}},
                     {Kind::output, DType::F32, 16, "", 1}};
  package.outputs = {{"y", DType::F32, {4}, 4}};
  package.states = {{"s", DType::F32, {1, 4}, 1}, {"z", DType::F32, {4}, 2}};
  package.kernels = {affineKernel()};
  auto affine = [](size_t from, size_t to, int64_t factor) {
    return StepManifest{
        "affine",
        {StepArgument::view(from, {1, 4}), StepArgument::view(0, {4}),
         StepArgument::view(to, {1, 4}), StepArgument::value(factor)},
        "add"};
  };
  package.steps = {
      affine(1, 1, 2), affine(2, 3, 1), {"", {}, "z", CopyManifest{3, 2}}};
  return package;
}

PackageManifest variantsManifest(const std::string &target) {
  PackageManifest package = testManifest();
  const size_t x = 0, bias = 1, y = 4;
  Expression n = Expression::symbol("N"), w = Expression::symbol("W");
  package.buffers[y].initial = x;
  KernelManifest kernel = affineKernel();
  if (target != "cpu") {
    kernel.target = target;
    kernel.image = "kernels/kernels.sm_80.ptx";
    kernel.scratch = 0;
    kernel.block = 64;
  }
  package.kernels.clear();
  for (const char *guard :
       {"mod(arg0.dim1, 8) == 0", "mod(arg0.dim1, 4) == 0", ""}) {
    kernel.guards.clear();
    if (*guard)
      kernel.guards.push_back(guard);
    kernel.grid = {Expression(int64_t(package.kernels.size()) + 1)};
    package.kernels.push_back(kernel);
  }
  package.outputs.resize(1);
  package.steps = {
      {"affine",
       {StepArgument::view(x, {n, w}), StepArgument::view(bias, {4}),
        StepArgument::view(y, {n, w}), StepArgument::value(1)},
       "y"}};
  return package;
}

int64_t computedByVariant(const Model &model, int64_t width) {
  auto session = *model.createSession();
  std::vector<float> x(size_t(3 * width), 1);
  Shape shape = {3, width};
  TensorView input{DType::F32, shape, std::as_bytes(std::span(x))};
  REQUIRE(session->setInput("x", input).ok());
  Status ran = session->run();
  INFO(ran.message());
  REQUIRE(ran.ok());
  auto y = *session->output("y");
  return std::ranges::count_if(y.as<float>(), [](float v) { return v != 1; });
}

std::string gpuKernels() {
  auto text = readFile(fs::path(TEST_SOURCES) / "kernels.ptx");
  REQUIRE(text.ok());
  return *text;
}

void writeTestPackage(const fs::path &path, const PackageManifest &manifest) {
  auto writer = PackageWriter::create(path);
  INFO(writer.status().message());
  REQUIRE(writer.ok());
  std::set<std::string> images;
  for (const KernelManifest &kernel : manifest.kernels)
    if (images.insert(kernel.image).second)
      REQUIRE(writer
                  ->addFile(kernel.image, kernel.target == "cpu"
                                              ? objectBytes("kernels")
                                              : gpuKernels())
                  .ok());
  SafetensorsDeclaration declaration{"bias", DType::F32, {4}};
  auto weights = SafetensorsWriter::create(
      writer->directory() / "weights.safetensors", {&declaration, 1});
  REQUIRE(weights.ok());
  std::vector<float> bias = testBias();
  REQUIRE(weights->append(std::as_bytes(std::span(bias))).ok());
  REQUIRE(weights->finish().ok());
  Status finished = writer->finish(manifest);
  INFO(finished.message());
  REQUIRE(finished.ok());
}

} // namespace tilewright::runtime
