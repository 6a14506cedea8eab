//===- RemarkText.h - Remarks as JSON lines and as YAML ---------*- C++ -*-===//
#ifndef TILEWRIGHT_COMPILER_REMARKTEXT_H
#define TILEWRIGHT_COMPILER_REMARKTEXT_H

#include "tilewright/manifest/Remark.h"
#include "tilewright/support/Export.h"
#include <span>
#include <string>

namespace tilewright {

/// An object on one line for each remark: kind, pass, kernel, code, file, line,
/// column, message, arguments.
[[nodiscard]] TILEWRIGHT_API std::string
remarksAsJson(std::span<const Remark> remarks);

/// A document for each remark, in the form of LLVM's optimization records, for
/// the tools that show these beside the source.
[[nodiscard]] TILEWRIGHT_API std::string
remarksAsYaml(std::span<const Remark> remarks);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_REMARKTEXT_H
