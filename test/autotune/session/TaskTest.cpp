#include "autotune/task/Task.h"

#include "Kernels.h"
#include "autotune/measure/Compare.h"
#include "autotune/measure/Oracle.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

static std::unique_ptr<Task> open(const std::string &code,
                                  const std::string &arguments = "",
                                  const std::string &target = "cpu") {
  TaskRecord record;
  record.code = code;
  record.arguments = arguments;
  record.target = target;
  StatusOr<std::unique_ptr<Task>> task = Task::open(record);
  if (!task.ok())
    FAIL(task.status().message());
  return *std::move(task);
}

static std::string errorOf(const std::string &code,
                           const std::string &arguments = "",
                           const std::string &target = "cpu") {
  TaskRecord record;
  record.code = code;
  record.arguments = arguments;
  record.target = target;
  StatusOr<std::unique_ptr<Task>> task = Task::open(record);
  REQUIRE_FALSE(task.ok());
  return task.status().message();
}

static const char *const scale = R"(
tile.kernel @scale(%x: !tile.view<?x64xf32>, %n: index, %y: !tile.view<?x64xf32>)
    grid affine_map<()[s0, s1, n, s2, s3] -> (s0 ceildiv 16)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %u = tile.tunable "twice" of [0, 1]
  %v = tile.load %x[%i, %c0] pad 0.0 : !tile.view<?x64xf32> -> tensor<16x64xf32>
  %w = arith.addf %v, %v : tensor<16x64xf32>
  tile.store %w, %y[%i, %c0] : tensor<16x64xf32>, !tile.view<?x64xf32>
}
)";

TEST_CASE("a product of f16 may be on matrix units, and in each row that all "
          "products take") {
  auto instructionOf = [](const std::string &tile, const std::string &target) {
    const std::string lhs = "tensor<" + tile + "xf16>",
                      code = R"(
tile.kernel @k(%x: !tile.view<64x64xf16>, %y: !tile.view<64x64xf16>,
               %z: !tile.view<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %acc = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<64x64xf16> -> )" +
                             lhs + R"(
  %b = tile.transpose %a [1, 0] : )" +
                             lhs + " -> tensor<" + tile.substr(3) + R"(x64xf16>
  %c = tile.dot %a, %b, %acc : )" +
                             lhs + ", tensor<" + tile.substr(3) +
                             R"(x64xf16> -> tensor<64x64xf32>
  tile.store %c, %z[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
})";
    std::unique_ptr<Task> task = open(code, "", target);
    std::vector<std::string> texts;
    for (const Parameter &parameter : task->space().parameters())
      if (parameter.name == "instruction")
        for (int64_t value : parameter.values)
          texts.push_back(parameter.text(value));
    return texts;
  };
  using Texts = std::vector<std::string>;
  CHECK(instructionOf("64x32", "sm_80") ==
        Texts{"auto", "fma", "mma.m16n8k8.f16"});
  // The one that is chosen is no other value.
  CHECK(instructionOf("64x8", "sm_80") == Texts{"auto", "fma"});
  CHECK(instructionOf("64x2", "sm_80").empty());
}

TEST_CASE("a graph's tiling and the target's parameters are searched") {
  std::unique_ptr<Task> task = open(gemm(96, 128, 64));
  std::vector<std::string> names;
  for (const Parameter &parameter : task->space().parameters())
    names.push_back(parameter.name);
  for (const char *name : {"tile0", "tile1", "step0", "rows", "packrhs"})
    CHECK(std::ranges::find(names, name) != names.end());
  REQUIRE(task->tensors().size() == 3);
  CHECK(task->tensors()[2].shape == runtime::Shape{96, 128});
  CHECK(task->tensors()[2].isWritten);
  CHECK_FALSE(task->tensors()[2].isRead);
  CHECK(task->record().shape == std::vector<int64_t>{96, 64, 64, 128, 96, 128});
}

TEST_CASE("a kernel's tunables are choices, and its shapes are given") {
  std::unique_ptr<Task> task = open(scale, "40x64 =7 40x64");
  CHECK(task->space().parameters()[0].name == "twice");
  CHECK(task->programs() == 3);
  CHECK(task->programsAreIndependent());
  CHECK(task->tensors()[0].isRead);
  CHECK_FALSE(task->tensors()[0].isWritten);
  CHECK(task->tensors()[1].isWritten);
}

TEST_CASE("what cannot be opened says why") {
  CHECK(errorOf(scale).find("argument 0: expected a shape for") == 0);
  CHECK(errorOf(scale, "40x64 7 40x64")
            .find("argument 1: expected the value of an integer, '=7', found "
                  "'7'") == 0);
  CHECK(errorOf(scale, "40x64 =7")
            .find("expected the shapes of 3 arguments, "
                  "found 2") == 0);
  CHECK(errorOf(scale, "40x65 =7 40x64").find("found '40x65'") !=
        std::string::npos);
  CHECK(errorOf("func.func @f() {").find("expected") != std::string::npos);
  CHECK(errorOf(gemm(8, 8, 8), "", "sm_10")
            .find("target 'sm_10' cannot be "
                  "tuned") == 0);
  CHECK(errorOf("module {}") == "tuning: expected a tile.kernel, found none");
}

