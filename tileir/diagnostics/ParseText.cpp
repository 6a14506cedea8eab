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

/// Finds values of `iterator_types` that are no lists of strings: the parsers
/// of linalg.generic and vector.contract take each element for a string without
/// a look. In properties, `<{..}>`, upstream checks it.
class IteratorTypesChecker {
public:
  explicit IteratorTypesChecker(StringRef text) : text(text) {}
  /// The first position that is wrong, or npos.
  size_t findWrong() {
    for (skipBlanks(); at < text.size(); skipBlanks()) {
      const bool isName = !StringRef("#%@!^").contains(last);
      const StringRef word = next();
      const bool hasEscape = word.starts_with("\"") && word.contains('\\');
      const bool isKey = isName && (word == "iterator_types" ||
                                    word == "\"iterator_types\"" || hasEscape);
      if (isKey && !isList(hasEscape))
        return std::min(at, text.size() - 1);
    }
    return StringRef::npos;
  }

private:
  void skipBlanks() {
    for (; at < text.size(); ++at) {
      if (text.substr(at).starts_with("//"))
        at = std::min(text.find('\n', at), text.size() - 1);
      else if (!llvm::isSpace(text[at]))
        return;
    }
  }

  /// A string, a word, or one character.
  StringRef next() {
    const size_t begin = at;
    last = text[at++];
    if (last == '"') {
      for (; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
        at += text[at] == '\\';
      at = std::min(at + 1, text.size());
    } else if (llvm::isAlpha(last) || last == '_') {
      at = std::min(text.find_if_not(
                        [](char c) {
                          return llvm::isAlnum(c) || c == '_' || c == '$' ||
                                 c == '.';
                        },
                        at),
                    text.size());
    } else if (last == '{') {
      isProperties.push_back(before == '<');
    } else if (last == '}' && !isProperties.empty()) {
      isProperties.pop_back();
    }
    before = last;
    return text.slice(begin, at);
  }

  /// Of the value behind a key; what is no key has no value. Names of
  /// attributes with escapes have no use but to hide.
  bool isList(bool hasEscape) {
    skipBlanks();
    if (at >= text.size() || text[at] != '=' ||
        (!isProperties.empty() && isProperties.back()))
      return true;
    if (hasEscape)
      return false;
    next();
    skipBlanks();
    if (at >= text.size() || next() != "[")
      return false;
    for (skipBlanks(); at < text.size(); skipBlanks()) {
      if (text[at] == ']')
        return true;
      if (text[at] != '"' && text[at] != ',')
        return false;
      next();
    }
    return true;
  }

  StringRef text;
  size_t at = 0;
  /// The first character of the last token, and of the one before.
  char last = 0, before = 0;
  /// Of each open brace.
  SmallVector<bool> isProperties;
};
} // namespace

LogicalResult checkText(StringRef text, StringRef file, MLIRContext *context) {
  auto errorAt = [&](size_t position) {
    StringRef before = text.take_front(position);
    const size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0.
    return emitError(FileLineColLoc::get(context, file,
                                         unsigned(before.count('\n') + 1),
                                         unsigned(position - lineStart + 1)));
  };
  if (size_t deep = NestingCounter(text).findTooDeep(); deep != StringRef::npos)
    return errorAt(deep) << "expected brackets nested at most " << maxNesting
                         << " deep, found more";
  if (size_t wrong = IteratorTypesChecker(text).findWrong();
      wrong != StringRef::npos)
    return errorAt(wrong) << "expected a list of strings for 'iterator_types'";
  return success();
}

OwningOpRef<ModuleOp> parseText(StringRef text, const ParserConfig &config,
                                StringRef file) {
  if (failed(checkText(text, file, config.getContext())))
    return nullptr;
  return parseSourceString<ModuleOp>(text, config, file);
}

} // namespace tilewright
