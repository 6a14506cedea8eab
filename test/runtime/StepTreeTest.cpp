// When buffers of nested steps are needed; random ones run as they would if
// each buffer had memory of its own.
#include "runtime/core/StepTree.h"
#include "RandomSteps.h"
#include "runtime/abi/Interval.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright;
using namespace tilewright::runtime;

TEST_CASE("random branches and loops share memory without a difference") {
  TemporaryFolder folder;
  auto device = *openDevice("cpu", {1});
  size_t launches = 0, arena = 0, buffers = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const PackageManifest package = RandomSteps(seed).package;
    INFO("seed " << seed << "\n" << printPackageManifest(package));
    auto parsed = parsePackageManifest(printPackageManifest(package));
    INFO(parsed.status().message());
    REQUIRE(parsed.ok());
    REQUIRE(*parsed == package);
    const auto path = folder / ("m" + std::to_string(seed));
    writeTestPackage(path, package);
    auto model = Model::load(device, path);
    REQUIRE(model.ok());
    auto session = *(*model)->createSession();
    for (float first : {0.f, 1.f, 0.f})
      launches += checkAgainstOracle(*session, package, {first, 2, -1, 0.5f});
    arena += session->memoryUse()->arena;
    buffers += package.buffers.size();
  }
  CHECK(launches > 10000);
  // Most buffers share memory.
  CHECK(arena < buffers * 64 / 2);
}

TEST_CASE("an expression lies between what its names allow") {
  const std::map<std::string, Interval, std::less<>> names = {
      {"a", {2, 10}}, {"b", {-3, 4}}, {"open", {0, Interval::none}}};
  auto of = [&](const char *text) {
    const Interval found = intervalOf(*Expression::parse(text), names);
    return std::pair(found.least, found.most);
  };
  using Pair = std::pair<int64_t, int64_t>;
  const int64_t none = Interval::none;
  CHECK(of("7") == Pair(7, 7));
  CHECK(of("a + b") == Pair(-1, 14));
  CHECK(of("a - b") == Pair(-2, 13));
  CHECK(of("a * b") == Pair(-30, 40));
  CHECK(of("-a") == Pair(-10, -2));
  CHECK(of("ceildiv(b, a)") == Pair(-1, 2));
  CHECK(of("floordiv(b, 2)") == Pair(-2, 2));
  CHECK(of("mod(b, a)") == Pair(0, 9));
  CHECK(of("mod(a, 20)") == Pair(2, 10));
  CHECK(of("min(a, b)") == Pair(-3, 4));
  CHECK(of("max(a, b)") == Pair(2, 10));
  CHECK(of("open * 4") == Pair(0, none));
  CHECK(of("min(open, a)") == Pair(0, 10));
  CHECK(of("a - open") == Pair(-none - 1, 10));
  CHECK(of("9223372036854775807 + a").second == none);
  CHECK(of("unknown") == Pair(-none - 1, none));
  CHECK(of("floordiv(a, b)") == Pair(-none - 1, none));
}

/// Random expressions at random points.
TEST_CASE("no value of an expression is outside of its interval") {
  std::mt19937 random(7);
  auto pick = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  using Op = Expression::Op;
  const Op ops[] = {Op::add,      Op::subtract, Op::multiply, Op::ceilDiv,
                    Op::floorDiv, Op::mod,      Op::min,      Op::max};
  size_t values = 0;
  for (int round = 0; round < 3000; ++round) {
    std::map<std::string, Interval, std::less<>> names;
    for (const char *name : {"a", "b", "c"}) {
      const int64_t least = pick(-20, 20);
      names[name] = {least, least + pick(0, 20)};
    }
    std::vector<Expression> parts{pick(-5, 30), Expression::symbol("a"),
                                  Expression::symbol("b"),
                                  Expression::symbol("c")};
    auto part = [&] {
      return parts[size_t(pick(0, int64_t(parts.size()) - 1))];
    };
    for (int i = 0; i < 4; ++i)
      parts.push_back(Expression::binary(ops[pick(0, 7)], part(), part()));
    const Interval range = intervalOf(parts.back(), names);
    for (int point = 0; point < 10; ++point) {
      Bindings at;
      for (const auto &[name, limits] : names)
        at[name] = pick(limits.least, limits.most);
      auto value = parts.back().evaluate(at);
      if (!value.ok())
        continue;
      ++values;
      INFO(parts.back().str());
      CHECK(*value >= range.least);
      CHECK(*value <= range.most);
    }
  }
  CHECK(values > 10000);
}
