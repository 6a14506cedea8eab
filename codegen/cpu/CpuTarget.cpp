//===- CpuTarget.cpp - Facts about a CPU that code is made for ------------===//
#include "tilewright/codegen/CpuTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <algorithm>
#include <thread>

namespace tilewright::cpu {

namespace {
/// One vector extension, the widest first.
struct VectorExtension {
  llvm::Triple::ArchType arch;
  const char *feature;
  /// What generated code needs: the manifest's list.
  const char *required;
  int64_t bits, registers;
  bool masksLanes;
};
} // namespace

static const VectorExtension extensions[] = {
    {llvm::Triple::x86_64, "avx512f",
     "x86_64,avx2,fma,avx512f,avx512bw,avx512vl,"
     "avx512dq",
     512, 32, true},
    {llvm::Triple::x86_64, "avx2", "x86_64,avx2,fma", 256, 16, false},
    {llvm::Triple::x86_64, "sse2", "x86_64", 128, 16, false},
    {llvm::Triple::aarch64, "neon", "aarch64", 128, 32, false},
};

CpuTarget hostTarget() {
  CpuTarget target;
  target.triple = llvm::sys::getProcessTriple();
  target.cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  llvm::SmallVector<std::string> list;
  for (const auto &feature : features)
    list.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(list);
  target.features = llvm::join(list, ",");
  target.threads = std::max(1u, std::thread::hardware_concurrency());
  llvm::Triple triple(target.triple);
  for (const VectorExtension &extension : extensions) {
    if (extension.arch != triple.getArch())
      continue;
    if (!features.lookup(extension.feature) && extension.bits > 128)
      continue;
    target.required = extension.required;
    target.vectorBits = extension.bits;
    target.vectorRegisters = extension.registers;
    target.masksLanes = extension.masksLanes;
    break;
  }
  return target;
}

} // namespace tilewright::cpu
