//===- RemarkText.h - Remarks as JSON lines and as YAML ---------*- C++ -*-===//
#ifndef TILEWRIGHT_COMPILER_REMARKTEXT_H
#define TILEWRIGHT_COMPILER_REMARKTEXT_H

#include "tilewright/manifest/Remark.h"
#include "tilewright/support/Export.h"
#include <span>
#include <string>

namespace tilewright {

/// One line with a JSON object for each remark: kind, pass, kernel, code, file,
/// line, column, message, arguments.
[[nodiscard]] TILEWRIGHT_API std::string
remarksAsJson(std::span<const Remark> remarks);

/// A YAML document for each remark in the format of LLVM's optimization
/// records, for tools that show those next to the source.
[[nodiscard]] TILEWRIGHT_API std::string
remarksAsYaml(std::span<const Remark> remarks);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_REMARKTEXT_H
