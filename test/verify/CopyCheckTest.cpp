// Asynchronous copies and rings against both judges of a kernel at the
// scheduled level, the interpreter and the check of barriers: kernels that are
// right, and each of them with one op taken out or weakened.
#include "tileir/reference/HostLaunch.h"
#include "tilewright/mlir/Compile.h"
#include "verify/barriers/BarrierCheck.h"
#include "verify/scheduled/ScheduledOps.h"

#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>
#include <numeric>

using namespace mlir;
using namespace tilewright;

namespace {
/// What the judges say of a kernel; empty where they find nothing.
struct Verdict {
  /// With copies that land at once, and late: the error and its note.
  std::string early, late;
  /// The result, if copies land early and late.
  std::vector<float> sum, lateSum;
  std::string findings;
};
} // namespace

/// A kernel @k that adds up tiles of %v, of 32 elements each, to %o.
static std::string kernelOf(const std::string &body) {
  return R"mlir(
#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#m = #tilegpu.layout<"memory cell=32 offset=(1),(2),(4),(8),(16)">
!tile = tensor<32xf32, #x>
!view = !tile.view<192xf32>
!slot = !tilegpu.shared<32xf32, #m>
tile.kernel @k(%o: !tile.view<32xf32>, %v: !view)
    grid affine_map<()[o, v] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %steps = arith.constant 6 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : !tile
)mlir" + body +
         "}\n";
}

static std::vector<float> firstSixTiles(int times = 1) {
  std::vector<float> sum(32, 0);
  for (int i = 0; i < 192; ++i)
    sum[i % 32] += float(i * times);
  return sum;
}

static std::string run(tile::KernelOp kernel, bool late,
                       std::vector<float> &sum) {
  std::string text;
  ScopedDiagnosticHandler handler(
      kernel.getContext(), [&](mlir::Diagnostic &diagnostic) {
        text += diagnostic.str() + "\n";
        for (mlir::Diagnostic &note : diagnostic.getNotes())
          text += note.str() + "\n";
      });
  std::vector<float> tiles(192);
  std::iota(tiles.begin(), tiles.end(), 0.0f);
  sum.assign(32, 0);
  reference::HostBuffer o{sum.data(), 32 * 4, {32}, {}};
  reference::HostBuffer v{tiles.data(), 192 * 4, {192}, {}};
  reference::LaunchOptions options;
  options.moreOps = &verify::scheduledOps(late);
  LogicalResult result = reference::interpretOnHost(kernel, {o, v}, options);
  CHECK(succeeded(result) == text.empty());
  return text;
}

static Verdict judge(const std::string &body) {
  static MLIRContext context;
  prepareContext(context);
  context.printOpOnDiagnostic(false);
  std::string text = kernelOf(body);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context), "k.mlir");
  INFO(text);
  REQUIRE(module);
  auto kernel = module->lookupSymbol<tile::KernelOp>("k");
  Verdict verdict;
  verdict.early = run(kernel, false, verdict.sum);
  verdict.late = run(kernel, true, verdict.lateSum);
  for (const verify::UnorderedAccesses &finding : verify::findUnordered(kernel))
    verdict.findings += verify::describe(finding);
  return verdict;
}

/// The kernel is right and computes `sum`.
static void checkRight(const std::string &body, const std::vector<float> &sum) {
  Verdict verdict = judge(body);
  INFO(body);
  CHECK(verdict.early == "");
  CHECK(verdict.late == "");
  CHECK(verdict.findings == "");
  CHECK(verdict.sum == sum);
  CHECK(verdict.lateSum == sum);
}

namespace {
/// One fault: `from`, which is in the kernel once, becomes `to`.
struct Fault {
  const char *name;
  std::string from, to;
  /// Begins of the interpreter's error and of the check's first finding; "":
  /// none.
  const char *error, *finding;
};
} // namespace

static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  size_t at = text.find(from);
  INFO(text << "\n---\n" << from);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find(from, at + 1) == std::string::npos);
  return text.replace(at, from.size(), to);
}

