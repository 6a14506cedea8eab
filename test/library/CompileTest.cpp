// Right and wrong requests: what comes out, and what is said.
#include "test/library/Kernels.h"
#include "tilewright/compiler/Compiler.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::test;

TEST_CASE("a kernel for each target") {
  StatusOr<KernelImage> cpu = compile(requestFor(twice, "cpu"));
  REQUIRE(cpu.ok());
  CHECK(cpu->manifest.target == "cpu");
  CHECK(cpu->manifest.entry == "twice");
  CHECK(cpu->code.substr(1, 3) == "ELF");

  StatusOr<KernelImage> gpu = compile(requestFor(twice, "sm_80"));
  REQUIRE(gpu.ok());
  CHECK(gpu->manifest.target == "sm_80");
  CHECK(gpu->code.find(".target sm_80") != std::string::npos);
  CHECK(gpu->code.find(".visible .entry twice(") != std::string::npos);

  StatusOr<KernelImage> interpreted = compile(requestFor(twice, "interpreter"));
  REQUIRE(interpreted.ok());
  CHECK(interpreted->manifest.target == "interpreter");
  CHECK(runtime::validate(interpreted->manifest).ok());
  CHECK(interpreted->code.find("tile.kernel @twice") != std::string::npos);
  // Its faults name locations of the source.
  CHECK(interpreted->code.find("loc(\"k.mlir\":5:") != std::string::npos);
}

TEST_CASE("options reach the image") {
  CompileRequest request = requestFor(twice);
  request.schedule = "warps=2 vector_bits=32";
  request.lineInfo = request.wantText = request.wantExplanation = true;
  CompileReport report;
  StatusOr<KernelImage> image = compile(request, &report);
  REQUIRE(image.ok());
  CHECK(image->manifest.block == 64);
  CHECK(image->schedule.schedule.text() == "warps=2 vector_bits=32");
  CHECK(image->schedule.reason == "given");
  CHECK(image->code.find(".loc") != std::string::npos);
  CHECK(image->code.find("\"k.mlir\"") != std::string::npos);
  CHECK(image->scheduled.find("tile.kernel") != std::string::npos);
  CHECK(image->llvmIr.find("define") != std::string::npos);
  CHECK(image->explanation.find("tile.load") != std::string::npos);
  CHECK(report.diagnostics.empty());
  CHECK(report.key.empty());

  std::vector<std::string> phases;
  for (const PhaseTime &phase : report.phases) {
    phases.push_back(phase.name);
    CHECK(phase.milliseconds >= 0);
  }
  CHECK(phases == std::vector<std::string>{"parse", "bind", "schedule", "emit",
                                           "lower", "translate", "optimize",
                                           "generate"});
}

TEST_CASE("tunables have a value each") {
  CompileRequest request = requestFor(product, "interpreter");
  StatusOr<KernelImage> first = compile(request);
  REQUIRE(first.ok());
  CHECK(first->code.find("tile.tunable") == std::string::npos);
  request.tunables = {{"step", 1}};
  StatusOr<KernelImage> same = compile(request);
  REQUIRE(same.ok());
  CHECK(same->code == first->code);
  request.tunables = {{"step", 4}};
  StatusOr<KernelImage> other = compile(request);
  REQUIRE(other.ok());
  CHECK(other->code != first->code);
  // A schedule may say them, too, and the image's schedule does.
  request.target = "sm_90a";
  request.tunables.clear();
  request.schedule = "warps=4 step=4";
  StatusOr<KernelImage> scheduled = compile(request);
  REQUIRE(scheduled.ok());
  CHECK(scheduled->schedule.schedule.text() ==
        "warps=4 vector_bits=128 step=4");
}

TEST_CASE("a template is a kernel once its numbers are bound") {
  CompileRequest request = requestFor("// tunable N = 8, 16\n"
                                      R"(
tile.kernel @fill(%A: !tile.view<?xi32>) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<7> : tensor<${N}xi32>
  tile.store %n, %A[%c0] : tensor<${N}xi32>, !tile.view<?xi32>
})",
                                      "interpreter");
  StatusOr<KernelImage> first = compile(request);
  CHECK(first.status().message() == "");
  REQUIRE(first.ok());
  CHECK(first->code.find("tensor<8xi32>") != std::string::npos);
  request.tunables = {{"N", 16}};
  StatusOr<KernelImage> other = compile(request);
  REQUIRE(other.ok());
  CHECK(other->code.find("tensor<16xi32>") != std::string::npos);
  request.tunables = {{"N", 9}};
  CHECK(compile(request).status().message() ==
        "k.mlir: error: tunable 'N' is given 9, expected one of 8, 16 "
        "(tunable)");
}

