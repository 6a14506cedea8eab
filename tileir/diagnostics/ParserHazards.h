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

/// Whose ops a module may have: those of tile kernels and graphs, or also those
/// of lowered code, whose parsers and verifiers trust what they read.
enum class Dialects { ofSources, all };

/// The first such place, if there is one; also an op that these dialects have
/// not. What is only wrong, the parsers tell themselves.
std::optional<ParserHazard> findParserHazard(llvm::StringRef text,
                                             Dialects dialects);

/// Whether only lowered code has ops of this dialect.
bool isLoweredDialect(llvm::StringRef name);
std::string messageOfLoweredOp(llvm::StringRef op);

} // namespace tilewright

#endif // TILEWRIGHT_TILEIR_DIAGNOSTICS_PARSERHAZARDS_H
