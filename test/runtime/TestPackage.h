// Things that several tests need: temporary folders, objects, a small package.
#ifndef TILEWRIGHT_TEST_RUNTIME_TESTPACKAGE_H
#define TILEWRIGHT_TEST_RUNTIME_TESTPACKAGE_H

#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/runtime/Model.h"
#include "tilewright/runtime/Tensor.h"
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// An empty folder that goes away with this object.
struct TemporaryFolder {
  TemporaryFolder();
  ~TemporaryFolder();
  std::filesystem::path path;
  std::filesystem::path operator/(std::string_view name) const {
    return path / name;
  }
};

/// The bytes of one of the compiled objects: "kernels".
std::string objectBytes(const std::string &name);

/// The PTX of the same kernels.
std::string gpuKernels();

inline std::span<const std::byte> asBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// A tensor of floats.
HostTensor floats(Shape shape, const std::vector<float> &values);

/// The kernels in objects/kernels.c.
KernelManifest affineKernel();
KernelManifest rowSumKernel();
KernelManifest programIdsKernel();
KernelManifest belowKernel();
KernelManifest countPositiveKernel();
KernelManifest takePositiveKernel();
KernelManifest appendKernel();
KernelManifest putKernel();

/// A model over x: f32[N, W] with gain W:
///   t = x * W + bias;  y = t * 2 + bias;  s = sum of t over W;
///   and `flat` and `copied`, reshapes of x and of the weight `bias`.
/// t is a transient with an alias, of shape [N * W].
PackageManifest testManifest();
/// The package with each of its kernels for GPUs (sm_80) too.
PackageManifest withGpuKernels(PackageManifest package);
inline PackageManifest testManifestWithGpu() {
  return withGpuKernels(testManifest());
}

/// s = 2 s + bias, which begins as bias; z = z + bias, which begins as zeros
/// and is computed elsewhere and copied. y is s after the run.
PackageManifest statesManifest();

/// A model y = x + bias over x: f32[3, W], whose kernel for the target ("cpu"
/// or "sm_80") has three variants: for W that is a multiple of 8, of 4, and
/// any. They compute the first 64, 128 and 192 elements of y; the others are
/// x's.
PackageManifest variantsManifest(const std::string &target);
/// How many elements of y the variant computed that runs for a W of `width`.
int64_t computedByVariant(const Model &model, int64_t width);

/// Writes the package with the kernels that it names, and the weights.
void writeTestPackage(const std::filesystem::path &path,
                      const PackageManifest &manifest = testManifest());

/// The bias, 4 floats.
std::vector<float> testBias();
/// bias * factor + offset.
std::vector<float> biasTimes(float factor, float offset = 0);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_RUNTIME_TESTPACKAGE_H
