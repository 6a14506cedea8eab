// Single elements: what the reference of threads computes for ops of arith and
// math, and for the ops of the llvm dialect that they become, against the
// elements of the interpreter.
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tileir/reference/ElementOps.h"
#include "tilewright/mlir/Compile.h"
#include "verify/threads/ThreadsReference.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace mlir;
using namespace tilewright;
using reference::Element;

namespace {
/// An op of two operands in arith or math, and in the llvm dialect: "$t" is the
/// type of the operands, "$r" that of the result.
struct OpCase {
  std::string name, llvmName;
  std::vector<std::string> types;
  /// Of the result; empty: that of the operands.
  std::string result = {};
  int operands = 2;
};
} // namespace

static MLIRContext &testContext() {
  static MLIRContext context;
  static const bool isPrepared = [] {
    prepareContext(context);
    context.printOpOnDiagnostic(false);
    return true;
  }();
  (void)isPrepared;
  return context;
}

static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Bits at the ends of a type and between.
static std::vector<uint64_t> edges(Type type) {
  const unsigned width = reference::widthOf(type);
  const uint64_t mask = width == 64 ? ~0ULL : (1ULL << width) - 1;
  std::vector<uint64_t> all = {0,  1,    2,        3,         7,
                               31, mask, mask - 1, mask >> 1, (mask >> 1) + 1};
  if (auto real = dyn_cast<FloatType>(type)) {
    for (double number : {1.0, -1.5, 3.25, 100.0, -0.0, 1e-3})
      all.push_back(Element::ofDouble(real, number).toBits().getZExtValue());
    const auto &semantics = real.getFloatSemantics();
    for (bool isNegative : {false, true})
      for (const llvm::APFloat &number :
           {llvm::APFloat::getInf(semantics, isNegative),
            llvm::APFloat::getLargest(semantics, isNegative),
            llvm::APFloat::getSmallestNormalized(semantics, isNegative),
            llvm::APFloat::getNaN(semantics, isNegative)})
        all.push_back(number.bitcastToAPInt().getZExtValue());
  } else {
    all.push_back(0x9e3779b97f4a7c15 & mask);
  }
  return all;
}

/// The function that runs the op on `count` numbers in memory.
static OwningOpRef<ModuleOp> moduleOf(const std::string &op,
                                      const std::string &type,
                                      const std::string &result, int operands,
                                      size_t count) {
  const std::string n = "vector<" + std::to_string(count) + "x";
  const bool isFlag = result == "i1";
  std::string body;
  for (int i = 0; i < operands + 1; ++i) {
    const std::string at = std::to_string(i);
    body += "%a" + at + " = llvm.getelementptr %args[" + at +
            "] : (!llvm.ptr) -> !llvm.ptr, i64\n%p" + at + " = llvm.load %a" +
            at + " : !llvm.ptr -> !llvm.ptr\n";
    if (i < operands)
      body += "%x" + at + " = llvm.load %p" + at +
              " {alignment = 1 : i64} : !llvm.ptr -> " + n + type + ">\n";
  }
  body += "%y = " +
          replaced(replaced(op, "$t", n + type + ">"), "$r", n + result + ">") +
          "\n";
  if (isFlag)
    body += "%z = llvm.zext %y : " + n + "i1> to " + n + "i8>\n";
  body += std::string("llvm.store ") + (isFlag ? "%z" : "%y") + ", %p" +
          std::to_string(operands) + " {alignment = 1 : i64} : " + n +
          (isFlag ? "i8" : result) + ">, !llvm.ptr\n";
  auto module = parseSourceString<ModuleOp>(
      "module attributes {tile.target = #tile.target<\"cpu\">} {\n"
      "llvm.func @k(%args: !llvm.ptr, %grid: !llvm.ptr, %first: i64, %last: "
      "i64, %scratch: !llvm.ptr) {\n" +
          body + "llvm.return\n}\n}",
      &testContext());
  INFO(body);
  REQUIRE(module);
  return module;
}

/// The results for columns of bits; none after a fault.
static std::optional<std::vector<uint64_t>>
runOn(ModuleOp module, const std::vector<std::vector<uint64_t>> &columns,
      unsigned width, unsigned resultWidth) {
  auto program = verify::threads::Program::compile(
      module.lookupSymbol<FunctionOpInterface>("k"));
  REQUIRE(succeeded(program));
  const size_t count = columns.front().size();
  std::vector<std::vector<uint8_t>> memory, written;
  std::vector<uint64_t> words;
  std::vector<reference::Memory::Mapping> mappings;
  for (size_t i = 0; i <= columns.size(); ++i) {
    const bool isResult = i == columns.size();
    const size_t bytes = (isResult ? resultWidth : width) / 8;
    memory.emplace_back(count * bytes);
    written.emplace_back(count * bytes, uint8_t(!isResult));
    for (size_t n = 0; !isResult && n < count; ++n)
      std::memcpy(memory[i].data() + n * bytes, &columns[i][n], bytes);
    words.push_back((i + 1) << 40);
  }
  for (size_t i = 0; i < memory.size(); ++i)
    mappings.push_back({"memory", words[i], memory[i], written[i], false});
  ScopedDiagnosticHandler quiet(&testContext(), [](mlir::Diagnostic &) {});
  if (failed((*program)->run(words, mappings, {})))
    return std::nullopt;
  std::vector<uint64_t> results(count);
  for (size_t n = 0; n < count; ++n)
    std::memcpy(&results[n], memory.back().data() + n * resultWidth / 8,
                resultWidth / 8);
  return results;
}

