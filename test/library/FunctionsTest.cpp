// The authoring API's functions, and those that it composes of operations of
// the tile dialect, on each device against the host.
#include "tilewright/authoring.h"
#include "tilewright/compiler/Executable.h"
#include "tilewright/runtime/DeviceRegistry.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <random>

using namespace tilewright;
using namespace tilewright::authoring;

namespace {

struct Location {
  std::shared_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Stream> stream;
  LoadOptions options;
  std::string name;

  template <class... T>
  void run(const Kernel &kernel, const T &...arguments) const {
    auto loaded = load(kernel, *device, {}, options);
    INFO(name << ": " << loaded.status().message());
    REQUIRE(loaded.ok());
    REQUIRE(loaded->launch(*stream, arguments...).message() == "");
    REQUIRE(stream->synchronize().message() == "");
  }
  template <class T>
  DeviceTensor tensor(const runtime::Shape &shape,
                      const std::vector<T> &elements) const {
    return *DeviceTensor::copyOf(*device, *stream, shape, elements);
  }
  template <class T> std::vector<T> read(const DeviceTensor &tensor) const {
    return *tensor.read<T>(*stream);
  }
};

const std::vector<Location> &locations() {
  static const std::vector<Location> all = [] {
    std::vector<Location> locations;
    for (const char *name : {"interpreter", "cpu", "sm_80", "sm_90a"}) {
      Location location;
      bool isGpu = std::string(name).starts_with("sm_");
      location.name = name;
      location.device = *runtime::openDevice(isGpu ? "emulator" : name);
      location.stream = *location.device->createStream();
      if (isGpu)
        location.options.target = name;
      locations.push_back(std::move(location));
    }
    return locations;
  }();
  return all;
}

/// Numbers of all sizes and signs, and edges.
std::vector<float> samples(size_t count) {
  std::mt19937 random(1);
  std::vector<float> x = {0.f,         -0.f,   1.f,     -1.f,    0.5f,
                          INFINITY,    NAN,    88.8f,   -88.8f,  -INFINITY,
                          -103.9f,     1e-45f, -1e-45f, 3.4e38f, -3.4e38f,
                          1.1754e-38f, 17.f,   -17.f,   87.3f,   -87.3f};
  while (x.size() < count)
    x.push_back(x.size() % 2 ? std::bit_cast<float>(uint32_t(random()))
                             : std::ldexp(float(int32_t(random())),
                                          int(random() % 12) - 33));
  return x;
}

/// Distance in units of the last place of the exact result.
double ulps(float found, double exact) {
  if (std::isnan(found) || std::isnan(exact))
    return std::isnan(found) && std::isnan(exact) ? 0 : INFINITY;
  if (found == static_cast<float>(exact))
    return 0;
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::fabs(found - exact) /
         std::ldexp(1.0, std::max(exponent - 24, -149));
}

/// The largest distance of `f` from `exact` on each device.
template <class F, class H>
double worst(F f, H exact, size_t count, float least = -INFINITY,
             float most = INFINITY) {
  std::vector<float> x = samples(count);
  double worst = 0;
  for (const Location &location : locations()) {
    auto n = static_cast<int64_t>(x.size());
    DeviceTensor from = location.tensor({n}, x),
                 to = location.tensor({n}, std::vector<float>(x.size()));
    location.run(kernel("k",
                        [f](View<F32, 1> x, View<F32, 1> y) {
                          auto [i] = program(ceilDiv(x.dim(0), 256));
                          y.store(i, f(x.load(i, 256)));
                        }),
                 from, to);
    std::vector<float> y = location.read<float>(to);
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] < least || x[i] > most)
        continue;
      double distance = ulps(y[i], exact(double(x[i])));
      INFO(location.name << ": of " << x[i] << ": " << y[i]);
      if (distance > worst)
        worst = distance;
    }
  }
  return worst;
}

} // namespace

