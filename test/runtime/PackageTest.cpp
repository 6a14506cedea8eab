#include "tilewright/runtime/Package.h"
#include "TestPackage.h"
#include "runtime/core/PackageWriter.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/MappedFile.h"
#include "tilewright/runtime/Model.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::runtime;
namespace fs = std::filesystem;

static std::string error(const fs::path &path,
                         const PackageOptions &options = {}) {
  auto package = Package::load(path, options);
  REQUIRE_FALSE(package.ok());
  return package.status().message();
}

static bool contains(const std::string &text, const std::string &part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return true;
}

static size_t entries(const fs::path &folder) {
  return size_t(std::distance(fs::directory_iterator(folder), {}));
}

TEST_CASE("a written package loads, with its weights mapped") {
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp");
  CHECK(entries(folder.path) == 1);
  auto package = Package::load(folder / "m.twp");
  INFO(package.status().message());
  REQUIRE(package.ok());
  CHECK((*package)->manifest().files.size() == 2);
  auto weight = (*package)->weight(1);
  REQUIRE(weight.ok());
  auto mapping = (*package)->weightsMapping()->bytes();
  CHECK(weight->data() >= mapping.data());
  CHECK(weight->data() < mapping.data() + mapping.size());
  CHECK(reinterpret_cast<uintptr_t>(weight->data()) % 64 == 0);
  CHECK_FALSE((*package)->weight(0).ok());
}

TEST_CASE("the same package is written with the same bytes") {
  TemporaryFolder folder;
  writeTestPackage(folder / "a.twp");
  writeTestPackage(folder / "b.twp");
  for (const char *name : {"manifest.json", "weights.safetensors"})
    CHECK(*readFile(folder / "a.twp" / name) ==
          *readFile(folder / "b.twp" / name));
}

TEST_CASE("missing, foreign and changed files are found") {
  TemporaryFolder folder;
  fs::path path = folder / "m.twp";
  CHECK(contains(error(path), "does not exist"));
  fs::create_directory(path);
  CHECK(contains(error(path), "not a Tilewright package"));
  writeTestPackage(path);
  fs::path object = path / "kernels/kernels.cpu.o";
  std::string bytes = *readFile(object);

  std::string changed = bytes;
  changed[100] = char(changed[100] + 1);
  REQUIRE(writeFile(object, changed).ok());
  CHECK(contains(error(path), "'kernels/kernels.cpu.o' was changed: its hash"));
  REQUIRE(writeFile(object, bytes + "x").ok());
  CHECK(contains(error(path), "bytes, its manifest.json says"));
  fs::remove(object);
  CHECK(contains(error(path), "file 'kernels/kernels.cpu.o' is missing"));
  REQUIRE(writeFile(object, bytes).ok());
  CHECK(Package::load(path).ok());

  REQUIRE(writeFile(path / "kernels/old.o", bytes).ok());
  CHECK(contains(error(path), "'kernels/old.o' is not in its manifest.json"));
  fs::remove(path / "kernels/old.o");

  fs::path weights = path / "weights.safetensors";
  std::string data = *readFile(weights);
  std::string other = data;
  other.back() = char(other.back() + 1);
  REQUIRE(writeFile(weights, other).ok());
  CHECK(contains(error(path), "'weights.safetensors' was changed"));
  CHECK(Package::load(path, {.verifyWeights = false}).ok());
  REQUIRE(writeFile(path / "manifest.json", "{}").ok());
  CHECK(contains(error(path), "manifest.json: expected a Tilewright package"));
}

TEST_CASE("weights that do not fit the manifest are found") {
  TemporaryFolder folder;
  PackageManifest manifest = testManifest();
  manifest.buffers[1].bytes = 20;
  writeTestPackage(folder / "a.twp", manifest);
  CHECK(contains(error(folder / "a.twp"),
                 "weight 'bias' has 16 bytes, manifest.json expects 20"));
  manifest = testManifest();
  manifest.buffers[1].weight = "scale";
  writeTestPackage(folder / "b.twp", manifest);
  CHECK(contains(error(folder / "b.twp"),
                 "weight 'scale' is not in weights.safetensors"));
  manifest = testManifest();
  manifest.buffers[1].dtype = DType::I32;
  writeTestPackage(folder / "c.twp", manifest);
  CHECK(contains(error(folder / "c.twp"),
                 "weight 'bias' has dtype F32, manifest.json expects I32"));
}

