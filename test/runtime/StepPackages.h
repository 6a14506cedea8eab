// Packages whose steps decide what runs, part by part.
#ifndef TILEWRIGHT_TEST_RUNTIME_STEPPACKAGES_H
#define TILEWRIGHT_TEST_RUNTIME_STEPPACKAGES_H

#include "TestPackage.h"

namespace tilewright::runtime {

inline Expression symbol(const char *name) { return Expression::symbol(name); }

/// Builds the manifest of a package part by part.
struct StepBuilder {
  using Kind = BufferManifest::Kind;

  StepBuilder() {
    package.producer = "test";
    package.name = "steps";
    package.kernels = {affineKernel(),       rowSumKernel(),
                       belowKernel(),        countPositiveKernel(),
                       takePositiveKernel(), appendKernel(),
                       putKernel()};
    bias = buffer(Kind::weight, 16);
    package.buffers[bias].weight = "bias";
  }

  size_t buffer(Kind kind, Expression bytes, DType dtype = DType::F32) {
    package.buffers.push_back({kind, dtype, std::move(bytes), "", {}});
    return package.buffers.size() - 1;
  }
  size_t four() { return buffer(Kind::transient, 16); }
  size_t flag() { return buffer(Kind::transient, 1, DType::Bool); }
  size_t input(const char *name, std::vector<Expression> shape,
               DType dtype = DType::F32) {
    Expression bytes = int64_t(dtypeBytes(dtype));
    for (const Expression &size : shape)
      bytes = bytes * size;
    const size_t id = buffer(Kind::input, bytes, dtype);
    package.inputs.push_back({name, dtype, std::move(shape), id});
    return id;
  }
  size_t output(const char *name, std::vector<Expression> shape) {
    Expression bytes = 4;
    for (const Expression &size : shape)
      bytes = bytes * size;
    const size_t id = buffer(Kind::output, bytes);
    package.outputs.push_back({name, DType::F32, std::move(shape), id});
    return id;
  }

  /// to = from * gain + bias, each of 4 elements.
  StepManifest affine(size_t from, size_t to, Expression gain) const {
    return {"affine",
            {StepArgument::view(from, {1, 4}), StepArgument::view(bias, {4}),
             StepArgument::view(to, {1, 4}), StepArgument::value(gain)},
            "affine"};
  }
  static StepManifest list(const char *kernel, size_t x, Expression size,
                           size_t to, std::vector<Expression> dims,
                           std::optional<Expression> scalar = {}) {
    StepManifest step{kernel,
                      {StepArgument::view(x, {std::move(size)}),
                       StepArgument::view(to, std::move(dims))},
                      kernel};
    if (scalar)
      step.arguments.push_back(StepArgument::value(*std::move(scalar)));
    return step;
  }
  static StepManifest of(BranchManifest branch) {
    StepManifest step{"", {}, "choice"};
    step.branch = std::move(branch);
    return step;
  }
  static StepManifest of(LoopManifest loop) {
    StepManifest step{"", {}, "repeat"};
    step.loop = std::move(loop);
    return step;
  }
  static StepManifest of(ReadManifest read) {
    StepManifest step{"", {}, "size"};
    step.read = std::move(read);
    return step;
  }

  PackageManifest package;
  size_t bias = 0;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_RUNTIME_STEPPACKAGES_H
