//===- CallOps.cpp - Calls, of the module and of devices ------------------===//
//
// Kernels for a CPU call functions of the cpu device for prints and failed
// checks (runtime/cpu/KernelCalls.h), those for a GPU functions of the CUDA
// driver.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/Lanes.h"
#include "verify/threads/Layout.h"

#include "llvm/ADT/StringExtras.h"
#include <charconv>

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

namespace {
struct Callee : Details {
  Operation *function = nullptr;
  /// The first lane and the lanes of each argument.
  SmallVector<std::pair<unsigned, unsigned>> arguments;
};
} // namespace

static SmallVector<Lane> argumentsOf(const Instruction &i, Thread &t) {
  SmallVector<Lane> lanes;
  for (auto [first, count] : i.as<Callee>().arguments)
    lanes.append(t.frame + first, t.frame + first + count);
  return lanes;
}

static Outcome runCall(const Instruction &i, Thread &t) {
  constexpr size_t mostCalls = 200;
  if (t.depth() >= mostCalls)
    return fault(i, t, "more than 200 calls in each other");
  const auto &callee = i.as<Callee>();
  t.call(t.launch.functions.at(callee.function), argumentsOf(i, t), i.result);
  return Outcome::jump;
}

//===--- Functions of devices ---------------------------------------------===//

/// A zero-terminated text in memory.
static std::optional<std::string> textAt(const Instruction &i, Thread &t,
                                         uint64_t address) {
  std::string text;
  for (;; ++address) {
    std::optional<uint64_t> byte = readWord(i, t, address, 1);
    if (!byte)
      return std::nullopt;
    if (*byte == 0)
      return text;
    text += char(*byte);
  }
}

using Arguments = ArrayRef<Lane>;

static std::string programText(Arguments x) {
  std::string text = "program [";
  for (int64_t dim = 0; dim < int64_t(x[0].bits); ++dim)
    text += (dim ? ", " : "") + std::to_string(int64_t(x[1 + dim].bits));
  return text + "]";
}

/// message, location, element, rank, x, y, z
static Outcome checkFailed(const Instruction &i, Thread &t, Arguments x) {
  std::optional<std::string> message = textAt(i, t, x[0].bits);
  if (!message)
    return Outcome::fault;
  return fault(i, t,
               *message + " (element " + Twine(int64_t(x[2].bits)) + ", " +
                   programText(x.drop_front(3)) + ")");
}

/// text, rank, x, y, z
static Outcome printBegin(const Instruction &i, Thread &t, Arguments x) {
  std::optional<std::string> text = textAt(i, t, x[0].bits);
  if (!text)
    return Outcome::fault;
  t.launch.line = programText(x.drop_front()) + ": " + *text;
  t.launch.printed = t.launch.printedOfTile = 0;
  t.launch.printedShape.clear();
  t.launch.isTilePrinted = false;
  return Outcome::next;
}

/// rank, shape
static Outcome printTile(const Instruction &i, Thread &t, Arguments x) {
  t.launch.printedShape.clear();
  t.launch.printedOfTile = 0;
  t.launch.isTilePrinted = true;
  for (uint64_t dim = 0; dim < x[0].bits; ++dim) {
    std::optional<uint64_t> size = readWord(i, t, x[1].bits + 8 * dim, 8);
    if (!size)
      return Outcome::fault;
    t.launch.printedShape.push_back(int64_t(*size));
  }
  return Outcome::next;
}

/// One number of the line, with the brackets of its tile.
static Outcome addNumber(Thread &t, const std::string &number) {
  Launch &launch = t.launch;
  const bool continues = launch.isTilePrinted && launch.printedOfTile > 0;
  if (continues || launch.printed > 0)
    launch.line += ", ";
  launch.printed = 1;
  if (!launch.isTilePrinted) {
    launch.line += number;
    return Outcome::next;
  }
  int64_t extent = 1, opened = 0, closed = 0;
  for (int64_t size : llvm::reverse(launch.printedShape)) {
    extent *= size;
    opened += launch.printedOfTile % extent == 0;
    closed += (launch.printedOfTile + 1) % extent == 0;
  }
  launch.line += std::string(size_t(opened), '[') + number +
                 std::string(size_t(closed), ']');
  launch.isTilePrinted = ++launch.printedOfTile < extent;
  return Outcome::next;
}

static Outcome printInteger(const Instruction &, Thread &t, Arguments x) {
  return addNumber(t, std::to_string(int64_t(x[0].bits)));
}

/// value, digits
static Outcome printReal(const Instruction &, Thread &t, Arguments x) {
  const auto value = std::bit_cast<double>(x[0].bits);
  if (std::isnan(value))
    return addNumber(t, "nan");
  char text[40];
  const auto end = std::to_chars(text, text + sizeof(text), value,
                                 std::chars_format::general, int(x[1].bits));
  return addNumber(t, std::string(text, end.ptr));
}

