// Tile kernels as PTX: each compiles for every target, and ptxas takes it.
#include "Kernels.h"

#include "test/ptxas/Ptxas.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::ptxtest;

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
        std::vector<std::string>{"aligned(arg0, 16)", "aligned(arg1, 16)",
                                 "arg0.stride0 == arg0.dim1 * arg0.stride1",
                                 "arg0.dim1 == 64", "arg0.stride1 == 1",
                                 "arg1.stride0 == arg1.dim1 * arg1.stride1",
                                 "arg1.dim1 == 64", "arg1.stride1 == 1"});
}

/// Rows of A times columns of B, 128 x 128 results a program.
static std::string matmul(const std::string &operand, const std::string &sum,
                          int depth) {
  std::string k = std::to_string(depth);
  return R"(
tile.kernel @matmul(%A: !tile.view<128x4096x)" +
         operand + R"(>, %B: !tile.view<4096x128x)" + operand +
         R"(>, %C: !tile.view<128x128x)" + sum + R"(>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 7 : index
  %zero = tile.load %C[%c0, %c0] : !tile.view<128x128x)" +
         sum + R"(> -> tensor<128x128x)" + sum + R"(>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<128x128x)" +
         sum + R"(> {
    %a = tile.load %A[%c0, %k] : !tile.view<128x4096x)" +
         operand + R"(> -> tensor<128x)" + k + "x" + operand + R"(>
    %b = tile.load %B[%k, %c0] : !tile.view<4096x128x)" +
         operand + R"(> -> tensor<)" + k + "x128x" + operand + R"(>
    %r = tile.dot %a, %b, %acc : tensor<128x)" +
         k + "x" + operand + ">, tensor<" + k + "x128x" + operand +
         "> -> tensor<128x128x" + sum + R"(>
    scf.yield %r : tensor<128x128x)" +
         sum + R"(>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<128x128x)" +
         sum + R"(>, !tile.view<128x128x)" + sum + R"(>
}
)";
}

TEST_CASE("kernel: a dot in chunks of its depth") {
  // 64 accumulators a thread, 16 positions a chunk, two chunks: the body's code
  // is that of one.
  KernelImage image = checkAllTargets(matmul("f32", "f32", 32));
  CHECK(image.manifest.block == 256);
  // Of the last target, sm_120a: its 99 KB hold three slots of both tiles.
  CHECK(image.manifest.shared == 3 * (2 * 128 * 32 * 4));
  CHECK(count(image.code, "fma.rn.f32") == 64 * 16);
  // For 4 positions, 8 rows and 8 columns, in vectors of 4.
  CHECK(count(image.code, "ld.shared.v4.b32") == 2 * 8 * 4);
  CHECK(count(image.code, "ld.shared") == 2 * 8 * 4);
  // One barrier: the tiles are there, and those before are no longer needed.
  CHECK(count(image.scheduled, "tilegpu.barrier") == 1);
}

