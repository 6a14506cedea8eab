#include "TestPackage.h"
#include "tilewright/manifest/PackageManifest.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::runtime;
using Catch::Matchers::Contains;

/// The text with one replacement, which must be possible.
static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  size_t at = text.find(from);
  INFO(from << " in\n" << text);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

static std::string packageError(const std::string &text) {
  auto parsed = parsePackageManifest(text);
  INFO(text);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.status().code() == StatusCode::invalidInput);
  return parsed.status().message();
}

TEST_CASE("a kernel manifest reads as in the contract") {
  auto kernel = parseKernelManifest(
      R"json({"name": "gemm", "target": "sm_90a", "features": "",
          "image": "kernels/gemm.sm_90a.ptx", "entry": "gemm",
          "arguments": [{"view": "bf16", "rank": 2,
                         "passed": ["pointer", "dim0", "dim1", "stride0"]},
                        {"scalar": "index"}, {"scalar": "f32"}],
          "grid": ["ceildiv(arg0.dim0, 128)",
                   "min(2, device.multiprocessors)", "arg1"],
          "workspace": {"bytes": "arg0.dim0 * 4", "zeroed": "once"},
          "scratch": 0,
          "block": 128, "cluster": [2, 1, 1], "shared": 98304,
          "guards": ["mod(arg0.stride0, 8) == 0", "aligned(arg0, 16)"]})json");
  INFO(kernel.status().message());
  REQUIRE(kernel.ok());
  CHECK(kernel->arguments[0] ==
        KernelArgument::view(DType::BF16, 2, {0, 1}, {0}));
  CHECK(kernel->arguments[0].words() == 4);
  CHECK(kernel->arguments[1] == KernelArgument::scalar());
  CHECK(kernel->arguments[2] == KernelArgument::scalar(DType::F32));
  CHECK(kernel->grid[0].str() == "ceildiv(arg0.dim0, 128)");
  CHECK(kernel->workspace ==
        KernelWorkspace{*Expression::parse("arg0.dim0 * 4"),
                        KernelWorkspace::Zeroed::once});
  CHECK(kernel->words() == 7);
  CHECK(kernel->cluster[0] == 2);
  std::string printed = printKernelManifest(*kernel);
  auto again = parseKernelManifest(printed);
  REQUIRE(again.ok());
  CHECK(*again == *kernel);
  CHECK(printKernelManifest(*again) == printed);
}

TEST_CASE("how a launch is shared is written only where it is chosen") {
  KernelManifest kernel = testManifest().kernels[0];
  std::string plain = printKernelManifest(kernel);
  CHECK(plain.find("\"chunk\"") == std::string::npos);
  CHECK(plain.find("\"threads\"") == std::string::npos);
  kernel.chunk = 3;
  kernel.threads = 2;
  std::string chosen = printKernelManifest(kernel);
  auto again = parseKernelManifest(chosen);
  INFO(chosen);
  REQUIRE(again.ok());
  CHECK(*again == kernel);
  CHECK(parseKernelManifest(replaced(chosen, "\"chunk\": 3", "\"chunk\": -3"))
            .status()
            .message()
            .starts_with("chunk: expected an integer"));
  CHECK(parseKernelManifest(
            replaced(chosen, "\"threads\": 2", "\"threads\": 4097"))
            .status()
            .message()
            .starts_with("threads: expected an integer"));
}

/// What is written can be read.
TEST_CASE("a precision is written only where it is not that of IEEE") {
  KernelManifest kernel = testManifest().kernels[0];
  const std::string plain = printKernelManifest(kernel);
  CHECK(plain.find("precision") == std::string::npos);
  kernel.precision = Precision::bf16x3;
  const std::string rounded = printKernelManifest(kernel);
  INFO(rounded);
  CHECK(replaced(rounded, " \"precision\": \"bf16x3\",\n", "") == plain);
  auto again = parseKernelManifest(rounded);
  REQUIRE(again.ok());
  CHECK(*again == kernel);
  // Products of f32 have no other; none may be written.
  CHECK(parseKernelManifest(replaced(rounded, "bf16x3", "fast"))
            .status()
            .message() ==
        "precision: expected one of ieee, tf32, tf32x3, bf16x3, bf16x6, found "
        "\"fast\"");
  kernel.precision = Precision::fast;
  CHECK(validate(kernel).message() ==
        "precision: expected one of ieee, tf32, tf32x3, bf16x3, bf16x6, found "
        "\"fast\"");
}