TEST_CASE("a tunable that is called like a key of schedules is told apart") {
  for (std::string name : {"chunk", "warps"}) {
    std::string code = scale;
    code.replace(code.find("twice"), 5, name);
    std::unique_ptr<Task> task = open(code, "40x64 =7 40x64");
    CHECK(task->space().parameters()[0].name == "tunable." + name);
    CHECK_FALSE(task->estimate("tunable." + name + "=1").rejection);
    CHECK(task->estimate("tunable." + name + "=2").rejection);
  }
}

TEST_CASE("schedules that cannot be are rejected before compilation") {
  std::unique_ptr<Task> task = open(gemm(96, 128, 64));
  CHECK_FALSE(task->estimate("").rejection);
  CHECK(task->estimate("").nanoseconds > 0);
  Estimate estimate = task->estimate("rows=14 vectors=6");
  REQUIRE(estimate.rejection);
  CHECK(estimate.rejection->resource == "registers");
  CHECK_FALSE(task->compile("rows=14 vectors=6").ok());
  CHECK(task->estimate("nonsense").rejection);
}

TEST_CASE("what was asked before changes no answer") {
  const char *schedules[] = {"rows=4",
                             "rows=4 chunk=3 threads=1",
                             "rows=2",
                             "rows=4 vectors=2",
                             "tile0=32 tile1=64 rows=4 chunk=3",
                             "rows=4 threads=1",
                             "tile0=32 tile1=64 rows=4"};
  std::unique_ptr<Task> one = open(gemm(96, 128, 64));
  for (const char *schedule : schedules) {
    INFO(schedule);
    std::unique_ptr<Task> fresh = open(gemm(96, 128, 64));
    CHECK(one->estimate(schedule).nanoseconds ==
          fresh->estimate(schedule).nanoseconds);
    StatusOr<Candidate> found = one->compile(schedule),
                        expected = fresh->compile(schedule);
    REQUIRE((found.ok() && expected.ok()));
    CHECK(found->image.code == expected->image.code);
    CHECK(found->image.manifest.chunk == expected->image.manifest.chunk);
    CHECK(found->image.manifest.threads == expected->image.manifest.threads);
    CHECK(found->arguments == expected->arguments);
  }
}

TEST_CASE("programs interpreted one by one are the whole") {
  std::unique_ptr<Task> task = open(gemm(320, 256, 32));
  REQUIRE(task->programs() > 2);
  StatusOr<Oracle> all = runOracle(*task, 3, 1e9),
                   some = runOracle(*task, 3, 0);
  REQUIRE((all.ok() && some.ok()));
  CHECK(all->interpreted == task->programs());
  CHECK(some->interpreted == 1);
  for (bool known : all->known[0])
    REQUIRE(known);
  BenchOptions options;
  options.device = "interpreter";
  options.seed = 3;
  StatusOr<Bench> bench = Bench::open(task->tensors(), options);
  REQUIRE(bench.ok());
  StatusOr<BenchKernel> kernel = bench->load(*task->oracleKernel(std::nullopt));
  REQUIRE(kernel.ok());
  auto whole = bench->run(*kernel);
  REQUIRE(whole.ok());
  CHECK_FALSE(difference((*whole)[0], all->expected[0], {}));
  CHECK_FALSE(some->difference(*whole));
  // An oracle survives its file.
  Folder folder;
  REQUIRE(writeOracle(folder.path / "j", *some).ok());
  StatusOr<Oracle> read = readOracle(folder.path / "j", task->tensors());
  REQUIRE(read.ok());
  CHECK(read->known == some->known);
  CHECK(read->interpreted == some->interpreted);
}

TEST_CASE("random schedules compute what the interpreter does") {
  auto code = GENERATE(gemm(33, 50, 70), gemm(1, 64, 200), gemm(64, 96, 32));
  std::unique_ptr<Task> task = open(code);
  StatusOr<Oracle> oracle = runOracle(*task, 1, 1e9);
  REQUIRE(oracle.ok());
  BenchOptions options;
  options.threads = 1;
  StatusOr<Bench> bench = Bench::open(task->tensors(), options);
  REQUIRE(bench.ok());
  Random random(9);
  int ran = 0;
  for (int i = 0; i < 24; ++i) {
    std::string schedule = task->space().text(task->space().random(random));
    if (task->estimate(schedule).rejection)
      continue;
    INFO(schedule);
    StatusOr<Candidate> candidate = task->compile(schedule);
    if (!candidate.ok())
      FAIL(candidate.status().message());
    StatusOr<BenchKernel> kernel = bench->load(*candidate);
    REQUIRE(kernel.ok());
    auto outputs = bench->run(*kernel);
    REQUIRE(outputs.ok());
    CHECK(oracle->difference(*outputs) == std::nullopt);
    ++ran;
  }
  CHECK(ran > 5);
}
