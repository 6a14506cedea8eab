#include "tilewright/authoring/Kernel.h"

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

/// The text of what was constructed, without its places.
static std::string printed(Construction &construction) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  construction.kernel->print(stream, OpPrintingFlags().useLocalScope());
  return text + "\n";
}

/// Goes on to the next combination of values; returns whether there is one.
/// `places` are indices of the tunables' values, the last changes first.
static bool advance(std::vector<size_t> &places,
                    const std::vector<Tunable> &tunables) {
  for (size_t i = places.size(); i-- > 0; places[i] = 0)
    if (++places[i] < tunables[i].values.size())
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
  std::vector<size_t> places(all.size(), 0);
  do {
    Bindings bindings;
    std::string heading = "// variant";
    for (size_t i = 0; i < all.size(); ++i) {
      bindings[all[i].name] = all[i].values[places[i]];
      heading +=
          " " + all[i].name + "=" + std::to_string(all[i].values[places[i]]);
    }
    Construction construction(bindings, {});
    Status status =
        construct(construction, definition->name, definition->parameters,
                  definition->body, definition->where);
    if (status.ok())
      text += (all.empty() ? "" : heading + "\n") + printed(construction);
    else if (construction.diagnostics.front().code != "requirement")
      return status;
  } while (advance(places, all));
  return text;
}

StatusOr<std::string> Kernel::print(const Bindings &bindings) const {
  Construction construction(bindings, {});
  TILEWRIGHT_RETURN_IF_ERROR(construct(construction, definition->name,
                                       definition->parameters, definition->body,
                                       definition->where));
  return printed(construction);
}

} // namespace tilewright::authoring