static void checkFaults(const std::string &body,
                        const std::vector<Fault> &faults) {
  for (const Fault &fault : faults) {
    CAPTURE(fault.name);
    Verdict verdict = judge(replaced(body, fault.from, fault.to));
    auto agrees = [](const std::string &found, const char *expected) {
      return *expected ? found.find(expected) != std::string::npos
                       : found.empty();
    };
    CAPTURE(verdict.early, verdict.late, verdict.findings);
    CHECK(agrees(verdict.early, fault.error));
    CHECK(agrees(verdict.late, fault.error));
    CHECK(agrees(verdict.findings, fault.finding));
    // A fault that no judge sees must be none.
    CHECK((*fault.error || *fault.finding));
  }
}

// What the judges say.
static const char *const kNoWaitRead =
    "no tilegpu.wait orders this read of byte ";
static const char *const kOpenCopy = "race with an asynchronous copy, kernel k";
static const char *const kNoBarrierRead =
    "tilegpu.load_shared: no barrier orders this read of byte ";
static const char *const kAcquireRace =
    "tilegpu.acquire: no barrier orders this write of byte ";
static const char *const kRace = "race in shared memory, kernel k";
static const char *const kNotCommitted =
    "waits for a copy that no tilegpu.commit has closed";
static const char *const kOtherMemory =
    "tilegpu.wait: waits for a copy to memory that it does not name";
static const char *const kWaitOther =
    "wait for an asynchronous copy to other memory, kernel k";
static const char *const kNotAcquired = "no tilegpu.acquire took slot ";
static const char *const kNotReleased =
    "is filled, and no tilegpu.release gave it back";
static const char *const kReleased =
    ", which nothing has filled since its release";

//===--- Loops that fill a ring ahead -------------------------------------===//

static std::string str(int number) { return std::to_string(number); }

/// `tilegpu.copy to %<slot>` of tile %<step> as %<token>.
static std::string copyTo(const std::string &slot, const std::string &token,
                          const std::string &step,
                          const std::string &live = "") {
  return "%" + token + " = tilegpu.copy to %" + slot + live + " {\n" + "%x" +
         token + " = tile.load %v[" + step + "] : !view -> !tile\n" +
         "tilegpu.yield %x" + token + " : !tile\n} : !slot\n";
}

/// A loop %r over all tiles that copies `slots - 1` steps ahead, and adds them
/// to `total`.
static std::string pipelined(int slots, const std::string &total = "%zero") {
  std::string ring = "!tilegpu.shared<32xf32, #m, slots = " + str(slots) + ">";
  std::string before, inits, arguments, types, next, drains;
  for (int i = 0; i + 1 < slots; ++i) {
    std::string n = str(i);
    before += "%s" + n + " = tilegpu.slot %ring[%n" + n + "] : " + ring +
              "\ntilegpu.acquire %s" + n + " : !slot\n" +
              copyTo("s" + n, "t" + n, "%c" + n) + "%g" + n +
              " = tilegpu.commit (%t" + n + ")\n";
    arguments += ", %a" + n + " = %g" + n;
    types += ", !tilegpu.token";
    next += i + 2 < slots ? ", %a" + str(i + 1) : ", %g";
    drains += "tilegpu.wait %r#" + str(i + 2) + " for %ring : " + ring + "\n";
  }
  std::string ahead = str(slots - 1);
  return before + "%r:" + str(slots + 1) +
         " = scf.for %k = %c0 to %steps step %c1 iter_args(%sum = " + total +
         ", %n = %n0" + arguments + ") -> (!tile, i32" + types + ") {\n" + R"(
%s = tilegpu.slot %ring[%n] : )" +
         ring + R"(
tilegpu.wait %a0 for %s : !slot
tilegpu.barrier
%w = tilegpu.advance %n by )" +
         ahead + " of " + str(slots) + R"(
