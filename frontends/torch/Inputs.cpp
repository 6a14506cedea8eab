#include "frontends/torch/Inputs.h"

#include "frontends/torch/Call.h"
#include "graph/build/Checks.h"

#include <set>

using namespace mlir;

namespace tilewright::torch {
namespace {

using Kind = Expression::Kind;
using llvm::Twine;

void addSymbols(const Expression &expression, std::set<std::string> &symbols) {
  if (expression.kind == Kind::Symbol)
    symbols.insert(expression.name);
  for (const Expression &each : expression.operands)
    addSymbols(each, symbols);
}

/// The value of an expression of one symbol.
std::optional<int64_t> valueAt(GraphBuilder &b, const Expression &expression,
                               const std::string &symbol, int64_t value) {
  Numbers numbers(b);
  numbers.define(symbol, b.sizes.constant(value));
  auto size = numbers.size(expression);
  return succeeded(size) ? constantOf(*size) : std::nullopt;
}

/// Defines the symbol of a size a * s + c that no input has by itself.
LogicalResult solve(GraphBuilder &b, Numbers &numbers, const std::string &input,
                    const Expression &expression, Expr size) {
  std::set<std::string> symbols;
  addSymbols(expression, symbols);
  for (const std::string &symbol : symbols) {
    if (numbers.isDefined(symbol))
      continue;
    // Values far from 0, where no division is rounded to 0.
    constexpr int64_t at = 5040;
    auto first = valueAt(b, expression, symbol, at),
         second = valueAt(b, expression, symbol, 2 * at),
         third = valueAt(b, expression, symbol, 3 * at);
    bool isLinear = symbols.size() == 1 && first && second && third &&
                    *third - *second == *second - *first &&
                    (*second - *first) % at == 0 && *second > *first;
    if (!isLinear)
      return b.fail("a size of input '" + input + "' is an expression of " +
                    symbol +
                    ", which no other input determines: expected a multiple "
                    "of it plus a number");
    int64_t factor = (*second - *first) / at, rest = *first - factor * at;
    numbers.define(symbol, b.sizes.floorDiv(b.sizes.add(size, -rest), factor));
  }
  return success();
}

/// As users name sizes: "x.size(0)".
std::string readable(std::string text) {
  static constexpr std::pair<StringRef, StringRef> replacements[] = {
      {"L['", ""}, {"'].size()[", ".size("}, {"']['", "."}, {"]", ")"}};
  for (auto [from, to] : replacements)
    for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to.str());
  return text;
}

LogicalResult checkGuard(GraphBuilder &b, Numbers &numbers,
                         const Guard &guard) {
  std::string message = "the program was exported for " + readable(guard.text);
  const Expression &condition = guard.condition;
  bool isEqual = condition.kind == Kind::Equal,
       isLess = condition.kind == Kind::Less;
  if (isEqual || isLess || condition.kind == Kind::LessEqual) {
    TRY(Expr left, numbers.size(condition.operands[0]));
    TRY(Expr right, numbers.size(condition.operands[1]));
    if (isEqual)
      checkEqual(b, left, right, message);
    else
      checkAtMost(b, b.sizes.add(left, isLess), right, message);
    return success();
  }
  TRY(Expr violation, numbers.violation(condition));
  checkEqual(b, violation, b.zero(), message);
  return success();
}

/// How users name a symbol: the first input's size that it is.
std::string nameOf(ArrayRef<FunctionArgument> arguments, Expr symbol) {
  for (const FunctionArgument &argument : arguments)
    for (auto [d, dim] : llvm::enumerate(argument.dims))
      if (dim == symbol)
        return argument.name + ".size(" + std::to_string(d) + ")";
  return "a size";
}

/// The user's inputs of the graph, in order.
template <typename Fn>
LogicalResult forEachInput(const Program &program, Fn fn) {
  for (const InputSpec &input : program.inputs)
    if (input.kind == InputSpec::Kind::User && failed(fn(input)))
      return failure();
  return success();
}

FailureOr<const TensorMeta *> metaOf(GraphBuilder &b, const Program &program,
                                     const InputSpec &input) {
  auto meta = program.graph.tensors.find(input.name);
  if (meta == program.graph.tensors.end())
    return b.fail("the program does not say which shape input '" + input.name +
                  "' has");
  return &meta->second;
}

} // namespace

LogicalResult readInputs(GraphBuilder &b, Numbers &numbers,
                         const Program &program,
                         std::vector<FunctionArgument> &arguments) {
  return forEachInput(program, [&](const InputSpec &input) -> LogicalResult {
    TRY(const TensorMeta *meta, metaOf(b, program, input));
    auto element = elementOf(b.builder.getContext(), meta->dtype);
    if (!element)
      return b.fail("input '" + input.name + "' has the type " +
                    std::string(dtypeNames[size_t(meta->dtype)]) +
                    ", which is not supported");
    FunctionArgument argument{input.name, *element, {}, {}, nullptr};
    for (auto [d, size] : llvm::enumerate(meta->sizes)) {
      if (size.kind == Kind::Integer) {
        argument.dims.push_back(b.sizes.constant(size.integer));
        argument.symbols.push_back("");
        continue;
      }
      bool isSymbol = size.kind == Kind::Symbol;
      std::string name =
          isSymbol ? size.name : input.name + ".dim" + std::to_string(d);
      argument.dims.push_back(b.sizes.symbols.dimension(name));
      argument.symbols.push_back(name);
      if (isSymbol)
        numbers.define(name, argument.dims.back());
    }
    numbers.defineInput(input.name, argument.dims);
    arguments.push_back(std::move(argument));
    return success();
  });
}

LogicalResult checkInputs(GraphBuilder &b, Numbers &numbers,
                          const Program &program,
                          ArrayRef<FunctionArgument> arguments) {
  size_t next = 0;
  auto checkSizes = [&](const InputSpec &input) -> LogicalResult {
    const FunctionArgument &argument = arguments[next++];
    TRY(const TensorMeta *meta, metaOf(b, program, input));
    for (auto [size, dim] : llvm::zip(meta->sizes, argument.dims)) {
      if (size.kind == Kind::Integer || size.kind == Kind::Symbol)
        continue;
      if (failed(solve(b, numbers, input.name, size, dim)))
        return failure();
      TRY(Expr expected, numbers.size(size));
      checkEqual(b, dim, expected,
                 "a size of input '" + input.name +
                     "' is not what the program was exported for");
    }
    return success();
  };
  if (failed(forEachInput(program, checkSizes)))
    return failure();
  for (const auto &[symbol, range] : program.ranges) {
    if (!numbers.isDefined(symbol))
      continue;
    Expression name;
    name.kind = Kind::Symbol;
    name.name = symbol;
    TRY(Expr size, numbers.size(name));
    std::string where =
        "the program was exported for " + nameOf(arguments, size);
    if (range.least)
      checkAtMost(b, b.sizes.constant(*range.least), size,
                  where + " of at least " + Twine(*range.least));
    if (range.most)
      checkAtMost(b, size, b.sizes.constant(*range.most),
                  where + " of at most " + Twine(*range.most));
  }
  for (const Guard &guard : program.guards)
    if (failed(checkGuard(b, numbers, guard)))
      return failure();
  return success();
}

} // namespace tilewright::torch
