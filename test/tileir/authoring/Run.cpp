#include "Run.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tileir/ir/Register.h"
#include "tileir/reference/HostLaunch.h"

using namespace mlir;

namespace tilewright::test {

namespace {
/// A parsed module and the first error that is said of it.
struct Parsed {
  DialectRegistry registry;
  MLIRContext context;
  std::string error;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;

  explicit Parsed(const std::string &code)
      : context(MLIRContext::Threading::DISABLED),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          if (error.empty())
            error = diagnostic.str();
          return success();
        }) {
    registerAllDialects(registry);
    registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(code, &context);
  }
};
} // namespace

static reference::HostArgument hostArgument(const Argument &argument) {
  auto *array = std::get_if<Array>(&argument);
  if (auto *integer = std::get_if<int64_t>(&argument))
    return *integer;
  if (!array)
    return std::get<double>(argument);
  return reference::HostBuffer{
      array->data, array->bytes, SmallVector<int64_t>(ArrayRef(array->dims)),
      SmallVector<int64_t>(ArrayRef(array->strides)), true};
}

std::string run(const authoring::Kernel &kernel,
                const std::vector<Argument> &arguments,
                const authoring::Bindings &bindings,
                const authoring::BuildOptions &options) {
  auto built = kernel.build(bindings, options);
  if (!built.ok())
    return built.status().message();
  Parsed parsed(built->module.code);
  if (!parsed.module)
    return "not a module: " + parsed.error;
  SmallVector<reference::HostArgument> given;
  for (const Argument &argument : arguments)
    given.push_back(hostArgument(argument));
  auto op = parsed.module->lookupSymbol<tile::KernelOp>(built->name);
  if (failed(reference::interpretOnHost(op, given)) && parsed.error.empty())
    return "failed without an error";
  return parsed.error;
}

bool verifies(const std::string &bytecode) {
  Parsed parsed(bytecode);
  return parsed.module && succeeded(verify(*parsed.module));
}

} // namespace tilewright::test