TEST_CASE("precisions of f32 have names") {
  for (const std::string &name : f32PrecisionNames())
    CHECK(precisionName(*parseF32Precision(name)) == name);
  CHECK(parseF32Precision("fast").status().message() ==
        "precision: expected one of ieee, tf32, tf32x3, bf16x3, bf16x6, found "
        "'fast'");
}

TEST_CASE("numbers have the ranges that the reader checks") {
  auto error = [](auto change) {
    KernelManifest kernel = testManifest().kernels.front();
    REQUIRE(validate(kernel).ok());
    change(kernel);
    CHECK_FALSE(parseKernelManifest(printKernelManifest(kernel)).ok());
    return validate(kernel).message();
  };
  CHECK(error([](auto &kernel) { kernel.threads = -1; }) ==
        "threads: expected 0 to 4096, found -1");
  CHECK(error([](auto &kernel) { kernel.chunk = int64_t{1} << 31; }) ==
        "chunk: expected 0 to 1073741824, found 2147483648");
  CHECK(error([](auto &kernel) { kernel.scratch = -8; }) ==
        "scratch: expected 0 to 1099511627776, found -8");
  CHECK(error([](auto &kernel) { kernel.block = 0; }) ==
        "block: expected 1 to 65536, found 0");
  CHECK(error([](auto &kernel) { kernel.cluster[1] = 0; }) ==
        "cluster: expected 1 to 65536, found 0");
  CHECK(error([](auto &kernel) { kernel.shared = int64_t{1} << 33; }) ==
        "shared: expected 0 to 4294967296, found 8589934592");
  CHECK(error([](auto &kernel) { kernel.arguments[0].rank = 65; }) ==
        "a view's rank: expected 0 to 64, found 65");
}

TEST_CASE("a package manifest survives printing and parsing") {
  PackageManifest package = testManifest();
  package.checks = {{Expression::symbol("W"), 8, "W must be 8"}};
  package.files["weights.safetensors"] = {12, "xxh64:0123456789abcdef"};
  package.steps[0].arguments[0].strides = {Expression::symbol("W"), 1};
  package.metadata["quote"] = "a \"b\" \xc3\xa4 \n";
  std::string printed = printPackageManifest(package);
  auto parsed = parsePackageManifest(printed);
  INFO(printed);
  INFO(parsed.status().message());
  REQUIRE(parsed.ok());
  CHECK(*parsed == package);
  CHECK(printPackageManifest(*parsed) == printed);
}

TEST_CASE("outputs that begin with an input, scalars that are inputs") {
  PackageManifest package = testManifest();
  using Kind = BufferManifest::Kind;
  package.buffers.push_back({Kind::input, DType::I64, 8, "", {}});
  package.inputs.push_back({"n", DType::I64, {}, 8});
  package.buffers[4].initial = 0;
  package.steps[0].arguments[3] = StepArgument::element(1);
  std::string printed = printPackageManifest(package);
  auto parsed = parsePackageManifest(printed);
  INFO(printed);
  INFO(parsed.status().message());
  REQUIRE(parsed.ok());
  CHECK(*parsed == package);
  auto error = [&](const char *from, const char *to) {
    return packageError(replaced(printed, from, to));
  };
  CHECK(error("{\"input\": 1}", "{\"input\": 0}") ==
        "steps[0].arguments[3].input: expected an input of rank 0 of type i64");
  CHECK(error("{\"input\": 1}", "{\"input\": 2}")
            .starts_with("steps[0].arguments[3].input: expected an index into "
                         "the 2 inputs"));
  CHECK(error("\"initial\": 0", "\"initial\": 1") ==
        "buffers[4].initial: expected an input's buffer, of an output that is "
        "no alias");
  package.buffers[4].initial.reset();
  package.buffers[6].initial = 0; // An alias of the input.
  CHECK(validate(package).message().starts_with("buffers[6].initial: "));
}