%ms = tilegpu.slot %ring[%w] : )" +
         ring + R"(
%ahead = arith.addi %k, %c)" +
         ahead + R"( : index
%live = arith.cmpi slt, %ahead, %steps : index
tilegpu.acquire %ms : !slot
)" + copyTo("ms", "t", "%ahead", " if %live") +
         R"(%g = tilegpu.commit (%t)
%y = tilegpu.load_shared %s : !slot -> !tile
%add = arith.addf %sum, %y : !tile
tilegpu.release %s : !slot
%next = tilegpu.advance %n by 1 of )" +
         str(slots) + "\nscf.yield %add, %next" + next + " : !tile, i32" +
         types + "\n}\n" + drains;
}

static std::string ringOf(int slots) {
  return "%ring = tilegpu.alloc offset 0 : <32xf32, #m, slots = " + str(slots) +
         ">\n";
}
static const std::string kStore =
    "tile.store %r#0, %o[%c0] : !tile, !tile.view<32xf32>\n";

/// What is wrong with each of them, whatever its number of slots.
static std::vector<Fault> faultsOfPipeline(int slots) {
  std::string ahead = str(slots - 1), of = " of " + str(slots) + "\n";
  std::string copy = copyTo("ms", "t", "%ahead", " if %live");
  std::string wait = "tilegpu.wait %a0 for %s : !slot\n";
  std::string acquire = "tilegpu.acquire %ms : !slot\n";
  std::string commit = "%g = tilegpu.commit (%t)\n";
  std::string load = "%y = tilegpu.load_shared %s : !slot -> !tile\n";
  std::string release = "tilegpu.release %s : !slot\n";
  std::string between = "%w = tilegpu.advance %n by " + ahead + of +
                        "%ms = tilegpu.slot %ring[%w] : "
                        "!tilegpu.shared<32xf32, #m, slots = " +
                        str(slots) + ">\n%ahead = arith.addi %k, %c" + ahead +
                        " : index\n%live = arith.cmpi slt, %ahead, %steps : "
                        "index\n";
  std::string barrier = "tilegpu.barrier\n";
  std::string lastInit = "%g" + str(slots - 2);
  return {
      {"no wait", wait, "", kNoWaitRead, kOpenCopy},
      {"wait behind the read",
       wait + barrier + between + acquire + copy + commit + load,
       barrier + between + acquire + copy + commit + load + wait, kNoWaitRead,
       kOpenCopy},
      {"no barrier", barrier, "", "no barrier orders this ", kRace},
      {"barrier before the wait", wait + barrier, barrier + wait,
       kNoBarrierRead, kRace},
      {"barrier behind the copy", barrier + between + acquire + copy + commit,
       between + acquire + copy + commit + barrier, kAcquireRace, kRace},
      {"barrier behind the acquire", barrier + between + acquire,
       between + acquire + barrier, kAcquireRace, kRace},
      {"no acquire", acquire, "", kNotAcquired, ""},
      {"no first acquire", "tilegpu.acquire %s0 : !slot\n", "", kNotAcquired,
       ""},
      {"no release", release, "", kNotReleased, ""},
      {"release before the read",
       load + "%add = arith.addf %sum, %y : !tile\n" + release,
       release + load + "%add = arith.addf %sum, %y : !tile\n", kReleased, ""},
      {"no commit", commit + load, "%g = tilegpu.commit ()\n" + load,
       "a copy that was started since the last tilegpu.commit is no operand",
       kOpenCopy},
      {"a copy's token instead of its group's", ", %g : !tile", ", %t : !tile",
       kNotCommitted, kOpenCopy},
      {"the same, before the loop", "%a0 = %g0", "%a0 = %t0", kNotCommitted,
       kOpenCopy},
      {"a commit of what is committed", commit + load,
       "%g = tilegpu.commit (%t)\n%more = tilegpu.commit (%t)\n" + load,
       "operand 0 is no copy that was started since the last tilegpu.commit",
       ""},
      {"a copy one slot too early", "%n by " + ahead + of + "%ms",
       "%n by " + str(slots - 2) + of + "%ms", kNotReleased, kOpenCopy},
      {"the same slot again", "%next = tilegpu.advance %n by 1 of ",
       "%next = tilegpu.advance %n by 0 of ", kOtherMemory, kWaitOther},
      {"a wait for another slot", wait,
       "%other = tilegpu.slot %ring[%n0] : !tilegpu.shared<32xf32, #m, slots "
       "= " +
           str(slots) + ">\ntilegpu.wait %a0 for %other : !slot\n",
       kOtherMemory, kWaitOther},
  };
}

