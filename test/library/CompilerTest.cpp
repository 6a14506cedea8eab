// The pool of threads: the same images from any thread after any history,
// limits, cancellation, and the cache.
#include "tilewright/compiler/Compiler.h"
#include "test/library/Kernels.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <set>
#include <sys/resource.h>
#include <thread>

using namespace tilewright;
using namespace tilewright::test;
using std::chrono::milliseconds;

static std::unique_ptr<Compiler>
createCompiler(unsigned threads, std::shared_ptr<Cache> cache = nullptr) {
  StatusOr<std::unique_ptr<Compiler>> compiler =
      Compiler::create({.threads = threads, .cache = std::move(cache)});
  REQUIRE(compiler.ok());
  return *std::move(compiler);
}

static std::shared_ptr<Cache> openCache(const std::filesystem::path &path) {
  StatusOr<std::shared_ptr<Cache>> cache = Cache::open({.directory = path});
  REQUIRE(cache.ok());
  return *cache;
}

/// The image of a request that must compile.
static std::string bytesOf(const StatusOr<KernelImage> &image) {
  REQUIRE(image.status().message() == "");
  return test::bytesOf(*image);
}

static std::vector<CompileRequest> someRequests() {
  std::vector<CompileRequest> requests;
  for (const char *target : {"cpu", "sm_80", "sm_90a", "interpreter"})
    for (const std::string &text : {twice, product})
      requests.push_back(requestFor(text, target));
  return requests;
}

TEST_CASE("compiler: many callers get what one gets") {
  std::vector<CompileRequest> requests = someRequests();
  std::vector<std::string> expected;
  for (const CompileRequest &request : requests)
    expected.push_back(bytesOf(compile(request)));
  auto compiler = createCompiler(3);
  std::atomic<int> differences = 0;
  std::vector<std::jthread> callers;
  for (unsigned caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      for (size_t i = 0; i < requests.size(); ++i) {
        size_t which = (i * (2 * caller + 1) + caller) % requests.size();
        StatusOr<KernelImage> image = compiler->compile(requests[which]);
        differences += !image.ok() || test::bytesOf(*image) != expected[which];
      }
    });
  callers.clear();
  CHECK(differences == 0);
}

TEST_CASE("compiler: wrong options") {
  CHECK(Compiler::create({.threads = 2000}).status().message() ==
        "compiler: expected at most 1024 threads, found 2000");
}

// A sanitizer needs more address space than any limit allows.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TILEWRIGHT_SANITIZED
#endif
#endif
#ifndef TILEWRIGHT_SANITIZED
TEST_CASE("compiler: more threads than the system starts") {
  // So little memory that stacks do not fit.
  rlimit before, little;
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  little = before;
  little.rlim_cur = rlim_t(3) << 30;
  REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
  Status status = Compiler::create({.threads = 1000}).status();
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(status.code() == StatusCode::resourceExhausted);
  CHECK_THAT(status.message(), Catch::Contains("threads, expected 1000: "));
}
#endif

TEST_CASE("compiler: a request that fails leaves the thread as it was") {
  auto compiler = createCompiler(1);
  CompileRequest request = requestFor(product);
  std::string expected = bytesOf(compiler->compile(request));
  for (const std::string &text :
       {std::string("tile.kernel @k("), std::string("module {"),
        std::string("tile.kernel @k() { %c = arith.constant 1 : index\n"
                    "%x = tile.dim %c, 0 : index }")}) {
    CHECK(!compiler->compile(requestFor(text)).ok());
    CHECK(bytesOf(compiler->compile(request)) == expected);
  }
}

TEST_CASE("budget: time") {
  CompileRequest request = requestFor(product);
  request.budget.time = milliseconds(1);
  CompileReport report;
  StatusOr<KernelImage> image = compile(request, &report);
  REQUIRE(!image.ok());
  CHECK(image.status().code() == StatusCode::resourceExhausted);
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].code == "budget_time");
  CHECK_THAT(report.diagnostics[0].message,
             Catch::Matches("(pass|phase) '.*'( of kernel 'product')? passed "
                            "the limit of 1 ms \\([0-9]+ ms\\)"));
}