TEST_CASE("text that is no package manifest is rejected") {
  CHECK(packageError("") == "not valid JSON at line 1, column 1");
  CHECK(packageError("{\n  \"a\": }") == "not valid JSON at line 2, column 8");
  // Values are shown in short, whatever they are.
  CHECK(packageError(R"({"tilewright_package": [1, [2]]})")
            .ends_with("found a list of 2 values"));
  CHECK(packageError(R"({"tilewright_package": [1, "a"]})")
            .ends_with("found [1,\"a\"]"));
  CHECK(packageError("{\"tilewright_package\": \"" + std::string(56, 'x') +
                     "\u00e4\u00e4\u00e4\"}")
            .ends_with("found \"" + std::string(56, 'x') + "..."));
  CHECK(packageError("[]").find("'tilewright_package' is missing") !=
        std::string::npos);
  CHECK(packageError("{}").find("'tilewright_package' is missing") !=
        std::string::npos);
  CHECK(packageError(R"({"tilewright_package": 3})").find("from 1 to 2") !=
        std::string::npos);
}

TEST_CASE("lists and objects have a limit of nesting") {
  auto nested = [](size_t depth) {
    std::string text(depth, '[');
    return R"({"name": "[[\"[[", "a": )" + text + std::string(depth, ']') + "}";
  };
  CHECK_THAT(packageError(nested(99)), Contains("is missing"));
  CHECK(packageError(nested(100)) ==
        "expected lists and objects nested at most 100 deep, found more at "
        "line 1, column 124");
  CHECK_THAT(packageError(nested(1000000)), Contains("at most 100 deep"));
  CHECK_THAT(packageError(std::string(1000000, '{')),
             Contains("at most 100 deep"));
}

/// A chain of aliases as long as the list takes time in proportion to it.
TEST_CASE("aliases of aliases") {
  PackageManifest package = testManifest();
  const size_t first = package.buffers.size();
  for (size_t i = 0; i < 200000; ++i) {
    BufferManifest alias;
    alias.kind = BufferManifest::Kind::transient;
    alias.alias = i ? first + i - 1 : 0;
    package.buffers.push_back(alias);
  }
  CHECK(validate(package).message() == "");
  package.buffers[first].alias = first + 1000;
  CHECK_THAT(validate(package).message(), Contains("form a circle"));
}

/// A weight is mapped from its file, and an input is the caller's.
TEST_CASE("steps are not given outputs in the memory of weights or inputs") {
  const PackageManifest good = testManifest();
  const size_t x = 0, bias = 1, flat = 6, copied = 7;
  REQUIRE(validate(good).ok());
  PackageManifest package = good;
  package.steps[1].arguments[2].buffer = copied;
  CHECK(validate(package).message() ==
        "steps[1].arguments[2].buffer: expected memory that steps write, found "
        "output 7 in the memory of weight 1; name buffer 1 to read it");
  package.steps[1].arguments[2].buffer = flat;
  CHECK_THAT(validate(package).message(),
             Contains("found output 6 in the memory of input 0"));
  // Through another alias.
  package = good;
  package.buffers[2].alias = bias;
  package.buffers[4].alias = 2;
  CHECK_THAT(validate(package).message(),
             Contains("found output 4 in the memory of weight 1"));
  package = good;
  package.outputs[0].buffer = bias;
  CHECK(validate(package).message() ==
        "outputs[0].buffer: expected a buffer of kind output, found weight");
  package.outputs[0].buffer = x;
  CHECK_THAT(validate(package).message(), Contains("found input"));
}

