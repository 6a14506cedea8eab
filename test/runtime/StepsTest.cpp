// Packages whose steps decide what runs, and how large something is.
#include "ChangingSession.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"
#include <catch2/catch.hpp>
#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;
using Kind = BufferManifest::Kind;

using Builder = StepBuilder;

namespace {
/// A session of the package.
struct Fixture {
  explicit Fixture(const PackageManifest &manifest) {
    auto parsed = parsePackageManifest(printPackageManifest(manifest));
    INFO(parsed.status().message());
    REQUIRE(parsed.ok());
    CHECK(*parsed == manifest);
    writeTestPackage(folder / "m.twp", manifest);
    auto loaded = Model::load(*openDevice("cpu", {2}), folder / "m.twp");
    INFO(loaded.status().message());
    REQUIRE(loaded.ok());
    session = *(*loaded)->createSession();
  }

  void set(const char *name, const std::vector<float> &values) {
    const Shape shape{int64_t(values.size())};
    REQUIRE(session
                ->setInput(
                    name, {DType::F32, shape, std::as_bytes(std::span(values))})
                .ok());
  }
  void setFlag(const char *name, bool value) {
    REQUIRE(
        session
            ->setInput(name,
                       {DType::Bool, {}, std::as_bytes(std::span(&value, 1))})
            .ok());
  }
  std::vector<float> run(const char *output = "y") {
    Status ran = session->run();
    INFO(ran.message());
    REQUIRE(ran.ok());
    return values(output);
  }
  [[nodiscard]] std::vector<float> values(const char *output) const {
    auto tensor = session->output(output);
    INFO(tensor.status().message());
    REQUIRE(tensor.ok());
    auto span = tensor->as<float>();
    return {span.begin(), span.end()};
  }

