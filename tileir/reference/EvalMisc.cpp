// Assumptions, assertions, printing, and what cannot be run.
#include "tileir/reference/ProgramInstance.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright::reference {

static bool holds(tile::AssumeOp op, const Element &element,
                  ProgramInstance &program) {
  int64_t number =
      isa<tile::PtrType>(element.getType())
          ? static_cast<int64_t>(program.memory().addressOf(element.pointer()))
          : element.toInt();
  if (op.getDivisor() && number % static_cast<int64_t>(*op.getDivisor()) != 0)
    return false;
  return !op.getRange() ||
         (number >= (*op.getRange())[0] && number <= (*op.getRange())[1]);
}

/// An element that breaks the assumption becomes poison.
static LogicalResult evalAssume(tile::AssumeOp op, ProgramInstance &program) {
  TileValue value = program.tile(op.getValue());
  for (Element &element : value.elements)
    if (!element.isPoison() && !holds(op, element, program))
      element = Element::poison(element.getType(), op);
  return program.set(op, std::move(value));
}

/// " in program [1, 0]"
static std::string programText(ProgramInstance &program) {
  std::string text;
  for (int64_t id : program.getIds())
    text += (text.empty() ? "" : ", ") + std::to_string(id);
  return "program [" + text + "]";
}

static LogicalResult evalAssert(tile::AssertOp op, ProgramInstance &program) {
  const TileValue &condition = program.tile(op.getCondition());
  for (auto [i, element] : llvm::enumerate(condition.elements)) {
    if (element.isPoison())
      return poisonError(op, element, "the condition is a poison value");
    if (element.hasSpread())
      return program.stop(op, "a condition");
    if (!element.isTrue())
      return errorAt(op) << op.getMessage() << " (element " << i << ", "
                         << programText(program) << ")";
  }
  return success();
}

/// Integers in full; floats with enough digits to identify a value of their
/// type, as `%.9g` of C (f64: `%.17g`), a NaN without a sign; addresses.
static std::string printed(const Element &element, ProgramInstance &program) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Type type = element.getType();
  if (element.isPoison() || type.isIntOrIndex())
    return element.text();
  if (isa<tile::PtrType>(type)) {
    out << llvm::format_hex(program.memory().addressOf(element.pointer()), 1);
    return text;
  }
  llvm::APFloat number = element.real();
  if (number.isNaN())
    return "nan";
  bool isLossy = false;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &isLossy);
  out << llvm::format(type.isF64() ? "%.17g" : "%.9g",
                      number.convertToDouble());
  return text;
}

static void printTile(llvm::raw_ostream &out, const TileValue &value,
                      int64_t dim, size_t &next, ProgramInstance &program) {
  if (dim == static_cast<int64_t>(value.shape().size())) {
    out << printed(value.elements[next++], program);
    return;
  }
  out << '[';
  for (int64_t i = 0; i < value.shape()[dim]; ++i) {
    out << (i ? ", " : "");
    printTile(out, value, dim + 1, next, program);
  }
  out << ']';
}

static LogicalResult evalPrint(tile::PrintOp op, ProgramInstance &program) {
  const auto &sink = program.getLaunch().options.prints;
  if (!sink)
    return success();
  std::string line;
  llvm::raw_string_ostream out(line);
  out << programText(program) << ": " << op.getText();
  for (auto [number, operand] : llvm::enumerate(op.getValues())) {
    size_t next = 0;
    out << (number ? ", " : "");
    printTile(out, program.tile(operand), 0, next, program);
  }
  sink(line);
  return success();
}

void addMiscOps(OpTable &table) {
  table.add<tile::AssumeOp>(evalAssume);
  table.add<tile::AssertOp>(evalAssert);
  table.add<tile::PrintOp>(evalPrint);
  table.add<tile::InlinePtxOp>([](tile::InlinePtxOp op, ProgramInstance &) {
    return errorAt(op) << "the interpreter does not run PTX; run this kernel "
                          "on the emulator or on a GPU";
  });
  table.add<tile::TunableOp>([](tile::TunableOp op, ProgramInstance &) {
    return errorAt(op) << '"' << op.getName()
                       << "\" has no value; bind it first";
  });
}

} // namespace tilewright::reference