TEST_CASE("copies: a loop that copies ahead around a ring") {
  for (int slots : {2, 3, 4}) {
    CAPTURE(slots);
    std::string body = ringOf(slots) + pipelined(slots) + kStore;
    checkRight(body, firstSixTiles());
    checkFaults(body, faultsOfPipeline(slots));
  }
}

TEST_CASE("copies: tokens in another order") {
  for (int slots : {3, 4}) {
    std::string last = "%a" + str(slots - 2);
    checkFaults(
        ringOf(slots) + pipelined(slots) + kStore,
        {{"the younger group", "tilegpu.wait %a0", "tilegpu.wait " + last,
          kOtherMemory, kWaitOther},
         {"the copy just started", "%y = tilegpu.load_shared %s",
          "%y = tilegpu.load_shared %ms", "tilegpu.load_shared", kOpenCopy},
         {"groups exchanged", "%next, %a1",
          slots == 3 ? "%next, %g" : "%next, %a2", kOtherMemory, kWaitOther}});
  }
}

TEST_CASE("copies: a loop that copies ahead, again and again") {
  std::string outer = ringOf(3) + R"(
%end = scf.for %again = %c0 to %c2 step %c1 iter_args(%total = %zero) -> (!tile) {
tilegpu.barrier // of the ring
)" + pipelined(3, "%total") +
                      "scf.yield %r#0 : !tile\n}\n"
                      "tile.store %end, %o[%c0] : !tile, !tile.view<32xf32>\n";
  checkRight(outer, firstSixTiles(2));
  checkFaults(outer, faultsOfPipeline(3));
  std::string ring = " for %ring : !tilegpu.shared<32xf32, #m, slots = 3>\n";
  checkFaults(
      outer,
      {// The copies that are left are not live: this only the check sees.
       {"no wait at the end", "tilegpu.wait %r#3" + ring, "", "", kOpenCopy},
       {"no wait at the end", "tilegpu.wait %r#2" + ring, "", "", kOpenCopy},
       // Of six tiles the last is in slot 2.
       {"no barrier between", "tilegpu.barrier // of the ring\n", "", "",
        kRace}});
}

