// Kernels on a device: what a launch rejects, and how it says so.
#include "tilewright/compiler/Executable.h"
#include "tilewright/authoring.h"
#include "tilewright/runtime/DeviceRegistry.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

using namespace tilewright;
using namespace tilewright::authoring;

namespace {

void scale(View<F32, 2> x, View<I32, 1> counts, Scalar<F32> by, Scalar<I8> n,
           Pointer<I32> flag) {
  auto [i] = program(ceilDiv(x.dim(0), 4));
  x.store({i, 0}, x.load({i, 0}, {4, 8}) * by);
  counts.store(0, counts.load(0, 4) + cast<I32>(n));
  store(flag, 7);
}

struct Fixture {
  std::shared_ptr<runtime::Device> device = *runtime::openDevice("cpu");
  std::unique_ptr<runtime::Stream> stream = *device->createStream();
  DeviceTensor x = tensor<float>({4, 8}, 2), counts = tensor<int32_t>({4}, 1),
               flag = tensor<int32_t>({1}, 0);
  Executable run = *load(kernel("scale", scale), *device);

  template <class T> DeviceTensor tensor(const runtime::Shape &shape, T value) {
    size_t size = 1;
    for (int64_t dim : shape)
      size *= size_t(dim);
    return *DeviceTensor::copyOf(*device, *stream, shape,
                                 std::vector<T>(size, value));
  }
  template <class... A> std::string rejection(const A &...arguments) {
    return run.launch(*stream, arguments...).message();
  }
};

/// The number of the line in this file that ends with `mark`.
unsigned lineOf(const std::string &mark) {
  std::ifstream file(__FILE__);
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number)
    if (line.ends_with("// " + mark))
      return number;
  return 0;
}

} // namespace

TEST_CASE_METHOD(Fixture, "executable: numbers and tensors of each kind") {
  CHECK(rejection(x, counts, 3, 5, Argument::pointerTo(flag)) == "");
  CHECK(x.read<float>(*stream)->at(31) == 6);
  CHECK(counts.read<int32_t>(*stream)->at(3) == 6);
  CHECK(flag.read<int32_t>(*stream)->at(0) == 7);
  // Signless: the bits of an unsigned number do.
  CHECK(rejection(x, tensor<uint32_t>({4}, 1), 0.5, -128,
                  Argument::pointerTo(flag)) == "");
  CHECK(x.read<float>(*stream)->at(0) == 3);
}

TEST_CASE_METHOD(Fixture, "executable: the precision of products") {
  Kernel square = kernel("square", [](View<F32, 2> m) {
    auto t = m.load({0, 0}, {8, 8});
    m.store({0, 0}, dot(t, t, t));
  });
  StatusOr<Executable> exact = load(square, *device);
  REQUIRE(exact.ok());
  CHECK(exact->image().manifest.precision == Precision::ieee);
  LoadOptions options;
  options.precision = Precision::tf32;
  StatusOr<Executable> rounded = load(square, *device, {}, options);
  REQUIRE(rounded.ok());
  CHECK(rounded->image().manifest.precision == Precision::tf32);
  // One that the kernel names itself counts.
  Kernel own = kernel("own", [](View<F32, 2> m) {
    auto t = m.load({0, 0}, {8, 8});
    m.store({0, 0}, dot(t, t, t, Precision::bf16x6));
  });
  StatusOr<Executable> kept = load(own, *device, {}, options);
  REQUIRE(kept.ok());
  CHECK(kept->image().manifest.precision == Precision::bf16x6);
}

TEST_CASE_METHOD(Fixture, "executable: wrong arguments") {
  Argument to = Argument::pointerTo(flag);
  CHECK(rejection(x, counts, 3, 5) ==
        "kernel 'scale': expected 5 arguments, found 4");
  CHECK(rejection(x, counts, 3, 5, to, 1) ==
        "kernel 'scale': expected 5 arguments, found 6");
  CHECK(rejection(1, counts, 3, 5, to) ==
        "kernel 'scale': argument 0: expected a tensor of f32, found a number");
  CHECK(rejection(counts, counts, 3, 5, to) ==
        "kernel 'scale': argument 0: expected elements of f32, found i32");
  CHECK(rejection(tensor<float>({8}, 1), counts, 3, 5, to) ==
        "kernel 'scale': argument 0: expected a view of rank 2, found shape "
        "[8]");
  CHECK(rejection(DeviceTensor(), counts, 3, 5, to) ==
        "kernel 'scale': argument 0: the tensor is empty");
  CHECK(rejection(to, counts, 3, 5, to) ==
        "kernel 'scale': argument 0: found a pointer, expected a tensor of "
        "f32");
  CHECK(rejection(x, counts, counts, 5, to) ==
        "kernel 'scale': argument 2: found a tensor, expected a number of f32");
  CHECK(rejection(x, counts, to, 5, to) ==
        "kernel 'scale': argument 2: found a pointer, expected a number of "
        "f32");
  CHECK(rejection(x, counts, 3, 256, to) ==
        "kernel 'scale': argument 3: the number 256 does not fit i8: expected "
        "-128 to 127");
  CHECK(rejection(x, counts, 3, 1.5, to) ==
        "kernel 'scale': argument 3: expected an integer for i8, found "
        "1.500000");
  CHECK(rejection(x, counts, 3, 5, flag) ==
        "kernel 'scale': argument 4: found a tensor, expected a pointer to "
        "i32: Argument::pointerTo");
  CHECK(rejection(x, counts, 3, 5, 7) ==
        "kernel 'scale': argument 4: expected a pointer to i32: "
        "Argument::pointerTo, found a number");
  CHECK(rejection(Argument::strided(x, {8}), counts, 3, 5, to) ==
        "kernel 'scale': argument 0: expected 2 strides, found 1");
  CHECK(rejection(Argument::strided(x, {64, 1}), counts, 3, 5, to)
            .starts_with("kernel 'scale': argument 0: a view of f32[4, 8] "
                         "with strides [64, 1] does not fit in 128 bytes"));
}

