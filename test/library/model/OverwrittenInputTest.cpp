// Outputs that are the new value of an input, in memory of their own or in that
// of the input.
#include "CompiledModel.h"
#include "runtime/emulator/device/KernelTotals.h"

using namespace tilewright;
using namespace tilewright::test;
using runtime::TensorMemory;
using runtime::TensorRole;

/// A row goes into the cache at a position that is data. `old` is a row of the
/// old value, negated, and `next` of the new one.
static const char *const rowModel = R"(
func.func @main(%x: tensor<1x4xf32> {graph.name = "x"},
                %position: tensor<i64> {graph.name = "position"},
                %cache: tensor<?x4xf32> {graph.name = "cache", graph.dims = ["n", ""]})
    -> (tensor<?x4xf32> {graph.name = "cache", graph.overwrites = "cache"},
        tensor<4xf32> {graph.name = "old"}, tensor<4xf32> {graph.name = "next"}) {
  %p = tensor.extract %position[] : tensor<i64>
  %at = arith.index_cast %p : i64 to index
  %new = tensor.insert_slice %x into %cache[%at, 0] [1, 4] [1, 1]
      : tensor<1x4xf32> into tensor<?x4xf32>
  %a = tensor.extract_slice %cache[1, 0] [1, 4] [1, 1]
      : tensor<?x4xf32> to tensor<4xf32>
  %old = arith.negf %a : tensor<4xf32>
  %b = tensor.extract_slice %new[1, 0] [1, 4] [1, 1]
      : tensor<?x4xf32> to tensor<4xf32>
  %next = arith.negf %b : tensor<4xf32>
  return %new, %old, %next : tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>
})";

/// Two inputs that become each other, and one of which the old value is an
/// output.
static const char *const swapModel = R"(
func.func @main(%a: tensor<2xf32> {graph.name = "a"},
                %b: tensor<2xf32> {graph.name = "b"},
                %c: tensor<2xf32> {graph.name = "c"})
    -> (tensor<2xf32> {graph.name = "a", graph.overwrites = "a"},
        tensor<2xf32> {graph.name = "b", graph.overwrites = "b"},
        tensor<2xf32> {graph.name = "c", graph.overwrites = "c"},
        tensor<2xf32> {graph.name = "old"}) {
  %d = arith.addf %c, %a : tensor<2xf32>
  return %b, %a, %d, %c
      : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
})";

static void bind(runtime::Session &session, TensorRole role, const char *name,
                 Floats &values, const runtime::Shape &shape,
                 const runtime::Shape &strides = {}) {
  TensorMemory memory;
  memory.dtype = DType::F32;
  memory.shape = shape;
  memory.strides = strides;
  memory.data = std::as_writable_bytes(std::span(values));
  Status bound = session.bind(role, name, memory);
  INFO(bound.message());
  REQUIRE(bound.ok());
}

static Floats negated(const float *row) {
  return {-row[0], -row[1], -row[2], -row[3]};
}

/// Calls with caches of several lengths; `isBound` to one memory.
static void checkCaches(runtime::Session &session, bool isBound) {
  for (int64_t rows : {3, 5, 4}) {
    Floats cache;
    for (int64_t i = 0; i < rows * 4; ++i)
      cache.push_back(float(i));
    Floats memory = cache;
    for (int64_t position : {1, 0, 2}) {
      const Floats x = {float(position), 50, 60, float(rows)};
      const Floats old = negated(cache.data() + 4);
      std::copy(x.begin(), x.end(), cache.begin() + position * 4);
      setFloats(session, "x", {1, 4}, x);
      setInteger(session, "position", position);
      if (isBound) {
        REQUIRE(session.unbind(TensorRole::output, "cache").ok());
        bind(session, TensorRole::input, "cache", memory, {rows, 4});
        bind(session, TensorRole::output, "cache", memory, {rows, 4});
      } else {
        setFloats(session, "cache", {rows, 4}, memory);
      }
      run(session);
      REQUIRE(outputOf(session, "old") == old);
      REQUIRE(outputOf(session, "next") == negated(cache.data() + 4));
      if (!isBound)
        memory = outputOf(session, "cache");
      REQUIRE(memory == cache);
    }
  }
}

TEST_CASE("only a row of an input is written") {
  Compiled compiled(R"(
func.func @main(%x: tensor<1x4xf32> {graph.name = "x"},
                %position: tensor<i64> {graph.name = "position"},
                %cache: tensor<?x4xf32> {graph.name = "cache", graph.dims = ["n", ""]})
    -> (tensor<?x4xf32> {graph.name = "cache", graph.overwrites = "cache"}) {
  %p = tensor.extract %position[] : tensor<i64>
  %at = arith.index_cast %p : i64 to index
  %new = tensor.insert_slice %x into %cache[%at, 0] [1, 4] [1, 1]
      : tensor<1x4xf32> into tensor<?x4xf32>
  return %new : tensor<?x4xf32>
})");
  CHECK(copiesIn(compiled) == 0);
  auto device = *runtime::openDevice("emulator", {2});
  auto model = compiled.load(device);
  auto session = *model->createSession();
  setFloats(*session, "x", {1, 4}, Floats(4, 3));
  setInteger(*session, "position", 2);
  setFloats(*session, "cache", {300, 4}, Floats(1200, 1));
  emulator::KernelTotals *totals = emulator::kernelTotals(*device);
  totals->setSumming(true);
  run(*session);
  uint64_t bytes = 0;
  for (const emulator::KernelTotal &kernel : totals->takeTotals())
    bytes += kernel.counters.total().on(emulator::DataPath::globalWritten);
  CHECK(bytes == 16);
  CHECK(outputOf(*session, "cache")[8] == 3);
}