TEST_CASE("products of f32 have the precision of the request") {
  CompileRequest request = requestFor(product, "interpreter");
  StatusOr<KernelImage> exact = compile(request);
  REQUIRE(exact.ok());
  CHECK(exact->code.find("precision") == std::string::npos);
  CHECK(exact->manifest.precision == runtime::Precision::ieee);
  request.precision = runtime::Precision::tf32;
  for (const char *target : {"interpreter", "cpu", "sm_90a"}) {
    request.target = target;
    StatusOr<KernelImage> image = compile(request);
    CHECK(image.status().message() == "");
    REQUIRE(image.ok());
    CHECK(image->manifest.precision == runtime::Precision::tf32);
    if (request.target == "interpreter")
      CHECK(image->code.find("precision tf32") != std::string::npos);
  }
  // A kernel without such a product has none.
  request.module.code = twice;
  StatusOr<KernelImage> other = compile(request);
  REQUIRE(other.ok());
  CHECK(other->manifest.precision == runtime::Precision::ieee);
  request.precision = runtime::Precision::fast;
  CHECK(compile(request).status().message().find(
            "precision: expected ieee, tf32, tf32x3, bf16x3 or bf16x6, found "
            "'fast'") != std::string::npos);
}

TEST_CASE("the precision is part of the key") {
  TemporaryFolder folder;
  auto cache = Cache::open({.directory = folder.path});
  REQUIRE(cache.ok());
  auto compiler = Compiler::create({.threads = 1, .cache = *cache});
  REQUIRE(compiler.ok());
  auto resultOf = [&](runtime::Precision precision) {
    CompileRequest request = requestFor(product, "sm_80");
    request.precision = precision;
    CompileResult result = (*compiler)->submit(request).get();
    REQUIRE(result.image.ok());
    CHECK(result.image->manifest.precision == precision);
    return result.report.fromCache;
  };
  CHECK(!resultOf(runtime::Precision::ieee));
  CHECK(!resultOf(runtime::Precision::tf32));
  CHECK(!resultOf(runtime::Precision::bf16x6));
  CHECK(resultOf(runtime::Precision::ieee));
  CHECK(resultOf(runtime::Precision::tf32));
}

static size_t countOf(const std::string &text, const std::string &word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1))
    ++count;
  return count;
}

TEST_CASE("a schedule for the cpu is taken, and is part of the key") {
  TemporaryFolder folder;
  auto cache = Cache::open({.directory = folder.path});
  REQUIRE(cache.ok());
  auto compiler = Compiler::create({.threads = 1, .cache = *cache});
  REQUIRE(compiler.ok());
  auto resultOf = [&](const std::string &schedule) {
    CompileRequest request = requestFor(product, "cpu");
    request.wantText = true;
    request.schedule = schedule;
    return (*compiler)->submit(request).get();
  };
  CompileResult first = resultOf("rows=2 vectors=1");
  CHECK(first.image.status().message() == "");
  REQUIRE(first.image.ok());
  // One for each sum of the block, and one for rows where some do not exist.
  CHECK(countOf(first.image->loops, "math.fma") == 3);
  CHECK(first.image->manifest.chunk == 0);
  CompileResult second = resultOf("rows=3 vectors=1 chunk=5");
  REQUIRE(second.image.ok());
  CHECK(!second.report.fromCache);
  // Blocks of three rows, and the one row of 64 that remains; two rows and one
  // where some do not exist.
  CHECK(countOf(second.image->loops, "math.fma") == 7);
  CHECK(second.image->manifest.chunk == 5);
  // Tunables by the schedule are those of the request.
  CHECK(resultOf("rows=2 vectors=1 step=1").report.fromCache);
  CHECK(!resultOf("rows=2 vectors=1 step=2").report.fromCache);
}

