//===- KeyHasher.h - Keys of what a cache holds -----------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_KEYHASHER_H
#define TILEWRIGHT_LIBRARY_COMPILER_KEYHASHER_H

#include "tilewright/codegen/CpuTarget.h"
#include "tilewright/compiler/Cache.h"
#include "llvm/Support/BLAKE3.h"

namespace tilewright {

/// The BLAKE3 hash of parts with their lengths, so that no two lists of parts
/// are the same bytes.
class KeyHasher {
public:
  void add(std::string_view part) {
    addNumber(int64_t(part.size()));
    blake3.update(
        {reinterpret_cast<const uint8_t *>(part.data()), part.size()});
  }
  void addNumber(int64_t number) {
    blake3.update({reinterpret_cast<const uint8_t *>(&number), sizeof number});
  }
  /// All that code for a CPU depends on.
  void add(const cpu::CpuTarget &target) {
    for (const std::string *part :
         {&target.triple, &target.cpu, &target.features, &target.required})
      add(*part);
    for (int64_t number : {target.vectorBits, target.vectorRegisters,
                           int64_t(target.masksLanes), int64_t(target.threads)})
      addNumber(number);
  }
  CacheKey key() {
    CacheKey key;
    llvm::BLAKE3Result<32> hash = blake3.final();
    std::copy(hash.begin(), hash.end(), key.bytes.begin());
    return key;
  }

private:
  llvm::BLAKE3 blake3;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_KEYHASHER_H