static bool isNan(Type type, uint64_t bits) {
  auto real = dyn_cast<FloatType>(type);
  return real &&
         llvm::APFloat(real.getFloatSemantics(), APInt(real.getWidth(), bits))
             .isNaN();
}

/// Operands for which the interpreter has a result, and others.
static void checkOp(const OpCase &op, const std::string &typeName) {
  const std::string resultName = op.result.empty() ? typeName : op.result;
  Type type = parseType(typeName, &testContext());
  Type result = parseType(resultName, &testContext());
  auto one = moduleOf(op.name, typeName, resultName, op.operands, 1);
  Operation *arith = nullptr;
  one->walk([&](Operation *each) {
    if (!isa<ModuleOp>(each) && !reference::elementFunctions(each).empty())
      arith = each;
  });
  REQUIRE(arith);
  std::vector<std::vector<uint64_t>> columns(size_t(op.operands));
  std::vector<uint64_t> expected;
  std::vector<std::vector<uint64_t>> undefined;
  std::vector<uint64_t> rows =
      op.operands > 1 ? edges(type) : std::vector<uint64_t>{0};
  for (uint64_t a : edges(type))
    for (uint64_t b : rows) {
      std::vector<uint64_t> bits = {a};
      if (op.operands > 1)
        bits.push_back(b);
      std::vector<Element> elements;
      for (uint64_t each : bits)
        elements.push_back(
            Element::fromBits(type, APInt(reference::widthOf(type), each)));
      auto made =
          reference::elementFunctions(arith)[0](arith, elements, result);
      REQUIRE(succeeded(made));
      if (made->isPoison()) {
        undefined.push_back(bits);
        continue;
      }
      for (size_t i = 0; i < bits.size(); ++i)
        columns[i].push_back(bits[i]);
      expected.push_back(made->toBits().getZExtValue());
    }
  const unsigned width = reference::widthOf(type),
                 resultWidth = std::max(8U, reference::widthOf(result));
  for (const std::string &text : {op.name, op.llvmName}) {
    INFO(text << " of " << typeName);
    if (text.empty())
      continue;
    auto module =
        moduleOf(text, typeName, resultName, op.operands, expected.size());
    auto found = runOn(*module, columns, width, resultWidth);
    REQUIRE(found);
    for (size_t n = 0; n < expected.size(); ++n) {
      if (isNan(result, expected[n]) && isNan(result, (*found)[n]))
        continue;
      INFO("operands " << columns.front()[n] << ", " << columns.back()[n]);
      CHECK((*found)[n] == expected[n]);
    }
    auto single = moduleOf(text, typeName, resultName, op.operands, 1);
    for (const std::vector<uint64_t> &bits : undefined) {
      std::vector<std::vector<uint64_t>> each;
      for (uint64_t operand : bits)
        each.push_back({operand});
      INFO("operands " << bits.front() << ", " << bits.back());
      CHECK_FALSE(runOn(*single, each, width, resultWidth));
    }
  }
}

static void checkAll(const std::vector<OpCase> &ops) {
  for (const OpCase &op : ops)
    for (const std::string &type : op.types)
      checkOp(op, type);
}

static const std::vector<std::string> kInts = {"i8", "i16", "i32", "i64"};
static const std::vector<std::string> kFloats = {"f16", "bf16", "f32", "f64"};

