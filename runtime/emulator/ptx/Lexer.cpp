#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"
#include <algorithm>
#include <bit>
#include <charconv>

namespace tilewright::emulator::ptx {

Status errorAt(Location at, std::string_view message) {
  return Status::invalidInput(
      format("{}:{}: {}", {at.line, at.column, message}));
}

std::string Token::describe() const {
  switch (kind) {
  case Kind::end:
    return "the end of the text";
  case Kind::modifier:
    return format("'.{}'", {text});
  case Kind::string:
    return format("\"{}\"", {text});
  default:
    return format("'{}'", {text});
  }
}

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// PTX section 4.4.
bool isNameStart(char c) {
  return isLetter(c) || c == '_' || c == '$' || c == '%';
}
bool isNameRest(char c) {
  return isLetter(c) || isDigit(c) || c == '_' || c == '$';
}
/// The digit's value; 99 for other characters.
unsigned digitValue(char c) {
  if (isDigit(c))
    return unsigned(c - '0');
  if (c >= 'a' && c <= 'f')
    return unsigned(c - 'a' + 10);
  if (c >= 'A' && c <= 'F')
    return unsigned(c - 'A' + 10);
  return 99;
}

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  StatusOr<std::vector<Token>> run();

private:
  Status skipBlanks();
  Status lexNumber(Token &token);
  Status lexReal(Token &token, size_t digits);
  Status lexDecimal(Token &token);
  Status lexInteger(Token &token);
  Status lexString(Token &token);
  void lexModifier(Token &token);
  Status lexPunctuation(Token &token);
  [[nodiscard]] char peek(size_t ahead = 0) const {
    return offset + ahead < text.size() ? text[offset + ahead] : '\0';
  }
  [[nodiscard]] Location here() const {
    return {line, uint32_t(offset - lineStart + 1)};
  }
  void newline() {
    ++line;
    lineStart = offset + 1;
  }
  Status fail(std::string_view message) const {
    return errorAt(here(), message);
  }

  std::string_view text;
  size_t offset = 0, lineStart = 0;
  uint32_t line = 1;
};

/// Skips blanks, comments, and the lines of a preprocessor.
Status Lexer::skipBlanks() {
  for (; offset < text.size(); ++offset) {
    char c = text[offset];
    if (c == '\n') {
      newline();
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      continue;
    } else if ((c == '/' && peek(1) == '/') || c == '#') {
      offset = std::min(text.find('\n', offset), text.size());
      --offset;
    } else if (c == '/' && peek(1) == '*') {
      size_t close = text.find("*/", offset + 2);
      if (close == std::string_view::npos)
        return fail("expected '*/' to close this comment");
      for (; offset < close; ++offset)
        if (text[offset] == '\n')
          newline();
      ++offset;
    } else {
      break;
    }
  }
  return {};
}

/// 0f and 0d: the bits of a number, in `digits` hexadecimal digits.
Status Lexer::lexReal(Token &token, size_t digits) {
  for (size_t i = 0; i < digits; ++i) {
    unsigned digit = digitValue(peek(2 + i));
    if (digit > 15)
      return fail(format("expected {} hexadecimal digits after '{}'",
                         {digits, text.substr(offset, 2)}));
    token.value = token.value << 4 | digit;
  }
  token.kind = Token::Kind::real;
  token.isDouble = digits == 16;
  offset += 2 + digits;
  return {};
}

Status Lexer::lexDecimal(Token &token) {
  double value = 0;
  const char *begin = text.data() + offset;
  auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc())
    return fail("expected a number that a double can hold");
  token.kind = Token::Kind::real;
  token.isDouble = true;
  token.value = std::bit_cast<uint64_t>(value);
  offset += size_t(end - begin);
  return {};
}

Status Lexer::lexInteger(Token &token) {
  unsigned base = 10;
  size_t digits = 0;
  if (peek() == '0') {
    char second = peek(1);
    base = second == 'x' || second == 'X'   ? 16
           : second == 'b' || second == 'B' ? 2
                                            : 8;
    if (base != 8) {
      offset += 2;
      if (digitValue(peek()) >= base)
        return fail(format("expected a digit of base {}", {base}));
    }
  }
  bool overflow = false;
  for (; digitValue(peek()) < base; ++offset, ++digits) {
    uint64_t next = token.value * base + digitValue(peek());
    overflow |= token.value > (UINT64_MAX - digitValue(peek())) / base;
    token.value = next;
  }
  if (peek() == 'U')
    ++offset;
  token.kind = Token::Kind::integer;
  if (overflow)
    return errorAt(token.at, "expected an integer of at most 64 bits");
  return {};
}