TEST_CASE("each error names the path, what was expected and what was found") {
  const std::string good = printPackageManifest(testManifest());
  REQUIRE(parsePackageManifest(good).ok());
  struct Case {
    const char *from, *to, *message;
  };
  const Case cases[] = {
      {"\"producer\"", "\"maker\"", "unknown key 'maker'"},
      {"\"name\": \"small\"", "\"name\": 3",
       "name: expected a string, found 3"},
      {"\"origin\": \"by hand\"", "\"origin\": null",
       "metadata.origin: expected a string, found null"},
      {"[\"N\", \"W\"]", "[\"N\", \"N\"]", "symbols[1]: 'N' stands twice"},
      {"[\"N\", \"W\"]", "[\"N\", \"2W\"]", "symbols[1]: expected a name"},
      {"[\"N\", \"W\"]", "[\"N\", \"W\", \"Z\"]",
       "symbols[2]: no input has a dimension that is 'Z'"},
      {"{\"name\": \"x\", \"dtype\": \"f32\"",
       "{\"name\": \"x\", \"dtype\": \"flt32\"",
       "inputs[0].dtype: expected a dtype (bool, i4,"},
      {"{\"name\": \"x\", \"dtype\": \"f32\"",
       "{\"name\": \"x\", \"dtype\": \"f64\"",
       "inputs[0].dtype: expected the width of the buffer's f32, found f64"},
      {"\"shape\": [\"N\", \"W\"], \"buffer\": 0",
       "\"shape\": [\"N\", \"W\"], \"buffer\": 8",
       "inputs[0].buffer: expected an index into the 8 buffers, found 8"},
      {"\"shape\": [\"N\", \"W\"], \"buffer\": 0",
       "\"shape\": [\"N\", \"W\"], \"buffer\": 1",
       "inputs[0].buffer: expected a buffer of kind input, found weight"},
      {"\"shape\": [\"N\", \"W\"], \"buffer\": 0",
       "\"shape\": [\"N\", \"W +\"], \"buffer\": 0",
       "inputs[0].shape[1]: expression 'W +', column 4"},
      {"\"shape\": [\"N\"]", "\"shape\": [\"Q\"]",
       "outputs[1].shape[0]: unknown symbol 'Q'; the symbols are N, W"},
      {"\"kind\": \"input\"", "\"kind\": \"inputs\"",
       "buffers[0].kind: expected input, output, weight, transient or state, "
       "found \"inputs\""},
      {"\"bytes\": \"N * W * 4\"", "\"bytes\": 1.5",
       "buffers[0].bytes: expected an integer or an expression, found 1.5"},
      {"\"bytes\": \"N * W * 4\"", "\"bytes\": \"M\"",
       "buffers[0].bytes: unknown symbol 'M'"},
      {", \"weight\": \"bias\"", "", "buffers[1]: a weight needs the key"},
      {"\"alias\": 2", "\"alias\": 3", "buffers[3].alias: the aliases form a"},
      {"\"alias\": 2", "\"alias\": -1",
       "buffers[3].alias: expected an index into the 8 buffers, found -1"},
      {"\"passed\": [\"pointer\", \"dim0\", \"dim1\"]",
       "\"passed\": [\"pointer\", \"dim1\", \"dim0\"]",
       "kernels[0].arguments[0].passed[2]: expected pointer, then dimN"},
      {"\"passed\": [\"pointer\", \"dim0\", \"dim1\"]",
       "\"passed\": [\"pointer\", \"dim0\", \"dim2\"]",
       "kernels[0].arguments[0].passed[2]: expected pointer, then dimN"},
      {"\"passed\": [\"pointer\", \"dim0\", \"dim1\"]", "\"passed\": []",
       "kernels[0].arguments[0].passed: expected a list that starts"},
      {"kernels/kernels.cpu.o", "../kernels.cpu.o",
       "kernels[0].image: expected a path inside the package"},
      {"ceildiv(arg0.dim0 * arg0.dim1, 64)", "arg0.dim2",
       "kernels[0].grid[0]: unknown name 'arg0.dim2'"},
      {"[\"ceildiv(arg0.dim0 * arg0.dim1, 64)\"]", "[1, 1, 1, 1]",
       "kernels[0].grid: expected 1 to 3 dimensions, found 4"},
      {"\"guards\": []",
       "\"guards\": [], \"workspace\": {\"bytes\": "
       "\"device.multiprocessors\", \"zeroed\": \"never\"}",
       "kernels[0].workspace.bytes: unknown name 'device.multiprocessors'"},
      {"\"guards\": []",
       "\"guards\": [], \"workspace\": {\"bytes\": 8, \"zeroed\": \"twice\"}",
       "kernels[0].workspace.zeroed: expected never, once or launch, found "
       "\"twice\""},
      {"\"guards\": []", "\"guards\": [\"arg0.dim0\"]",
       "kernels[0].guards[0]: guard 'arg0.dim0': expected a comparison"},
      {"\"guards\": []", "\"guards\": [\"aligned(arg3, 16)\"]",
       "kernels[0].guards[0]: expected a view, found arg3"},
      {"\"scratch\": 256", "\"scratch\": -1",
       "kernels[0].scratch: expected an"},
      {"\"name\": \"row_sum\"", "\"name\": \"affine\"",
       "kernels[1]: kernel 'affine' for cpu is never launched: the variant "
       "before it has no guards"},
      {"\"kernel\": \"row_sum\"", "\"kernel\": \"sum\"",
       "steps[2].kernel: no kernel is called 'sum'"},
      {",\n    {\"scalar\": \"W\"}", "",
       "steps[0].arguments: kernel 'affine' takes 4 arguments, found 3"},
      {"{\"scalar\": \"W\"}", "{\"buffer\": 0, \"dims\": []}",
       "steps[0].arguments[3]: expected a scalar"},
      {"{\"scalar\": \"W\"}", "{}",
       "steps[0].arguments[3]: expected an argument with the key"},
      {"{\"scalar\": \"W\"}", "{\"scalar\": \"K\"}",
       "steps[0].arguments[3].scalar: unknown symbol 'K'"},
      {"{\"buffer\": 0, \"dims\": [\"N\", \"W\"]}",
       "{\"buffer\": 0, \"dims\": [\"N\"]}",
       "steps[0].arguments[0].dims: expected 2 dimensions"},
      {"\"checks\": []",
       "\"checks\": [{\"that\": \"N\", \"equals\": \"X\", \"message\": \"\"}]",
       "checks[0].equals: unknown symbol 'X'"},
      {"\"files\": {}",
       "\"files\": {\"../x\": {\"bytes\": 1, \"hash\": "
       "\"xxh64:0123456789abcdef\"}}",
       "files: expected a path inside the package"},
      {"\"files\": {}", "\"files\": {\"x\": {\"bytes\": 1, \"hash\": \"md5\"}}",
       "files.x.hash: expected xxh64: and 16 hexadecimal digits"},
  };
  for (const Case &each : cases) {
    std::string message = packageError(replaced(good, each.from, each.to));
    INFO("found:    " << message << "\nexpected: " << each.message);
    CHECK(message.find(each.message) != std::string::npos);
  }
}

TEST_CASE("a manifest cut anywhere is an error, never a crash") {
  const std::string good = printPackageManifest(testManifest());
  for (size_t length = 0; length + 2 < good.size(); length += 7)
    CHECK_FALSE(parsePackageManifest(good.substr(0, length)).ok());
}

TEST_CASE("guards compare, and name a view") {
  CHECK(Guard::parse("arg0.dim1 <= 64")->kind == Guard::Kind::lessEqual);
  CHECK(Guard::parse(" aligned(arg2, 16) ")->argument == 2);
  CHECK(Guard::parse(" disjoint(arg2, arg7) ")->argument == 2);
  CHECK(Guard::parse(" disjoint(arg2, arg7) ")->other == 7);
  for (const char *text :
       {"", "==", "aligned(arg0)", "aligned(x, 16)", "aligned(arg0, -1)",
        "1 == 2 == 3", "a < ", "disjoint(arg0)", "disjoint(arg0, arg0)",
        "disjoint(arg0, 16)", "disjoint()"}) {
    INFO(text);
    CHECK_FALSE(Guard::parse(text).ok());
  }
}
