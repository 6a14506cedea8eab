//===- RequestKey.h - What a cache knows an image by ------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_REQUESTKEY_H
#define TILEWRIGHT_LIBRARY_COMPILER_REQUESTKEY_H

#include "library/compiler/ReadKernel.h"
#include "tilewright/codegen/CpuTarget.h"
#include "tilewright/compiler/Cache.h"

namespace tilewright {

/// The BLAKE3 hash of all that the image is a function of: this build, the
/// kernel as it is lowered, plug-ins, the target (for cpu `host`), schedule and
/// options. Locations count only where the image or the report says them.
CacheKey requestKey(const CompileRequest &request, const BoundKernel &bound,
                    const cpu::CpuTarget &host, std::string_view plugins);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_REQUESTKEY_H