TEST_CASE("what is called, and its tunables, come with the kernel") {
  CompileRequest request = requestFor(R"(
tile.func @scale(%x: tensor<8xindex>) -> tensor<8xindex> {
  %n = tile.tunable "n" of [3, 5]
  %s = tile.splat %n : index -> tensor<8xindex>
  %y = arith.muli %x, %s : tensor<8xindex>
  tile.return %y : tensor<8xindex>
}
tile.kernel @other() {}
tile.kernel @k(%A: !tile.view<8xi64>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %A[%c0] pad 0 : !tile.view<8xi64> -> tensor<8xi64>
  %i = arith.index_cast %a : tensor<8xi64> to tensor<8xindex>
  %b = tile.call @scale(%i) : (tensor<8xindex>) -> tensor<8xindex>
  %r = arith.index_cast %b : tensor<8xindex> to tensor<8xi64>
  tile.store %r, %A[%c0] : tensor<8xi64>, !tile.view<8xi64>
})",
                                      "interpreter");
  request.kernel = "k";
  request.tunables = {{"n", 5}};
  StatusOr<KernelImage> image = compile(request);
  CHECK(image.status().message() == "");
  REQUIRE(image.ok());
  CHECK(image->code.find("constant 5") != std::string::npos);
  CHECK(image->code.find("@other") == std::string::npos);
  CHECK(image->code.find("@scale") == std::string::npos);
}

namespace {
/// A request and all that is said of it.
struct Wrong {
  CompileRequest request;
  StatusCode status;
  const char *code, *message;
};
} // namespace

static std::vector<Wrong> wrongRequests() {
  auto with = [](auto &&change, const std::string &text = product) {
    CompileRequest request = requestFor(text);
    change(request);
    return request;
  };
  const std::string two = "tile.kernel @a() {}\ntile.kernel @b() {}";
  using R = CompileRequest &;
  return {
      {with([](R r) { r.target = "sm_12"; }), StatusCode::unsupported, "target",
       "k.mlir: error: there is no target 'sm_12'; there is cpu, interpreter, "
       "sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a (target)"},
      {with([](R r) { r.kernel = "p"; }), StatusCode::notFound, "kernel",
       "k.mlir: error: expected a tile.kernel @p, found @product (kernel)"},
      {with([](R) {}, two), StatusCode::invalidInput, "kernel",
       "k.mlir: error: expected one tile.kernel, or the name of one, found @a, "
       "@b (kernel)"},
      {with([](R) {}, ""), StatusCode::notFound, "kernel",
       "k.mlir: error: expected a tile.kernel, found none (kernel)"},
      {with([](R r) { r.tunables = {{"stop", 1}}; }), StatusCode::invalidInput,
       "tunable",
       "k.mlir:2:1: error: there is no tunable 'stop' of kernel 'product'; it "
       "has step (tunable)"},
      {with([](R r) { r.tunables = {{"x", 1}}; }, twice),
       StatusCode::invalidInput, "tunable",
       "k.mlir:2:1: error: there is no tunable 'x' of kernel 'twice'; it has "
       "none (tunable)"},
      {with([](R r) { r.tunables = {{"step", 3}}; }), StatusCode::invalidInput,
       "tunable",
       "k.mlir:8:11: error: tunable 'step' is given 3, expected one of "
       "1, 2, 4 (tunable)"},
      {with([](R r) {
         r.tunables = {{"step", 1}};
         r.schedule = "step=2";
       }),
       StatusCode::invalidInput, "tunable",
       "k.mlir: error: tunable 'step' is given 1, but the schedule gives 2 "
       "(tunable)"},
      {with([](R r) { r.schedule = "warps=33"; }), StatusCode::invalidInput,
       "schedule",
       "k.mlir: error: schedule: expected 'warps' to be from 1 to 32, found "
       "'warps=33' (schedule)"},
      {with([](R r) {
         r.schedule = "rows=4";
         r.target = "interpreter";
       }),
       StatusCode::invalidInput, "schedule",
       "k.mlir: error: a schedule is for cpu and for GPUs, found one for "
       "target 'interpreter' (schedule)"},
      {with([](R r) {
         r.schedule = "warps=4";
         r.target = "cpu";
       }),
       StatusCode::invalidInput, "schedule",
       "k.mlir: error: schedule: 'warps' is a parameter for GPUs; for CPUs "
       "there "
       "are rows, vectors, unroll, packlhs, packrhs, order, chunk, threads, "
       "and the kernel's tunables, of which one of this name is written "
       "'tunable.warps' (schedule)"},
      {with([](R r) {
         r.schedule = "rows=4 step=3";
         r.target = "cpu";
       }),
       StatusCode::invalidInput, "tunable",
       "k.mlir:8:11: error: tunable 'step' is given 3, expected one of "
       "1, 2, 4 (tunable)"},
      {with([](R) {}, "tile.kernel @k() { tile.nothing }"),
       StatusCode::invalidInput, "parse",
       "k.mlir:1:20: error: custom op 'tile.nothing' is unknown (parse)"},
      {with([](R) {}, "\"tile.kernel\"() : () -> ()"), StatusCode::invalidInput,
       "invalid_ir",
       "k.mlir:1:1: error: 'tile.kernel' op requires one region (invalid_ir)"},
      {with([](R) {}, R"(module {
  %c = "arith.constant"() {value = 1 : i32} : () -> i64
})"),
       StatusCode::invalidInput, nullptr, nullptr},
  };
}