TEST_CASE("copies: two rings in one group") {
  std::string twice = ringOf(3) +
                      "%more = tilegpu.alloc offset 384 : <32xf32, #m, slots = "
                      "3>\n" +
                      pipelined(3) + kStore;
  // Each copy, wait and read once more, for the other ring.
  std::string ring = "!tilegpu.shared<32xf32, #m, slots = 3>";
  auto addTo = [&](const std::string &from, const std::string &to) {
    twice = replaced(twice, from, to);
  };
  for (std::string n : {"0", "1"}) {
    std::string slot =
        "%q" + n + " = tilegpu.slot %more[%n" + n + "] : " + ring;
    addTo("%g" + n + " = tilegpu.commit (%t" + n + ")\n",
          slot + "\ntilegpu.acquire %q" + n + " : !slot\n" +
              copyTo("q" + n, "u" + n, "%c" + n) + "%g" + n +
              " = tilegpu.commit (%t" + n + ", %u" + n + ")\n");
  }
  addTo("tilegpu.wait %a0 for %s : !slot\n",
        "%q = tilegpu.slot %more[%n] : " + ring +
            "\ntilegpu.wait %a0 for %s, %q : !slot, !slot\n");
  addTo("%g = tilegpu.commit (%t)\n",
        "%mq = tilegpu.slot %more[%w] : " + ring +
            "\ntilegpu.acquire %mq : !slot\n" +
            copyTo("mq", "u", "%ahead", " if %live") +
            "%g = tilegpu.commit (%t, %u)\n");
  addTo("%add = arith.addf %sum, %y : !tile\n",
        "%z = tilegpu.load_shared %q : !slot -> !tile\n"
        "%both = arith.addf %y, %z : !tile\n"
        "%add = arith.addf %sum, %both : !tile\n"
        "tilegpu.release %q : !slot\n");
  for (std::string n : {"2", "3"})
    addTo("tilegpu.wait %r#" + n + " for %ring : " + ring,
          "tilegpu.wait %r#" + n + " for %ring, %more : " + ring + ", " + ring);
  checkRight(twice, firstSixTiles(2));
  checkFaults(
      twice,
      {{"a wait for one ring only", "for %s, %q : !slot, !slot",
        "for %s : !slot", kOtherMemory, kWaitOther},
       {"a group without a copy", "%g = tilegpu.commit (%t, %u)",
        "%g = tilegpu.commit (%t)",
        "a copy that was started since the last tilegpu.commit is no operand",
        kOpenCopy},
       {"a wait for one slot twice",
        "for %s, %q :", "for %s, %s :", kOtherMemory, kWaitOther},
       {"rings that overlap", "offset 384", "offset 256",
        "no tilegpu.wait orders this read of byte 256", kOpenCopy},
       {"no barrier", "tilegpu.barrier\n", "", "no barrier orders this ",
        kRace},
       {"no acquire", "tilegpu.acquire %mq : !slot\n", "", kNotAcquired, ""},
       {"no release", "tilegpu.release %q : !slot\n", "", kNotReleased, ""}});
}

//===--- Copies that are waited for at once -------------------------------===//

static std::string load(const std::string &memory) {
  return "%y = tilegpu.load_shared " + memory + " : !slot -> !tile\n";
}

TEST_CASE("copies: one after the other, to memory that is no ring") {
  std::string group = "%g = tilegpu.commit (%t)\n";
  std::string wait = "tilegpu.wait %g for %a : !slot\n";
  std::string barrier = "tilegpu.barrier\n";
  std::string body = "%a = tilegpu.alloc offset 128 : !slot\n"
                     "%b = tilegpu.alloc offset 192 : !slot\n"
                     "%r:1 = scf.for %k = %c0 to %steps step %c1 "
                     "iter_args(%sum = %zero) -> (!tile) {\n" +
                     copyTo("a", "t", "%k") + group + wait + barrier +
                     load("%a") + barrier + R"(// the end
%add = arith.addf %sum, %y : !tile
scf.yield %add : !tile
}
)" + kStore;
  checkRight(body, firstSixTiles());
  std::string store = "tilegpu.store_shared %zero, %b : !tile, !slot\n";
  checkFaults(body,
              {{"no wait", wait, "", kNoWaitRead, kOpenCopy},
               {"no barrier", wait + barrier, wait, kNoBarrierRead, kRace},
               {"no barrier before the next", barrier + "// the end", "",
                "tilegpu.copy: no barrier orders this write of byte ", kRace},
               {"no commit", group + wait, "tilegpu.wait %t for %a : !slot\n",
                kNotCommitted, kOpenCopy},
               {"a wait for other memory", "for %a", "for %b", kOtherMemory,
                kWaitOther},
               {"a write to the same bytes", group, group + store,
                "no tilegpu.wait orders this write of byte 192", kOpenCopy},
               {"the same behind a barrier", group, group + barrier + store,
                "no tilegpu.wait orders this write of byte 192", kOpenCopy},
               {"a second copy", group,
                copyTo("b", "u", "%k") + "%g = tilegpu.commit (%t, %u)\n",
                "tilegpu.copy: no tilegpu.wait orders this write of byte 192",
                kOpenCopy},
               {"an acquire that no release follows", copyTo("a", "t", "%k"),
                "tilegpu.acquire %a : !slot\n" + copyTo("a", "t", "%k"),
                kNotReleased, ""}});
}