TEST_CASE("kernel: dots of all elements") {
  // A depth of 27 has chunks of 9; 13 and 37 are one chunk each.
  for (auto [operand, sum, depth, what, least] :
       {std::tuple("f16", "f32", 64, "mma.sync.aligned.m16n8k16", 4),
        {"bf16", "f32", 27, "fma.rn.f32", 64},
        {"f16", "f16", 16, "mma.sync.aligned.m16n8k16", 1},
        {"bf16", "bf16", 8, "mma.sync.aligned.m16n8k8", 1},
        {"bf16", "bf16", 13, "fma.rn.f32", 64},
        {"f64", "f64", 16, "mma.sync.aligned.m8n8k4", 64},
        {"f64", "f64", 13, "fma.rn.f64", 64},
        {"i8", "i32", 64, "mma.sync.aligned.m16n8k32", 4},
        {"i8", "i32", 27, "mad.lo.s32", 64},
        {"i64", "i64", 37, "mad.lo.s64", 64}}) {
    CAPTURE(operand, sum, depth);
    KernelImage image = checkAllTargets(matmul(operand, sum, depth));
    CHECK(count(image.code, what) >= least);
  }
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
  // Vectors of them are what PTX 8.1 has more than the target's first version.
  CHECK(count(f32, "red.release.gpu.global.add.v4.f32") >= 1);
  CHECK(count(f32, ".version 8.1") == 1);
  f32 = compiled("f32", "sm_100a");
  CHECK(count(f32, "red.release.gpu.global.add.v4.f32") >= 1);
  CHECK(count(f32, ".version 8.6") == 1);
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
  // One thread reads the flag; the others get it after a barrier. The loop
  // stays, though its results are unused.
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

// A divisor that may be 0 is replaced by 1: where it is 0 the result is unused.
TEST_CASE("kernel: known divisors divide at once") {
  auto text = [](const std::string &divisor) {
    std::string size = "64";
    std::string tile = "tensor<" + size + "xi32>";
    std::string view = "!tile.view<" + size + "xi32>";
    return "tile.kernel @k(%x: " + view + ", %y: " + view + ") {\n" +
           "%c0 = arith.constant 0 : index\n%t = tile.load %x[%c0] : " + view +
           " -> " + tile + "\n%u = tile.load %y[%c0] : " + view + " -> " +
           tile + "\n%n = arith.constant dense<3> : " + tile +
           "\n%q = arith.divsi %t, " + divisor + " : " + tile +
           "\ntile.store %q, %y[%c0] : " + tile + ", " + view + "\n}\n";
  };
  // Of two elements the divisor, and -x where it is -1.
  CHECK(count(checkAllTargets(text("%u")).loops, "arith.select") == 4);
  CHECK(count(checkAllTargets(text("%n")).loops, "arith.select") == 0);
}

TEST_CASE("kernel: a combiner computes in f8 with a scalar from outside") {
  KernelImage image = checkAllTargets(R"(
tile.kernel @k(%x: !tile.view<4x64xf8E5M2>, %y: !tile.view<4xf8E5M2>, %s: f8E5M2) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<4x64xf8E5M2> -> tensor<4x64xf8E5M2>
  %r = tile.reduce %t axis 1 {
  ^bb0(%a: f8E5M2, %b: f8E5M2):
    %half = arith.constant 0.5 : f8E5M2
    %c = arith.addf %a, %b : f8E5M2
    %d = arith.mulf %c, %half : f8E5M2
    %e = arith.maximumf %d, %s : f8E5M2
    tile.yield %e : f8E5M2
  } : tensor<4x64xf8E5M2> -> tensor<4xf8E5M2>
  tile.store %r, %y[%c0] : tensor<4xf8E5M2>, !tile.view<4xf8E5M2>
}
)");
  // Of pairs as f16, which LLVM sees to be exact, and of single ones as f32.
  CHECK(count(image.code, "max.NaN.f") >= 6);
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
tile.kernel @show(%x: !tile.view<16xi32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<16xi32> -> tensor<16xi32>
  tile.print "x", %t : tensor<16xi32>
}
)",
                                            *target::findGpuTarget("sm_80"));
  REQUIRE_FALSE(image.ok());
  CHECK_THAT(image.status().message(),
             Catch::StartsWith("kernel 'show': -:5:3: tile.print: "));
}

TEST_CASE("kernel: scans by registers, lanes and warps") {
  auto scan = [](const std::string &shape, const std::string &order) {
    std::string view = "!tile.view<" + shape + "xi32>";
    std::string tile = "tensor<" + shape + "xi32>";
    return "tile.kernel @scan(%x: " + view + ") {\n" +
           "%c0 = arith.constant 0 : index\n" +
           "%t = tile.load %x[%c0, %c0] : " + view + " -> " + tile + "\n" +
           "%s = tile.scan %t axis 1 " + order + " {\n" +
           "^bb0(%a: i32, %b: i32):\n%r = arith.addi %a, %b : i32\n" +
           "tile.yield %r : i32\n} : " + tile + " -> " + tile + "\n" +
           "tile.store %s, %x[%c0, %c0] : " + tile + ", " + view + "\n}\n";
  };
  // A row has 4 registers in each of 16 lanes: 4 steps, and the lane before.
  // This includes each of a thread's 4 rows.
  KernelImage lanes = checkAllTargets(scan("64x64", ""));
  CHECK(lanes.manifest.block == 256);
  CHECK(count(lanes.code, "shfl.sync.idx") == 4 * 5);
  CHECK(count(lanes.code, "bar.sync") == 0);
  // Several warps share the line: their totals meet in shared memory.
  KernelImage warps = checkAllTargets(scan("1x4096", ""));
  CHECK(warps.manifest.block == 256);
  CHECK(count(warps.scheduled, "tilegpu.scan") == 1);
  CHECK(count(warps.scheduled, "totals") == 2);
  CHECK(count(warps.code, "bar.sync") >= 1);
  // Padding comes before the line's elements, and is no part of it.
  KernelImage padded = checkAllTargets(scan("3x50", "reverse"));
  CHECK(count(padded.code, "setp.lt.u32") >= 1);
}

