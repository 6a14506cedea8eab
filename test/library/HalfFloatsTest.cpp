// Floats of 16 bits on the host, against the conversions of the interpreter.
#include "tilewright/authoring.h"
#include "tilewright/compiler/Executable.h"
#include "tilewright/runtime/DeviceRegistry.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace tilewright;
using namespace tilewright::authoring;

namespace {

struct Converter {
  std::shared_ptr<runtime::Device> device = *runtime::openDevice("interpreter");
  std::unique_ptr<runtime::Stream> stream = *device->createStream();

  /// The numbers as elements `To`, converted in a kernel.
  template <class From, class To, class Out, class In>
  std::vector<Out> convert(const std::vector<In> &numbers) {
    constexpr int64_t tile = 4096;
    auto n = static_cast<int64_t>(numbers.size());
    Kernel k = kernel("convert", [](View<From, 1> x, View<To, 1> y) {
      auto [i] = program(ceilDiv(x.dim(0), tile));
      y.store(i, cast<To>(x.load(i, tile)));
    });
    auto run = load(k, *device);
    INFO(run.status().message());
    REQUIRE(run.ok());
    DeviceTensor x = *DeviceTensor::copyOf(*device, *stream, {n}, numbers),
                 y = *DeviceTensor::allocate(*device, DTypeOf<Out>::dtype, {n});
    REQUIRE(run->launch(*stream, x, y).message() == "");
    return *y.read<Out>(*stream);
  }
};

template <class T> std::vector<T> allBits() {
  std::vector<T> all(65536);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = T::fromBits(static_cast<uint16_t>(i));
  return all;
}

bool same(float a, float b) {
  return std::isnan(a) || std::isnan(b)
             ? std::isnan(a) && std::isnan(b)
             : a == b && std::signbit(a) == std::signbit(b);
}

/// Each number of 16 bits, the points halfway to the next, and their
/// neighbours.
template <class T> std::vector<float> edges() {
  std::vector<float> all;
  for (uint32_t bits = 0; bits < 65535; ++bits) {
    float x = T::fromBits(static_cast<uint16_t>(bits)),
          next = T::fromBits(static_cast<uint16_t>(bits + 1));
    float middle = x / 2 + next / 2;
    for (float y : {x, middle, std::nextafter(middle, INFINITY),
                    std::nextafter(middle, -INFINITY)})
      all.push_back(y);
  }
  return all;
}

template <class T, class Element> void checkType(Converter &converter) {
  auto all = allBits<T>();
  std::vector<float> wide = converter.convert<Element, F32, float>(all);
  size_t wrong = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    wrong += !same(all[i], wide[i]);
    // There and back; of NaN the kind.
    wrong += !std::isnan(wide[i]) && T(wide[i]).bits != i;
  }
  CHECK(wrong == 0);
  std::vector<float> given = edges<T>();
  std::vector<T> narrow = converter.convert<F32, Element, T>(given);
  for (size_t i = 0; i < given.size(); ++i)
    wrong += std::isnan(given[i]) ? !std::isnan(float(T(given[i])))
                                  : T(given[i]).bits != narrow[i].bits;
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("half floats: all numbers, and what lies between them") {
  Converter converter;
  checkType<Float16, F16>(converter);
  checkType<BFloat16, BF16>(converter);
}

TEST_CASE("half floats: doubles are rounded once") {
  Converter converter;
  std::vector<double> given;
  // Just beyond halfway: as a float it would be halfway.
  for (double x : {1.0, 1.5, 1024.0, 0x1p-20, 65504.0, 0x1p-130})
    for (double by : {0x1p-11, 0x1p-8, 0x1p-9})
      for (double tiny : {0.0, 0x1p-40, -0x1p-40})
        for (double sign : {1.0, -1.0})
          given.push_back(sign * x * (1 + by + tiny));
  std::vector<Float16> half = converter.convert<F64, F16, Float16>(given);
  std::vector<BFloat16> brain = converter.convert<F64, BF16, BFloat16>(given);
  for (size_t i = 0; i < given.size(); ++i) {
    INFO(given[i]);
    CHECK(Float16(given[i]).bits == half[i].bits);
    CHECK(BFloat16(given[i]).bits == brain[i].bits);
  }
  static_assert(float(Float16(1) / Float16(3)) != 0);
  static_assert(Float16(2049).bits == Float16(2048).bits);
  static_assert(BFloat16(-0.5f).bits == 0xbf00);
}
