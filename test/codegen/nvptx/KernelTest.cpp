// Tile kernels as PTX: each compiles for every target, and ptxas takes it.
#include "codegen/pipeline/Compile.h"
#include "mlir/Parser/Parser.h"
#include "test/ptxas/Ptxas.h"
#include <catch2/catch.hpp>
#include <chrono>

using namespace mlir;
using namespace tilewright;

namespace {
struct Session {
  Session() { prepareContext(context); }
  MLIRContext context;
};

StatusOr<KernelImage> compileText(const std::string &text,
                                  const target::GpuTarget &target,
                                  const CompileOptions &options = {}) {
  static Session session;
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, &session.context);
  REQUIRE(module);
  return compile(*module->getOps<tile::KernelOp>().begin(), target, options);
}

/// Compiles for all targets; the image for `wanted`, with texts.
KernelImage checkAllTargets(const std::string &text,
                            std::string_view wanted = "sm_90a") {
  KernelImage result;
  CompileOptions options;
  options.wantText = true;
  for (const target::GpuTarget &target : target::gpuTargets()) {
    CAPTURE(target.name);
    StatusOr<KernelImage> image = compileText(text, target, options);
    if (!image.ok())
      FAIL(image.status().message());
    if (test::hasPtxas()) {
      test::Assembled assembled = test::assemble(image->code, target.name);
      INFO(assembled.log);
      INFO(image->code);
      CHECK(assembled.accepted);
    }
    if (target.name == wanted)
      result = std::move(*image);
  }
  return result;
}
int count(const std::string &text, const std::string &part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++found;
  return found;
}
} // namespace

TEST_CASE("kernel: element by element, with edges") {
  KernelImage image = checkAllTargets(R"(
tile.kernel @add(%x: !tile.view<?x64xf32>, %y: !tile.view<?x64xf32>)
    grid affine_map<()[M, c, m, d] -> (M ceildiv 32)> {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<32x64xf32>
  %i = tile.program_id
  %t = tile.load %x[%i, %c0] pad 0.0 : !tile.view<?x64xf32> -> tensor<32x64xf32>
  %s = arith.addf %t, %one : tensor<32x64xf32>
  tile.store %s, %y[%i, %c0] : tensor<32x64xf32>, !tile.view<?x64xf32>
}
)");
  // Rows of 256 bytes: 16 bytes a thread, 4 times 8 rows.
  CHECK(count(image.code, "st.global.v4.b32") >= 4);
  CHECK(count(image.code, "ld.global.v4.b32") >= 4);
  CHECK(count(image.code, "ld.global.b32") == 0);
  CHECK(count(image.code, "shared") == 0);
  CHECK(image.manifest.block == 128);
  CHECK(image.manifest.shared == 0);
  CHECK(image.manifest.guards ==
        std::vector<std::string>{"aligned(arg0, 16)", "aligned(arg1, 16)"});
}

TEST_CASE("kernel: a gather through pointers, masked") {
  KernelImage image = checkAllTargets(R"(
tile.kernel @gather(%x: !tile.ptr<f16>, %i: !tile.view<64xi32>, %y: !tile.view<64xf16>, %n: i32) {
  %c0 = arith.constant 0 : index
  %at = tile.load %i[%c0] : !tile.view<64xi32> -> tensor<64xi32>
  %p = tile.offset %x, %at : !tile.ptr<f16>, tensor<64xi32>
  %bound = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi ult, %at, %bound : tensor<64xi32>
  %v = tile.load_ptr %p mask %m : tensor<64x!tile.ptr<f16>>
  tile.store_ptr %v, %p mask %m : tensor<64x!tile.ptr<f16>>
  tile.store %v, %y[%c0] : tensor<64xf16>, !tile.view<64xf16>
}
)");
  // 64 elements by 32 threads, each element once, and the others skipped.
  CHECK(image.manifest.block == 32);
  CHECK(count(image.code, "ld.global.b16") == 2);
  CHECK(count(image.code, "st.global.b16") >= 2);
  CHECK(count(image.code, "bra") >= 2);
  // The pointers may lead to what is stored: reads come first.
  CHECK(count(image.scheduled, "tilegpu.barrier") >= 1);
}

