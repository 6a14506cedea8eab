#include "tileir/diagnostics/ParseText.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

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

LogicalResult checkText(StringRef text, StringRef file, MLIRContext *context,
                        Dialects dialects) {
  auto errorAt = [&](size_t position) {
    StringRef before = text.take_front(position);
    const size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0.
    return emitError(FileLineColLoc::get(context, file,
                                         unsigned(before.count('\n') + 1),
                                         unsigned(position - lineStart + 1)));
  };
  if (text.starts_with("ML\xefR"))
    return success();
  if (size_t deep = NestingCounter(text).findTooDeep(); deep != StringRef::npos)
    return errorAt(deep) << "expected brackets nested at most " << maxNesting
                         << " deep, found more";
  if (auto hazard = findParserHazard(text, dialects))
    return errorAt(hazard->position) << hazard->message;
  return success();
}

/// Where ops of linalg keep the maps that they have computed.
static constexpr StringLiteral memoizedMaps = "linalg.memoized_indexing_maps";

/// One that a verifier can ask for the map of each operand.
static bool areMaps(Attribute attribute, unsigned operands) {
  auto maps = dyn_cast<ArrayAttr>(attribute);
  return maps && maps.size() == operands &&
         llvm::all_of(maps, llvm::IsaPred<AffineMapAttr>);
}

/// Operands, attributes and types may be any.
static LogicalResult checkBeforeVerifier(Operation *op, Dialects dialects) {
  const StringRef name = op->getName().getStringRef();
  if (dialects == Dialects::ofSources &&
      isLoweredDialect(op->getName().getDialectNamespace()))
    return op->emitError(messageOfLoweredOp(name));
  if (Attribute maps = op->getDiscardableAttr(memoizedMaps);
      maps && !areMaps(maps, op->getNumOperands()))
    return op->emitError("expected an affine map for each operand as '")
           << memoizedMaps << "'";
  // Indexes the sizes with it.
  if (name == "tensor.concat")
    if (auto dim = op->getAttrOfType<IntegerAttr>("dim");
        dim && dim.getValue().isNegative())
      return op->emitOpError(
                 "expected a dimension that is not negative, found ")
             << dim.getInt();
  // Asks for their type.
  if (name == "cf.switch" && op->getNumSuccessors() > 1 &&
      !op->getAttrOfType<DenseIntElementsAttr>("case_values"))
    return op->emitOpError("expected 'case_values' for its destinations");
  // Makes a list of types as long as the shape says.
  if (name == "tensor.from_elements" && op->getNumResults() == 1)
    if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
        type && (!type.hasStaticShape() ||
                 uint64_t(type.getNumElements()) != op->getNumOperands()))
      return op->emitOpError("expected a static shape with as many elements as "
                             "operands, found ")
             << type << " and " << op->getNumOperands() << " operands";
  return success();
}

LogicalResult checkOps(ModuleOp module, Dialects dialects) {
  return success(!module
                      .walk<WalkOrder::PreOrder>([&](Operation *op) {
                        return WalkResult(checkBeforeVerifier(op, dialects));
                      })
                      .wasInterrupted());
}

LogicalResult verifyModule(ModuleOp module, Dialects dialects) {
  if (failed(checkOps(module, dialects)))
    return failure();
  // An op of linalg would take them for its own.
  module.walk([](Operation *op) { op->removeDiscardableAttr(memoizedMaps); });
  return verify(module);
}

OwningOpRef<ModuleOp> parseUnverified(StringRef text, MLIRContext *context,
                                      StringRef file) {
  if (failed(checkText(text, file, context, Dialects::ofSources)))
    return nullptr;
  return parseSourceString<ModuleOp>(
      text, ParserConfig(context, /*verifyAfterParse=*/false), file);
}

OwningOpRef<ModuleOp> parseText(StringRef text, MLIRContext *context,
                                StringRef file) {
  OwningOpRef<ModuleOp> module = parseUnverified(text, context, file);
  if (module && failed(verifyModule(*module, Dialects::ofSources)))
    return nullptr;
  return module;
}

} // namespace tilewright