/// Compiles with each limit of `limits`, all but the last of which are too
/// small; after each the thread makes the same image as before. Returns what
/// was running when they were passed.
template <typename SetLimit>
static std::set<std::string> sweep(const CompileRequest &request,
                                   const std::string &code, int64_t first,
                                   double factor, SetLimit setLimit) {
  auto compiler = createCompiler(1);
  std::string expected = bytesOf(compiler->compile(request));
  std::set<std::string> locations;
  for (double limit = double(first);; limit *= factor) {
    CompileRequest limited = request;
    setLimit(limited.budget, int64_t(limit));
    CompileReport report;
    StatusOr<KernelImage> image = compiler->compile(limited, &report);
    CHECK(bytesOf(compiler->compile(request)) == expected);
    if (image.ok()) {
      CHECK(test::bytesOf(*image) == expected);
      return locations;
    }
    INFO(image.status().message());
    REQUIRE(report.diagnostics.size() == 1);
    CHECK(report.diagnostics[0].code == code);
    const std::string &message = report.diagnostics[0].message;
    locations.insert(message.substr(0, message.find(" of kernel")));
    // The same limit is passed in the same location by the same amount.
    StatusOr<KernelImage> again = compiler->compile(limited);
    CHECK(again.status().message() == image.status().message());
  }
}

TEST_CASE("budget: memory") {
  auto locations = sweep(requestFor(product), "budget_memory", 2000, 1.3,
                         [](Budget &b, int64_t limit) { b.memory = limit; });
  CHECK(locations.count("pass 'bind-tunables'"));
  // IR grows on its way.
  CHECK(locations.size() > 1);
}

TEST_CASE("budget: LLVM IR") {
  for (const char *target : {"cpu", "sm_90a"}) {
    auto locations = sweep(requestFor(product, target), "budget_llvm_ir", 10, 3,
                           [](Budget &b, int64_t limit) { b.llvmIr = limit; });
    CHECK(locations.count("phase 'optimize'"));
  }
}

TEST_CASE("cancel: at any moment, and the next image is the same") {
  TemporaryFolder folder;
  auto compiler = createCompiler(1, openCache(folder.path));
  std::mt19937 random(1);
  for (const char *target : {"cpu", "sm_90a"}) {
    CompileRequest request = requestFor(product, target);
    auto begin = std::chrono::steady_clock::now();
    std::string expected = bytesOf(compile(request));
    auto took = std::chrono::steady_clock::now() - begin;
    std::set<std::string> locations;
    for (int i = 0; i < 40; ++i) {
      std::stop_source source;
      request.stop = source.get_token();
      CompileHandle handle = compiler->submit(request);
      std::this_thread::sleep_for(took * (random() % 1000) / 1000);
      if (i % 2)
        source.request_stop();
      else
        handle.cancel();
      const CompileResult &result = handle.get();
      if (result.image.ok()) {
        CHECK(test::bytesOf(*result.image) == expected);
        folder.clear();
        continue;
      }
      CHECK(result.image.status().code() == StatusCode::cancelled);
      REQUIRE(result.report.diagnostics.size() == 1);
      CHECK(result.report.diagnostics[0].code == "cancelled");
      locations.insert(result.report.diagnostics[0].message);
      CHECK(folder.files().empty());
    }
    CHECK(locations.size() > 2);
    request.stop = {};
    CHECK(bytesOf(compiler->compile(request)) == expected);
    folder.clear();
  }
}

TEST_CASE("cancel: in the queue, and by the end of the compiler") {
  auto compiler = createCompiler(1);
  CompileHandle running = compiler->submit(requestFor(product));
  CompileHandle waiting = compiler->submit(requestFor(product));
  CompileHandle last = compiler->submit(requestFor(twice));
  waiting.cancel();
  REQUIRE(waiting.waitFor(milliseconds(0)));
  CHECK(waiting.get().image.status().message() ==
        "k.mlir: error: given up on request in the queue (cancelled)");
  running.wait();
  compiler.reset();
  REQUIRE(last.waitFor(milliseconds(0)));
  running.cancel();
  CHECK(running.get().image.ok());
}