static Outcome printPointer(const Instruction &, Thread &t, Arguments x) {
  return addNumber(t, "0x" + llvm::utohexstr(x[0].bits, /*LowerCase=*/true));
}

static void printLine(Thread &t) {
  if (t.launch.options.prints)
    t.launch.options.prints(t.launch.line);
  t.launch.line.clear();
}

static Outcome printEnd(const Instruction &, Thread &t, Arguments) {
  printLine(t);
  return Outcome::next;
}

/// message, file, line, function, bytes of a character
static Outcome assertFail(const Instruction &i, Thread &t, Arguments x) {
  std::optional<std::string> message = textAt(i, t, x[0].bits);
  return message ? fault(i, t, *message) : Outcome::fault;
}

/// format, address of the values: 8 bytes each
static Outcome printFormatted(const Instruction &i, Thread &t, Arguments x) {
  std::optional<std::string> format = textAt(i, t, x[0].bits);
  if (!format)
    return Outcome::fault;
  StringRef rest = *format;
  uint64_t next = x[1].bits;
  while (!rest.empty()) {
    auto [text, after] = rest.split('%');
    t.launch.line += text;
    rest = after;
    if (rest.consume_front("%")) {
      t.launch.line += '%';
      continue;
    }
    const size_t end = rest.find_first_of("dgx");
    if (end == StringRef::npos)
      break;
    const std::string one = "%" + rest.take_front(end + 1).str();
    std::optional<uint64_t> bits = readWord(i, t, next, 8);
    if (!bits)
      return Outcome::fault;
    next += 8;
    char number[64];
    const bool isReal = rest[end] == 'g';
    const auto real = std::bit_cast<double>(*bits);
    if (isReal)
      std::snprintf(number, sizeof(number), one == "%.17g" ? "%.17g" : "%.9g",
                    real);
    else
      std::snprintf(number, sizeof(number), "%s",
                    rest[end] == 'x' ? llvm::utohexstr(*bits, true).c_str()
                                     : std::to_string(int64_t(*bits)).c_str());
    t.launch.line += isReal && std::isnan(real) ? "nan" : number;
    rest = rest.drop_front(end + 1);
  }
  if (StringRef(t.launch.line).ends_with("\n"))
    t.launch.line.pop_back();
  printLine(t);
  t.frame[i.result] = {0, nullptr};
  return Outcome::next;
}

using DeviceFunction = Outcome (*)(const Instruction &, Thread &, Arguments);

static DeviceFunction deviceFunction(StringRef name) {
  return llvm::StringSwitch<DeviceFunction>(name)
      .Case("tilewright_check_failed", checkFailed)
      .Case("tilewright_print_begin", printBegin)
      .Case("tilewright_print_tile", printTile)
      .Case("tilewright_print_integer", printInteger)
      .Case("tilewright_print_real", printReal)
      .Case("tilewright_print_pointer", printPointer)
      .Case("tilewright_print_end", printEnd)
      .Case("__assertfail", assertFail)
      .Case("vprintf", printFormatted)
      .Default(nullptr);
}

namespace {
struct DeviceCallee : Callee {
  DeviceFunction call = nullptr;
};
} // namespace

static Outcome runDeviceCall(const Instruction &i, Thread &t) {
  const SmallVector<Lane> arguments = argumentsOf(i, t);
  for (const Lane &lane : arguments)
    if (isPoison(lane))
      return poisonFault(i, t, lane, "an argument");
  return i.as<DeviceCallee>().call(i, t, arguments);
}

static LogicalResult buildCall(Operation *op, FlatSymbolRefAttr symbol,
                               Compiler &c) {
  auto function =
      symbol ? SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op,
                                                                         symbol)
             : FunctionOpInterface();
  if (!function)
    return errorAt(op) << "the reference of threads calls functions by name";
  auto callee = std::make_shared<DeviceCallee>();
  callee->function = function;
  callee->call = deviceFunction(symbol.getValue());
  for (Value operand : op->getOperands()) {
    SmallVector<Type> scalars;
    (void)scalarsOf(operand.getType(), scalars);
    callee->arguments.emplace_back(c.laneOf(operand), unsigned(scalars.size()));
  }
  if (function.isExternal() && !callee->call)
    return errorAt(op) << "the reference of threads has no function '"
                       << symbol.getValue() << "'";
  Instruction instruction = c.beginMove(op);
  instruction.run = function.isExternal() ? runDeviceCall : runCall;
  instruction.details = std::move(callee);
  c.emit(std::move(instruction));
  return success();
}

void addCallOps(OpTable &ops) {
  ops.add<func::CallOp>([](func::CallOp op, Compiler &c) {
    return buildCall(op, op.getCalleeAttr(), c);
  });
  ops.add<LLVM::CallOp>([](LLVM::CallOp op, Compiler &c) {
    return buildCall(op, op.getCalleeAttr(), c);
  });
}

} // namespace tilewright::verify::threads
