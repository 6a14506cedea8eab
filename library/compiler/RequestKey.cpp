//===- RequestKey.cpp - What a cache knows an image by --------------------===//
#include "library/compiler/RequestKey.h"

#include "library/compiler/BuildIdentity.h"
#include "llvm/Support/BLAKE3.h"

using namespace mlir;

namespace tilewright {

namespace {
/// Parts with their lengths, so that no two lists of parts are the same bytes.
struct Hasher {
  void add(llvm::StringRef part) {
    uint64_t size = part.size();
    blake3.update({reinterpret_cast<const uint8_t *>(&size), sizeof size});
    blake3.update(part);
  }
  void add(int64_t number) { add(std::to_string(number)); }
  llvm::BLAKE3 blake3;
};
} // namespace

/// Whether anything that comes out names places in the source.
static bool saysLocations(const CompileRequest &request,
                          const BoundKernel &bound) {
  if (request.lineInfo || request.wantExplanation || request.wantRemarks ||
      request.target == "interpreter")
    return true;
  // A failed assertion's message names its line.
  return request.assertions &&
         tile::KernelOp(bound.kernel)
             ->walk([](tile::AssertOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
}

CacheKey requestKey(const CompileRequest &request, const BoundKernel &bound,
                    const cpu::CpuTarget &host, std::string_view plugins) {
  Hasher hasher;
  hasher.add("tilewright kernel image 1");
  hasher.add(buildIdentity());
  hasher.add(plugins);
  // A pass of a plug-in may do anything with locations.
  hasher.add(printModule(*bound.module,
                         !plugins.empty() || saysLocations(request, bound)));
  hasher.add(request.target);
  if (request.target == "cpu")
    for (const std::string &part :
         {host.triple, host.cpu, host.features, host.required,
          std::to_string(host.vectorBits),
          std::to_string(host.vectorRegisters)})
      hasher.add(part);
  hasher.add(bound.schedule      ? bound.schedule->text()
             : bound.cpuSchedule ? bound.cpuSchedule->text()
                                 : "");
  // The image's schedule names them.
  for (const auto &[name, value] : bound.tunables) {
    hasher.add(name);
    hasher.add(value);
  }
  for (bool option : {request.lineInfo, request.assertions, request.wantText,
                      request.wantExplanation, request.wantRemarks})
    hasher.add(option);
  CacheKey key;
  llvm::BLAKE3Result<32> hash = hasher.blake3.final();
  std::copy(hash.begin(), hash.end(), key.bytes.begin());
  return key;
}

} // namespace tilewright
