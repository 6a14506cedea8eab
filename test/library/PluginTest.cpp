// Plug-ins: their extensions, and those that cannot be loaded.
#include "test/library/Kernels.h"
#include "tilewright/compiler/Compiler.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/mlir/Registry.h"

#include <catch2/catch.hpp>
#include <fstream>

using namespace tilewright;
using namespace tilewright::test;
namespace fs = std::filesystem;

// The folder where the build puts them.
static const fs::path folder = TILEWRIGHT_PLUGIN_FOLDER;

static StatusOr<std::shared_ptr<const Plugins>>
load(const std::vector<fs::path> &paths) {
  return Plugins::load(paths);
}

static std::unique_ptr<Compiler>
compilerWith(const char *plugin, std::shared_ptr<Cache> cache = nullptr) {
  auto plugins = load({folder / plugin});
  REQUIRE(plugins.status().message() == "");
  auto compiler =
      Compiler::create({.threads = 1, .cache = cache, .plugins = *plugins});
  REQUIRE(compiler.ok());
  return *std::move(compiler);
}

TEST_CASE("plug-in: a pass changes the kernel, for every target") {
  auto compiler = compilerWith("libexample-plugin.so");
  StatusOr<KernelImage> image =
      compiler->compile(requestFor(twice, "interpreter"));
  REQUIRE(image.ok());
  CHECK(image->code.find("arith.mulf") != std::string::npos);
  CHECK(image->code.find("arith.addf") == std::string::npos);
  for (const char *target : {"cpu", "sm_90a"}) {
    CompileReport report;
    CHECK(compiler->compile(requestFor(twice, target), &report).ok());
    CHECK(report.phases[2].name == "plugins");
  }
  // Compilers without the plug-in do not have it.
  CHECK(compile(requestFor(twice, "interpreter"))->code.find("arith.addf") !=
        std::string::npos);
}

TEST_CASE("plug-in: a target") {
  auto compiler = compilerWith("libexample-plugin.so");
  CompileRequest request = requestFor(twice, "sm_87");
  request.schedule = "warps=2";
  StatusOr<KernelImage> image = compiler->compile(request);
  REQUIRE(image.status().message() == "");
  CHECK(image->code.find(".target sm_87") != std::string::npos);
  CHECK(image->manifest.target == "sm_87");
  CHECK(compile(request).status().code() == StatusCode::unsupported);
}

TEST_CASE("plug-in: a target that LLVM does not know") {
  auto compiler = compilerWith("libexample-plugin.so");
  Status status = compiler->compile(requestFor(twice, "sm_999")).status();
  CHECK(status.code() == StatusCode::unsupported);
  CHECK_THAT(status.message(),
             Catch::Contains("LLVM has no code generator for 'sm_999'"));
}

TEST_CASE("plug-in: a target without its numbers") {
  Registry registry;
  target::GpuTarget orin;
  orin.name = "sm_87";
  orin.major = 8;
  orin.minor = 7;
  registry.addTarget(orin);
  CHECK(registry.problem() ==
        "target 'sm_87': expected all numbers of it, found one of 0");
}

TEST_CASE("plug-in: a pass with a name that is no word") {
  Registry registry;
  registry.addPass("add{x}", nullptr);
  CHECK(registry.problem() == "pass 'add{x}': expected a name of letters, "
                              "digits, '-', '_' and '.'");
}

TEST_CASE("plug-in: a pass and its relation") {
  Registry registry;
  registry.addPass("a", nullptr, Relation{Relation::Kind::near, 1e-6});
  registry.addPass("b", nullptr);
  CHECK(registry.problem() == "");
  CHECK(registry.findPass("a")->relation->text() == "near=1e-06");
  CHECK(!registry.findPass("b")->relation);
  CHECK(!registry.findPass("c"));
  registry.addPass("c", nullptr, Relation{Relation::Kind::near, -1});
  CHECK(registry.problem() ==
        "pass 'c': expected a distance that is not negative, found near=-1");
}