TEST_CASE("kernel: atomics by the instructions that a target has") {
  const char *text = R"(
tile.kernel @k(%p: !tile.ptr<TYPE>, %y: !tile.view<128x8xTYPE>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %y[%c0, %c0] : !tile.view<128x8xTYPE> -> tensor<128x8xTYPE>
  %one = arith.constant 1.0 : TYPE
  %a = tile.atomic_rmw add acq_rel system %one, %p : !tile.ptr<TYPE>
  %b = tile.atomic_rmw max relaxed cluster %a, %p : !tile.ptr<TYPE>
  tile.atomic_reduce add release device %x, %y[%c0, %c0] : tensor<128x8xTYPE>, !tile.view<128x8xTYPE>
}
)";
  auto compiled = [&](const std::string &type, const char *target) {
    std::string kernel = text;
    for (size_t at; (at = kernel.find("TYPE")) != std::string::npos;)
      kernel.replace(at, 4, type);
    return checkAllTargets(kernel, target).code;
  };
  std::string f32 = compiled("f32", "sm_90a");
  CHECK(count(f32, "atom.acq_rel.sys.global.add.f32") == 1);
  // No instruction lets a NaN through.
  CHECK(count(f32, "max.NaN.f32") == 1);
  CHECK(count(f32, "atom.relaxed.cluster.global.cas.b32") == 1);
  f32 = compiled("f32", "sm_100a");
  CHECK(count(f32, "red.release.gpu.global.add.v4.f32") >= 1);
  f32 = compiled("f32", "sm_89");
  CHECK(count(f32, "atom.relaxed.gpu.global.cas.b32") == 1);
  CHECK(count(f32, "red.release.gpu.global.add.f32") >= 4);
  CHECK(count(f32, ".v4.f32") == 0);
  std::string bf16 = compiled("bf16", "sm_90a");
  CHECK(count(bf16, "atom.acq_rel.sys.global.add.noftz.bf16") == 1);
  bf16 = compiled("bf16", "sm_80");
  CHECK(count(bf16, "noftz") == 0);
  CHECK(count(bf16, "atom.acq_rel.sys.global.cas.b16") == 1);
}

TEST_CASE("kernel: what an acquire and a release mean for a block") {
  KernelImage image = checkAllTargets(R"(
tile.kernel @k(%flag: !tile.ptr<i32>, %x: !tile.view<1024xf32>, %y: !tile.view<1024xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %f = tile.load_ptr %flag acquire device : !tile.ptr<i32>
    %wait = arith.cmpi ne, %f, %one : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  %t = tile.load %x[%c0] : !tile.view<1024xf32> -> tensor<1024xf32>
  tile.store %t, %y[%c0] : tensor<1024xf32>, !tile.view<1024xf32>
  tile.fence seq_cst system
  tile.store_ptr %one, %flag release device : !tile.ptr<i32>
}
)");
  // One thread reads the flag; the others have it behind a barrier. The loop
  // stays, though nothing uses what it computes.
  size_t at = 0;
  for (const char *next :
       {"scf.while", "tile.load_ptr", "acquire device", "store_shared",
        "tilegpu.barrier", "load_shared", "tile.load ", "tile.store ",
        "tilegpu.barrier", "tile.fence seq_cst system", "tilegpu.barrier",
        "tile.store_ptr", "release device"}) {
    CAPTURE(next);
    at = image.scheduled.find(next, at);
    REQUIRE(at != std::string::npos);
  }
  CHECK(count(image.code, "ld.acquire.gpu.global.b32") == 1);
  CHECK(count(image.code, "fence.sc.sys") == 1);
  CHECK(count(image.code, "st.release.gpu.global.b32") == 1);
}