TEST_CASE("functions: sigmoid is as accurate as the page says") {
  auto exact = [](double x) { return 1 / (1 + std::exp(-x)); };
  // docs/math.md: 2 ulp, subnormal results and the ends included.
  CHECK(worst([](auto t) { return sigmoid(t); }, exact, 8192) <= 2.0);
}

TEST_CASE("functions: those of the math dialect on each device") {
#define WITHIN(NAME, BOUND, ...)                                               \
  CHECK(worst([](auto t) { return NAME(t); },                                  \
              [](double x) { return std::NAME(x); }, 512,                      \
              ##__VA_ARGS__) <= BOUND)
  WITHIN(expm1, 1.75);
  WITHIN(log1p, 1.25);
  WITHIN(log10, 1.25);
  WITHIN(tan, 2.75);
  WITHIN(cbrt, 0.75);
  WITHIN(atan, 1.75);
  WITHIN(asinh, 1.25);
  WITHIN(sinh, 2);
  WITHIN(cosh, 1.5);
  WITHIN(erfc, 2.5);
  WITHIN(trunc, 0);
  WITHIN(asin, 1.25);
  WITHIN(acos, 1.25);
  WITHIN(acosh, 1.25);
  WITHIN(atanh, 1.25);
#undef WITHIN
}

TEST_CASE("functions: narrow sigmoids round once") {
  std::vector<float> x = samples(2048);
  std::vector<Float16> half(x.begin(), x.end());
  for (const Location &location : locations()) {
    DeviceTensor from = location.tensor({2048}, half),
                 to = location.tensor({2048}, half);
    location.run(kernel("k",
                        [](View<F16, 1> x, View<F16, 1> y) {
                          y.store(0, sigmoid(x.load(0, 2048)));
                        }),
                 from, to);
    std::vector<Float16> y = location.read<Float16>(to);
    int wrong = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      double exact = 1 / (1 + std::exp(-double(float(half[i]))));
      int distance = std::abs(int(y[i].bits) - int(Float16(exact).bits));
      wrong += std::isnan(exact) ? !std::isnan(float(y[i])) : distance > 1;
    }
    CAPTURE(location.name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("functions: masks and classes on each device") {
  std::vector<float> x = samples(64);
  for (const Location &location : locations()) {
    DeviceTensor from = location.tensor(
                     {5, 7}, std::vector<float>(x.begin(), x.begin() + 35)),
                 to = location.tensor({8, 8}, std::vector<int32_t>(64));
    location.run(kernel("k",
                        [](View<F32, 2> x, View<I32, 2> y) {
                          auto t = x.load({0, 0}, {8, 8});
                          auto here = x.inside({0, 0}, {8, 8});
                          auto odd = isnan(t) || isinf(t);
                          auto fine = here && isfinite(t);
                          auto both =
                              where<I32>(here, 1, 0) + where<I32>(odd, 2, 0) +
                              where<I32>(fine, 4, 0) +
                              where<I32>(x.insideAt({-2, 1}, {8, 8}), 8, 0);
                          y.store({0, 0}, both);
                        }),
                 from, to);
    std::vector<int32_t> y = location.read<int32_t>(to);
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) {
        bool here = i < 5 && j < 7;
        float v = here ? x[i * 7 + j] : 0;
        int expected = here + 2 * !std::isfinite(v) +
                       4 * (here && std::isfinite(v)) +
                       8 * (i >= 2 && i < 7 && j < 6);
        CAPTURE(location.name, i, j, v);
        CHECK(y[i * 8 + j] == expected);
      }
  }
}

TEST_CASE("functions: an array of pointers to tensors of different sizes") {
  for (const Location &location : locations()) {
    std::vector<int64_t> sizes = {5, 1, 300}, addresses;
    std::vector<DeviceTensor> tensors;
    for (int64_t size : sizes) {
      std::vector<float> numbers(static_cast<size_t>(size),
                                 static_cast<float>(size));
      tensors.push_back(location.tensor({size}, numbers));
      addresses.push_back(tensors.back().address());
    }
    DeviceTensor table = location.tensor({3}, addresses),
                 lengths = location.tensor({3}, sizes),
                 sums = location.tensor({3}, std::vector<float>(3));
    location.run(
        kernel("k",
               [](View<I64, 1> table, View<I64, 1> lengths, View<F32, 1> sums) {
                 auto [g] = program(table.dim(0));
                 Index n = cast<Index>(lengths.at(g));
                 auto x = viewAt(pointerAt<F32>(table.at(g)), {n});
                 auto total = loop(ceilDiv(n, 64), Scalar<F32>(0.0),
                                   [&](Index i, Scalar<F32> total) {
                                     auto t = x.load(i, 64);
                                     x.store(i, t + 1.0);
                                     return total + sum(t);
                                   });
                 sums.store(g, full<F32>({1}, total));
               }),
        table, lengths, sums);
    CAPTURE(location.name);
    CHECK(location.read<float>(sums) == std::vector<float>{25, 1, 90000});
    CHECK(location.read<float>(tensors[2]) == std::vector<float>(300, 301.f));
  }
}

TEST_CASE("functions: parts, counts and exchanges on each device") {
  for (const Location &location : locations()) {
    std::vector<int32_t> given(24);
    for (int i = 0; i < 24; ++i)
      given[i] = i % 5;
    DeviceTensor x = location.tensor({24}, given),
                 y = location.tensor({64}, std::vector<int32_t>(64, -1)),
                 locks = location.tensor({8}, std::vector<int32_t>(8, 1));
    location.run(kernel("k",
                        [](View<I32, 1> x, View<I32, 1> y, Pointer<I32> locks) {
                          auto t = x.load(0, 24);
                          auto [even, odd] = split<2>(reshape(t, {12, 2}));
                          y.storeAt(0, concat({odd, even, odd}, 0));
                          auto h = histogram(t, 5, iota<I32>(24) < 10);
                          y.storeAt(36, h);
                          auto [run, next] = cumulativeSumFrom(
                              full<I32>({1}, 100), slice(t, 0, 8), axis(-1));
                          y.storeAt(41, run);
                          y.storeAt(49, next);
                          auto i = iota<I32>(8);
                          auto old =
                              compareExchange(locks + i, 1, i + 10, i % 2 == 0);
                          y.storeAt(50, old);
                        }),
                 x, y, Argument::pointerTo(locks));
    std::vector<int32_t> expected;
    for (int part : {1, 0, 1})
      for (int i = 0; i < 12; ++i)
        expected.push_back(given[2 * i + part]);
    for (int bin = 0; bin < 5; ++bin)
      expected.push_back(2);
    int total = 100;
    for (int i = 0; i < 8; ++i)
      expected.push_back(total += given[i]);
    expected.push_back(total);
    for (int i = 0; i < 8; ++i)
      expected.push_back(i % 2 == 0);
    std::vector<int32_t> found = location.read<int32_t>(y);
    found.resize(expected.size());
    CAPTURE(location.name);
    CHECK(found == expected);
    std::vector<int32_t> after = location.read<int32_t>(locks);
    for (int i = 0; i < 8; ++i)
      CHECK(after[i] == (i % 2 ? 1 : i + 10));
  }
}

TEST_CASE("functions: a FastMath is for what is built while it lives") {
  Kernel k = kernel("k", [](View<F32, 1> x, View<F32, 1> y) {
    auto t = x.load(0, 128);
    auto approximate = [&] {
      FastMath fast("afn");
      return exp(t);
    }();
    y.store(0, approximate + exp(t + t));
  });
  StatusOr<BuiltKernel> built = k.build();
  REQUIRE(built.status().message() == "");
  CompileRequest request;
  request.module = built->module;
  request.target = "sm_90a";
  StatusOr<KernelImage> image = compile(request);
  REQUIRE(image.status().message() == "");
  CHECK(image->manifest.fastMath == "afn");
  // One is an instruction, the other a polynomial.
  CHECK(image->code.find("ex2.approx.ftz.f32") != std::string::npos);
  CHECK(image->code.find("fma.rn.f32") != std::string::npos);
}