TEST_CASE_METHOD(Fixture, "executable: pointers know what they point to") {
  CHECK(rejection(x, counts, 3, 5, Argument::pointerTo(x)) ==
        "kernel 'scale': argument 4: expected a pointer to i32, found one to "
        "f32");
  CHECK(rejection(x, counts, 3, 5,
                  Argument::pointerTo(tensor<int64_t>({1}, 0))) ==
        "kernel 'scale': argument 4: expected a pointer to i32, found one to "
        "i64");
  // The bits of the other sign do.
  CHECK(rejection(x, counts, 3, 5,
                  Argument::pointerTo(tensor<uint32_t>({1}, 0))) == "");
}

/// Stores a number of each type as it arrives.
template <class T> static std::string passed(auto number) {
  Fixture fixture;
  Kernel k = kernel("k", [](Scalar<T> x, View<F64, 1> y) {
    y.store(0, full<F64>({1}, cast<F64>(x)));
  });
  Executable run = *load(k, *fixture.device);
  DeviceTensor y = fixture.tensor<double>({1}, 0);
  Status status = run.launch(*fixture.stream, number, y);
  if (!status.ok())
    return status.message();
  double result = fixture.stream->synchronize().ok()
                      ? y.read<double>(*fixture.stream)->at(0)
                      : NAN;
  std::ostringstream text;
  text << result;
  return text.str();
}

TEST_CASE("executable: numbers that a parameter cannot hold are rejected") {
  auto no = [](const char *what) {
    return std::string("kernel 'k': argument 0: the number ") + what;
  };
  CHECK(passed<U32>(-1) == no("-1 does not fit u32: expected 0 to 4294967295"));
  CHECK(passed<U32>(4294967295) == "4.29497e+09");
  CHECK(passed<U32>(4294967296) ==
        no("4294967296 does not fit u32: expected 0 to 4294967295"));
  CHECK(passed<U8>(255) == "255");
  CHECK(passed<U8>(256) == no("256 does not fit u8: expected 0 to 255"));
  CHECK(passed<I8>(128) == no("128 does not fit i8: expected -128 to 127"));
  CHECK(passed<I8>(-128) == "-128");
  CHECK(passed<I32>(uint32_t(1) << 31) ==
        no("2147483648 does not fit i32: expected -2147483648 to 2147483647"));
  CHECK(passed<I64>(~uint64_t(0)) ==
        no("18446744073709551615 does not fit i64: expected "
           "-9223372036854775808 to 9223372036854775807"));
  CHECK(passed<U64>(~uint64_t(0)) == "1.84467e+19");
  CHECK(passed<U64>(-1) ==
        no("-1 does not fit u64: expected 0 to 18446744073709551615"));
  CHECK(passed<IndexElement>(~uint64_t(0)) ==
        no("18446744073709551615 does not fit index: expected "
           "-9223372036854775808 to 9223372036854775807"));
  CHECK(passed<IndexElement>(-5) == "-5");
  CHECK(passed<Bool>(true) == "1");
  CHECK(passed<Bool>(2) == no("2 does not fit bool: expected 0 to 1"));
  CHECK(passed<Bool>(-1) == no("-1 does not fit bool: expected 0 to 1"));
  CHECK(passed<F32>(1e300).starts_with(no("1000000000")));
  CHECK(passed<F32>(INFINITY) == "inf");
  CHECK(passed<F32>(~uint64_t(0)) == "1.84467e+19");
  CHECK(passed<F16>(65504) == "65504");
  CHECK(passed<F16>(1e5) == no("100000.000000 does not fit f16"));
  CHECK(passed<F16>(Float16(0.5f)) == "0.5");
  CHECK(passed<BF16>(-3.0f) == "-3");
  CHECK(passed<BF16>(BFloat16(7)) == "7");
}

