// Host memory used in place, and the assumptions of views' types.
#include "test/library/Kernels.h"
#include "tilewright/compiler/Executable.h"
#include "tilewright/runtime/DeviceRegistry.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::test;
using runtime::DType;
using runtime::Shape;

/// Negates 2 by 3 elements.
static const std::string negate = R"(
tile.kernel @negate(%A: !tile.view<2x3xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %A[%c0, %c0] : !tile.view<2x3xf32> -> tensor<2x3xf32>
  %b = arith.negf %a : tensor<2x3xf32>
  tile.store %b, %A[%c0, %c0] : tensor<2x3xf32>, !tile.view<2x3xf32>
})";

namespace {

/// The kernel on the cpu device, over the vector's own memory.
struct Negate {
  std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  std::shared_ptr<runtime::Device> device = *runtime::openDevice("cpu");
  std::unique_ptr<runtime::Stream> stream = *device->createStream();
  Executable kernel =
      *Executable::load(*compile(requestFor(negate, "cpu")), *device);

  /// The message; "" if it ran.
  std::string run(Shape shape, Shape strides) {
    auto memory =
        device->inPlace(std::as_writable_bytes(std::span(numbers)), nullptr);
    REQUIRE(memory.ok());
    auto tensor = DeviceTensor::over(*memory, DType::F32, std::move(shape));
    REQUIRE(tensor.ok());
    Status status =
        kernel.launch(*stream, Argument::strided(*tensor, std::move(strides)));
    REQUIRE(stream->synchronize().ok());
    return status.message();
  }
};

} // namespace

TEST_CASE("a kernel writes memory of the host in place") {
  Negate negate;
  CHECK(negate.run({2, 3}, {}).empty());
  CHECK(negate.numbers == std::vector<float>{-1, -2, -3, -4, -5, -6});
  CHECK(negate.run({2, 3}, {3, 1}).empty());
  CHECK(negate.numbers == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("what a view's type fixes is checked at the launch") {
  Negate negate;
  CHECK(negate.run({1, 3}, {}) ==
        "kernel 'negate': guard 'arg0.dim0 == 2' does not hold: 1 against 2");
  CHECK(negate.run({2, 3}, {1, 2}) ==
        "kernel 'negate': guard 'arg0.stride0 == arg0.dim1 * arg0.stride1' "
        "does not hold: 1 against 6");
  CHECK(negate.run({2, 2}, {}).find("arg0.dim1 == 3") != std::string::npos);
  CHECK(negate.numbers == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("a tensor over too little memory is rejected") {
  Negate negate;
  negate.numbers.resize(5);
  CHECK(negate.run({2, 3}, {}).find("does not fit in 20 bytes") !=
        std::string::npos);
}