TEST_CASE("kernel: lines of the source") {
  const char *text = R"(
tile.kernel @k(%x: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %u = arith.mulf %t, %t : tensor<64xf32>
  tile.store %u, %x[%c0] : tensor<64xf32>, !tile.view<64xf32>
}
)";
  CompileOptions options;
  for (const target::GpuTarget &target : target::gpuTargets()) {
    CAPTURE(target.name);
    options.lineInfo = false;
    std::string plain = compileText(text, target, options)->code;
    CHECK(count(plain, ".loc") == 0);
    options.lineInfo = true;
    std::string ptx = compileText(text, target, options)->code;
    CHECK(ptx == compileText(text, target, options)->code);
    CHECK(count(ptx, ".file\t1 ") == 1);
    size_t load = ptx.find("ld.global"), line = ptx.rfind(".loc", load);
    CHECK(ptx.substr(line, 9) == ".loc\t1 4 ");
    size_t store = ptx.find("st.global");
    line = ptx.rfind(".loc", store);
    CHECK(ptx.substr(line, 9) == ".loc\t1 6 ");
    // Optimized all the same, and no debugger's tables.
    CHECK(count(ptx, ", debug") == 0);
    CHECK(count(ptx, ".debug_info") == 0);
    CHECK(count(ptx, ".debug_line") == 0);
    if (!test::hasPtxas())
      continue;
    test::Assembled assembled = test::assemble(ptx, target.name);
    INFO(assembled.log);
    CHECK(assembled.accepted);
  }
}

TEST_CASE("kernel: what has no lowering is named") {
  StatusOr<KernelImage> image = compileText(R"(
tile.kernel @dot(%x: !tile.view<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  %d = tile.dot %t, %t, %t : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %d, %x[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}
)",
                                            *target::findGpuTarget("sm_80"));
  REQUIRE_FALSE(image.ok());
  CHECK(image.status().message() ==
        "kernel 'dot': loc(\"-\":5:8): tile.dot: not supported on a GPU yet");
}

constexpr const char *softmax = R"(
tile.kernel @softmax(%x: !tile.view<?x4096xf32>, %y: !tile.view<?x4096xf32>)
    grid affine_map<()[M, c, m, d] -> (M)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %row = tile.load %x[%i, %c0] pad 0.0 : !tile.view<?x4096xf32> -> tensor<1x4096xf32>
  %max = tile.reduce %row axis 1 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tile.yield %m : f32
  } : tensor<1x4096xf32> -> tensor<1xf32>
  %max1 = tile.reshape %max : tensor<1xf32> -> tensor<1x1xf32>
  %maxes = tile.broadcast %max1 : tensor<1x1xf32> -> tensor<1x4096xf32>
  %shifted = arith.subf %row, %maxes : tensor<1x4096xf32>
  %e = math.exp %shifted : tensor<1x4096xf32>
  %sum = tile.reduce %e axis 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : tensor<1x4096xf32> -> tensor<1xf32>
  %sum1 = tile.reshape %sum : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %sum1 : tensor<1x1xf32> -> tensor<1x4096xf32>
  %r = arith.divf %e, %sums : tensor<1x4096xf32>
  tile.store %r, %y[%i, %c0] : tensor<1x4096xf32>, !tile.view<?x4096xf32>
}
)";

TEST_CASE("kernel: softmax") {
  KernelImage image = checkAllTargets(softmax);
  // 8 warps share the row: each maximum and each sum meets in shared memory,
  // and the second does not overtake the first.
  CHECK(image.schedule.schedule.warps == 8);
  CHECK(count(image.scheduled, "tilegpu.barrier") == 3);
  CHECK(count(image.code, "bar.sync") == 3);
  CHECK(count(image.code, "shfl.sync.bfly") == 10);
  CHECK(image.manifest.shared == 32);
  CHECK(image.manifest.block == 256);
}

/// Prints the time from text to PTX in a warm process; only runs when it is
/// named.
TEST_CASE("kernel: time of softmax", "[.measure]") {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int i = 0; i < 50; ++i) {
    Clock::time_point start = Clock::now();
    REQUIRE(compileText(softmax, *target::findGpuTarget("sm_90a")).ok());
    std::chrono::duration<double, std::milli> took = Clock::now() - start;
    best = std::min(best, took.count());
  }
  WARN("text to PTX: " << best << " ms, least of 50");
}