TEST_CASE("threads: integers are those of the interpreter") {
  std::vector<OpCase> ops;
  for (const auto &[name, llvmName] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"addi", "add"},
           {"subi", "sub"},
           {"muli", "mul"},
           {"andi", "and"},
           {"ori", "or"},
           {"xori", "xor"},
           {"shli", "shl"},
           {"shrsi", "ashr"},
           {"shrui", "lshr"},
           {"divui", "udiv"},
           {"remui", "urem"},
           {"ceildivsi", ""},
           {"ceildivui", ""},
           {"floordivsi", ""}})
    ops.push_back(
        {std::string("arith.") + name + " %x0, %x1 : $t",
         *llvmName ? std::string("llvm.") + llvmName + " %x0, %x1 : $t" : "",
         kInts});
  for (const auto &[name, llvmName] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"addi", "add"}, {"subi", "sub"}, {"muli", "mul"}, {"shli", "shl"}})
    for (const char *flag : {"nsw", "nuw"})
      ops.push_back({std::string("arith.") + name + " %x0, %x1 overflow<" +
                         flag + "> : $t",
                     std::string("llvm.") + llvmName + " %x0, %x1 overflow<" +
                         flag + "> : $t",
                     kInts});
  for (const char *name : {"smax", "smin", "umax", "umin"})
    ops.push_back(
        {"arith." + std::string(name).substr(1) +
             (name[0] == 's' ? "si" : "ui") + " %x0, %x1 : $t",
         std::string("llvm.intr.") + name + "(%x0, %x1) : ($t, $t) -> $t",
         kInts});
  for (const char *predicate :
       {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
    ops.push_back({std::string("arith.cmpi ") + predicate + ", %x0, %x1 : $t",
                   std::string("llvm.icmp \"") + predicate + "\" %x0, %x1 : $t",
                   kInts, "i1"});
  checkAll(ops);
}

TEST_CASE("threads: floats are those of the interpreter") {
  std::vector<OpCase> ops;
  for (const auto &[name, llvmName] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"addf", "fadd"},
           {"subf", "fsub"},
           {"mulf", "fmul"},
           {"divf", "fdiv"},
           {"remf", "frem"}})
    ops.push_back({std::string("arith.") + name + " %x0, %x1 : $t",
                   std::string("llvm.") + llvmName + " %x0, %x1 : $t",
                   kFloats});
  for (const auto &[name, llvmName] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"maximumf", "maximum"},
           {"minimumf", "minimum"},
           {"maxnumf", "maxnum"},
           {"minnumf", "minnum"}})
    ops.push_back(
        {std::string("arith.") + name + " %x0, %x1 : $t",
         std::string("llvm.intr.") + llvmName + "(%x0, %x1) : ($t, $t) -> $t",
         kFloats});
  for (const char *predicate :
       {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge",
        "ult", "ule", "une", "uno"})
    ops.push_back({std::string("arith.cmpf ") + predicate + ", %x0, %x1 : $t",
                   std::string("llvm.fcmp \"") + predicate + "\" %x0, %x1 : $t",
                   kFloats, "i1"});
  for (const auto &[name, llvmName] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"floor", "floor"},
           {"ceil", "ceil"},
           {"trunc", "trunc"},
           {"round", "round"},
           {"roundeven", "roundeven"},
           {"absf", "fabs"},
           {"sqrt", "sqrt"}})
    ops.push_back({std::string("math.") + name + " %x0 : $t",
                   std::string("llvm.intr.") + llvmName + "(%x0) : ($t) -> $t",
                   kFloats, "", 1});
  checkAll(ops);
}

TEST_CASE("threads: conversions are those of the interpreter") {
  std::vector<OpCase> ops;
  for (const char *to : {"i8", "i32", "i64"})
    for (const auto &[name, llvmName] :
         std::initializer_list<std::pair<const char *, const char *>>{
             {"fptosi", "fptosi"}, {"fptoui", "fptoui"}})
      ops.push_back({std::string("arith.") + name + " %x0 : $t to $r",
                     std::string("llvm.") + llvmName + " %x0 : $t to $r",
                     kFloats, to, 1});
  for (const std::string &to : kFloats)
    for (const auto &[name, llvmName] :
         std::initializer_list<std::pair<const char *, const char *>>{
             {"sitofp", "sitofp"}, {"uitofp", "uitofp"}})
      ops.push_back({std::string("arith.") + name + " %x0 : $t to $r",
                     std::string("llvm.") + llvmName + " %x0 : $t to $r", kInts,
                     to, 1});
  for (const char *to : {"f16", "bf16"})
    ops.push_back({"arith.truncf %x0 : $t to $r",
                   "llvm.fptrunc %x0 : $t to $r",
                   {"f32", "f64"},
                   to,
                   1});
  for (const char *to : {"f32", "f64"})
    ops.push_back({"arith.extf %x0 : $t to $r",
                   "llvm.fpext %x0 : $t to $r",
                   {"f16", "bf16"},
                   to,
                   1});
  ops.push_back({"arith.extsi %x0 : $t to $r",
                 "llvm.sext %x0 : $t to $r",
                 {"i8", "i16", "i32"},
                 "i64",
                 1});
  ops.push_back({"arith.trunci %x0 overflow<nsw> : $t to $r",
                 "llvm.trunc %x0 overflow<nsw> : $t to $r",
                 {"i32", "i64"},
                 "i16",
                 1});
  checkAll(ops);
}
