// What a client sends, before upstream's server parses it: its parsers of JSON
// and of MLIR's text are recursive, and neither limits the depth.
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_LSP_SERVER_MESSAGEFILTER_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_LSP_SERVER_MESSAGEFILTER_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <optional>
#include <string>

namespace tilewright {

/// Reads messages of the language server protocol from `from`, and lets through
/// those that are nested within the limits of all readers. A message that is
/// nested too deep is answered with an error. A document that may not be parsed
/// is empty for the server, and the client gets its diagnostic.
///
/// One thread reads, and that thread alone writes to `answers`, as upstream's
/// server does.
class MessageFilter {
public:
  MessageFilter(const mlir::DialectRegistry &registry, std::FILE *from,
                llvm::raw_ostream &answers)
      : from(from), answers(answers),
        context(registry, mlir::MLIRContext::Threading::DISABLED) {}

  /// The next message with its header; empty at the end of input.
  std::string next();
  /// A stream of these messages, which is valid as long as this object.
  std::FILE *open();

private:
  std::optional<std::string> readBody();
  /// The message to pass on, which may be another one; nothing: it is dropped.
  std::optional<std::string> filter(std::string body);
  /// Take over a document, and replace it where it may not be parsed; false:
  /// the message is passed on as it came.
  bool openDocument(llvm::json::Value &params);
  bool changeDocument(llvm::json::Value &params);
  /// Whether the document may be parsed; else its diagnostic is `pending`.
  bool mayBeParsed(llvm::StringRef uri, llvm::StringRef text);
  void send(const llvm::json::Value &message);

  std::FILE *from;
  llvm::raw_ostream &answers;
  mlir::MLIRContext context;
  /// The text of each document by its URI, as the client has it.
  llvm::StringMap<std::string> documents;
  /// Sent when the server has handled the message before, whose diagnostics
  /// replace what was sent until then.
  std::optional<llvm::json::Value> pending;
  /// What of the current message was not read yet from `open`'s stream.
  std::string rest;
};

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_LSP_SERVER_MESSAGEFILTER_H
