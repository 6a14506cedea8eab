#include "tileir/diagnostics/ParseText.h"

#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace tilewright {

/// Some ten times what programs have.
static constexpr unsigned maxNesting = 256;

namespace {
/// Counts open brackets outside of strings and comments.
class NestingCounter {
public:
  explicit NestingCounter(StringRef text) : text(text) {}
  /// The first position that is too deep, or npos.
  size_t findTooDeep() {
    for (; at < text.size(); ++at) {
      count();
      if (depth > maxNesting || signs > maxNesting)
        return at;
    }
    return StringRef::npos;
  }

private:
  void count() {
    const char c = text[at];
    // `- - 1` is an expression in an expression.
    if (c == '-')
      ++signs;
    else if (!llvm::isSpace(c))
      signs = 0;
    if (c == '"')
      skipString();
    else if (text.substr(at).starts_with("//"))
      at = std::min(text.find('\n', at), text.size());
    else if (StringRef("([{<").contains(c))
      ++depth;
    // Not the arrow, and not `>=`.
    else if (c == '>' &&
             ((at && text[at - 1] == '-') || text.substr(at).starts_with(">=")))
      return;
    else if (depth && StringRef(")]}>").contains(c))
      --depth;
  }

  void skipString() {
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
      at += text[at] == '\\';
  }

  StringRef text;
  size_t at = 0;
  unsigned depth = 0, signs = 0;
};
} // namespace

LogicalResult checkNesting(StringRef text, StringRef file,
                           MLIRContext *context) {
  const size_t deep = NestingCounter(text).findTooDeep();
  if (deep == StringRef::npos)
    return success();
  StringRef before = text.take_front(deep);
  const size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0.
  emitError(FileLineColLoc::get(context, file, unsigned(before.count('\n') + 1),
                                unsigned(deep - lineStart + 1)))
      << "expected brackets nested at most " << maxNesting
      << " deep, found more";
  return failure();
}

OwningOpRef<ModuleOp> parseText(StringRef text, const ParserConfig &config,
                                StringRef file) {
  if (failed(checkNesting(text, file, config.getContext())))
    return nullptr;
  return parseSourceString<ModuleOp>(text, config, file);
}

} // namespace tilewright
