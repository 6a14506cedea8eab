#include "Semantics.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tileir/ir/Register.h"
#include "tileir/reference/Interpreter.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace tilewright;
using reference::Element;
using reference::TileValue;
using reference::ViewValue;

namespace tilewright::semantics {

/// "LINE: message"
static std::string textOf(Diagnostic &diagnostic) {
  auto where = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  return (where ? std::to_string(where.getLine()) : "?") + ": " +
         diagnostic.str();
}

namespace {
/// A parsed text, and the first error of parsing or running it.
struct Session {
  explicit Session(const std::string &text) {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    math::MathDialect, scf::SCFDialect>();
    context.appendDialectRegistry(registry);
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (!error.empty() ||
          diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return;
      error = textOf(diagnostic);
      for (Diagnostic &note : diagnostic.getNotes())
        error += "; " + textOf(note);
    });
    module = parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
  std::string error;
  OwningOpRef<ModuleOp> module;
};
} // namespace

static Element makeElement(Type type, double number) {
  if (isa<FloatType>(type))
    return Element::ofDouble(type, number);
  return Element::ofInt(type, static_cast<int64_t>(number));
}

static double numberOf(const Element &element) {
  if (isa<FloatType>(element.getType()))
    return element.toDouble();
  return element.getType().isInteger(1) ? element.isTrue() : element.toInt();
}

static TileValue makeTile(Type type, const Numbers &numbers) {
  TileValue tile{type, {}};
  for (double number : numbers)
    tile.elements.push_back(makeElement(tile.elementType(), number));
  return tile;
}

//===--- The property: a pass changes no result ---------------------------===//

/// The passes that must not change results. Every program of these tests runs
/// without them, with them, and with them after its arguments became constants.
static void addPasses(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

namespace {
enum class Variant { Plain, Transformed, Constant };
} // namespace

/// The attribute of a constant that holds `value`, null for a poison element
/// or a pointer.
static TypedAttr constantOf(const reference::Value &value) {
  auto *tile = std::get_if<TileValue>(&value);
  if (!tile || !tile->elementType().isIntOrIndexOrFloat())
    return {};
  SmallVector<Attribute> elements;
  for (const Element &element : tile->elements) {
    if (element.isPoison())
      return {};
    Type type = element.getType();
    elements.push_back(
        isa<FloatType>(type)
            ? Attribute(FloatAttr::get(type, element.real()))
            : Attribute(IntegerAttr::get(type, element.integer())));
  }
  if (auto type = dyn_cast<RankedTensorType>(tile->type))
    return DenseElementsAttr::get(type, elements);
  return cast<TypedAttr>(elements.front());
}

/// Brings `function`, called with `values`, into a variant.
static void transform(Variant variant, FunctionOpInterface function,
                      ArrayRef<reference::Value> values) {
  if (variant == Variant::Plain)
    return;
  Block &body = function.getFunctionBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  if (variant == Variant::Constant)
    for (auto [argument, value] : llvm::zip(body.getArguments(), values))
      if (TypedAttr constant = constantOf(value))
        argument.replaceAllUsesWith(arith::ConstantOp::create(
            builder, function.getLoc(), argument.getType(), constant));
  PassManager passes(function.getContext());
  addPasses(passes);
  CHECK(succeeded(passes.run(function->getParentOfType<ModuleOp>())));
}

/// True if `after` is a legal result of a program that returned `before`: where
/// that is poison, any number is.
static bool refines(const Result &before, const Result &after) {
  if (!after.error.empty() || before.results.size() != after.results.size())
    return false;
  for (auto [wanted, found] : llvm::zip(before.results, after.results)) {
    Numbers expected = wanted;
    for (size_t i = 0; i < std::min(expected.size(), found.size()); ++i)
      if (expected[i] == kPoison)
        expected[i] = found[i];
    if (!same(found, expected))
      return false;
  }
  return true;
}

/// True while an ExpectWrongFold lives.
static bool expectsWrongFold = false;

ExpectWrongFold::ExpectWrongFold() { expectsWrongFold = true; }
ExpectWrongFold::~ExpectWrongFold() { expectsWrongFold = false; }

/// Runs the variants of a program, and checks that they agree where the plain
/// one has no fault.
static Result runVariants(llvm::function_ref<Result(Variant)> run) {
  Result before = run(Variant::Plain);
  if (!before.error.empty())
    return before;
  for (Variant variant : {Variant::Transformed, Variant::Constant}) {
    Result after = run(variant);
    bool constant = variant == Variant::Constant;
    CAPTURE(constant, before.results, after.results, after.error);
    CHECK(refines(before, after) != (constant && expectsWrongFold));
  }
  return before;
}

static Result evaluateVariant(const std::string &text,
                              const std::vector<Numbers> &arguments,
                              Variant variant) {
  Session session(text);
  if (!session.module)
    return {{}, session.error};
  auto function = session.module->lookupSymbol<tile::FuncOp>("f");
  std::vector<reference::Value> values;
  for (size_t i = 0; i < arguments.size(); ++i)
    values.push_back(makeTile(function.getArgumentTypes()[i], arguments[i]));
  transform(variant, function, values);
  reference::Memory memory;
  auto results = reference::interpretFunction(function, values, memory);
  if (failed(results))
    return {{}, session.error};
  Result result;
  for (const reference::Value &value : *results) {
    Numbers &numbers = result.results.emplace_back();
    for (const Element &element : std::get<TileValue>(value).elements)
      numbers.push_back(element.isPoison() ? kPoison : numberOf(element));
  }
  return result;
}

Result evaluate(const std::string &text,
                const std::vector<Numbers> &arguments) {
  return runVariants([&](Variant variant) {
    return evaluateVariant(text, arguments, variant);
  });
}

Numbers result(const std::string &text, const std::vector<Numbers> &arguments) {
  Result result = evaluate(text, arguments);
  CHECK(result.error == "");
  return result.results.size() == 1 ? result.results[0] : Numbers();
}

Numbers compute(const std::string &body, const std::vector<std::string> &inputs,
                const std::string &output,
                const std::vector<Numbers> &arguments) {
  std::string text = "tile.func @f(";
  for (size_t i = 0; i < inputs.size(); ++i)
    text += std::string(i ? ", %" : "%") + char('a' + i) + ": " + inputs[i];
  text +=
      ") -> " + output + " {\n" + body + "\ntile.return %r : " + output + "\n}";
  return result(text, arguments);
}

/// An allocation that holds `array`, and the argument for it.
static reference::Value makeArgument(Type type, const Array &array,
                                     reference::Memory &memory) {
  auto viewType = dyn_cast<tile::ViewType>(type);
  auto pointerType = dyn_cast<tile::PtrType>(type);
  if (!viewType && !pointerType)
    return makeTile(type, array.numbers);
  Type element =
      viewType ? viewType.getElementType() : pointerType.getPointee();
  int64_t bytes = tile::getStorageBits(element) / 8;
  reference::Pointer base =
      memory.allocate("array", array.numbers.size() * bytes);
  for (size_t i = 0; i < array.numbers.size() && array.initialized; ++i)
    REQUIRE(memory
                .store({base.allocation, int64_t(i) * bytes},
                       makeElement(element, array.numbers[i]))
                .ok());
  if (pointerType)
    return TileValue::scalar(Element::ofPointer(type, base));
  SmallVector<int64_t> dims(array.dims.begin(), array.dims.end());
  SmallVector<int64_t> strides(array.strides.begin(), array.strides.end());
  if (strides.empty())
    strides = reference::rowMajorStrides(dims);
  return ViewValue{base, element, dims, strides};
}

static Numbers readBack(const reference::Value &argument, Type type,
                        size_t count, reference::Memory &memory) {
  Numbers numbers;
  auto *view = std::get_if<ViewValue>(&argument);
  auto pointer = dyn_cast<tile::PtrType>(type);
  if (!view && !pointer)
    return numbers;
  Type element = view ? view->elementType : pointer.getPointee();
  reference::Pointer base =
      view ? view->base : std::get<TileValue>(argument).elements[0].pointer();
  for (size_t i = 0; i < count; ++i) {
    auto loaded = memory.load(
        {base.allocation, int64_t(i) * tile::getStorageBits(element) / 8},
        element);
    numbers.push_back(loaded ? numberOf(*loaded) : -1);
  }
  return numbers;
}

static Result launchVariant(const std::string &text,
                            const std::vector<Array> &arrays,
                            uint64_t orderSeed, int64_t stepLimit,
                            std::string *prints, Variant variant) {
  Session session(text);
  if (!session.module)
    return {{}, session.error};
  auto kernel = session.module->lookupSymbol<tile::KernelOp>("k");
  reference::Memory memory;
  std::vector<reference::Value> values;
  for (size_t i = 0; i < arrays.size(); ++i)
    values.push_back(
        makeArgument(kernel.getArgumentTypes()[i], arrays[i], memory));
  for (size_t i = 1; i < arrays.size(); ++i)
    if (arrays[i].inFirst >= 0) {
      auto &view = std::get<reference::ViewValue>(values[i]);
      view.base = std::get<reference::ViewValue>(values[0]).base;
      view.base.byteOffset += arrays[i].inFirst;
    }
  transform(variant, kernel, values);
  std::string printed;
  reference::LaunchOptions options;
  options.orderSeed = orderSeed;
  options.stepLimit = stepLimit;
  if (prints)
    options.prints = [&](llvm::StringRef line) {
      printed += line.str() + "\n";
    };
  Result result;
  if (failed(reference::interpretKernel(kernel, values, memory, options)))
    result.error = session.error;
  if (prints)
    *prints = printed;
  for (size_t i = 0; i < arrays.size(); ++i)
    result.results.push_back(readBack(values[i], kernel.getArgumentTypes()[i],
                                      arrays[i].numbers.size(), memory));
  return result;
}

Result launch(const std::string &text, const std::vector<Array> &arrays,
              uint64_t orderSeed, int64_t stepLimit, std::string *prints) {
  std::string first;
  Result result = runVariants([&](Variant variant) {
    std::string printed;
    Result found = launchVariant(text, arrays, orderSeed, stepLimit,
                                 prints ? &printed : nullptr, variant);
    if (variant == Variant::Plain)
      first = printed;
    CHECK(printed == first);
    return found;
  });
  if (prints)
    *prints = first;
  return result;
}

bool same(const Numbers &found, const Numbers &expected) {
  if (found.size() != expected.size())
    return false;
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(found[i]) && std::isnan(expected[i]))
      continue;
    if (found[i] != expected[i] ||
        std::signbit(found[i]) != std::signbit(expected[i]))
      return false;
  }
  return true;
}

} // namespace tilewright::semantics