TEST_CASE("the new value of an input is an output") {
  Compiled compiled(rowModel);
  onEachDevice(compiled,
               [](runtime::Session &session) { checkCaches(session, false); });
}

TEST_CASE("an input is changed in the memory of the caller") {
  Compiled compiled(rowModel);
  onEachDevice(compiled,
               [](runtime::Session &session) { checkCaches(session, true); });
  auto session =
      compiled.load(*runtime::openDevice("cpu", {2}))->createSession();
  checkCaches(**session, true);
  CHECK((*session)->boundCopies().count == 0);
}

TEST_CASE("inputs that become each other keep their old values until the end") {
  Compiled compiled(swapModel);
  for (bool isBound : {false, true})
    onEachDevice(compiled, [&](runtime::Session &session) {
      Floats a = {1, 2}, b = {3, 4}, c = {5, 6};
      for (int step = 0; step < 3; ++step) {
        const Floats newA = b, newB = a, old = c;
        const Floats newC = {c[0] + a[0], c[1] + a[1]};
        for (auto [name, values] : {std::pair("a", &a), {"b", &b}, {"c", &c}})
          if (isBound) {
            bind(session, TensorRole::input, name, *values, {2});
            bind(session, TensorRole::output, name, *values, {2});
          } else {
            setFloats(session, name, {2}, *values);
          }
        run(session);
        REQUIRE(outputOf(session, "old") == old);
        if (!isBound) {
          a = outputOf(session, "a");
          b = outputOf(session, "b");
          c = outputOf(session, "c");
        }
        REQUIRE(a == newA);
        REQUIRE(b == newB);
        REQUIRE(c == newC);
      }
    });
}

TEST_CASE("memory of an input that is changed is that of no other tensor") {
  Compiled compiled(swapModel);
  auto session =
      *compiled.load(*runtime::openDevice("cpu", {2}))->createSession();
  Floats memory(8, 1), other(2, 1);
  auto failing = [&](TensorRole role, const char *name, size_t first,
                     const runtime::Shape &strides) {
    TensorMemory tensor;
    tensor.dtype = DType::F32;
    tensor.shape = {2};
    tensor.strides = strides;
    tensor.data = std::as_writable_bytes(std::span(memory).subspan(first));
    return session->bind(role, name, tensor).message();
  };
  using Catch::Contains;
  // a: elements 0 and 2.
  CHECK(failing(TensorRole::input, "a", 0, {2}).empty());
  CHECK(failing(TensorRole::output, "a", 0, {2}).empty());
  CHECK_THAT(failing(TensorRole::output, "a", 0, {1}),
             Contains("output 'a': its memory overlaps that of input 'a'"));
  CHECK_THAT(failing(TensorRole::input, "b", 1, {1}),
             Contains("input 'b': its memory overlaps that of output 'a'"));
  CHECK_THAT(failing(TensorRole::output, "b", 0, {2}),
             Contains("output 'b': its memory overlaps that of output 'a'"));
  // Between the elements of a.
  CHECK(failing(TensorRole::input, "b", 1, {2}).empty());
  CHECK(failing(TensorRole::output, "b", 1, {2}).empty());
  bind(*session, TensorRole::input, "c", other, {2});
  bind(*session, TensorRole::output, "c", other, {2});
  run(*session);
  CHECK(other == Floats{2, 2});
}

TEST_CASE("each wrong attribute of an overwritten input is one clear error") {
  ModelFolder folder;
  auto error = [&](const std::string &result) {
    const std::string text =
        "func.func @main(%x: tensor<2xf32> {graph.name = \"x\"}, %y: "
        "tensor<3xf32> {graph.name = \"y\"}) -> (" +
        result + ") {\n  return %x, %x : tensor<2xf32>, tensor<2xf32>\n}";
    auto compiled = compileModel(folder.write("m.mlir", text), folder / "m.twp",
                                 CompileModelOptions());
    REQUIRE_FALSE(compiled.ok());
    CHECK(compiled.status().code() == StatusCode::invalidInput);
    return compiled.status().message();
  };
  using Catch::Contains;
  auto one = [](const char *attribute) {
    return std::string("tensor<2xf32> {graph.overwrites = ") + attribute + "}";
  };
  CHECK_THAT(error(one("\"z\"") + ", tensor<2xf32>"),
             Contains("result 0: graph.overwrites: no argument has graph.name "
                      "= \"z\""));
  CHECK_THAT(error("tensor<2xf32>, " + one("\"y\"")),
             Contains("result 1: graph.overwrites: argument 'y' is of another "
                      "type"));
  CHECK_THAT(error(one("\"x\"") + ", " + one("\"x\"")),
             Contains("result 1: graph.overwrites: another result updates 'x' "
                      "too"));
  CHECK_THAT(error(one("7") + ", tensor<2xf32>"), Contains("graph.overwrites"));
}
