// Manifests of packages and of kernels: printed, read again, planned.
#include "runtime/core/ExecutionPlan.h"
#include "targets/Target.h"
#include "tilewright/manifest/PackageManifest.h"

using namespace tilewright;
using namespace tilewright::runtime;

static void readPackage(std::string_view text) {
  StatusOr<PackageManifest> manifest = parsePackageManifest(text);
  if (!manifest.ok())
    return;
  StatusOr<PackageManifest> again =
      parsePackageManifest(printPackageManifest(*manifest));
  fuzz::require(again.ok(), "a printed manifest is read",
                again.status().message());
  fuzz::require(*again == *manifest, "a manifest is read as it was printed");
  for (int64_t size : {int64_t{0}, int64_t{6}, INT64_MAX}) {
    Bindings symbols;
    for (const std::string &symbol : manifest->symbols)
      symbols[symbol] = size;
    (void)planExecution(*manifest, StepTree(*manifest), symbols).ok();
  }
}

static void readKernel(std::string_view text) {
  StatusOr<KernelManifest> manifest = parseKernelManifest(text);
  if (!manifest.ok())
    return;
  StatusOr<KernelManifest> again =
      parseKernelManifest(printKernelManifest(*manifest));
  fuzz::require(again.ok(), "a printed kernel is read",
                again.status().message());
  fuzz::require(*again == *manifest, "a kernel is read as it was printed");
  fuzz::require(parseGuards(*manifest).ok(),
                "the guards of a valid kernel are read");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  readPackage(fuzz::textOf(data, size));
  readKernel(fuzz::textOf(data, size));
  return 0;
}
