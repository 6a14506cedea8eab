//===- RequestKey.cpp - What a cache knows an image by --------------------===//
#include "library/compiler/RequestKey.h"

#include "library/compiler/BuildIdentity.h"
#include "library/compiler/KeyHasher.h"

using namespace mlir;

namespace tilewright {

/// Whether any output contains locations in the source.
static bool saysLocations(const CompileRequest &request,
                          const BoundKernel &bound) {
  if (request.lineInfo || request.wantExplanation || request.wantRemarks ||
      request.target == "interpreter")
    return true;
  // A failed assertion's message has its line.
  return request.assertions &&
         tile::KernelOp(bound.kernel)
             ->walk([](tile::AssertOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
}

/// The module as text, in MLIR's default form.
static std::string printModule(ModuleOp module, bool withLocations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (withLocations)
    flags.enableDebugInfo();
  module->print(stream, flags.assumeVerified());
  return text;
}

CacheKey requestKey(const CompileRequest &request, const BoundKernel &bound,
                    const cpu::CpuTarget &host, std::string_view plugins) {
  KeyHasher hasher;
  hasher.add("tilewright kernel image 4");
  hasher.add(buildIdentity());
  hasher.add(plugins);
  // A pass of a plug-in may do anything with locations.
  hasher.add(printModule(*bound.module,
                         !plugins.empty() || saysLocations(request, bound)));
  hasher.add(request.target);
  if (request.target == "cpu")
    hasher.add(host);
  hasher.add(bound.schedule      ? bound.schedule->text()
             : bound.cpuSchedule ? bound.cpuSchedule->text()
                                 : "");
  // The image's schedule has their names.
  for (const auto &[name, value] : bound.tunables) {
    hasher.add(name);
    hasher.addNumber(value);
  }
  hasher.add(request.fastMath);
  for (bool option : {request.lineInfo, request.assertions, request.wantText,
                      request.wantExplanation, request.wantRemarks})
    hasher.addNumber(option);
  return hasher.key();
}

} // namespace tilewright
