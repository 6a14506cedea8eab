#include "tileir/authoring/Kernel.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "tileir/authoring/construction/Construction.h"

using namespace mlir;

namespace tilewright::authoring {

Kernel::Kernel(std::string name, std::vector<detail::ParameterType> parameters,
               detail::KernelBody body, Where where)
    : definition(std::make_shared<Definition>(Definition{
          std::move(name), std::move(parameters), std::move(body), where})) {}

/// Runs the user's function in `construction`.
static Status construct(Construction &construction, const std::string &name,
                        const std::vector<detail::ParameterType> &parameters,
                        const detail::KernelBody &body, const Where &where) {
  construction.begin(name, parameters, where);
  body(construction.handlesOf(construction.kernel.getArguments()));
  construction.finish(where);
  if (!construction.hasFailed())
    return {};
  return Status::invalidInput(
      printDiagnostic(construction.diagnostics.front()));
}

StatusOr<BuiltKernel>
Kernel::build(const Bindings &bindings, const BuildOptions &options,
              std::vector<tilewright::Diagnostic> *diagnostics) const {
  Construction construction(bindings, options);
  Status status =
      construct(construction, definition->name, definition->parameters,
                definition->body, definition->where);
  if (diagnostics)
    *diagnostics = construction.diagnostics;
  TILEWRIGHT_RETURN_IF_ERROR(status);
  BuiltKernel built;
  built.name = definition->name;
  built.parameters = definition->parameters;
  built.module.name = definition->where.file_name();
  llvm::raw_string_ostream stream(built.module.code);
  BytecodeWriterConfig config("tilewright " TILEWRIGHT_VERSION);
  if (failed(writeBytecodeToFile(*construction.module, stream, config)))
    return Status::internal("kernel '" + built.name +
                            "': its module cannot be written");
  for (const Tunable &tunable : construction.tunables) {
    auto given = bindings.find(tunable.name);
    built.bindings[tunable.name] =
        given == bindings.end() ? tunable.values.front() : given->second;
  }
  return built;
}

StatusOr<std::vector<Tunable>> Kernel::tunables() const {
  Bindings none;
  Construction construction(none, {});
  TILEWRIGHT_RETURN_IF_ERROR(construct(construction, definition->name,
                                       definition->parameters, definition->body,
                                       definition->where));
  return construction.tunables;
}

StatusOr<std::string> Kernel::print(const Bindings &bindings) const {
  Construction construction(bindings, {});
  TILEWRIGHT_RETURN_IF_ERROR(construct(construction, definition->name,
                                       definition->parameters, definition->body,
                                       definition->where));
  std::string text;
  llvm::raw_string_ostream stream(text);
  construction.kernel->print(stream, OpPrintingFlags().useLocalScope());
  return text + "\n";
}

} // namespace tilewright::authoring