TEST_CASE("kernel: a combiner with branches, and with values from outside") {
  for (std::string op : {"tile.scan", "tile.reduce"}) {
    CAPTURE(op);
    std::string result = op == "tile.scan" ? "6x40xi32" : "6xi32";
    std::string location = op == "tile.scan" ? "[%c0, %c0]" : "[%c0]";
    checkAllTargets(
        "tile.kernel @combine(%x: !tile.view<6x40xi32>, %n: i32, %y: "
        "!tile.view<" +
        result +
        ">) {\n%c0 = arith.constant 0 : index\n"
        "%t = tile.load %x[%c0, %c0] : !tile.view<6x40xi32> -> "
        "tensor<6x40xi32>\n"
        // Ops on vectors: the constant and %n are broadcast.
        "%s = tile.scan %t axis 1 {\n^bb0(%a: i32, %b: i32):\n"
        "%c3 = arith.constant 3 : i32\n%m = arith.muli %a, %c3 : i32\n"
        "%q = arith.addi %m, %n : i32\n%r = arith.addi %q, %b : i32\n"
        "tile.yield %r : i32\n} : tensor<6x40xi32> -> tensor<6x40xi32>\n"
        // Element by element.
        "%u = " +
        op +
        " %s axis 1 {\n^bb0(%a: i32, %b: i32):\n"
        "%c = arith.cmpi slt, %a, %n : i32\n"
        "%r = scf.if %c -> (i32) {\nscf.yield %b : i32\n} else {\n"
        "scf.yield %a : i32\n}\ntile.yield %r : i32\n} : "
        "tensor<6x40xi32> -> tensor<" +
        result +
        ">\n"
        "tile.store %u, %y" +
        location + " : tensor<" + result + ">, !tile.view<" + result +
        ">\n}\n");
  }
}

/// One op from %x to %y, on elements of every kind that memory holds.
static void checkOp(const std::string &op, const std::string &from,
                    const std::string &to) {
  for (std::string element : {"i1", "i8", "f16", "i32", "f64"}) {
    CAPTURE(op, element);
    std::string source = from + "x" + element, result = to + "x" + element;
    std::string zeros = "%c0, %c0";
    checkAllTargets(
        "tile.kernel @op(%x: !tile.view<" + source + ">, %y: !tile.view<" +
        result + ">) {\n" + "%c0 = arith.constant 0 : index\n" +
        "%t = tile.load %x[" + zeros + "] : !tile.view<" + source +
        "> -> tensor<" + source + ">\n%r = " + op + " : tensor<" + source +
        "> -> tensor<" + result + ">\n" + "tile.store %r, %y[" + zeros +
        "] : tensor<" + result + ">, !tile.view<" + result + ">\n}\n");
  }
}

TEST_CASE("kernel: slices of every kind of element") {
  checkOp("tile.slice %t [3, 1] step [2, 3]", "40x33", "17x9");
  checkOp("tile.slice %t [16, 0]", "64x32", "16x32");
}

