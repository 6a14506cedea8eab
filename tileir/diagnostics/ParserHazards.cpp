#include "tileir/diagnostics/ParserHazards.h"

#include "support/Format.h"
#include "tileir/diagnostics/TextTokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include <functional>

using namespace llvm;

namespace tilewright {

namespace {
/// A type, as far as the rules below ask for it.
struct TypeText {
  bool isTensor = false;
  /// How many; none if the shape is not static.
  std::optional<uint64_t> elements = 1;
  /// Of a tensor its element's, or the type itself, without its parameters.
  std::string element;

  bool isFloat() const {
    StringRef rest = element;
    if (rest == "bf16" || rest == "tf32")
      return true;
    return rest.consume_front("f") && !rest.empty() && isDigit(rest.front());
  }
  bool isInteger() const {
    StringRef rest = element;
    if (!rest.consume_front("si") && !rest.consume_front("ui") &&
        !rest.consume_front("i"))
      return false;
    return !rest.empty() && all_of(rest, isDigit);
  }
};

class HazardFinder {
public:
  HazardFinder(StringRef text, Dialects dialects)
      : tokens(text), dialects(dialects) {}
  std::optional<ParserHazard> find();

private:
  void noteBraces();
  void noteAliases();
  TypeText readType(TextTokens &at) const;
  void readTypes(TextTokens &at, StringRef word,
                 SmallVectorImpl<TypeText> &all) const;
  StringRef readKind(TextTokens &at) const;

  // Each looks at the token just read and, in a copy, at what follows.
  void checkIteratorTypes();
  void checkDimensions();
  void checkDenseArray();
  void checkFromElements();
  void checkElementwise();
  void checkDialect();

  void fail(size_t position, std::string message) {
    if (!hazard)
      hazard = {position, std::move(message)};
  }

