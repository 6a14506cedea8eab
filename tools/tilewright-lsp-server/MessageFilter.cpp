#include "tools/tilewright-lsp-server/MessageFilter.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "runtime/abi/Json.h"
#include "tileir/diagnostics/ParseText.h"
#include "llvm/Support/LSP/Protocol.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace tilewright {

/// As upstream: more is a mistake of the client.
static constexpr size_t maxLength = size_t(1) << 30;

//===--- The stream -------------------------------------------------------===//

std::string MessageFilter::next() {
  if (pending)
    send(*std::exchange(pending, std::nullopt));
  while (std::optional<std::string> body = readBody())
    if (std::optional<std::string> passed = filter(*std::move(body)))
      return "Content-Length: " + std::to_string(passed->size()) + "\r\n\r\n" +
             *passed;
  return "";
}

std::FILE *MessageFilter::open() {
  cookie_io_functions_t functions = {};
  functions.read = [](void *cookie, char *to, size_t size) -> ssize_t {
    auto *self = static_cast<MessageFilter *>(cookie);
    if (self->rest.empty())
      self->rest = self->next();
    size = std::min(size, self->rest.size());
    std::memcpy(to, self->rest.data(), size);
    self->rest.erase(0, size);
    return ssize_t(size);
  };
  return ::fopencookie(this, "r", functions);
}

/// A line without its end; nothing at the end of input.
static std::optional<std::string> readLine(std::FILE *from) {
  constexpr size_t longest = 4096;
  std::string line;
  for (int c = std::fgetc(from); c != EOF && line.size() < longest;
       c = std::fgetc(from)) {
    if (c == '\n')
      return StringRef(line).rtrim('\r').str();
    line += char(c);
  }
  return std::nullopt;
}

std::optional<std::string> MessageFilter::readBody() {
  size_t length = 0;
  while (std::optional<std::string> line = readLine(from)) {
    StringRef field = *line;
    // Other fields, as Content-Type, say nothing.
    if (field.consume_front("Content-Length:"))
      if (field.trim().getAsInteger(10, length))
        return std::nullopt;
    if (!line->empty())
      continue;
    if (length == 0 || length > maxLength)
      return std::nullopt;
    // Grows with what is sent, not with what the header says.
    std::string body;
    while (body.size() < length) {
      constexpr size_t most = size_t(1) << 20;
      const size_t before = body.size();
      body.resize(std::min(length, before + most));
      const size_t got =
          std::fread(body.data() + before, 1, body.size() - before, from);
      if (got < body.size() - before)
        return std::nullopt;
    }
    return body;
  }
  return std::nullopt;
}

void MessageFilter::send(const json::Value &message) {
  std::string body;
  raw_string_ostream(body) << message;
  answers << "Content-Length: " << body.size() << "\r\n\r\n" << body;
  answers.flush();
}

//===--- Messages ---------------------------------------------------------===//

std::optional<std::string> MessageFilter::filter(std::string body) {
  if (Status nesting = runtime::checkJsonNesting(body); !nesting.ok()) {
    constexpr int parseError = -32700;
    send(json::Object{{"jsonrpc", "2.0"},
                      {"id", nullptr},
                      {"error", json::Object{{"code", parseError},
                                             {"message", nesting.message()}}}});
    return std::nullopt;
  }
  Expected<json::Value> message = json::parse(body);
  if (!message) {
    consumeError(message.takeError());
    return body;
  }
  json::Object *object = message->getAsObject();
  json::Value *params = object ? object->get("params") : nullptr;
  if (!params)
    return body;
  const StringRef method = object->getString("method").value_or("");
  const bool isChanged =
      (method == "textDocument/didOpen" && openDocument(*params)) ||
      (method == "textDocument/didChange" && changeDocument(*params));
  if (!isChanged)
    return body;
  body.clear();
  raw_string_ostream(body) << *message;
  return body;
}

bool MessageFilter::openDocument(json::Value &params) {
  lsp::DidOpenTextDocumentParams opened;
  json::Path::Root root;
  if (!fromJSON(params, opened, root))
    return false;
  const std::string uri = opened.textDocument.uri.uri().str();
  documents[uri] = opened.textDocument.text;
  if (mayBeParsed(uri, opened.textDocument.text))
    return false;
  (*params.getAsObject()->getObject("textDocument"))["text"] = "";
  return true;
}

bool MessageFilter::changeDocument(json::Value &params) {
  lsp::DidChangeTextDocumentParams changed;
  json::Path::Root root;
  if (!fromJSON(params, changed, root))
    return false;
  const std::string uri = changed.textDocument.uri.uri().str();
  auto document = documents.find(uri);
  const bool isKnown = document != documents.end();
  std::string text = isKnown ? document->second : "";
  if (!isKnown || failed(lsp::TextDocumentContentChangeEvent::applyTo(
                      changed.contentChanges, text))) {
    // Of such a message the server takes a single change for the whole text,
    // and several for none.
    if (changed.contentChanges.size() != 1)
      return false;
    text = changed.contentChanges.front().text;
  }
  documents[uri] = text;
  // The whole text: the server may have an empty one.
  (*params.getAsObject())["contentChanges"] =
      json::Array{json::Object{{"text", mayBeParsed(uri, text) ? text : ""}}};
  return true;
}

/// The answer that shows an error at its place in the document.
static json::Object publish(StringRef uri, const mlir::Diagnostic &diagnostic,
                            unsigned linesBefore) {
  json::Object where{{"line", int64_t(linesBefore)}, {"character", int64_t(0)}};
  if (auto at =
          diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
    where = json::Object{{"line", int64_t(linesBefore) + at.getLine() - 1},
                         {"character", int64_t(at.getColumn()) - 1}};
  json::Object error{{"range", json::Object{{"start", json::Object(where)},
                                            {"end", json::Object(where)}}},
                     {"severity", 1},
                     {"source", "mlir"},
                     {"message", diagnostic.str()}};
  return json::Object{
      {"jsonrpc", "2.0"},
      {"method", "textDocument/publishDiagnostics"},
      {"params", json::Object{{"uri", uri.str()},
                              {"diagnostics", json::Array{std::move(error)}}}}};
}

bool MessageFilter::mayBeParsed(StringRef uri, StringRef text) {
  unsigned linesBefore = 0;
  bool isSilent = false;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (!isSilent)
          pending = publish(uri, diagnostic, linesBefore);
        return mlir::success();
      });
  if (failed(checkText(text, uri, &context, Dialects::all)))
    return false;
  // The server parses and verifies each part by itself, and tells what is only
  // wrong.
  for (StringRef rest = text; !rest.empty();) {
    auto [part, others] = rest.split("// -----");
    isSilent = true;
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        part.str(), mlir::ParserConfig(&context, /*verifyAfterParse=*/false),
        uri);
    isSilent = false;
    if (module && failed(checkOps(*module, Dialects::all)))
      return false;
    linesBefore += unsigned(part.count('\n'));
    rest = others;
  }
  return true;
}

} // namespace tilewright
