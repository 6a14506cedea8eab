// Graphs with state: 50 steps of one session equal a loop on the host.
#include "CompiledModel.h"
#include "runtime/emulator/device/KernelTotals.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::test;

TEST_CASE("sums and counters go on, old and new values are results") {
  Compiled compiled(R"(
func.func @main(%x: tensor<4xf32> {graph.name = "x"},
                %s: tensor<4xf32> {graph.state = "s",
                    graph.initial = dense<[2.0, 4.0, 8.0, 0.0]> : tensor<4xf32>},
                %c: tensor<i64> {graph.state = "c"})
    -> (tensor<4xf32> {graph.name = "new"}, tensor<4xf32> {graph.updates = "s"},
        tensor<i64> {graph.updates = "c"}, tensor<4xf32> {graph.name = "old"}) {
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %one = arith.constant dense<1> : tensor<i64>
  %a = arith.mulf %s, %half : tensor<4xf32>
  %b = arith.addf %a, %x : tensor<4xf32>
  %d = arith.addi %c, %one : tensor<i64>
  return %b, %b, %d, %s
      : tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<4xf32>
})");
  onEachDevice(compiled, [](runtime::Session &session) {
    Floats s = {2, 4, 8, 0};
    for (int step = 0; step < 50; ++step) {
      const Floats x = {float(step), 1, float(-step), 0.25f}, old = s;
      for (size_t i = 0; i < 4; ++i)
        s[i] = s[i] * 0.5f + x[i];
      setFloats(session, "x", {4}, x);
      run(session);
      REQUIRE(outputOf(session, "new") == s);
      REQUIRE(outputOf(session, "old") == old);
      REQUIRE(stateOf(session, "s") == s);
      REQUIRE(session.state("c")->as<int64_t>()[0] == step + 1);
    }
    REQUIRE(session.resetStates().ok());
    CHECK(stateOf(session, "s") == Floats{2, 4, 8, 0});
    CHECK(session.state("c")->as<int64_t>()[0] == 0);
  });
}

TEST_CASE("states that become each other, an input or a constant") {
  Compiled compiled(R"(
func.func @main(%x: tensor<2xf32> {graph.name = "x"},
                %a: tensor<2xf32> {graph.state = "a",
                    graph.initial = dense<[1.0, 2.0]> : tensor<2xf32>},
                %b: tensor<2xf32> {graph.state = "b"},
                %c: tensor<2xf32> {graph.state = "c"},
                %d: tensor<2xf32> {graph.state = "d"},
                %e: tensor<2xf32> {graph.state = "e"})
    -> (tensor<2xf32> {graph.updates = "b"}, tensor<2xf32> {graph.updates = "a"},
        tensor<2xf32> {graph.updates = "c"}, tensor<2xf32> {graph.updates = "d"},
        tensor<2xf32> {graph.updates = "e"}) {
  %k = arith.constant dense<[7.0, 9.0]> : tensor<2xf32>
  return %a, %b, %x, %k, %e
      : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
})");
  onEachDevice(compiled, [](runtime::Session &session) {
    Floats a = {1, 2}, b = {0, 0};
    for (int step = 0; step < 5; ++step) {
      std::swap(a, b);
      const Floats x = {float(step), 3};
      setFloats(session, "x", {2}, x);
      run(session);
      REQUIRE(stateOf(session, "a") == a);
      REQUIRE(stateOf(session, "b") == b);
      REQUIRE(stateOf(session, "c") == x);
      REQUIRE(stateOf(session, "d") == Floats{7, 9});
      REQUIRE(stateOf(session, "e") == Floats{0, 0});
    }
  });
}

/// The row of x is written at a position that is data, and y sums the rows of
/// the cache: the new one, or, where `old`, the one before.
static std::string cacheModel(int64_t rows, bool old = false) {
  std::string text = R"(
func.func @main(%x: tensor<1x64xf32> {graph.name = "x"},
                %position: tensor<i64> {graph.name = "position"},
                %cache: tensor<ROWSx64xf32> {graph.state = "cache"})
    -> (tensor<64xf32> {graph.name = "y"},
        tensor<ROWSx64xf32> {graph.updates = "cache"}) {
  %p = tensor.extract %position[] : tensor<i64>
  %at = arith.index_cast %p : i64 to index
  %new = tensor.insert_slice %x into %cache[%at, 0] [1, 64] [1, 1]
      : tensor<1x64xf32> into tensor<ROWSx64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %y = linalg.reduce ins(READ : tensor<ROWSx64xf32>)
                     outs(%f : tensor<64xf32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      %sum = arith.addf %in, %acc : f32
      linalg.yield %sum : f32
    }
  return %y, %new : tensor<64xf32>, tensor<ROWSx64xf32>
})";
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), to);
  };
  replace("ROWS", std::to_string(rows));
  replace("READ", old ? "%cache" : "%new");
  return text;
}

