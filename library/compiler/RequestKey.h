//===- RequestKey.h - What a cache knows an image by ------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_REQUESTKEY_H
#define TILEWRIGHT_LIBRARY_COMPILER_REQUESTKEY_H

#include "library/compiler/TunableModule.h"
#include "tilewright/codegen/CpuTarget.h"
#include "tilewright/compiler/Cache.h"
#include "tilewright/compiler/CompileRequest.h"

namespace tilewright {

/// The BLAKE3 hash of all inputs of the image: this build, the lowered kernel,
/// plug-ins, the target (for cpu `host`), schedule and options. Locations are
/// included only where the image or the report has them.
CacheKey requestKey(const CompileRequest &request, const BoundKernel &bound,
                    const cpu::CpuTarget &host, std::string_view plugins);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_REQUESTKEY_H