TEST_CASE("each wrong request has its status, code and message") {
  for (const Wrong &wrong : wrongRequests()) {
    CompileReport report;
    StatusOr<KernelImage> image = compile(wrong.request, &report);
    INFO(image.status().message());
    REQUIRE(!image.ok());
    CHECK(image.status().code() == wrong.status);
    REQUIRE(report.diagnostics.size() == 1);
    const Diagnostic &diagnostic = report.diagnostics.front();
    CHECK(image.status().message() == printDiagnostic(diagnostic));
    CHECK(!diagnostic.code.empty());
    CHECK(!diagnostic.where.file.empty());
    if (wrong.code)
      CHECK(diagnostic.code == wrong.code);
    if (wrong.message)
      CHECK(image.status().message() == wrong.message);
  }
}

TEST_CASE("a rule of the dialect is the code, and its notes are kept") {
  CompileReport report;
  StatusOr<KernelImage> image = compile(requestFor(R"(
tile.kernel @k(%A: !tile.view<?x?xf32>, %C: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %a = tile.load %A[%c0, %c0] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x16xf32>
  %b = tile.load %A[%c0, %c0] pad 0.0 : !tile.view<?x?xf32> -> tensor<32x8xf32>
  %n = tile.dot %a, %b, %zero : tensor<8x16xf32>, tensor<32x8xf32> -> tensor<8x8xf32>
  tile.store %n, %C[%c0, %c0] : tensor<8x8xf32>, !tile.view<?x?xf32>
})"),
                                        &report);
  REQUIRE(!image.ok());
  CHECK(image.status().code() == StatusCode::invalidInput);
  REQUIRE(report.diagnostics.size() == 1);
  const Diagnostic &diagnostic = report.diagnostics[0];
  CHECK(diagnostic.code == "dot_c2");
  CHECK(diagnostic.where.file == "k.mlir");
  CHECK(diagnostic.where.line == 7);
  CHECK(diagnostic.where.column == 8);
  // Only the code has the label.
  CHECK(diagnostic.message.find("dot_c2") == std::string::npos);
  REQUIRE(!diagnostic.notes.empty());
  CHECK(diagnostic.notes[0].severity == Severity::note);
  CHECK(diagnostic.notes[0].where.line == 6);
  CHECK(image.status().message().find("\nk.mlir:6:8: note: ") !=
        std::string::npos);
}

TEST_CASE("what has no lowering, and what does not fit") {
  CompileReport report;
  StatusOr<KernelImage> image = compile(requestFor(R"(
tile.kernel @k(%A: !tile.view<8xi32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %A[%c0] : !tile.view<8xi32> -> tensor<8xi32>
  %p = tile.inline_ptx "add.s32 $0, $1, $1;" constraints "=r,r" pure(%a) : (tensor<8xi32>) -> tensor<8xi32>
})",
                                                   "cpu"),
                                        &report);
  REQUIRE(!image.ok());
  CHECK(image.status().code() == StatusCode::unsupported);
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].code == "unsupported");
  CHECK(report.diagnostics[0].where.line == 5);

  // The operands of a dot go through shared memory whatever layouts are chosen.
  image = compile(requestFor(R"(
tile.kernel @k(%A: !tile.view<256x128xf32>, %B: !tile.view<128x256xf32>,
               %C: !tile.view<256x256xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %a = tile.load %A[%c0, %c0] pad 0.0 : !tile.view<256x128xf32> -> tensor<256x128xf32>
  %b = tile.load %B[%c0, %c0] pad 0.0 : !tile.view<128x256xf32> -> tensor<128x256xf32>
  %d = tile.dot %a, %b, %zero : tensor<256x128xf32>, tensor<128x256xf32> -> tensor<256x256xf32>
  tile.store %d, %C[%c0, %c0] : tensor<256x256xf32>, !tile.view<256x256xf32>
})",
                             "sm_86"),
                  &report);
  REQUIRE(!image.ok());
  INFO(image.status().message());
  CHECK(image.status().code() == StatusCode::resourceExhausted);
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].code == "resources");
  CHECK(!report.diagnostics[0].notes.empty());
}
