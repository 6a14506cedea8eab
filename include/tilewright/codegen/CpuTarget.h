//===- CpuTarget.h - Facts about a CPU that code is made for ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPUTARGET_H
#define TILEWRIGHT_CODEGEN_CPUTARGET_H

#include "tilewright/support/Export.h"
#include <cstdint>
#include <string>

namespace tilewright::cpu {

/// A CPU and the shapes of registers that code generation asks for.
struct CpuTarget {
  /// LLVM's triple, CPU name and feature string ("+avx2,+fma").
  std::string triple, cpu, features;
  /// Features that a machine must have to run the code, for the manifest:
  /// "x86_64,avx2,fma".
  std::string required;
  /// Bits of one vector register, and how many there are.
  int64_t vectorBits = 128;
  int64_t vectorRegisters = 16;
  /// Whether loads and stores of vectors can leave out lanes at no cost.
  bool masksLanes = false;
  /// Threads that run at a time: work should be split into more parts than
  /// that.
  unsigned threads = 1;

  /// Elements of `bits` bits in one vector register.
  int64_t lanes(int64_t bits) const { return vectorBits / bits; }
};

/// The machine that this process runs on. Reads CPU identification only.
TILEWRIGHT_API CpuTarget hostTarget();

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPUTARGET_H
