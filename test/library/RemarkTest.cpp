// What compilation remarks on, and how it is printed.
#include "test/library/Kernels.h"
#include "tilewright/compiler/Compiler.h"
#include "tilewright/compiler/RemarkText.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::test;

static std::vector<Remark> remarksOf(const std::string &text,
                                     const std::string &target,
                                     const std::string &schedule = "") {
  CompileRequest request = requestFor(text, target);
  request.wantRemarks = request.wantText = true;
  request.schedule = schedule;
  CompileReport report;
  StatusOr<KernelImage> image = compile(request, &report);
  REQUIRE(image.status().message() == "");
  // Remarks change nothing.
  request.wantRemarks = false;
  CHECK(bytesOf(*image) == bytesOf(*compile(request)));
  return report.remarks;
}

/// The remarks of one code.
static std::vector<Remark> only(const std::vector<Remark> &remarks,
                                const std::string &code) {
  std::vector<Remark> found;
  std::ranges::copy_if(
      remarks, std::back_inserter(found),
      [&](const Remark &remark) { return remark.code == code; });
  return found;
}

static std::string argument(const Remark &remark, const std::string &name) {
  for (const auto &[key, value] : remark.arguments)
    if (key == name)
      return value;
  return "";
}

TEST_CASE("remarks: the schedule, and accesses that could be wider") {
  std::vector<Remark> remarks = remarksOf(twice, "sm_90a", "warps=2");
  std::vector<Remark> schedule = only(remarks, "schedule");
  REQUIRE(schedule.size() == 1);
  CHECK(schedule[0].kind == Remark::Kind::analysis);
  CHECK(schedule[0].message == "warps=2 vector_bits=128: given");
  std::vector<Remark> narrow = only(remarks, "narrow_access");
  REQUIRE(narrow.size() == 2);
  CHECK(narrow[0].kind == Remark::Kind::missed);
  CHECK(narrow[0].pass == "assign-layouts");
  CHECK(narrow[0].kernel == "twice");
  CHECK(narrow[0].where.file == "k.mlir");
  CHECK(narrow[0].where.line == 5);
  CHECK(argument(narrow[0], "op") == "tile.load");
  CHECK(argument(narrow[0], "bits") == "32");
  CHECK(argument(narrow[1], "op") == "tile.store");
  CHECK(argument(narrow[0], "remedy") == "a larger tile, or fewer warps");
  // With eight elements a thread there is none.
  std::string wide = twice;
  for (size_t at = 0; (at = wide.find("<64x", at)) != std::string::npos;)
    wide.replace(at, 4, "<256x");
  CHECK(only(remarksOf(wide, "sm_90a", "warps=1"), "narrow_access").empty());
}

TEST_CASE("remarks: dots, and registers that do not suffice") {
  std::vector<Remark> gpu = remarksOf(product, "sm_90a");
  REQUIRE(only(gpu, "no_matrix_ops").size() == 1);
  CHECK(only(gpu, "no_matrix_ops")[0].where.line == 13);
  CHECK(only(remarksOf(twice, "sm_90a"), "no_matrix_ops").empty());

  std::vector<Remark> cpu = remarksOf(product, "cpu");
  REQUIRE(cpu.size() == 1);
  CHECK(cpu[0].code == "spills");
  CHECK(cpu[0].pass == "regalloc");
  CHECK(cpu[0].kernel == "product");
  // LLVM has no location; the kernel's is used.
  CHECK(cpu[0].where.line == 2);
  CHECK(std::stoi(argument(cpu[0], "spills")) > 0);
  CHECK(remarksOf(twice, "cpu").empty());
}

TEST_CASE("remarks: as JSON lines and as YAML") {
  Remark remark;
  remark.kind = Remark::Kind::missed;
  remark.pass = "p";
  remark.kernel = "k";
  remark.code = "c";
  remark.where = {"a \"b\".mlir", 3, 4};
  remark.message = "it's: so\n";
  remark.arguments = {{"bits", "32"}};
  Remark plain;
  plain.pass = plain.kernel = plain.code = plain.message = "x\xff";
  const std::vector<Remark> remarks = {remark, plain};
  CHECK(remarksAsJson(remarks) ==
        R"({"kind":"missed","pass":"p","kernel":"k","code":"c",)"
        R"("file":"a \"b\".mlir","line":3,"column":4,"message":"it's: so\n",)"
        R"("arguments":{"bits":"32"}})"
        "\n"
        R"({"kind":"analysis","pass":"x�","kernel":"x�","code":"x�","file":"",)"
        R"("line":0,"column":0,"message":"x�","arguments":{}})"
        "\n");
  CHECK(remarksAsYaml(remarks) == R"(--- !Missed
Pass:            "p"
Name:            "c"
DebugLoc:        { File: "a \"b\".mlir", Line: 3, Column: 4 }
Function:        "k"
Args:
  - String:          "it's: so\n"
  - bits: "32"
...
--- !Analysis
Pass:            "x�"
Name:            "x�"
Function:        "x�"
Args:
  - String:          "x�"
...
)");
}

TEST_CASE("remarks: those of an image of the cache are the same") {
  TemporaryFolder folder;
  CompileRequest request = requestFor(product);
  request.wantRemarks = true;
  StatusOr<std::shared_ptr<Cache>> cache =
      Cache::open({.directory = folder.path});
  REQUIRE(cache.ok());
  StatusOr<std::unique_ptr<Compiler>> compiler =
      Compiler::create({.threads = 1, .cache = *cache});
  REQUIRE(compiler.ok());
  CompileReport first, second;
  REQUIRE((*compiler)->compile(request, &first).ok());
  REQUIRE((*compiler)->compile(request, &second).ok());
  CHECK(second.fromCache);
  CHECK(!first.remarks.empty());
  CHECK(first.remarks == second.remarks);
}
