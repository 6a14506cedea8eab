// The faults that the reference of threads finds: modules in the llvm dialect,
// each right but for one thing.
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/mlir/Compile.h"
#include "verify/threads/ThreadsReference.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace mlir;
using namespace tilewright;
using verify::threads::LaunchOptions;
using verify::threads::Program;

namespace {
/// A function @k of two buffers of 64 numbers, of which the first is written.
struct Machine {
  explicit Machine(const std::string &target = "sm_80") : target(target) {
    prepareContext(context);
    context.printOpOnDiagnostic(false);
  }

  /// What is wrong with the body; empty if it ran.
  std::string run(const std::string &body, LaunchOptions options = {}) {
    if (options.threads == 1 && target != "cpu")
      options.threads = 64;
    options.shared = 256;
    std::string error;
    ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          error += diagnostic.str() + "\n";
          for (mlir::Diagnostic &note : diagnostic.getNotes())
            error += "note: " + note.str() + "\n";
        });
    const std::string arguments =
        target == "cpu"
            ? "%args: !llvm.ptr, %grid: !llvm.ptr, %first: i64, %last: i64, "
              "%scratch: !llvm.ptr"
            : "%in: i64, %out: i64";
    auto module = parseSourceString<ModuleOp>(
        "module attributes {tile.target = #tile.target<\"" + target +
            "\">} {\n"
            "llvm.mlir.global external @shared() {addr_space = 3 : i32} : "
            "!llvm.array<0 x i8>\n"
            "llvm.mlir.global private constant @data(dense<7> : "
            "tensor<4xi32>) : !llvm.array<4 x i32>\n"
            "llvm.func @k(" +
            arguments + ") {\n" + body + "\nllvm.return\n}\n}",
        ParserConfig(&context));
    INFO(error);
    REQUIRE(module);
    auto function = module->lookupSymbol<FunctionOpInterface>("k");
    auto program = Program::compile(function);
    if (failed(program))
      return error;
    for (int i = 0; i < 64; ++i)
      in[i] = i;
    written[0].assign(256, 1);
    written[1].assign(256, 0);
    auto bytes = [](std::vector<int32_t> &data) {
      return MutableArrayRef(reinterpret_cast<uint8_t *>(data.data()), 256);
    };
    const reference::Memory::Mapping memory[] = {
        {"in", 0x10000000000, bytes(in), written[0], true},
        {"out", 0x20000000000, bytes(out), written[1], false}};
    if (failed((*program)->run({memory[0].address, memory[1].address}, memory,
                               options)))
      CHECK(error != "");
    return error;
  }

  std::string target;
  MLIRContext context;
  std::vector<int32_t> in = std::vector<int32_t>(64),
                       out = std::vector<int32_t>(64);
  std::vector<uint8_t> written[2];
};
} // namespace