TEST_CASE("executable: memory of another device is rejected") {
  const char *names[] = {"interpreter", "cpu", "emulator"};
  Kernel k = kernel("k", [](View<F32, 1> x, Pointer<F32> p) {
    x.store(0, ones<F32>(4));
    store(p, 1);
  });
  for (const char *name : names)
    for (const char *other : names) {
      auto device = *runtime::openDevice(name),
           far = *runtime::openDevice(other);
      auto stream = *device->createStream(), farStream = *far->createStream();
      Executable run = *load(k, *device);
      std::vector<float> zeros(4);
      DeviceTensor near = *DeviceTensor::copyOf(*device, *stream, {4}, zeros);
      DeviceTensor away = *DeviceTensor::copyOf(*far, *farStream, {4}, zeros);
      CAPTURE(name, other);
      // All devices "cpu" share the host's memory; of the others each has its
      // own.
      bool isOne = std::string(name) == other && std::string(name) == "cpu";
      std::string location = std::string(name) == other
                                 ? "another device '" + std::string(name) + "'"
                                 : "'" + std::string(other) + "'";
      std::string rejected = ": its memory is of " + location +
                             ", the kernel runs on '" + name +
                             "'; copy it to that device first";
      CHECK(run.launch(*stream, away, Argument::pointerTo(near)).message() ==
            (isOne ? "" : "kernel 'k': argument 0" + rejected));
      CHECK(run.launch(*stream, near, Argument::pointerTo(away)).message() ==
            (isOne ? "" : "kernel 'k': argument 1" + rejected));
      CHECK(run.launch(*stream, near, Argument::pointerTo(near)).message() ==
            "");
      CHECK(stream->synchronize().message() == "");
    }
}

TEST_CASE_METHOD(Fixture, "executable: assumptions are kept or rejected") {
  Kernel promising = kernel("promising", [](View<F32, 2> v) {
    v.assumeAligned(64);
    v.assumeDivisible({1, 8});
    v.store({0, 0}, v.load({0, 0}, {1, 8}));
  });
  for (const char *name : {"cpu", "interpreter", "emulator"}) {
    CAPTURE(name);
    auto other = *runtime::openDevice(name);
    auto work = *other->createStream();
    Executable keeps = *load(promising, *other);
    std::vector<float> numbers(24, 1);
    DeviceTensor good = *DeviceTensor::copyOf(*other, *work, {3, 8}, numbers);
    DeviceTensor bad = *DeviceTensor::copyOf(*other, *work, {2, 12}, numbers);
    CHECK(keeps.launch(*work, good).message() == "");
    CHECK(work->synchronize().message() == "");
    CHECK(keeps.launch(*work, bad).message() ==
          "kernel 'promising': guard 'mod(arg0.dim1, 8) == 0' does not hold: 4 "
          "against 0");
  }
}

TEST_CASE_METHOD(Fixture, "executable: what a target cannot do is told at the "
                          "user's line") {
  Kernel inlines = kernel("inlines", [](View<F32, 1> v) {
    auto t = v.load(0, 8);
    auto r = inlinePtx<F32>("abs.f32 $0, $1;", "=f,f", t); // unsupported
    v.store(0, r);
  });
  std::string message = load(inlines, *device).status().message();
  INFO(message);
  CHECK(message.find("ExecutableTest.cpp:" +
                     std::to_string(lineOf("unsupported"))) !=
        std::string::npos);
  CHECK(message.find("inline_ptx") != std::string::npos);
  LoadOptions options;
  options.target = "sm_9";
  CHECK(load(inlines, *device, {}, options)
            .status()
            .message()
            .find("there is no target 'sm_9'") != std::string::npos);
  options.target = "sm_90a";
  CHECK_FALSE(load(inlines, *device, {}, options).ok());
  CHECK(load(kernel("scale", scale), *device, {{"BM", 3}})
            .status()
            .message()
            .ends_with("error: kernel 'scale' has no tunable 'BM'; it has none "
                       "(tunable_unknown)"));
}

TEST_CASE_METHOD(Fixture, "device tensors: wrong shapes and types") {
  CHECK(DeviceTensor::copyOf(*device, *stream, {3, 5}, std::vector<float>(8))
            .status()
            .message() == "a tensor of shape [3, 5] takes 60 bytes, found 32");
  CHECK_FALSE(DeviceTensor::allocate(*device, runtime::DType::F32, {-1}).ok());
  CHECK(x.read<double>(*stream).status().message() ==
        "the tensor's elements are f32, read as a type of 8 bytes");
  CHECK(DeviceTensor().read(*stream).status().message() ==
        "an empty tensor is read");
}