TEST_CASE("an abandoned or failed package leaves nothing behind") {
  TemporaryFolder folder;
  {
    auto writer = PackageWriter::create(folder / "m.twp");
    REQUIRE(writer.ok());
    REQUIRE(writer->addFile("kernels/k.o", std::string_view("x")).ok());
    Status status = writer->finish(testManifest());
    CHECK(status.message() == "kernel 'affine': the image "
                              "'kernels/kernels.cpu.o' was not written");
  }
  CHECK(entries(folder.path) == 0);
}

TEST_CASE("a package is replaced, other things are not") {
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp");
  auto old = Package::load(folder / "m.twp");
  PackageManifest manifest = testManifest();
  manifest.name = "second";
  writeTestPackage(folder / "m.twp/", manifest);
  CHECK(entries(folder.path) == 1);
  CHECK((*Package::load(folder / "m.twp"))->manifest().name == "second");
  // Who had loaded the old one keeps it.
  CHECK((*old)->weight(1)->size() == 16);

  fs::create_directory(folder / "photos");
  REQUIRE(writeFile(folder / "photos/cat.jpg", "meow").ok());
  auto rejected = PackageWriter::create(folder / "photos");
  CHECK(contains(rejected.status().message(), "is not a Tilewright package"));
  CHECK_FALSE(PackageWriter::create(folder / "photos/cat.jpg").ok());
  CHECK_FALSE(PackageWriter::create(folder / "none/m.twp").ok());
  CHECK_FALSE(PackageWriter::create("..").ok());
  CHECK(entries(folder / "photos") == 1);
}

TEST_CASE("the variant that the device accepts is chosen") {
  TemporaryFolder folder;
  PackageManifest manifest = testManifest();
  KernelManifest gpu = affineKernel(), demanding = affineKernel();
  gpu.target = "sm_90a";
  demanding.features = "warpdrive";
  manifest.kernels = {gpu, demanding, affineKernel(), rowSumKernel()};
  writeTestPackage(folder / "m.twp", manifest);
  auto package = *Package::load(folder / "m.twp");
  auto cpu = *openDevice("cpu"), null = *openDevice("null");
  using Found = std::vector<const KernelManifest *>;
  const std::vector<KernelManifest> &kernels = package->manifest().kernels;
  CHECK(*package->findKernels("affine", *cpu) == Found{&kernels[2]});
  CHECK(*package->findKernels("affine", *null) == Found{&kernels[0]});
  manifest.kernels = {gpu, demanding, rowSumKernel()};
  writeTestPackage(folder / "m.twp", manifest);
  package = *Package::load(folder / "m.twp");
  std::string message = package->findKernels("affine", *cpu).status().message();
  CHECK(contains(message, "the kernel is for sm_90a, the device runs"));
  CHECK(contains(message, "does not know: warpdrive"));
}

TEST_CASE("variants of a kernel: in the package's order, with one interface") {
  TemporaryFolder folder;
  PackageManifest manifest = testManifest();
  KernelManifest best = affineKernel(), good = affineKernel();
  best.guards = {"mod(arg0.dim1, 8) == 0"};
  good.guards = {"mod(arg0.dim1, 4) == 0"};
  KernelManifest gpu = best;
  gpu.target = "sm_90a";
  manifest.kernels = {best, gpu, good, affineKernel(), rowSumKernel()};
  writeTestPackage(folder / "m.twp", manifest);
  auto package = *Package::load(folder / "m.twp");
  const std::vector<KernelManifest> &kernels = package->manifest().kernels;
  CHECK(*package->findKernels("affine", **openDevice("cpu")) ==
        std::vector{&kernels[0], &kernels[2], &kernels[3]});
  auto wrong = [&](const std::vector<KernelManifest> &kernels) {
    manifest.kernels = kernels;
    return parsePackageManifest(printPackageManifest(manifest))
        .status()
        .message();
  };
  CHECK(contains(wrong({best, good, best, affineKernel(), rowSumKernel()}),
                 "at most 3 variants of kernel 'affine' for cpu"));
  KernelManifest other = affineKernel();
  other.arguments.pop_back();
  CHECK(contains(wrong({best, other, rowSumKernel()}),
                 "takes other arguments than the variant before it"));
}

