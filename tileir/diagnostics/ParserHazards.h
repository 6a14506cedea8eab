// What upstream's parsers of MLIR's text take for granted.
#ifndef TILEWRIGHT_TILEIR_DIAGNOSTICS_PARSERHAZARDS_H
#define TILEWRIGHT_TILEIR_DIAGNOSTICS_PARSERHAZARDS_H

#include <optional>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace tilewright {

/// A place in a text that a parser of upstream would crash at, and why.
struct ParserHazard {
  size_t position;
  std::string message;
};

/// The first such place, if there is one. What is only wrong, the parsers tell
/// themselves.
std::optional<ParserHazard> findParserHazard(llvm::StringRef text);

/// Whether only lowered code has ops of this dialect: their parsers and
/// verifiers are not for texts of strangers.
bool isLoweredDialect(llvm::StringRef name);
std::string messageOfLoweredOp(llvm::StringRef op);

/// The first op of such a dialect.
std::optional<ParserHazard> findLoweredOp(llvm::StringRef text);

} // namespace tilewright

#endif // TILEWRIGHT_TILEIR_DIAGNOSTICS_PARSERHAZARDS_H
