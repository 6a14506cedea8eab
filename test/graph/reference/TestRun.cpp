#include "test/graph/reference/TestRun.h"

#include "graph/ir/Graph.h"
#include "graph/pipeline/Pipelines.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

namespace tilewright::graph::reference::test {

Array floats(llvm::SmallVector<int64_t> shape, std::vector<float> numbers) {
  Array array{std::move(shape), {}};
  for (float number : numbers)
    array.bits.push_back(std::bit_cast<uint32_t>(number));
  return array;
}

Array integers(llvm::SmallVector<int64_t> shape, std::vector<int64_t> numbers) {
  return {std::move(shape), {numbers.begin(), numbers.end()}};
}

static mlir::DialectRegistry dialects() {
  mlir::DialectRegistry registry;
  registerModuleDialects(registry);
  registry.insert<GraphDialect>();
  return registry;
}

TestRun::TestRun(const std::string &text, std::vector<Array> inputs,
                 ReferenceOptions options, const Change &change)
    : context(dialects(), mlir::MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      errors += "note: " + note.str() + "\n";
    return mlir::success();
  });
  module = mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(&context));
  INFO(errors);
  REQUIRE(module);
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  REQUIRE(main);
  if (change) {
    auto changed = change(main);
    if (failed(changed))
      return;
    module = std::move(*changed);
    main = module->lookupSymbol<mlir::func::FuncOp>("main");
  }
  auto begun = GraphReference::create(main, inputs, options);
  if (succeeded(begun))
    run.emplace(std::move(*begun));
}

std::vector<int64_t> TestRun::integers(unsigned result) {
  INFO(errors);
  REQUIRE(run);
  auto all = run->all(result);
  if (failed(all))
    return {};
  return {all->bits.begin(), all->bits.end()};
}

std::vector<float> TestRun::floats(unsigned result) {
  std::vector<float> numbers;
  for (int64_t bits : integers(result))
    numbers.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return numbers;
}

std::vector<int64_t> TestRun::shape(unsigned result) {
  REQUIRE(run);
  return run->shape(result).vec();
}

std::optional<tilewright::reference::Element>
TestRun::element(unsigned result, std::vector<int64_t> index) {
  INFO(errors);
  REQUIRE(run);
  auto element = run->element(result, index);
  if (failed(element))
    return std::nullopt;
  return *element;
}

ReferenceOptions anyOrder() {
  ReferenceOptions options;
  options.freedom.freedom = tilewright::reference::Freedom::order;
  return options;
}

tilewright::reference::Permitted
TestRun::permitted(unsigned result, std::vector<int64_t> index) {
  INFO(errors);
  REQUIRE(run);
  auto set = run->permitted(result, index);
  REQUIRE(succeeded(set));
  return *set;
}

std::string TestRun::fault() {
  for (unsigned result = 0; run && result < run->resultCount(); ++result)
    (void)run->all(result);
  return errors;
}

} // namespace tilewright::graph::reference::test
