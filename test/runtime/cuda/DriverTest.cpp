// Finding the driver and the device.
#include "runtime/cuda/Driver.h"
#include "Fixture.h"
#include <catch2/catch.hpp>
#include <set>

using namespace tilewright;
using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

static Status openWith(const std::string &library) {
  DeviceOptions options;
  options.cudaDriver = library;
  auto device = openDevice("cuda", options);
  REQUIRE_FALSE(device.ok());
  return device.status();
}

TEST_CASE("no driver is one line") {
  Status status = openWith("libnowhere.so.1");
  CHECK(status.code() == StatusCode::notFound);
  CHECK(status.message().starts_with("no CUDA driver: libnowhere.so.1: "));
  CHECK_FALSE(contains(status.message(), "\n"));
}

TEST_CASE("a library that is no driver is rejected by the missing function") {
  Status status = openWith("libc.so.6");
  CHECK(status.code() == StatusCode::unsupported);
  CHECK(contains(status.message(), "libc.so.6 has no function "
                                   "cuDriverGetVersion"));
}

TEST_CASE("an old driver is rejected with both versions") {
  Fake fake({.version = 11080});
  Status status = openFake().status();
  CHECK(status.code() == StatusCode::unsupported);
  CHECK(status.message() ==
        "the CUDA driver is for CUDA 11.8, Tilewright needs one for CUDA 12.0 "
        "or newer: update the NVIDIA driver");
}

TEST_CASE("a driver without a GPU says so") {
  Fake fake({.devices = 0});
  Status status = openFake().status();
  CHECK(status.code() == StatusCode::notFound);
  CHECK(contains(status.message(), "cuInit: CUDA_ERROR_NO_DEVICE (100)"));
}

TEST_CASE("a GPU that is too old is rejected with its capability") {
  Fake fake({.major = 7, .minor = 5});
  Status status = openFake().status();
  CHECK(status.code() == StatusCode::unsupported);
  CHECK(contains(status.message(), "compute capability 7.5"));
  CHECK(contains(status.message(), "need compute capability 8.0 or newer"));
}

TEST_CASE("a device that is not there: the error lists those that are") {
  Fake fake({.devices = 2});
  CHECK(openFake(1).ok());
  Status status = openFake(2).status();
  CHECK(status.code() == StatusCode::notFound);
  CHECK(status.message() ==
        "there is no cuda:2; the devices are cuda:0 to cuda:1");
}

TEST_CASE("a device describes itself") {
  Fake fake;
  auto device = openFake();
  REQUIRE(device.ok());
  const DeviceInfo &info = (*device)->info();
  CHECK(info.name == "cuda:0");
  CHECK(info.description == "Fake GPU, compute capability 9.0, 2 "
                            "multiprocessors, 1.1 GB, driver for CUDA 12.4");
  CHECK(info.targets.front() == "sm_90a");
  CHECK(info.memory == uint64_t{1} << 30);
}

TEST_CASE("the table of errors has each code once, with advice") {
  std::set<int> numbers;
#define DRIVER_ERROR(NAME, NUMBER, STATUS, EFFECT, ADVICE)                     \
  CHECK(numbers.insert(NUMBER).second);                                        \
  CHECK(findDriverError(NUMBER)->name == "CUDA_ERROR_" #NAME);                 \
  CHECK_FALSE(findDriverError(NUMBER)->advice.empty());
#include "runtime/cuda/DriverErrors.inc"
#undef DRIVER_ERROR
  CHECK(findDriverError(12345) == nullptr);
}

TEST_CASE("an unknown code is reported by the driver's name, or its number") {
  Fake fake;
  fakeFail("cuDeviceGetCount", 1, 404);
  CHECK(openFake().status().message() ==
        "cuDeviceGetCount: CUDA_ERROR_ONLY_THE_DRIVER_KNOWS (404)");
  fakeFail("cuDeviceGetCount", 1, 12345);
  CHECK(openFake().status().message() ==
        "cuDeviceGetCount: unknown error (12345)");
}