  TemporaryFolder folder;
  std::unique_ptr<Session> session;
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// y = x + N * bias, one bias in each of N iterations.
static PackageManifest countedLoop(bool swaps) {
  Builder b;
  const size_t x = b.input("x", {4});
  b.input("n", {symbol("N")});
  b.package.symbols = {"N"};
  const size_t p = b.four(), next = b.four(), y = b.output("y", {4});
  LoopManifest loop;
  loop.count = symbol("N");
  loop.carried = {{p, x, next, swaps}};
  loop.steps = {b.affine(p, next, 1)};
  StepManifest copy{"", {}, "y", CopyManifest{p, y}};
  b.package.steps = {Builder::of(loop), copy};
  return b.package;
}

TEST_CASE("a loop with a count carries a value") {
  for (bool swaps : {false, true}) {
    Fixture f(countedLoop(swaps));
    f.set("x", {1, 1, 1, 1});
    for (size_t n : {3u, 0u, 1u, 8u, 3u}) {
      f.set("n", std::vector<float>(n));
      CHECK(f.run() == biasTimes(float(n), 1));
    }
  }
}

TEST_CASE("a loop ends by a boolean that it computes") {
  Builder b;
  const size_t x = b.input("x", {4});
  const size_t p = b.four(), next = b.four(), on = b.flag(), later = b.flag();
  const size_t y = b.output("y", {4});
  auto below = [&](size_t from, size_t to) {
    return Builder::list("below", from, 4, to, {}, 100);
  };
  LoopManifest loop;
  loop.condition = on;
  loop.carried = {{p, x, next, true}, {on, on, later, false}};
  loop.steps = {b.affine(p, next, 1), below(next, later)};
  b.package.steps = {
      below(x, on), Builder::of(loop), {"", {}, "y", CopyManifest{p, y}}};
  Fixture f(b.package);
  // The bias has a sum of 9.5.
  f.set("x", {0, 0, 0, 0});
  CHECK(f.run() == biasTimes(11));
  f.set("x", {25, 25, 25, 25});
  CHECK(f.run() == std::vector<float>(4, 25));
  f.set("x", {20, 20, 20, 20});
  CHECK(f.run() == biasTimes(3, 20));
}

/// Each of N iterations appends its number to a list that begins as x: f32[K].
static PackageManifest growingLoop() {
  Builder b;
  const size_t x = b.input("x", {symbol("K")});
  b.input("n", {symbol("N")});
  b.package.symbols = {"K", "N"};
  const size_t p = b.buffer(Kind::transient, symbol("S") * 4);
  const size_t next = b.buffer(Kind::transient, (symbol("S") + 1) * 4);
  LoopManifest loop;
  loop.count = symbol("N");
  loop.symbols = {{"S", symbol("K"), symbol("S") + 1},
                  {"i", 0, symbol("i") + 1}};
  loop.carried = {{p, x, next, true}};
  loop.steps = {Builder::list("append", p, symbol("S"), next, {symbol("S") + 1},
                              symbol("i"))};
  const size_t y = b.output("y", {symbol("S")});
  b.package.steps = {Builder::of(loop), {"", {}, "y", CopyManifest{p, y}}};
  return b.package;
}

TEST_CASE("a carried value grows, in memory that grows with it") {
  Fixture f(growingLoop());
  for (int n : {0, 1, 2, 5, 300, 3}) {
    std::vector<float> expected{7, 8};
    f.set("x", expected);
    f.set("n", std::vector<float>(size_t(n)));
    CHECK_THAT(f.session->outputShape("y").status().message(),
               Catch::StartsWith("output 'y': its shape f32[S] depends on "
                                 "data: run the model first"));
    for (int i = 0; i < n; ++i)
      expected.push_back(float(i));
    CHECK(f.run() == expected);
    CHECK(*f.session->outputShape("y") == Shape{2 + n});
  }
}

TEST_CASE("what iterations give is collected in memory that doubles") {
  Builder b;
  const size_t x = b.input("x", {4});
  const size_t p = b.four(), next = b.four(), on = b.flag(), later = b.flag();
  const size_t sums = b.buffer(Kind::transient, symbol("S") * 4);
  auto below = [&](size_t from, size_t to) {
    return Builder::list("below", from, 4, to, {}, 2000);
  };
  LoopManifest loop;
  loop.condition = on;
  // There is room for one more than there are.
  loop.symbols = {{"S", 1, symbol("S") + 1}, {"i", 0, symbol("i") + 1}};
  loop.carried = {{p, x, next, true},
                  {on, on, later, false},
                  {sums, b.buffer(Kind::transient, 4), sums, false}};
  loop.steps = {
      b.affine(p, next, 1), below(next, later),
      Builder::list("put", next, 4, sums, {symbol("S")}, symbol("i"))};
  const size_t y = b.output("y", {symbol("S") - 1});
  b.package.buffers[y].bytes = symbol("S") * 4;
  b.package.steps = {below(x, on),
                     Builder::list("put", x, 4, loop.carried[2].start, {1}, 0),
                     Builder::of(loop),
                     {"", {}, "y", CopyManifest{sums, y}}};
  Fixture f(b.package);
  for (float first : {0.f, 400.f, 499.f, 500.f, 0.f}) {
    f.set("x", std::vector<float>(4, first));
    std::vector<float> expected;
    for (float sum = 4 * first; sum < 2000;)
      expected.push_back(sum += 9.5f);
    CHECK(f.run() == expected);
  }
}

TEST_CASE("a step reads some of the elements in memory of a fixed size") {
  Builder b;
  const size_t x = b.input("x", {4});
  b.input("n", {symbol("N")});
  b.package.symbols = {"N"};
  const size_t p = b.four();
  const size_t some = b.buffer(Kind::transient, symbol("S") * 4);
  b.package.buffers[some].alias = p;
  LoopManifest loop;
  loop.count = symbol("N");
  loop.symbols = {{"S", 0, symbol("S") + 1}};
  loop.steps = {b.affine(x, p, 1)};
  loop.carried = {{p, x, p, false}};
  const size_t y = b.output("y", {symbol("S") + 1});
  b.package.steps = {
      Builder::of(loop),
      Builder::list("append", some, symbol("S"), y, {symbol("S") + 1}, 9)};
  Fixture f(b.package);
  f.set("x", {1, 1, 1, 1});
  for (size_t n : {3, 0, 4, 1}) {
    f.set("n", std::vector<float>(n));
    std::vector<float> expected = biasTimes(1, 1);
    expected.resize(n);
    expected.push_back(9);
    CHECK(f.run() == expected);
  }
  f.set("n", std::vector<float>(5));
  CHECK_FALSE(f.session->run().ok());
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// y = c ? x + bias : 3 x + bias, where the second side has a check of N.
static PackageManifest choice(bool inPlace) {
  Builder b;
  const size_t x = b.input("x", {4}), c = b.input("c", {}, DType::Bool);
  b.input("n", {symbol("N")});
  b.package.symbols = {"N"};
  const size_t y = b.output("y", {4});
  BranchManifest branch;
  branch.condition = c;
  const size_t first = inPlace ? y : b.four(), second = inPlace ? y : b.four();
  StepManifest check{"", {}, "limit"};
  check.check = {symbol("N"), 2, "N must be 2"};
  branch.first = {b.affine(x, first, 1)};
  branch.second = {check, b.affine(x, second, 3)};
  branch.results = {{y, first, second}};
  b.package.steps = {Builder::of(branch)};
  return b.package;
}

TEST_CASE("a side that is not taken does nothing and cannot fail") {
  for (bool inPlace : {false, true}) {
    Fixture f(choice(inPlace));
    f.set("x", {1, 1, 1, 1});
    for (int round = 0; round < 3; ++round) {
      f.set("n", {0, 0});
      f.setFlag("c", true);
      CHECK(f.run() == biasTimes(1, 1));
      f.setFlag("c", false);
      CHECK(f.run() == biasTimes(1, 3));
      f.set("n", {0, 0, 0});
      CHECK(f.session->run().message() ==
            "step 0.else.0 (limit): N must be 2\n  N is 3, expected 2 = 2 (N = "
            "3)");
      f.setFlag("c", true);
      CHECK(f.run() == biasTimes(1, 1));
    }
    auto times = f.session->profile();
    REQUIRE(times.ok());
    CHECK(times->size() == 1);
  }
}

TEST_CASE("the sides of a branch may differ in size") {
  Builder b;
  const size_t x = b.input("x", {4}), c = b.input("c", {}, DType::Bool);
  const size_t longer = b.buffer(Kind::transient, 20);
  const size_t y = b.output("y", {symbol("S")});
  BranchManifest branch;
  branch.condition = c;
  branch.first = {Builder::list("append", x, 4, longer, {5}, 9)};
  branch.symbols = {{"S", 5, 4}};
  branch.results = {{y, longer, x}};
  b.package.steps = {Builder::of(branch)};
  Fixture f(b.package);
  f.set("x", {1, 2, 3, 4});
  for (bool isLonger : {false, true, true, false}) {
    f.setFlag("c", isLonger);
    CHECK(f.run() == (isLonger ? std::vector<float>{1, 2, 3, 4, 9}
                               : std::vector<float>{1, 2, 3, 4}));
  }
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// y = the positive elements of x: f32[N]. Their number is at most `most`.
static PackageManifest compress(std::optional<Expression> most) {
  Builder b;
  const size_t x = b.input("x", {symbol("N")});
  b.package.symbols = {"N"};
  const size_t count = b.buffer(Kind::transient, 8, DType::I64);
  const size_t taken = b.buffer(Kind::transient, symbol("K") * 4);
  const size_t y = b.output("y", {symbol("K")});
  ReadManifest read{count, {"K"}};
  read.symbol.greatest = std::move(most);
  b.package.steps = {
      Builder::list("count_positive", x, symbol("N"), count, {}),
      Builder::of(read),
      Builder::list("take_positive", x, symbol("N"), taken, {symbol("K")}),
      {"", {}, "y", CopyManifest{taken, y}}};
  return b.package;
}

TEST_CASE("a size that a kernel computes becomes that of a tensor") {
  for (bool isBounded : {false, true}) {
    Fixture f(compress(isBounded ? std::optional(symbol("N")) : std::nullopt));
    for (auto x : {std::vector<float>{1, -1, 2, 0, 3},
                   {},
                   {-1},
                   {5, 6},
                   std::vector<float>(1000, 2),
                   {1, 2, 3},
                   std::vector<float>(100, -2)}) {
      f.set("x", x);
      std::erase_if(x, [](float value) { return value <= 0; });
      CHECK(f.run() == x);
    }
    CHECK((f.session->memoryUse()->arena > 64) == isBounded);
  }
}

TEST_CASE("a size beyond its bound is one clear error") {
  Fixture f(compress(symbol("N") - 1));
  f.set("x", {1, 2, 3});
  CHECK(f.session->run().message() ==
        "step 1 (size): the size K is 3, expected at most 2");
  CHECK(f.session->output("y").status().message() ==
        "output 'y': the session has not run");
  f.set("x", {1, -2, 3});
  CHECK(f.run() == std::vector<float>{1, 3});
}

TEST_CASE("memory of the caller takes outputs whose shape data decides") {
  Fixture f(compress(symbol("N")));
  f.set("x", {1, -2, 3});
  std::vector<float> y(2);
  REQUIRE(
      f.session
          ->bind(TensorRole::output, "y",
                 {DType::F32, {2}, {}, std::as_writable_bytes(std::span(y))})
          .ok());
  REQUIRE(f.session->run().ok());
  CHECK(y == std::vector<float>{1, 3});
  f.set("x", {1, 2, 3});
  CHECK(f.session->run().message() ==
        "output 'y' is bound to memory of shape [2], this run gives [3]");
  REQUIRE(f.session->unbind(TensorRole::output, "y").ok());
  CHECK(f.run() == std::vector<float>{1, 2, 3});
}

TEST_CASE("conditions and sizes change from run to run of one session") {
  Fixture f(changingPackage());
  checkChangingSession(*f.session, 300);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

static PackageManifest endlessLoop() {
  Builder b;
  const size_t x = b.input("x", {4}), on = b.input("on", {}, DType::Bool);
  const size_t p = b.four(), next = b.four();
  const size_t y = b.output("y", {4});
  LoopManifest loop;
  loop.condition = on;
  loop.carried = {{p, x, next, true}};
  loop.steps = {b.affine(p, next, 1)};
  b.package.steps = {Builder::of(loop), {"", {}, "y", CopyManifest{p, y}}};
  return b.package;
}

TEST_CASE("an endless loop ends at the time limit, or when it is cancelled") {
  Fixture f(endlessLoop());
  f.set("x", {1, 2, 3, 4});
  f.setFlag("on", true);
  f.session->setTimeLimit(std::chrono::milliseconds(20));
  Status ran = f.session->run();
  CHECK(ran.code() == StatusCode::cancelled);
  CHECK_THAT(ran.message(),
             Catch::EndsWith("the run took more than 20 ms, its time limit"));
  f.session->setTimeLimit(std::nullopt);
  std::thread canceller([&] {
    for (int i = 0; i < 200; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      f.session->cancel();
    }
  });
  ran = f.session->run();
  CHECK_THAT(ran.message(), Catch::EndsWith("the run was cancelled"));
  canceller.join();
  f.setFlag("on", false);
  CHECK(f.run() == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("somebody is asked whether a run should end") {
  Fixture f(endlessLoop());
  f.set("x", {1, 2, 3, 4});
  f.setFlag("on", true);
  int asked = 0;
  f.session->setStopCheck([&] { return ++asked == 3; });
  const auto start = std::chrono::steady_clock::now();
  Status ran = f.session->run();
  CHECK(ran.code() == StatusCode::cancelled);
  CHECK_THAT(ran.message(), Catch::EndsWith("the run was cancelled"));
  CHECK(asked == 3);
  CHECK(std::chrono::steady_clock::now() - start >=
        std::chrono::milliseconds(60));
  f.setFlag("on", false);
  CHECK(f.run() == std::vector<float>{1, 2, 3, 4});
  CHECK(asked == 3);
  f.session->setStopCheck(nullptr);
  f.setFlag("on", true);
  f.session->setTimeLimit(std::chrono::milliseconds(50));
  CHECK_FALSE(f.session->run().ok());
  CHECK(asked == 3);
}

TEST_CASE("a profile counts how often steps ran") {
  Fixture f(countedLoop(true));
  f.set("x", {1, 1, 1, 1});
  f.set("n", std::vector<float>(5));
  auto times = f.session->profile();
  REQUIRE(times.ok());
  REQUIRE(times->size() == 2);
  CHECK(times->front().kernel == "affine");
  CHECK(times->front().runs == 5);
  CHECK(times->back().runs == 1);
}

//===----------------------------------------------------------------------===//
// Manifests
//===----------------------------------------------------------------------===//

TEST_CASE("each rule of branches and loops has an error of its own") {
  auto error = [](PackageManifest package, auto change) {
    change(package);
    return validate(package).message();
  };
  auto loop = [&](auto change) {
    return error(countedLoop(true),
                 [&](auto &p) { change(*p.steps[0].loop, p); });
  };
  auto branch = [&](auto change) {
    return error(choice(false),
                 [&](auto &p) { change(*p.steps[0].branch, p); });
  };
  auto read = [&](auto change) {
    return error(compress(symbol("N")),
                 [&](auto &p) { change(*p.steps[1].read, p); });
  };
  CHECK(loop([](auto &, auto &) {}) == "");
  CHECK(loop([](auto &l, auto &) { l.count.reset(); }) ==
        "steps[0].loop: expected 'count', 'while' or both: the loop never "
        "ends");
  CHECK(loop([](auto &l, auto &) { l.count = symbol("M"); }) ==
        "steps[0].loop.count: unknown symbol 'M'; the symbols are N");
  CHECK(loop([](auto &l, auto &) { l.condition = 0; }) ==
        "steps[0].loop.while: expected a buffer of one bool, found 16 bytes "
        "of f32");
  CHECK(loop([](auto &l, auto &) { l.symbols = {{"N"}}; }) ==
        "steps[0].loop.symbols[0].name: 'N' is bound twice");
  CHECK(loop([](auto &l, auto &) { l.symbols = {{"2"}}; }) ==
        "steps[0].loop.symbols[0].name: expected a name, found \"2\"");
  CHECK(loop([](auto &l, auto &) { l.carried[0].buffer = 1; }) ==
        "steps[0].loop.carried[0].buffer: expected memory that steps write, "
        "found input 1");
  CHECK(loop([](auto &l, auto &) { l.carried[0].next = 9; }) ==
        "steps[0].loop.carried[0].next: no buffer 9");
  CHECK(loop([](auto &l, auto &) { l.carried.push_back(l.carried[0]); }) ==
        "steps[0].loop.carried[1].buffer: buffer 3 stands twice");
  CHECK(loop([](auto &l, auto &p) {
          p.steps[1].copy->from = l.carried[0].next;
        }) == "steps[0].loop.carried[0].next: expected a buffer that only "
              "this value needs, found that buffer 4 is used elsewhere");
  CHECK(loop([](auto &, auto &p) { p.outputs[0].shape = {symbol("i")}; }) ==
        "outputs[0].shape[0]: unknown symbol 'i'; the symbols are N");
  CHECK(loop([](auto &l, auto &p) {
          l.symbols = {{"S", 1, symbol("S") + 1}};
          l.carried[0].start = l.carried[0].buffer;
          p.buffers[l.carried[0].buffer].bytes = symbol("S") * 4;
        }) == "steps[0].loop.carried[0].buffer: the size of buffer 3 depends "
              "on 'S', which is not known where it is written");
  CHECK(branch([](auto &, auto &) {}) == "");
  CHECK(branch([](auto &b, auto &) { b.condition = 1; }) ==
        "steps[0].branch.if: expected a buffer of one bool, found 16 bytes of "
        "f32");
  CHECK(branch([](auto &b, auto &) { b.results[0].buffer = 1; }) ==
        "steps[0].branch.results[0].buffer: expected memory that steps write, "
        "found input 1");
  CHECK(branch([](auto &b, auto &p) {
          b.symbols = {{"S", 4, 4}};
          b.results[0].first = b.results[0].buffer;
          p.buffers[b.results[0].buffer].bytes = symbol("S") * 4;
        }) == "steps[0].branch.results[0].buffer: the size of buffer 4 depends "
              "on 'S', which is not known where it is written");
  CHECK(
      branch([](auto &b, auto &) { b.second[0].check->that = symbol("K"); }) ==
      "steps[0].branch.else[0].check.that: unknown symbol 'K'; the symbols "
      "are N");
  CHECK(branch([](auto &, auto &p) { p.steps[0].kernel = "affine"; }) ==
        "steps[0]: expected a step of one kind");
  CHECK(read([](auto &, auto &) {}) == "");
  CHECK(read([](auto &r, auto &) { r.buffer = 1; }) ==
        "steps[1].read.buffer: expected a buffer of one i32 or i64, found 4 * "
        "N bytes of f32");
  CHECK(read([](auto &r, auto &) { r.symbol.name = "N"; }) ==
        "steps[1].read.symbol: 'N' is bound twice");
  CHECK(read([](auto &r, auto &) { r.symbol.greatest = symbol("K"); }) ==
        "steps[1].read.at_most: unknown symbol 'K'; the symbols are N");
  CHECK(
      error(compress({}), [](auto &p) { std::swap(p.steps[1], p.steps[2]); }) ==
      "steps[1].arguments[1].dims[0]: unknown symbol 'K'; the symbols "
      "are N");
  // What a list in a loop reads is not known behind the loop.
  CHECK(error(compress({}),
              [](auto &p) {
                LoopManifest once;
                once.count = 1;
                once.steps = {p.steps[1]};
                p.steps[1] = Builder::of(once);
              }) ==
        "steps[2].arguments[1].dims[0]: unknown symbol 'K'; the symbols "
        "are N");
}

TEST_CASE("lists that are nested too deep are one error") {
  PackageManifest package = choice(false);
  const StepManifest leaf = package.steps[0];
  for (int depth = 0; depth < 40; ++depth) {
    StepManifest outer = leaf;
    outer.branch->first = std::move(package.steps);
    package.steps = {std::move(outer)};
  }
  CHECK_THAT(validate(package).message(),
             Catch::EndsWith("expected lists nested at most 24 deep"));
  std::string text = printPackageManifest(countedLoop(true));
  const std::string steps = "\"steps\": [";
  std::string deep;
  for (int i = 0; i < 10000; ++i)
    deep += "{\"loop\": {\"steps\": [";
  text.insert(text.find(steps) + steps.size(), deep);
  CHECK_THAT(parsePackageManifest(text).status().message(),
             Catch::Contains("expected lists and objects nested at most 100 "
                             "deep"));
}

TEST_CASE("a count that 64 bits do not hold is an error of the run") {
  PackageManifest package = countedLoop(true);
  package.steps[0].loop->count = symbol("N") + INT64_MAX;
  Fixture f(package);
  f.set("x", {1, 1, 1, 1});
  f.set("n", {1});
  CHECK_THAT(f.session->run().message(),
             Catch::StartsWith("step 0 (repeat): "));
  f.session->setTimeLimit(std::chrono::milliseconds(10));
  f.set("n", {});
  CHECK(f.session->run().code() == StatusCode::cancelled);
}
