#include "tilewright/authoring/Kernel.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "tileir/authoring/construction/Construct.h"

using namespace mlir;

namespace tilewright::authoring {

Kernel::Kernel(std::string name, std::vector<detail::ParameterType> parameters,
               detail::KernelBody body, std::source_location where)
    : definition(std::make_shared<Definition>(Definition{
          std::move(name), std::move(parameters), std::move(body), where})) {}

StatusOr<BuiltKernel>
Kernel::build(const Bindings &bindings, const BuildOptions &options,
              std::vector<tilewright::Diagnostic> *diagnostics) const {
  KernelBuilder kernelBuilder(bindings, options);
  Status status =
      construct(kernelBuilder, definition->name, definition->parameters,
                definition->body, definition->where);
  if (diagnostics)
    *diagnostics = kernelBuilder.diagnostics;
  TILEWRIGHT_RETURN_IF_ERROR(status);
  BuiltKernel built;
  built.name = definition->name;
  built.parameters = definition->parameters;
  built.module.name = definition->where.file_name();
  llvm::raw_string_ostream stream(built.module.code);
  BytecodeWriterConfig config("tilewright " TILEWRIGHT_VERSION);
  if (failed(writeBytecodeToFile(*kernelBuilder.module, stream, config)))
    return Status::internal("kernel '" + built.name +
                            "': its module cannot be written");
  for (const Tunable &tunable : kernelBuilder.tunables) {
    auto given = bindings.find(tunable.name);
    built.bindings[tunable.name] =
        given == bindings.end() ? tunable.values.front() : given->second;
  }
  return built;
}

StatusOr<std::vector<Tunable>> Kernel::tunables() const {
  Bindings none;
  KernelBuilder kernelBuilder(none, {});
  TILEWRIGHT_RETURN_IF_ERROR(construct(kernelBuilder, definition->name,
                                       definition->parameters, definition->body,
                                       definition->where));
  return kernelBuilder.tunables;
}

/// The text of what was constructed, without its indices.
static std::string printed(KernelBuilder &kernelBuilder) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernelBuilder.kernel->print(stream, OpPrintingFlags().useLocalScope());
  return text + "\n";
}

/// Advances to the next combination of values; returns whether there is one.
/// `indices` are indices of the tunables' values, the last changes first.
static bool advance(std::vector<size_t> &indices,
                    const std::vector<Tunable> &tunables) {
  for (size_t i = indices.size(); i-- > 0; indices[i] = 0)
    if (++indices[i] < tunables[i].values.size())
      return true;
  return false;
}

StatusOr<std::string> Kernel::printVariants() const {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<Tunable> all, tunables());
  size_t count = 1;
  std::string text;
  for (const Tunable &tunable : all) {
    count *= tunable.values.size();
    if (count > mostVariants)
      return Status::unsupported(
          "kernel '" + name() + "' has more than " +
          std::to_string(mostVariants) +
          " combinations of tunables; give them fewer values");
    text += "// tunable " + tunable.name + " = ";
    for (size_t i = 0; i < tunable.values.size(); ++i)
      text += (i ? ", " : "") + std::to_string(tunable.values[i]);
    text += "\n";
  }
  std::vector<size_t> indices(all.size(), 0);
  do {
    Bindings bindings;
    std::string heading = "// variant";
    for (size_t i = 0; i < all.size(); ++i) {
      bindings[all[i].name] = all[i].values[indices[i]];
      heading +=
          " " + all[i].name + "=" + std::to_string(all[i].values[indices[i]]);
    }
    KernelBuilder kernelBuilder(bindings, {});
    Status status =
        construct(kernelBuilder, definition->name, definition->parameters,
                  definition->body, definition->where);
    if (status.ok())
      text += (all.empty() ? "" : heading + "\n") + printed(kernelBuilder);
    else if (kernelBuilder.diagnostics.front().code != "requirement")
      return status;
  } while (advance(indices, all));
  return text;
}

StatusOr<std::string> Kernel::print(const Bindings &bindings) const {
  KernelBuilder kernelBuilder(bindings, {});
  TILEWRIGHT_RETURN_IF_ERROR(construct(kernelBuilder, definition->name,
                                       definition->parameters, definition->body,
                                       definition->where));
  return printed(kernelBuilder);
}

} // namespace tilewright::authoring