TEST_CASE("copies: of what a program writes itself") {
  std::string body = "%a = tilegpu.alloc offset 0 : !slot\n" +
                     copyTo("a", "t", "%c1") + R"(%g = tilegpu.commit (%t)
tilegpu.wait %g for %a : !slot
tilegpu.barrier
)" + load("%a") + "tile.store %y, %o[%c0] : !tile, !tile.view<32xf32>\n";
  std::vector<float> tile(32);
  std::iota(tile.begin(), tile.end(), 32.0f);
  checkRight(body, tile);
  auto write = [](const std::string &at) {
    return "tilegpu.barrier\n"
           "tile.store %zero, %v" +
           at + " : !tile, !view\n";
  };
  Verdict verdict = judge(replaced(body, "%g =", write("[%c1]") + "%g ="));
  CHECK(verdict.early == "");
  CHECK(verdict.sum == tile);
  CHECK(verdict.lateSum == std::vector<float>(32, 0));
  CHECK(verdict.findings ==
        R"(race with an asynchronous copy, kernel k
  read   tile.load                                 k.mlir:20:7
  write  tile.store                                k.mlir:24:1
  no tilegpu.wait for the copy's group on a way from the first to the second; barriers do not end a copy
)");
  // Behind the wait it is in the order of the threads.
  CHECK(judge(replaced(body, "tilegpu.barrier\n", write("[%c1]"))).findings ==
        "");
}

//===--- What is found, and how it reads ----------------------------------===//

TEST_CASE("copies: findings and errors name both ops") {
  std::string copy = "%a = tilegpu.alloc offset 128 : <32xf32, #m, slots = 2>\n"
                     "%s = tilegpu.slot %a[%n1] : !tilegpu.shared<32xf32, #m, "
                     "slots = 2>\ntilegpu.acquire %s : !slot\n" +
                     copyTo("s", "t", "%c0") + "%g = tilegpu.commit (%t)\n";
  Verdict read = judge(copy + load("%s"));
  CHECK(read.early == "tilegpu.load_shared: no tilegpu.wait orders this read "
                      "of byte 256 of shared memory\ncopied to here\n");
  CHECK(read.late == read.early);
  CHECK(read.findings ==
        R"(race with an asynchronous copy, kernel k
  write  tilegpu.copy            bytes 256..383    k.mlir:21:6
  read   tilegpu.load_shared     bytes 256..383    k.mlir:26:6
  no tilegpu.wait for the copy's group on a way from the first to the second; barriers do not end a copy
)");
  Verdict wait = judge(copy + "%o0 = tilegpu.slot %a[%n0] : "
                              "!tilegpu.shared<32xf32, #m, slots = 2>\n"
                              "tilegpu.wait %g for %o0 : !slot\n");
  CHECK(wait.early == "tilegpu.wait: waits for a copy to memory that it does "
                      "not name\ncopied to slot 1 here\n");
  CHECK(wait.findings ==
        R"(wait for an asynchronous copy to other memory, kernel k
  write  tilegpu.copy            bytes 256..383    k.mlir:21:6
  write  tilegpu.wait            bytes 128..255    k.mlir:27:1
  the second waits for the first, and must name the memory that it writes: the slot or its ring
)");
  // What a wait has ended is visible to others behind a barrier.
  CHECK(
      judge(copy + "tilegpu.wait %g for %s : !slot\n" + load("%s")).findings ==
      R"(race in shared memory, kernel k
  write  tilegpu.wait            bytes 256..383    k.mlir:26:1
  read   tilegpu.load_shared     bytes 256..383    k.mlir:27:6
  no barrier on a way from the first to the second; a tilegpu.barrier before the second would order them
)");
  // A copy that is never waited for harms nobody.
  Verdict left = judge(copy);
  CHECK(left.early == "");
  CHECK(left.findings == "");
  // It goes on behind a barrier, and in the next iteration.
  Verdict loop = judge("%a = tilegpu.alloc offset 0 : !slot\n"
                       "scf.for %k = %c0 to %c2 step %c1 {\n" +
                       copyTo("a", "t", "%k") +
                       "%g = tilegpu.commit (%t)\ntilegpu.barrier\n}\n");
  CHECK(loop.early == "tilegpu.copy: no tilegpu.wait orders this write of "
                      "byte 0 of shared memory\ncopied to here\n");
  CHECK(loop.findings ==
        R"(race with an asynchronous copy, kernel k
  write  tilegpu.copy            bytes 0..127      k.mlir:20:6
  the same op in the next iteration of its loop: no tilegpu.wait for the copy's group on the way
)");
}