  TextTokens tokens;
  Dialects dialects;
  StringRef token, before;
  size_t tokenAt = 0;
  /// Of each open brace, whether it is one of properties, `<{`.
  SmallVector<bool> isProperties;
  StringMap<TypeText> types;
  /// Of aliases of linalg's kinds of elementwise ops.
  StringMap<StringRef> kinds;
  std::optional<ParserHazard> hazard;
};
} // namespace

std::optional<ParserHazard> HazardFinder::find() {
  while (!hazard && !tokens.peek().empty()) {
    before = token;
    tokenAt = tokens.position();
    token = tokens.next();
    noteBraces();
    noteAliases();
    // Most of a large text are numbers.
    if (!isAlpha(token.front()) && token.front() != '"')
      continue;
    checkIteratorTypes();
    checkDimensions();
    checkDenseArray();
    checkFromElements();
    checkElementwise();
    checkDialect();
  }
  return hazard;
}

void HazardFinder::noteBraces() {
  if (token == "{")
    isProperties.push_back(before == "<");
  else if (token == "}" && !isProperties.empty())
    isProperties.pop_back();
}

void HazardFinder::noteAliases() {
  TextTokens value = tokens;
  if (!StringRef("!#").contains(token.front()) || !value.consume("="))
    return;
  // One that is defined again is not known: which one counts is the parser's.
  if (token.front() == '#') {
    auto [known, isNew] = kinds.try_emplace(token, readKind(value));
    if (!isNew)
      known->second = "";
  } else if (auto [known, isNew] = types.try_emplace(token, readType(value));
             !isNew) {
    known->second = {.isTensor = true, .elements = {}, .element = ""};
  }
}

/// Cuts `4x?x` off; the number of elements, or none if it is dynamic.
static std::optional<uint64_t> takeShape(StringRef &type) {
  std::optional<uint64_t> elements = 1;
  while (true) {
    StringRef rest = type;
    const bool isDynamic = rest.consume_front("?") || rest.consume_front("*");
    const StringRef digits = isDynamic ? "" : rest.take_while(isDigit);
    rest = rest.drop_front(digits.size());
    if ((!isDynamic && digits.empty()) || !rest.consume_front("x"))
      return elements;
    type = rest;
    uint64_t size = 0;
    if (isDynamic || digits.getAsInteger(10, size))
      elements.reset();
    else if (elements)
      elements = SaturatingMultiply(*elements, size);
  }
}

/// Goes past a type.
TypeText HazardFinder::readType(TextTokens &at) const {
  const StringRef name = at.next();
  if (auto known = types.find(name); known != types.end())
    return known->second;
  TypeText type;
  type.element = name;
  if (!at.consume("<"))
    return type;
  std::string inside = at.skipBrackets().split(',').first.str();
  if (name != "tensor") {
    type.element += "<>";
    return type;
  }
  erase_if(inside, isSpace);
  StringRef rest = inside;
  type.isTensor = true;
  type.elements = takeShape(rest);
  type.element = rest;
  return type;
}

/// `exp` of `#linalg.elementwise_kind<exp>`, or of its alias.
StringRef HazardFinder::readKind(TextTokens &at) const {
  const StringRef name = at.next();
  if (auto known = kinds.find(name); known != kinds.end())
    return known->second;
  if (name != "#linalg.elementwise_kind" || !at.consume("<"))
    return "";
  return at.skipBrackets().trim();
}

/// The parsers of linalg.generic and vector.contract take each element for a
/// string without a look. In properties, `<{..}>`, upstream checks it. What has
/// no value is no key; names of attributes with escapes have no use but to
/// hide.
void HazardFinder::checkIteratorTypes() {
  const bool hasEscape = token.starts_with("\"") && token.contains('\\');
  TextTokens at = tokens;
  if ((token != "iterator_types" && token != "\"iterator_types\"" &&
       !hasEscape) ||
      !at.consume("=") || (!isProperties.empty() && isProperties.back()))
    return;
  bool isList = !hasEscape && at.consume("[");
  while (isList && !at.peek().empty() && at.peek() != "]") {
    isList = at.peek() == "," || at.peek().starts_with("\"");
    if (isList)
      at.next();
  }
  if (!isList)
    fail(at.position(), "expected a list of strings for 'iterator_types'");
}

/// Goes past a number of 64 bits.
static bool takeInteger(TextTokens &at) {
  const bool isNegative = at.consume("-");
  const StringRef digits = at.next();
  const bool isHex = digits.starts_with_insensitive("0x");
  uint64_t value = 0;
  return !(isHex ? digits.drop_front(2).getAsInteger(16, value)
                 : digits.getAsInteger(10, value)) &&
         value <= uint64_t(INT64_MAX) + isNegative;
}

/// The parsers of linalg.reduce, transpose and broadcast go on without the list
/// where it is wrong. In a dictionary, the attribute has a check.
void HazardFinder::checkDimensions() {
  TextTokens at = tokens;
  if ((token != "dimensions" && token != "permutation") || before == "{" ||
      before == "," || !at.consume("="))
    return;
  size_t position = at.position();
  bool isList = at.consume("[");
  for (bool isFirst = true; isList; isFirst = false) {
    position = at.position();
    if (at.consume("]"))
      return;
    isList = (isFirst || at.consume(",")) && takeInteger(at);
  }
  fail(position, format("expected a list of integers for '{}'", {token.str()}));
}

/// The parser asks each type for its number of bits.
void HazardFinder::checkDenseArray() {
  TextTokens at = tokens;
  if (token != "array" || !at.consume("<"))
    return;
  const size_t position = at.position();
  if (readType(at).element == "index")
    fail(position, "expected integers or floats as elements of 'array', found "
                   "'index'");
}

/// The parser makes a list of types as long as the shape says.
void HazardFinder::checkFromElements() {
  if (token != "tensor.from_elements")
    return;
  TextTokens at = tokens;
  uint64_t operands = 0;
  for (StringRef next = at.peek(); !next.empty(); next = at.peek()) {
    if (next != "," && !next.starts_with("%") && !next.starts_with("#"))
      break;
    operands += next.starts_with("%");
    at.next();
  }
  if (at.consume("{"))
    at.skipBrackets();
  if (!at.consume(":"))
    return;
  const size_t position = at.position();
  const TypeText type = readType(at);
  if (type.isTensor && !type.elements)
    fail(position, "expected a static shape for 'tensor.from_elements'");
  else if (type.isTensor && *type.elements != operands)
    fail(position, format("expected {} operands of 'tensor.from_elements', as "
                          "many as its result has elements, found {}",
                          {*type.elements, operands}));
}

/// Reads `word(%a, %b : type, type)`.
void HazardFinder::readTypes(TextTokens &at, StringRef word,
                             SmallVectorImpl<TypeText> &all) const {
  if (!at.consume(word) || !at.consume("("))
    return;
  while (!at.peek().empty() && at.peek() != ":" && at.peek() != ")")
    at.next();
  if (at.consume(":"))
    do
      all.push_back(readType(at));
    while (at.consume(","));
  at.consume(")");
}

/// Why a body of that kind cannot be made for these operands; empty if it can.
static std::string problemOfElementwise(StringRef kind,
                                        ArrayRef<TypeText> types) {
  static const StringRef unary[] = {
      "exp",        "log",  "abs",   "ceil",   "floor", "negf", "round",
      "reciprocal", "sqrt", "rsqrt", "square", "tanh",  "erf"};
  const bool isUnary = is_contained(unary, kind), isSelect = kind == "select";
  const size_t count = isUnary ? 1 : isSelect ? 3 : 2;
  if (types.size() < count)
    return format("expected at least {} operands", {count});
  if (isUnary)
    return types[0].isFloat() ? "" : "expected floats";
  auto areAll = [&](auto predicate) {
    return all_of(types.slice(isSelect, 2), predicate);
  };
  const bool areFloats = areAll(std::mem_fn(&TypeText::isFloat));
  const bool areIntegers = areAll(std::mem_fn(&TypeText::isInteger));
  if (isSelect && types[0].element != "i1")
    return "expected i1 for the condition";
  if (!areFloats && !areIntegers)
    return "expected two operands of floats, or two of integers";
  const bool areBooleans =
      areAll([](const TypeText &type) { return type.element == "i1"; });
  if (areFloats && kind.ends_with("_unsigned"))
    return "expected integers";
  if (areBooleans && (kind == "sub" || kind.starts_with("div")))
    return "expected integers of more than one bit";
  if (areIntegers && kind == "powf")
    return "expected floats";
  return "";
}

/// The parser makes the body, whose builder takes operands and their types for
/// right.
void HazardFinder::checkElementwise() {
  TextTokens at = tokens;
  if (token != "linalg.elementwise" || !at.consume("kind") || !at.consume("="))
    return;
  const StringRef kind = readKind(at);
  if (at.consume("indexing_maps") && at.consume("=") && at.consume("["))
    at.skipBrackets();
  for (StringRef open : {"<", "{"})
    if (at.consume(open))
      at.skipBrackets();
  SmallVector<TypeText> operands;
  readTypes(at, "ins", operands);
  readTypes(at, "outs", operands);
  if (std::string problem = problemOfElementwise(kind, operands);
      !problem.empty())
    fail(tokenAt,
         problem + " for 'linalg.elementwise' of kind '" + kind.str() + "'");
}

/// Attributes have such names, too.
void HazardFinder::checkDialect() {
  const StringRef after = tokens.peek();
  if (dialects == Dialects::ofSources && token.contains('.') &&
      isLoweredDialect(token.split('.').first) && after != "=" &&
      after != "," && after != "}")
    fail(tokenAt, messageOfLoweredOp(token));
}

std::optional<ParserHazard> findParserHazard(StringRef text,
                                             Dialects dialects) {
  return HazardFinder(text, dialects).find();
}

bool isLoweredDialect(StringRef name) {
  static const StringRef all[] = {"llvm", "memref", "nvvm", "tilegpu",
                                  "vector"};
  return is_contained(all, name);
}

std::string messageOfLoweredOp(StringRef op) {
  return "expected ops of tile kernels or of graphs, found '" + op.str() +
         "', which only lowered code has";
}

} // namespace tilewright
