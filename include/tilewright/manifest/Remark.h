//===- Remark.h - What compilation did, or could not do, as data -*- C++
//-*-===//
#ifndef TILEWRIGHT_MANIFEST_REMARK_H
#define TILEWRIGHT_MANIFEST_REMARK_H

#include "tilewright/support/Diagnostic.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

/// One decision of a pass that kernel authors may want to know.
struct Remark {
  /// An optimization that was applied, one that was missed, or a fact.
  enum class Kind : uint8_t { applied, missed, analysis };
  Kind kind = Kind::analysis;
  /// The pass, and the kernel that it ran on.
  std::string pass, kernel;
  /// Identifies the remark of the pass; stable across versions.
  std::string code;
  SourceRange where;
  /// One line, no full stop.
  std::string message;
  /// The numbers and names in the message, with their keys.
  std::vector<std::pair<std::string, std::string>> arguments;

  friend bool operator==(const Remark &, const Remark &) = default;
};

} // namespace tilewright

#endif // TILEWRIGHT_MANIFEST_REMARK_H