/// 50 rows, some of them twice.
static void checkCache(runtime::Session &session, int64_t rows, bool old) {
  Floats cache(size_t(rows) * 64, 0);
  for (int step = 0; step < 50; ++step) {
    const int64_t position = step * 7 % rows;
    Floats x, y(64, 0);
    for (int i = 0; i < 64; ++i)
      x.push_back(float(step * 64 + i) / 16);
    auto sum = [&] {
      for (size_t i = 0; i < cache.size(); ++i)
        y[i % 64] += cache[i];
    };
    if (old)
      sum();
    std::copy(x.begin(), x.end(), cache.begin() + position * 64);
    if (!old)
      sum();
    setFloats(session, "x", {1, 64}, x);
    setInteger(session, "position", position);
    run(session);
    REQUIRE(outputOf(session, "y") == y); // Sums of multiples of 1/16.
    REQUIRE(stateOf(session, "cache") == cache);
  }
}

TEST_CASE("a row is written into a cache in place") {
  Compiled compiled(cacheModel(24));
  CHECK(copiesIn(compiled) == 0);
  onEachDevice(compiled, [](runtime::Session &session) {
    checkCache(session, 24, false);
  });
}

TEST_CASE("the old cache is read before it is changed") {
  Compiled compiled(cacheModel(24, true));
  onEachDevice(compiled, [](runtime::Session &session) {
    checkCache(session, 24, true);
  });
}

TEST_CASE("slices of several rows, one after the other and into each other") {
  Compiled compiled(R"(
func.func @main(%x: tensor<3x2xf32> {graph.name = "x"},
                %position: tensor<i64> {graph.name = "position"},
                %cache: tensor<2x9x2xf32> {graph.state = "cache",
                    graph.initial = dense<1.0> : tensor<2x9x2xf32>})
    -> (tensor<2x9x2xf32> {graph.updates = "cache"},
        tensor<2xf32> {graph.name = "y"}) {
  %p = tensor.extract %position[] : tensor<i64>
  %at = arith.index_cast %p : i64 to index
  %one = tensor.insert_slice %x into %cache[0, %at, 0] [1, 3, 2] [1, 1, 1]
      : tensor<3x2xf32> into tensor<2x9x2xf32>
  %z = tensor.extract_slice %one[0, 4, 0] [1, 1, 2] [1, 1, 1]
      : tensor<2x9x2xf32> to tensor<2xf32>
  %y = math.absf %z : tensor<2xf32>
  %two = tensor.insert_slice %x into %one[1, 5, 0] [1, 3, 2] [1, 1, 1]
      : tensor<3x2xf32> into tensor<2x9x2xf32>
  return %two, %y : tensor<2x9x2xf32>, tensor<2xf32>
})");
  CHECK(copiesIn(compiled) == 0);
  onEachDevice(compiled, [](runtime::Session &session) {
    Floats cache(36, 1);
    for (int step = 0; step < 50; ++step) {
      const int64_t position = step % 7;
      Floats x;
      for (int i = 0; i < 6; ++i)
        x.push_back(float(step + i - 20));
      std::copy(x.begin(), x.end(), cache.begin() + position * 2);
      const Floats y = {std::abs(cache[8]), std::abs(cache[9])};
      std::copy(x.begin(), x.end(), cache.begin() + 18 + 10);
      setFloats(session, "x", {3, 2}, x);
      setInteger(session, "position", position);
      run(session);
      REQUIRE(outputOf(session, "y") == y);
      REQUIRE(stateOf(session, "cache") == cache);
    }
  });
}

/// Bytes that the kernels for one token write to global memory.
static uint64_t writtenFor(int64_t rows) {
  const std::string type = "tensor<" + std::to_string(rows) + "x64xf32>";
  Compiled compiled("func.func @main(%x: tensor<1x64xf32> {graph.name = \"x\"},"
                    " %position: tensor<i64> {graph.name = \"position\"},"
                    " %cache: " +
                    type + " {graph.state = \"cache\"}) -> (" + type +
                    R"( {graph.updates = "cache"}) {
  %p = tensor.extract %position[] : tensor<i64>
  %at = arith.index_cast %p : i64 to index
  %new = tensor.insert_slice %x into %cache[%at, 0] [1, 64] [1, 1]
      : tensor<1x64xf32> into )" +
                    type + "\n  return %new : " + type + "\n}");
  auto device = *runtime::openDevice("emulator", {2});
  auto model = compiled.load(device);
  auto session = *model->createSession();
  setFloats(*session, "x", {1, 64}, Floats(64, 3));
  setInteger(*session, "position", rows - 2);
  emulator::KernelTotals *totals = emulator::kernelTotals(*device);
  totals->setSumming(true);
  run(*session);
  uint64_t bytes = 0;
  for (const emulator::KernelTotal &kernel : totals->takeTotals())
    bytes += kernel.counters.total().on(emulator::DataPath::globalWritten);
  CHECK(stateOf(*session, "cache")[size_t(rows - 2) * 64] == 3);
  CHECK(copiesIn(compiled) == 0);
  return bytes;
}