Status Lexer::lexNumber(Token &token) {
  if (peek() == '0' && (peek(1) == 'f' || peek(1) == 'F'))
    return lexReal(token, 8);
  if (peek() == '0' && (peek(1) == 'd' || peek(1) == 'D'))
    return lexReal(token, 16);
  size_t end = offset;
  while (end < text.size() && isDigit(text[end]))
    ++end;
  bool point = end + 1 < text.size() && text[end] == '.' &&
               (isDigit(text[end + 1]) || !isLetter(text[end + 1]));
  bool exponent =
      end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E') &&
      (isDigit(text[end + 1]) || text[end + 1] == '-' || text[end + 1] == '+');
  return point || exponent ? lexDecimal(token) : lexInteger(token);
}

Status Lexer::lexString(Token &token) {
  size_t close = text.find('"', offset + 1);
  size_t lineEnd = std::min(text.find('\n', offset), text.size());
  if (close > lineEnd)
    return fail("expected '\"' to close this string");
  token.kind = Token::Kind::string;
  token.text = text.substr(offset + 1, close - offset - 1);
  offset = close + 1;
  return {};
}

/// After the dot: letters, digits and `::`.
void Lexer::lexModifier(Token &token) {
  size_t begin = ++offset;
  while (isNameRest(peek()) || (peek() == ':' && peek(1) == ':'))
    offset += peek() == ':' ? 2 : 1;
  token.kind = Token::Kind::modifier;
  token.text = text.substr(begin, offset - begin);
}

Status Lexer::lexPunctuation(Token &token) {
  static constexpr std::string_view doubled[] = {
      "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  std::string_view rest = text.substr(offset, 2);
  size_t length = 1;
  for (std::string_view two : doubled)
    if (rest == two)
      length = 2;
  static constexpr std::string_view known = ",;(){}[]:|@!+-*/%<>=&^?~";
  if (known.find(text[offset]) == std::string_view::npos) {
    unsigned char c = (unsigned char)text[offset];
    static constexpr char hex[] = "0123456789abcdef";
    std::string shown =
        c >= 0x20 && c < 0x7f
            ? format("'{}'", {char(c)})
            : format("the byte 0x{}{}", {hex[c >> 4], hex[c & 15]});
    return fail("expected PTX, found " + shown);
  }
  token.kind = Token::Kind::punctuation;
  offset += length;
  return {};
}

StatusOr<std::vector<Token>> Lexer::run() {
  std::vector<Token> tokens;
  tokens.reserve(text.size() / 4);
  while (true) {
    size_t before = offset;
    TILEWRIGHT_RETURN_IF_ERROR(skipBlanks());
    Token token;
    token.adjacent = offset == before;
    token.at = here();
    if (offset == text.size()) {
      tokens.push_back(token);
      return tokens;
    }
    size_t begin = offset;
    char c = peek();
    Status status;
    // A '%' with a blank or a digit behind it is the operator.
    if (isNameStart(c) && (c != '%' || isNameRest(peek(1)))) {
      token.kind = Token::Kind::identifier;
      for (++offset; isNameRest(peek());)
        ++offset;
    } else if (isDigit(c)) {
      status = lexNumber(token);
    } else if (c == '.' && isNameRest(peek(1))) {
      lexModifier(token);
    } else if (c == '"') {
      status = lexString(token);
    } else {
      status = lexPunctuation(token);
    }
    TILEWRIGHT_RETURN_IF_ERROR(status);
    if (token.text.empty())
      token.text = text.substr(begin, offset - begin);
    tokens.push_back(token);
  }
}

} // namespace

StatusOr<std::vector<Token>> tokenize(std::string_view text) {
  return Lexer(text).run();
}

} // namespace tilewright::emulator::ptx