/// The thread's index, its numbers in both buffers and in shared memory.
static const std::string begin = R"(
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %pin = llvm.inttoptr %in : i64 to !llvm.ptr<1>
  %pout = llvm.inttoptr %out : i64 to !llvm.ptr<1>
  %from = llvm.getelementptr %pin[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  %to = llvm.getelementptr %pout[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  %s = llvm.mlir.addressof @shared : !llvm.ptr<3>
  %own = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c31 = llvm.mlir.constant(31 : i32) : i32
  %c32 = llvm.mlir.constant(32 : i32) : i32
  %c63 = llvm.mlir.constant(63 : i32) : i32
  %all = llvm.mlir.constant(-1 : i32) : i32
  %next = llvm.xor %t, %c1 : i32
  %far = llvm.xor %t, %c32 : i32
  %other = llvm.getelementptr %s[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %v = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> i32
)";

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("threads: an exchange through shared memory needs its barrier") {
  Machine machine;
  auto exchange = [&](const std::string &between) {
    return machine.run(begin + R"(
      llvm.store %v, %own : i32, !llvm.ptr<3>
      )" + between + R"(
      %w = llvm.load %other : !llvm.ptr<3> -> i32
      llvm.store %w, %to : i32, !llvm.ptr<1>)");
  };
  CHECK(exchange("nvvm.barrier") == "");
  for (int i = 0; i < 64; ++i)
    CHECK(machine.out[i] == (i ^ 1));
  const std::string error = exchange("");
  // Thread 0 runs first, and reads what nobody wrote; thread 1 then writes it.
  INFO(error);
  CHECK((contains(error, "with no barrier between") ||
         contains(error, "poison")));
}

TEST_CASE("threads: two accesses that nothing orders are a race") {
  Machine machine;
  // Each thread reads what it wrote, then the neighbour's.
  const std::string error = machine.run(begin + R"(
    llvm.store %v, %own : i32, !llvm.ptr<3>
    nvvm.barrier
    %w = llvm.load %other : !llvm.ptr<3> -> i32
    llvm.store %w, %own : i32, !llvm.ptr<3>)");
  CHECK(contains(error, "llvm.load: a read of byte"));
  CHECK(contains(error, "of 'shared memory' by thread"));
  CHECK(contains(error, "note: the other one is this llvm.store"));
  // Global memory, too: all threads write one number.
  CHECK(
      contains(machine.run(begin + "llvm.store %v, %pout : i32, !llvm.ptr<1>"),
               "a write of byte 0 of 'out'"));
  // The lanes of one warp may store the same; another warp may not.
  LaunchOptions warp;
  warp.threads = 32;
  const std::string same = "llvm.store %c1, %pout : i32, !llvm.ptr<1>";
  CHECK(machine.run(begin + same, warp) == "");
  CHECK(contains(machine.run(begin + same), "with no barrier between"));
  // Atomic updates are ordered.
  CHECK(machine.run(begin + R"(
    %whole = llvm.icmp "eq" %t, %c0 : i32
    llvm.cond_br %whole, ^first, ^rest
  ^first:
    llvm.store %c0, %pout : i32, !llvm.ptr<1>
    llvm.br ^rest
  ^rest:
    nvvm.barrier
    %old = llvm.atomicrmw add %pout, %c1 monotonic : !llvm.ptr<1>, i32)") ==
        "");
  CHECK(machine.out[0] == 64);
}

TEST_CASE("threads: accesses outside of memory, not aligned, of constants") {
  Machine machine;
  CHECK(contains(machine.run(begin + R"(
    %past = llvm.getelementptr %to[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %v, %past : i32, !llvm.ptr<1>)"),
                 "llvm.store: access to bytes 256 to 259 of 'out', which has "
                 "256 bytes (block [0, 0, 0], thread 63)"));
  CHECK(contains(machine.run(begin + R"(
    %odd = llvm.getelementptr %to[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %v, %odd : i32, !llvm.ptr<1>)"),
                 "access to byte 2 of 'out' is not aligned to 4 bytes"));
  CHECK(
      contains(machine.run(begin + "llvm.store %v, %from : i32, !llvm.ptr<1>"),
               "write to 'in', which is constant"));
  CHECK(contains(machine.run(begin + R"(
    %d = llvm.mlir.addressof @data : !llvm.ptr
    llvm.store %v, %d : i32, !llvm.ptr)"),
                 "write to 'data data', which is constant"));
  CHECK(contains(machine.run(begin + R"(
    %z = llvm.mlir.zero : !llvm.ptr<1>
    llvm.store %v, %z : i32, !llvm.ptr<1>)"),
                 "access through a null pointer"));
}

TEST_CASE("threads: what was never written is found where it is used") {
  Machine machine;
  // Read, and dropped.
  CHECK(machine.run(begin + R"(
    %w = llvm.load %to : !llvm.ptr<1> -> i32
    %isLow = llvm.icmp "ult" %t, %c0 : i32
    %x = llvm.select %isLow, %w, %v : i1, i32
    llvm.store %x, %to : i32, !llvm.ptr<1>)") == "");
  const std::string stored = machine.run(begin + R"(
    %w = llvm.load %own : !llvm.ptr<3> -> i32
    llvm.store %w, %to : i32, !llvm.ptr<1>)");
  CHECK(contains(stored, "llvm.store: what it stores is a poison value"));
  CHECK(contains(stored, "note: of llvm.load, which read what was never"));
  CHECK(contains(machine.run(begin + R"(
    %w = llvm.load %own : !llvm.ptr<3> -> i32
    %is = llvm.icmp "eq" %w, %c0 : i32
    llvm.cond_br %is, ^end, ^end
  ^end:)"),
                 "llvm.cond_br: its condition is a poison value"));
}

TEST_CASE("threads: arithmetic that is not defined") {
  Machine machine;
  auto stores = [&](const std::string &ops) {
    return machine.run(begin + ops +
                       "\nllvm.store %w, %to : i32, !llvm.ptr<1>");
  };
  CHECK(stores("%w = llvm.add %v, %c63 overflow<nsw, nuw> : i32") == "");
  CHECK(contains(stores("%w = llvm.sub %v, %c63 overflow<nuw> : i32"),
                 "poison value"));
  CHECK(contains(stores("%w = llvm.shl %c1, %v : i32"), "poison value"));
  CHECK(contains(stores("%w = llvm.lshr exact %v, %c1 : i32"), "poison value"));
  CHECK(
      contains(stores("%w = llvm.or disjoint %v, %c1 : i32"), "poison value"));
  CHECK(contains(stores("%w = llvm.sdiv %c1, %v : i32"), "divides by zero"));
  CHECK(contains(stores(R"(
    %least = llvm.mlir.constant(-2147483648 : i32) : i32
    %w = llvm.sdiv %least, %all : i32)"),
                 "divides the least integer by -1"));
  CHECK(contains(stores(R"(
    %inside = llvm.getelementptr inbounds %from[65] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %w = llvm.load %inside : !llvm.ptr<1> -> i32)"),
                 "llvm.load: its address is a poison value"));
}

TEST_CASE("threads: those that wait for each other are named") {
  Machine machine;
  const std::string branch = begin + R"(
    %isLow = llvm.icmp "ult" %t, %c1 : i32
    llvm.cond_br %isLow, ^low, ^high
  ^low:
    nvvm.barrier
    llvm.br ^end
  ^high:)";
  std::string error = machine.run(branch + R"(
    llvm.br ^end
  ^end:)");
  CHECK(contains(error, "nvvm.barrier: thread 0 of block [0, 0, 0] waits here "
                        "for others, but thread 1 has ended"));
  error = machine.run(branch + R"(
    nvvm.barrier
    llvm.br ^end
  ^end:)");
  CHECK(contains(error, "but thread 1 waits at another op"));
  CHECK(contains(error, "note: thread 1 waits at this nvvm.barrier"));
  CHECK(contains(machine.run(branch + R"(
    %w = nvvm.shfl.sync bfly %all, %v, %c1, %c31 : i32 -> i32
    llvm.br ^end
  ^end:)"),
                 "waits at another op"));
}

TEST_CASE("threads: shuffles read other lanes") {
  Machine machine;
  CHECK(machine.run(begin + R"(
    %w = nvvm.shfl.sync bfly %all, %v, %c1, %c31 : i32 -> i32
    %x = nvvm.shfl.sync idx %all, %w, %c0, %c31 : i32 -> i32
    %y = llvm.add %w, %x : i32
    llvm.store %y, %to : i32, !llvm.ptr<1>)") == "");
  for (int i = 0; i < 64; ++i)
    CHECK(machine.out[i] == (i ^ 1) + (i / 32 * 32 + 1));
}

TEST_CASE("threads: bytes of a copy that is under way are nobody's") {
  Machine machine;
  auto copy = [&](const std::string &end, bool late) {
    LaunchOptions options;
    options.copiesLandLate = late;
    return machine.run(begin + R"(
      nvvm.cp.async.shared.global %own, %from, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
      nvvm.cp.async.commit.group
      )" + end + R"(
      %w = llvm.load %own : !llvm.ptr<3> -> i32
      llvm.store %w, %to : i32, !llvm.ptr<1>)",
                       options);
  };
  for (bool late : {false, true}) {
    CHECK(copy("nvvm.cp.async.wait.group 0", late) == "");
    CHECK(machine.out[5] == 5);
    const std::string error = copy("nvvm.cp.async.wait.group 1", late);
    CHECK(contains(error, "which an asynchronous copy is writing"));
    CHECK(contains(error, "note: the other one is this nvvm.cp.async"));
  }
}

TEST_CASE("threads: of a CPU there is one, with scratch memory of its own") {
  Machine machine("cpu");
  const std::string begin = R"(
    %in = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %second = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %out = llvm.load %second : !llvm.ptr -> !llvm.ptr
    %v = llvm.load %in : !llvm.ptr -> vector<4xi32>)";
  CHECK(machine.run(begin + "llvm.store %v, %out : vector<4xi32>, !llvm.ptr") ==
        "");
  CHECK(machine.out[3] == 3);
  CHECK(contains(machine.run(begin + "llvm.store %v, %scratch : vector<4xi32>, "
                                     "!llvm.ptr"),
                 "of 'scratch memory', which has 0 bytes"));
  LaunchOptions options;
  options.scratch = 16;
  CHECK(machine.run(begin + R"(
    llvm.store %v, %scratch : vector<4xi32>, !llvm.ptr
    nvvm.barrier)",
                    options) ==
        "nvvm.barrier: the one thread of a CPU waits for others here\n");
  options.stepLimit = 10;
  CHECK(
      contains(machine.run(begin + "llvm.br ^a\n^a:\nllvm.br ^a\n^b:", options),
               "the limit of steps is reached"));
}

TEST_CASE("threads: an op that is not known is one error") {
  Machine machine;
  CHECK(contains(machine.run(begin + "nvvm.cluster.arrive"),
                 "nvvm.cluster.arrive: the reference of threads does not know "
                 "this op"));
  CHECK(contains(machine.run(begin +
                             "%w = llvm.inline_asm \"bfind.u32 $0, $1;\", "
                             "\"=r,r\" %v : (i32) -> i32"),
                 "does not know this PTX: bfind.u32 $0, $1;"));
  CHECK(contains(machine.run(begin + "%w = llvm.sext %v : i32 to i128"),
                 "of at most 64 bits"));
}
