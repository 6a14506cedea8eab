#include "autotune/task/ShapeTable.h"

#include "autotune/task/Task.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::autotune;

TEST_CASE("each operation of a table is one kernel that can be tuned") {
  StatusOr<std::vector<NamedKernel>> kernels =
      parseShapeTable("op,sizes\n"
                      "# a comment\n\n"
                      "gemm, 32, 48, 64\n"
                      "conv,1,14,14,8,16,3,3,2,f32\n"
                      "depthwise,1,14,14,8,3,3,1\n"
                      "softmax,8,100\n"
                      "layernorm,8,100\n"
                      "attention,2,48,16\n");
  REQUIRE(kernels.ok());
  REQUIRE(kernels->size() == 6);
  CHECK((*kernels)[0].label == "gemm 32x48x64 f32");
  for (const NamedKernel &kernel : *kernels) {
    INFO(kernel.label);
    TaskRecord record;
    record.code = kernel.code;
    record.target = "cpu";
    StatusOr<std::unique_ptr<Task>> task = Task::open(record);
    if (!task.ok())
      FAIL(task.status().message());
    CHECK((*task)->space().size() > 1);
  }
}

TEST_CASE("a convolution keeps its size, divided by the stride") {
  StatusOr<std::vector<NamedKernel>> kernels =
      parseShapeTable("conv,1,15,16,4,8,3,5,2");
  REQUIRE(kernels.ok());
  TaskRecord record;
  record.code = kernels->front().code;
  record.target = "cpu";
  StatusOr<std::unique_ptr<Task>> task = Task::open(record);
  REQUIRE(task.ok());
  CHECK((*task)->tensors().back().shape == runtime::Shape{1, 8, 8, 8});
}

TEST_CASE("a wrong line is named") {
  auto [line, message] = GENERATE(table<std::string, std::string>({
      {"gemv,1,2", "line 2: expected gemm, conv, depthwise, softmax, layernorm "
                   "or attention, found 'gemv'"},
      {"gemm,1,2", "line 2: gemm expects M,N,K and perhaps a type, found 2 "
                   "values"},
      {"gemm,1,2,-3",
       "line 2: K of gemm expects a positive integer, found '-3'"},
      {"gemm,1,2,3x",
       "line 2: K of gemm expects a positive integer, found '3x'"},
      {"gemm,1,2,3,f8", "line 2: type 'f8' is not supported in tables; "
                        "expected f32"},
      {"attention,1,40,64",
       "line 2: attention expects a length that 16 divides, found 40"},
  }));
  StatusOr<std::vector<NamedKernel>> kernels =
      parseShapeTable("gemm,1,1,1\n" + line);
  REQUIRE_FALSE(kernels.ok());
  CHECK(kernels.status().message() == message);
}