/// The files of a package in a folder, as it is sent to another machine. The
/// package uses them as they are.
static PackageFiles filesOf(const fs::path &folder) {
  PackageFiles files;
  for (const auto &entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory())
      continue;
    auto text = std::make_shared<const std::string>(*readFile(entry.path()));
    files[entry.path().lexically_relative(folder).string()] = {
        std::as_bytes(std::span(text->data(), text->size())), text};
  }
  return files;
}

TEST_CASE("a package in memory runs as one in a folder") {
  PackageFiles files;
  {
    TemporaryFolder folder;
    writeTestPackage(folder / "m.twp");
    files = filesOf(folder / "m.twp");
  }
  auto package = Package::fromMemory(files, {}, "sent");
  INFO(package.status().message());
  REQUIRE(package.ok());
  CHECK((*package)->path() == "sent");
  files.clear(); // The package keeps what it needs.
  auto model = Model::load(*openDevice("cpu", {1}), *package);
  INFO(model.status().message());
  REQUIRE(model.ok());
  package->reset();
  auto session = *(*model)->createSession();
  REQUIRE(session->setInput("x", floats({1, 2}, {1, 2})).ok());
  REQUIRE(session->run().ok());
  CHECK(session->output("s")->as<float>()[0] == (1 * 2 + 0.5f) + (2 * 2 - 1));
}

TEST_CASE("a package in memory is checked as one in a folder") {
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp");
  const PackageFiles whole = filesOf(folder / "m.twp");
  const std::byte byte{};
  auto errorOf = [&](auto change) {
    PackageFiles files = whole;
    change(files);
    auto package = Package::fromMemory(files, {}, "sent");
    REQUIRE_FALSE(package.ok());
    CHECK(package.status().code() == StatusCode::invalidInput);
    return package.status().message();
  };
  CHECK(errorOf([](auto &files) { files.erase("manifest.json"); }) ==
        "package 'sent': the file 'manifest.json' is missing");
  CHECK(errorOf([](auto &files) { files.erase("weights.safetensors"); }) ==
        "package 'sent': file 'weights.safetensors' is missing");
  CHECK(errorOf([&](auto &files) { files["more"] = {{&byte, 1}}; }) ==
        "package 'sent': file 'more' is not in its manifest.json");
  CHECK(contains(errorOf([&](auto &files) {
                   files["kernels/kernels.cpu.o"] = {{&byte, 1}};
                 }),
                 "package 'sent': file 'kernels/kernels.cpu.o' has 1 bytes"));
  CHECK(contains(errorOf([&](auto &files) {
                   PackageFile &file = files["weights.safetensors"];
                   auto changed = std::make_shared<std::vector<std::byte>>(
                       file.bytes.begin(), file.bytes.end());
                   changed->back() ^= std::byte(1);
                   file = {*changed, changed};
                 }),
                 "package 'sent': file 'weights.safetensors' was changed"));
  CHECK(contains(
      errorOf([&](auto &files) { files["manifest.json"] = {{&byte, 1}}; }),
      "package 'sent': manifest.json"));
}

TEST_CASE("a writer in memory makes the files that one on disk writes") {
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp");
  PackageWriter writer = PackageWriter::inMemory();
  REQUIRE(writer.addFile("kernels/kernels.cpu.o", objectBytes("kernels")).ok());
  SafetensorsDeclaration declaration{"bias", DType::F32, {4}};
  auto weights = writer.beginWeights({&declaration, 1});
  REQUIRE(weights.ok());
  const std::vector<float> bias = testBias();
  REQUIRE(weights->append(std::as_bytes(std::span(bias))).ok());
  REQUIRE(writer.finishWeights(*weights).ok());
  REQUIRE(writer.finish(testManifest()).ok());
  const PackageFiles made = writer.takeFiles(),
                     written = filesOf(folder / "m.twp");
  REQUIRE(made.size() == written.size());
  for (const auto &[name, file] : written) {
    INFO(name);
    REQUIRE(made.contains(name));
    CHECK(std::ranges::equal(made.find(name)->second.bytes, file.bytes));
  }
  auto package = Package::fromMemory(made);
  REQUIRE(package.ok());
  CHECK(reinterpret_cast<uintptr_t>((*package)->weight(1)->data()) % 64 == 0);
}