TEST_CASE("a token writes the same bytes into a small and a large cache") {
  CHECK(writtenFor(512) == 64 * 4);
  CHECK(writtenFor(8192) == 64 * 4);
}

TEST_CASE("two sessions of a model have states of their own") {
  Compiled compiled(cacheModel(24));
  auto model = compiled.load(*runtime::openDevice("cpu", {2}));
  auto first = *model->createSession(), second = *model->createSession();
  setFloats(*first, "x", {1, 64}, Floats(64, 1));
  setInteger(*first, "position", 3);
  run(*first);
  CHECK(stateOf(*second, "cache") == Floats(24 * 64, 0));
  checkCache(*second, 24, false);
  CHECK(stateOf(*first, "cache")[3 * 64] == 1);
}

TEST_CASE("a model is compiled to a package in memory") {
  test::ModelFolder folder;
  const std::string text = cacheModel(24);
  CompileModelOptions options;
  REQUIRE(compileModel(folder.write("m.mlir", text), folder / "m.twp", options)
              .ok());
  auto compiled =
      compileModelInMemory(ModelSource::memory("m.mlir", text), options);
  INFO(compiled.status().message());
  REQUIRE(compiled.ok());
  CHECK(compiled->report.steps == compiled->package->manifest().steps.size());
  // The same package, but for what the name is made of.
  runtime::PackageManifest written =
      (*runtime::Package::load(folder / "m.twp"))->manifest();
  CHECK(compiled->package->manifest() == written);
  auto model =
      runtime::Model::load(*runtime::openDevice("cpu", {2}), compiled->package);
  REQUIRE(model.ok());
  checkCache(**(*model)->createSession(), 24, false);

  auto failed =
      compileModelInMemory(ModelSource::memory("m.mlir", "func.func"), options);
  CHECK(failed.status().code() == StatusCode::invalidInput);
}

TEST_CASE("each wrong attribute of a state is one clear error") {
  test::ModelFolder folder;
  auto error = [&](const std::string &interface, const std::string &result) {
    const std::string text = "func.func @main(%x: tensor<2xf32>, " + interface +
                             ") -> (" + result +
                             ") {\n  return %x : tensor<2xf32>\n}";
    auto compiled = compileModel(folder.write("m.mlir", text), folder / "m.twp",
                                 CompileModelOptions());
    REQUIRE_FALSE(compiled.ok());
    CHECK(compiled.status().code() == StatusCode::invalidInput);
    return compiled.status().message();
  };
  using Catch::Contains;
  const std::string s = "%s: tensor<2xf32> {graph.state = \"s\"}";
  const std::string plain = "tensor<2xf32>";
  CHECK_THAT(error(s, "tensor<2xf32> {graph.updates = \"t\"}"),
             Contains("result 0: graph.updates: no argument has graph.state = "
                      "\"t\""));
  CHECK_THAT(
      error("%s: tensor<3xf32> {graph.state = \"s\"}",
            "tensor<2xf32> {graph.updates = \"s\"}"),
      Contains("result 0: graph.updates: argument 's' is of another type"));
  CHECK_THAT(error(s + ", %t: tensor<2xf32> {graph.state = \"s\"}", plain),
             Contains("argument 2: graph.state: another one is 's' too"));
  CHECK_THAT(error("%s: tensor<?xf32> {graph.state = \"s\"}", plain),
             Contains("argument 1: graph.state: expected a tensor of static "
                      "shape"));
  CHECK_THAT(
      error("%s: tensor<2xf32> {graph.initial = dense<0.0> : tensor<2xf32>}",
            plain),
      Contains("argument 1: graph.initial: expected an argument with "
               "graph.state"));
  CHECK_THAT(error("%s: tensor<2xf32> {graph.state = \"s\", graph.initial = "
                   "dense<0.0> : tensor<3xf32>}",
                   plain),
             Contains("argument 1: graph.initial: expected elements of the "
                      "argument's type"));
  CHECK_THAT(error("%s: tensor<2xf32> {graph.updates = \"s\"}", plain),
             Contains("argument 1: graph.updates: expected it of a result"));
  CHECK_THAT(error(s, "tensor<2xf32> {graph.state = \"s\"}"),
             Contains("result 0: graph.state and graph.initial are of "
                      "arguments"));
  CHECK_THAT(error("%s: tensor<2xf32> {graph.state = 3}", plain),
             Contains("argument 1: graph.state: expected the name of a state"));
}