TEST_CASE("cache: the second time it comes from there") {
  TemporaryFolder folder;
  for (CompileRequest request : someRequests()) {
    request.wantText = request.wantExplanation = true;
    CompileReport first, second, third;
    std::string made = bytesOf(
        createCompiler(1, openCache(folder.path))->compile(request, &first));
    auto compiler = createCompiler(1, openCache(folder.path));
    CHECK(bytesOf(compiler->compile(request, &second)) == made);
    CHECK(!first.fromCache);
    CHECK(second.fromCache);
    CHECK(first.key == second.key);
    CHECK(second.key.size() == 64);
  }
}

TEST_CASE("cache: a key holds what the image depends on, and nothing else") {
  TemporaryFolder folder;
  auto compiler = createCompiler(1, openCache(folder.path));
  auto keyOf = [&](const CompileRequest &request) {
    CompileReport report;
    bytesOf(compiler->compile(request, &report));
    return report.key;
  };
  CompileRequest request = requestFor(product);
  std::string key = keyOf(request);
  CompileRequest same = request;
  same.module = {"// Another line, and other names.\n" + product + "\n", "x"};
  same.kernel = "product";
  same.tunables = {{"step", 1}};
  same.budget.time = std::chrono::minutes(1);
  CHECK(keyOf(same) == key);
  std::set<std::string> keys = {key};
  auto differs = [&](auto &&change) {
    CompileRequest other = request;
    change(other);
    CHECK(keys.insert(keyOf(other)).second);
  };
  using R = CompileRequest &;
  differs([](R r) { r.target = "sm_80"; });
  differs([](R r) { r.target = "cpu"; });
  differs([](R r) { r.target = "interpreter"; });
  differs([](R r) { r.tunables = {{"step", 2}}; });
  differs([](R r) { r.schedule = "warps=2"; });
  differs([](R r) { r.schedule = "vector_bits=64"; });
  differs([](R r) { r.assertions = false; });
  differs([](R r) { r.wantText = true; });
  differs([](R r) { r.wantRemarks = true; });
  differs([](R r) { r.wantExplanation = true; });
  differs([](R r) { r.lineInfo = true; });
  // Where the image names lines, another line is another image.
  differs([](R r) {
    r.lineInfo = true;
    r.module.code = "\n" + r.module.code;
  });
  differs([](R r) {
    r.lineInfo = true;
    r.module.name = "other.mlir";
  });
}

TEST_CASE("cache: a failed assertion names its line, in the image") {
  TemporaryFolder folder;
  auto compiler = createCompiler(1, openCache(folder.path));
  const std::string text = R"(tile.kernel @k(%n: i32) {
  %c0 = arith.constant 0 : i32
  %yes = arith.cmpi sgt, %n, %c0 : i32
  tile.assert %yes, "n is positive" : i1
})";
  for (const std::string &source : {text, "\n" + text}) {
    CompileReport report;
    CompileRequest request = requestFor(source);
    StatusOr<KernelImage> image = compiler->compile(request, &report);
    CHECK(image.status().message() == "");
    CHECK(!report.fromCache);
    CHECK(bytesOf(image) == bytesOf(compile(request)));
  }
}

TEST_CASE("cache: a damaged entry is made again") {
  TemporaryFolder folder;
  auto compiler = createCompiler(1, openCache(folder.path));
  CompileRequest request = requestFor(twice);
  std::string made = bytesOf(compiler->compile(request));
  REQUIRE(folder.files().size() == 1);
  std::fstream(folder.files()[0]).seekp(200).put('?');
  CompileReport report;
  CHECK(bytesOf(compiler->compile(request, &report)) == made);
  CHECK(!report.fromCache);
  CHECK(bytesOf(compiler->compile(request, &report)) == made);
  CHECK(report.fromCache);
}

TEST_CASE("cache: one that cannot be written costs a warning") {
  TemporaryFolder folder;
  std::ofstream(folder.path / "file") << "not a folder";
  auto compiler = createCompiler(1, openCache(folder.path / "file" / "cache"));
  CompileReport report;
  CHECK(bytesOf(compiler->compile(requestFor(twice), &report)) ==
        bytesOf(compile(requestFor(twice))));
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].severity == Severity::warning);
  CHECK(report.diagnostics[0].code == "cache");
}