TEST_CASE("plug-in: an importer") {
  TemporaryFolder files;
  auto plugins = load({folder / "libexample-plugin.so"});
  REQUIRE(plugins.ok());
  std::ofstream(files.path / "a.number") << "7\n";
  std::ofstream(files.path / "b.number") << "seven\n";
  StatusOr<TileModule> module = (*plugins)->import(files.path / "a.number");
  REQUIRE(module.ok());
  CHECK(compile(requestFor(module->code)).ok());
  CHECK((*plugins)->import(files.path / "b.number").status().message() ==
        (files.path / "b.number").string() +
            ": expected a number, found 'seven'");
  // What a parser says is the message, and nowhere else.
  std::ofstream(files.path / "d.titled") << "title t\nnonsense\n";
  CHECK(
      (*plugins)->import(files.path / "d.titled").status().message() ==
      (files.path / "d.titled").string() +
          ":1:1: custom op 'nonsense' is unknown (tried 'builtin.nonsense' as "
          "well)");
  CHECK((*plugins)->import(files.path / "c.other").status().code() ==
        StatusCode::unsupported);
  // Of a frontend that gives a module.
  std::ofstream(files.path / "k.titled") << "title t\n" << twice;
  StatusOr<TileModule> printed = (*plugins)->import(files.path / "k.titled");
  REQUIRE(printed.status().message() == "");
  CHECK(printed->name == (files.path / "k.titled").string());
  CHECK(compile(requestFor(printed->code)).ok());
}

TEST_CASE("plug-in: images with and without it are two entries of a cache") {
  TemporaryFolder files;
  auto cache = Cache::open({.directory = files.path});
  REQUIRE(cache.ok());
  auto with = compilerWith("libexample-plugin.so", *cache);
  auto without = Compiler::create({.threads = 1, .cache = *cache});
  CompileReport first, second, third;
  auto a = with->compile(requestFor(twice, "interpreter"), &first);
  auto b = (*without)->compile(requestFor(twice, "interpreter"), &second);
  auto c = with->compile(requestFor(twice, "interpreter"), &third);
  CHECK(!second.fromCache);
  CHECK(third.fromCache);
  CHECK(bytesOf(*a) != bytesOf(*b));
  CHECK(bytesOf(*a) == bytesOf(*c));
}

TEST_CASE("plug-in: a pass that fails") {
  CompileReport report;
  auto image =
      compilerWith("libbad-plugin.so")->compile(requestFor(twice), &report);
  REQUIRE(!image.ok());
  CHECK(image.status().code() == StatusCode::invalidInput);
  REQUIRE(report.diagnostics.size() == 2);
  CHECK(printDiagnostic(report.diagnostics[0]) ==
        "k.mlir:4:8: error: not to my liking (plugin)");
  CHECK(report.diagnostics[1].message == "pass 'fail' failed");
}

TEST_CASE("plug-in: those that cannot be loaded") {
  auto rejection = [](const std::vector<fs::path> &paths) {
    return load(paths).status().message();
  };
  CHECK_THAT(rejection({folder / "libnone.so"}),
             Catch::StartsWith("plug-in '" + (folder / "libnone.so").string() +
                               "': "));
  CHECK(load({folder / "libnone.so"}).status().code() == StatusCode::notFound);
  CHECK(rejection({folder / "libempty-plugin.so"}) ==
        "plug-in '" + (folder / "libempty-plugin.so").string() +
            "': expected the entry that TILEWRIGHT_PLUGIN defines, found none");
  CHECK(rejection({folder / "libold-plugin.so"}) ==
        "plug-in '" + (folder / "libold-plugin.so").string() +
            "': expected version 3 of plug-ins, found 0: build it again");
  fs::path example = folder / "libexample-plugin.so";
  CHECK(rejection({example, example}) ==
        "plug-in '" + example.string() +
            "': pass 'double-by-product' is there already");
}