TEST_CASE("kernel: gathers, reshapes, joins and splits of every element") {
  for (std::string element : {"i1", "i8", "bf16", "f32", "i64"}) {
    CAPTURE(element);
    auto tile = [&](const std::string &shape) {
      return "tensor<" + shape + "x" + element + ">";
    };
    KernelImage image = checkAllTargets(
        "tile.kernel @move(%x: !tile.view<21x10x" + element +
        ">, %i: !tile.view<21x4xi16>, %n: index, %y: !tile.view<6x14x" +
        element + ">) {\n%c0 = arith.constant 0 : index\n" +
        "%t = tile.load %x[%c0, %c0] : !tile.view<21x10x" + element + "> -> " +
        tile("21x10") + "\n" +
        "%at = tile.load %i[%c0, %c0] : !tile.view<21x4xi16> -> "
        "tensor<21x4xi16>\n" +
        "%g = tile.gather %t, %at axis 1 : " + tile("21x10") +
        ", tensor<21x4xi16> -> " + tile("21x4") + "\n" +
        "%r = tile.reshape %g : " + tile("21x4") + " -> " + tile("6x7x2") +
        "\n%a, %b = tile.split %r : " + tile("6x7x2") + " -> " + tile("6x7") +
        ", " + tile("6x7") + "\n" + "%j = tile.join %b, %a : " + tile("6x7") +
        ", " + tile("6x7") + " -> " + tile("6x7x2") + "\n" +
        "%f = tile.reshape %j : " + tile("6x7x2") + " -> " + tile("6x14") +
        "\n%e = tile.extract %t[%n, %n] : " + tile("21x10") + "\n" +
        "%s = tile.splat %e : " + element + " -> " + tile("6x14") + "\n" +
        "%c = arith.constant true\n%o = arith.select %c, %f, %s : " +
        tile("6x14") + "\n" + "tile.store %o, %y[%c0, %c0] : " + tile("6x14") +
        ", !tile.view<6x14x" + element + ">\n}\n");
    CHECK(count(image.scheduled, "tilegpu.gather_shared") == 1);
  }
}

TEST_CASE("kernel: parts of a tile in registers, in vectors, one by one") {
  auto concat = [](const std::string &second, const std::string &all) {
    return "tile.kernel @concat(%x: !tile.view<16x64xf32>, %y: !tile.view<" +
           second + ">, %z: !tile.view<" + all + ">) {\n" +
           "%c0 = arith.constant 0 : index\n" +
           "%t = tile.load %x[%c0, %c0] : !tile.view<16x64xf32> -> "
           "tensor<16x64xf32>\n" +
           "%u = tile.load %y[%c0, %c0] : !tile.view<" + second +
           "> -> tensor<" + second + ">\n" +
           "%r = tile.concat %t, %u axis 1 : tensor<16x64xf32>, tensor<" +
           second + "> -> tensor<" + all + ">\n" +
           "tile.store %r, %z[%c0, %c0] : tensor<" + all + ">, !tile.view<" +
           all + ">\n}\n";
  };
  // Three times 32 columns: the parts are registers of the whole.
  KernelImage free = checkAllTargets(concat("16x32xf32", "16x96xf32"));
  CHECK(free.manifest.shared == 0);
  // A row of 128 runs over all lanes: halves of it are elsewhere.
  KernelImage even = checkAllTargets(concat("16x64xf32", "16x128xf32"));
  CHECK(count(even.code, "st.shared.v4.b32") > 0);
  CHECK(count(even.code, "st.shared.b32") == 0);
  // Rows of 97 elements begin anywhere.
  KernelImage odd = checkAllTargets(concat("16x33xf32", "16x97xf32"));
  CHECK(count(odd.code, "st.shared.v") == 0);
}

TEST_CASE("kernel: pointers move like other elements") {
  KernelImage image = checkAllTargets(R"(
tile.kernel @pointers(%x: !tile.ptr<f16>, %i: !tile.view<64xi32>, %y: !tile.view<31xf16>) {
  %c0 = arith.constant 0 : index
  %at = tile.load %i[%c0] : !tile.view<64xi32> -> tensor<64xi32>
  %p = tile.offset %x, %at : !tile.ptr<f16>, tensor<64xi32>
  %q = tile.slice %p [1] step [2] : tensor<64x!tile.ptr<f16>> -> tensor<31x!tile.ptr<f16>>
  %v = tile.load_ptr %q : tensor<31x!tile.ptr<f16>>
  tile.store %v, %y[%c0] : tensor<31xf16>, !tile.view<31xf16>
}
)");
  CHECK(count(image.code, "ld.global.b16") == 1);
}

