// The recursive-descent parser behind parse(); for its sources only.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PTX_PARSERIMPL_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PTX_PARSERIMPL_H

#include "runtime/emulator/ptx/Lexer.h"

namespace tilewright::emulator::ptx {

/// A constant: an integer, or a real (its bits).
struct Constant {
  bool isReal = false;
  bool isDouble = false;
  uint64_t value = 0;
};

/// Every method parses the construct in its name from the current position. The
/// first error stays in `error`, and parsing then ends soon: each loop checks
/// failed(). So no method need check after each step.
class Parser {
public:
  explicit Parser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}
  /// The whole file. False: see `error`.
  bool parseModule(Module &module);
  Status error;

private:
  // Parser.cpp: tokens.
  [[nodiscard]] const Token &token(size_t ahead = 0) const;
  Token take();
  bool accept(std::string_view punctuation);
  bool acceptModifier(std::string_view text);
  [[nodiscard]] bool isModifier(std::string_view text) const;
  void expect(std::string_view punctuation);
  Word expectIdentifier(std::string_view what);
  uint64_t expectInteger(std::string_view what);
  void failExpected(std::string_view what);
  void fail(Location at, std::string_view message);
  [[nodiscard]] bool failed() const { return !error.ok(); }

  // Parser.cpp: the file and its functions.
  void parseHeader(Module &module);
  void parseTopLevel(Module &module);
  void skipSection();
  Linkage parseLinkage();
  void parseFunction(Module &module, Linkage linkage);
  void parseFunctionDirectives(Function &function);
  std::vector<Variable> parseParameters();

  // Variables.cpp
  [[nodiscard]] std::optional<Space> spaceAhead() const;
  void parseVariables(Linkage linkage, std::vector<Variable> &variables);
  Variable parseDeclarationSpecifiers(Linkage linkage);
  void parseDeclarator(Variable &variable);
  Initializer parseInitializer();
  Initializer parseSymbolInitializer();

  // Statements.cpp
  Block parseBlock();
  void parseStatement(Block &block);
  void parseBodyDirective(Block &block);
  void parseLabel(Block &block);
  void parseTargets(Block &block, Word name, Targets::Kind kind);
  void parsePrototype(Block &block, Word name);
  SourceLine parseSourceLine();
  Instruction parseInstruction();
  void parseOperands(Instruction &instruction);
  Operand parseOperand();
  Operand parseName();
  Operand parseAddress();
  Operand parseElements(Operand::Kind kind, std::string_view close);
  void addOffset(Operand &operand);

  // Expressions.cpp: PTX section 4.6.
  Constant parseConstant();
  Constant parseConditional();
  Constant parseBinary(unsigned level);
  Constant parseUnary();
  uint64_t parseIntegerConstant();

  /// Nested blocks, lists and parentheses.
  class Nested {
  public:
    explicit Nested(Parser &parser);
    ~Nested() { --parser.depth; }

  private:
    Parser &parser;
  };

  std::vector<Token> tokens;
  size_t next = 0;
  unsigned depth = 0;
};

} // namespace tilewright::emulator::ptx

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PTX_PARSERIMPL_H