TEST_CASE("copies: numbers of slots") {
  std::string ring = "%a = tilegpu.alloc offset 0 : <32xf32, #m, slots = 3>\n";
  std::string slot = " : !tilegpu.shared<32xf32, #m, slots = 3>\n";
  CHECK(judge(ring + "%n3 = arith.constant 3 : i32\n%s = tilegpu.slot %a[%n3]" +
              slot)
            .early == "tilegpu.slot: there is no slot 3 in a ring of 3\n");
  CHECK(judge("%n = arith.constant -1 : i32\n"
              "%m = tilegpu.advance %n by 1 of 3\n")
            .early == "tilegpu.advance: there is no slot -1 in a ring of 3\n");
  // Which slots are apart.
  auto storesTo = [&](const std::string &numbers, const std::string &first,
                      const std::string &second) {
    std::string text = ring + numbers;
    for (auto [n, name] : {std::pair(first, "%s"), std::pair(second, "%t")})
      text += std::string(name) + " = tilegpu.slot %a[" + n + "]" + slot +
              "tilegpu.store_shared %zero, " + name + " : !tile, !slot\n";
    return judge(text).findings;
  };
  std::string some = "%i = tile.program_id\n"
                     "%n = arith.index_cast %i : index to i32\n"
                     "%next = tilegpu.advance %n by 1 of 3\n"
                     "%last = tilegpu.advance %next by 2 of 3\n"
                     "%other = tilegpu.advance %n by 1 of 2\n";
  CHECK(storesTo("", "%n0", "%n1") == "");
  CHECK(storesTo("", "%n2", "%n2") != "");
  CHECK(storesTo(some, "%n", "%next") == "");
  CHECK(storesTo(some, "%next", "%last") == "");
  CHECK(storesTo(some, "%n", "%last") != "");
  CHECK(storesTo(some, "%n", "%n1") != "");
  CHECK(storesTo(some, "%n", "%other") != "");
  // A number that is computed anew in each iteration.
  std::string loop = ring + "scf.for %k = %c0 to %c2 step %c1 {\n"
                            "%n = arith.index_cast %k : index to i32\n"
                            "%next = tilegpu.advance %n by 1 of 3\n";
  std::string store = "%s = tilegpu.slot %a[%n]" + slot +
                      "tilegpu.store_shared %zero, %s : !tile, !slot\n";
  std::string other = "%t = tilegpu.slot %a[%next]" + slot +
                      "tilegpu.store_shared %zero, %t : !tile, !slot\n";
  CHECK(judge(loop + store + other + "tilegpu.barrier\n}\n").findings == "");
  CHECK(judge(loop + store + "tilegpu.barrier\n" + other + "}\n").findings !=
        "");
  // In a branch, and behind it.
  std::string branch = some + R"(%yes = arith.cmpi eq, %n, %n0 : i32
%if = scf.if %yes -> (i32) {
  scf.yield %next : i32
} else {
  scf.yield %last : i32
}
)";
  CHECK(storesTo(branch, "%n", "%if") != "");
}