TEST_CASE("kernel: a sort of each type of keys") {
  for (std::string element :
       {"i1", "i8", "i16", "i32", "i64", "f16", "f32", "f64"}) {
    CAPTURE(element);
    std::string tile = "tensor<6x40x" + element + ">";
    std::string view = "!tile.view<6x40x" + element + ">";
    KernelImage image = checkAllTargets(
        "tile.kernel @sort(%x: " + view + ", %i: !tile.view<6x7xi32>) {\n" +
        "%c0 = arith.constant 0 : index\n" +
        "%t = tile.load %x[%c0, %c0] : " + view + " -> " + tile + "\n" +
        "%s = tile.sort %t axis 1 descending : " + tile + "\n" +
        "tile.store %s, %x[%c0, %c0] : " + tile + ", " + view + "\n" +
        "%v, %p = tile.top_k %t axis 1 : " + tile + " -> tensor<6x7x" +
        element + ">, tensor<6x7xi32>\n" +
        "tile.store %p, %i[%c0, %c0] : tensor<6x7xi32>, "
        "!tile.view<6x7xi32>\n}\n");
    // Neighbours in lanes meet by a shuffle with an exclusive or.
    CHECK(count(image.code, "shfl.sync.bfly") > 0);
  }
}

TEST_CASE("kernel: a histogram counts by atomics of the block") {
  KernelImage image = checkAllTargets(R"(
tile.kernel @histogram(%x: !tile.view<1024xi16>, %y: !tile.view<100xi32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<1024xi16> -> tensor<1024xi16>
  %h = tile.histogram %t : tensor<1024xi16> -> tensor<100xi32>
  tile.store %h, %y[%c0] : tensor<100xi32>, !tile.view<100xi32>
}
)");
  CHECK(count(image.code, "shared.add.u32") == 1024 / image.manifest.block);
  // Zeros, counts, and reading them.
  CHECK(count(image.code, "bar.sync") == 2);
  CHECK(image.manifest.shared == 400);
}

TEST_CASE("kernel: a constant of a resource is rejected") {
  StatusOr<KernelImage> image = compileText(R"(
tile.kernel @k(%y: !tile.view<2xi32>) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense_resource<data> : tensor<2xi32>
  tile.store %a, %y[%c0] : tensor<2xi32>, !tile.view<2xi32>
}
{-#
  dialect_resources: { builtin: { data: "0x040000000100000002000000" } }
#-}
)",
                                            *target::findGpuTarget("sm_80"));
  REQUIRE_FALSE(image.ok());
  CHECK_THAT(image.status().message(),
             Catch::Contains("arith.constant: expected dense<...>"));
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
  // 8 warps share the row: maximum and sum each meet in shared memory of their
  // own, and 8 lanes combine what 8 warps found.
  CHECK(image.schedule.schedule.warps == 8);
  CHECK(count(image.scheduled, "tilegpu.barrier") == 2);
  CHECK(count(image.code, "bar.sync") == 2);
  CHECK(count(image.code, "shfl.sync.bfly") == 2 * (5 + 3));
  CHECK(image.manifest.shared == 64);
  CHECK(image.manifest.block == 256);
}

TEST_CASE("kernel: shared memory ends where its last access does") {
  // Three times two halves of two warps, 12 bytes, are read by one access of
  // 16.
  CompileOptions options;
  options.wantText = true;
  options.schedule.emplace().warps = 2;
  StatusOr<KernelImage> image =
      compileText(R"(
tile.kernel @rows(%x: !tile.view<3x256xf16>, %y: !tile.view<3xf16>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<3x256xf16> -> tensor<3x256xf16>
  %m = tile.reduce %t axis 1 {
  ^bb0(%a: f16, %b: f16):
    %g = arith.maximumf %a, %b : f16
    tile.yield %g : f16
  } : tensor<3x256xf16> -> tensor<3xf16>
  tile.store %m, %y[%c0] : tensor<3xf16>, !tile.view<3xf16>
}
)",
                  *target::findGpuTarget("sm_90a"), options);
  REQUIRE(image.ok());
  CHECK(count(image->code, "ld.shared.v4.b32") == 1);
  CHECK(count(image->scheduled, "tilegpu.shared = 12") == 1);
  CHECK(image->manifest.shared == 16);
}
