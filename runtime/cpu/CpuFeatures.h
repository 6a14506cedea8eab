// What this machine's processor can do.
#ifndef TILEWRIGHT_RUNTIME_CPU_CPUFEATURES_H
#define TILEWRIGHT_RUNTIME_CPU_CPUFEATURES_H

#include "tilewright/support/Status.h"
#include <set>
#include <string>
#include <string_view>

namespace tilewright::runtime {

/// The processor that runs this process.
struct CpuFeatures {
  /// "x86_64" or "aarch64".
  std::string architecture;
  /// As the vendor calls it; "" if it does not say.
  std::string model;
  /// The features in X86Features.inc or AArch64Features.inc that the processor
  /// has and the operating system supports.
  std::set<std::string, std::less<>> names;

  /// This machine's; found out once.
  static const CpuFeatures &host();

  /// Whether code that needs `features` can run. `features` is an architecture
  /// (x86_64, x86-64, aarch64, arm64) and feature names, separated by commas or
  /// blanks, each with an optional '+'; "-name" means that the code does not
  /// need it. The error lists missing features.
  Status supports(std::string_view features) const;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CPU_CPUFEATURES_H
