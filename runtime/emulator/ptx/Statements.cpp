#include "runtime/emulator/ptx/Statements.h"
#include "runtime/emulator/ptx/Instructions.h"
#include "runtime/emulator/ptx/Variables.h"

namespace tilewright::emulator::ptx {

/// `.loc 1 24 3`, and since 7.2 `, function_name L, inlined_at 1 23 3`.
static SourceLine parseSourceLine(TokenCursor &cursor) {
  SourceLine line;
  line.file = unsigned(cursor.expectInteger("the file's number"));
  line.line = unsigned(cursor.expectInteger("a line"));
  line.column = unsigned(cursor.expectInteger("a column"));
  while (!cursor.failed() && cursor.accept(",")) {
    Word what = cursor.expectIdentifier("function_name or inlined_at");
    if (what.text == "function_name") {
      cursor.expectIdentifier("a label");
      if (cursor.accept("+"))
        cursor.expectInteger("an offset");
    } else {
      for (int i = 0; i < 3; ++i)
        cursor.expectInteger("file, line and column");
    }
  }
  return line;
}

static void parseBodyDirective(TokenCursor &cursor, Block &block) {
  if (cursor.acceptModifier("loc")) {
    block.statements.emplace_back(parseSourceLine(cursor));
    return;
  }
  if (cursor.acceptModifier("pragma")) {
    cursor.take();
    return cursor.expect(";");
  }
  Linkage linkage = parseLinkage(cursor);
  if (!spaceAhead(cursor))
    return cursor.failExpected("a statement");
  std::vector<Variable> variables;
  parseVariables(cursor, linkage, variables);
  for (Variable &variable : variables)
    block.statements.emplace_back(std::move(variable));
}

static void parseTargets(TokenCursor &cursor, Block &block, Word name,
                         Targets::Kind kind) {
  Targets targets{kind, name, {}};
  do
    targets.targets.push_back(cursor.expectIdentifier("a target"));
  while (!cursor.failed() && cursor.accept(","));
  cursor.expect(";");
  block.statements.emplace_back(std::move(targets));
}

static void parsePrototype(TokenCursor &cursor, Block &block, Word name) {
  Prototype prototype;
  prototype.name = name;
  if (cursor.token().is("("))
    prototype.results = parseParameters(cursor);
  cursor.expectIdentifier("'_'");
  if (cursor.token().is("("))
    prototype.parameters = parseParameters(cursor);
  // .noreturn and the like.
  while (!cursor.failed() && cursor.token().kind == Token::Kind::modifier) {
    cursor.take();
    if (cursor.token().kind == Token::Kind::integer)
      cursor.take();
  }
  cursor.expect(";");
  block.statements.emplace_back(std::move(prototype));
}

/// A label, or a list of targets or a prototype that has a name.
static void parseLabel(TokenCursor &cursor, Block &block) {
  Word name = cursor.expectIdentifier("a label");
  cursor.expect(":");
  if (cursor.acceptModifier("branchtargets"))
    return parseTargets(cursor, block, name, Targets::Kind::branch);
  if (cursor.acceptModifier("calltargets"))
    return parseTargets(cursor, block, name, Targets::Kind::call);
  if (cursor.acceptModifier("callprototype"))
    return parsePrototype(cursor, block, name);
  block.statements.emplace_back(Label{name});
}

static void parseStatement(TokenCursor &cursor, Block &block) {
  if (cursor.accept(";"))
    return;
  if (cursor.token().is("{")) {
    block.statements.emplace_back(std::make_unique<Block>(parseBlock(cursor)));
    return;
  }
  if (cursor.token().kind == Token::Kind::modifier)
    return parseBodyDirective(cursor, block);
  if (cursor.token().kind == Token::Kind::identifier && cursor.token(1).is(":"))
    return parseLabel(cursor, block);
  block.statements.emplace_back(parseInstruction(cursor));
}

Block parseBlock(TokenCursor &cursor) {
  TokenCursor::Nested nested(cursor);
  Block block;
  block.at = cursor.token().at;
  cursor.expect("{");
  while (!cursor.failed() && !cursor.token().is("}")) {
    if (cursor.token().kind == Token::Kind::end)
      cursor.failExpected("a statement or '}'");
    else
      parseStatement(cursor, block);
  }
  cursor.expect("}");
  return block;
}

} // namespace tilewright::emulator::ptx
