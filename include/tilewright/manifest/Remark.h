//===- Remark.h - What compilation did, or could not do, as data -*- C++
//-*-===//
#ifndef TILEWRIGHT_MANIFEST_REMARK_H
#define TILEWRIGHT_MANIFEST_REMARK_H

#include "tilewright/support/Diagnostic.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

/// One decision of a pass that an author of kernels may want to know.
struct Remark {
  /// What was done; what was not and would be better; a fact to judge by.
  enum class Kind : uint8_t { applied, missed, analysis };
  Kind kind = Kind::analysis;
  /// The pass that decided, and of which kernel.
  std::string pass, kernel;
  /// Which remark of the pass this is; stable across versions.
  std::string code;
  SourceRange where;
  /// One line, no full stop.
  std::string message;
  /// The numbers and names within the message, by name.
  std::vector<std::pair<std::string, std::string>> arguments;

  friend bool operator==(const Remark &, const Remark &) = default;
};

} // namespace tilewright

#endif // TILEWRIGHT_MANIFEST_REMARK_H
