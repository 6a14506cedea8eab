//===- Relation.h - What a pass keeps of a program's meaning ----*- C++ -*-===//
#ifndef TILEWRIGHT_MLIR_RELATION_H
#define TILEWRIGHT_MLIR_RELATION_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <string>
#include <string_view>

namespace tilewright {

/// What a program after a transformation keeps of the one before
/// (docs/verification.md).
struct TILEWRIGHT_API Relation {
  enum class Kind : uint8_t { exact, reassociated, near, bounded };
  Kind kind = Kind::exact;
  /// Of `near`: times the magnitude before. Not negative.
  double distance = 0;

  /// "exact", "reassociated", "near=1e-6", "bounded". Errors: something else.
  static StatusOr<Relation> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
};

} // namespace tilewright

#endif // TILEWRIGHT_MLIR_RELATION_H
