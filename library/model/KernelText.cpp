//===- KernelText.cpp - A tile kernel written by hand ---------------------===//
#include "library/model/KernelText.h"

#include "codegen/pipeline/DiagnosticCollector.h"
#include "library/model/Checkpoint.h"
#include "mlir/Pass/PassManager.h"
#include "tileir/diagnostics/ParseText.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright {

StatusOr<KernelText> KernelText::open(std::string text, std::string name) {
  StatusOr<tile::Template> pieces = tile::Template::parse(text);
  if (!pieces.ok())
    return Status(pieces.status().code(),
                  name + ":" + pieces.status().message());
  return KernelText(std::move(text), std::move(name), *std::move(pieces));
}

StatusOr<OwningOpRef<ModuleOp>>
KernelText::parse(MLIRContext &context,
                  const std::map<std::string, int64_t> &values) const {
  DiagnosticCollector errors(&context);
  OwningOpRef<ModuleOp> module =
      parseText(pieces.expand(values), &context, name);
  if (!module)
    return Status::invalidInput(errors.text());
  return module;
}

std::vector<tile::Tunable> KernelText::tunables(ModuleOp module) const {
  std::vector<tile::Tunable> all = pieces.tunables();
  const size_t inText = all.size();
  module.walk([&](tile::TunableOp op) {
    auto isNamed = [&](const tile::Tunable &other) {
      return other.name == op.getName();
    };
    // All ops of one name are one tunable.
    if (std::none_of(all.begin() + ptrdiff_t(inText), all.end(), isNamed))
      all.push_back(
          {op.getName().str(), {op.getValues().begin(), op.getValues().end()}});
  });
  return all;
}

/// "2, 4, 8".
template <typename Range> static std::string commas(const Range &range) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(range, stream);
  return text;
}

/// Whether there is such a tunable for each value, with this value.
static Status checkValues(const std::vector<tile::Tunable> &tunables,
                          const std::map<std::string, int64_t> &values) {
  for (const auto &[name, value] : values) {
    bool isKnown = false;
    for (const tile::Tunable &tunable : tunables) {
      if (tunable.name != name)
        continue;
      isKnown = true;
      if (!llvm::is_contained(tunable.values, value))
        return Status::invalidInput(
            "tunable '" + name + "' is given " + std::to_string(value) +
            ", expected one of " + commas(tunable.values));
    }
    if (isKnown)
      continue;
    auto names = llvm::map_range(
        tunables, [](const tile::Tunable &tunable) { return tunable.name; });
    return Status::invalidInput("there is no tunable '" + name +
                                "'; the kernel has " +
                                (tunables.empty() ? "none" : commas(names)));
  }
  return Status();
}

/// "BM=32 BN=64"; the default where missing.
static std::string assignments(const std::vector<tile::Tunable> &tunables,
                               const std::map<std::string, int64_t> &values) {
  std::string text;
  for (const tile::Tunable &tunable : tunables) {
    auto given = values.find(tunable.name);
    text += (text.empty() ? "" : " ") + tunable.name + "=" +
            std::to_string(given == values.end() ? tunable.values.front()
                                                 : given->second);
  }
  return text;
}

StatusOr<OwningOpRef<ModuleOp>>
KernelText::bind(MLIRContext &context,
                 const std::map<std::string, int64_t> &values) const {
  // With a value that is not legal the text may not even parse.
  std::map<std::string, int64_t> ofText;
  for (const tile::Tunable &tunable : pieces.tunables())
    if (auto given = values.find(tunable.name); given != values.end())
      ofText.insert(*given);
  if (Status wrong = checkValues(pieces.tunables(), ofText); !wrong.ok())
    return wrong.prefixed(name);
  if (!pieces.hasVariant(ofText))
    return Status::invalidInput(name +
                                ": the kernel does not take these "
                                "values together: " +
                                assignments(pieces.tunables(), ofText));
  TILEWRIGHT_ASSIGN_OR_RETURN(OwningOpRef<ModuleOp> module,
                              parse(context, values));
  std::vector<tile::Tunable> all = tunables(*module);
  if (Status wrong = checkValues(all, values); !wrong.ok())
    return wrong.prefixed(name);
  tile::BindTunablesOptions options;
  for (size_t i = pieces.tunables().size(); i < all.size(); ++i) {
    auto given = values.find(all[i].name);
    options.bindings.push_back(all[i].name + "=" +
                               std::to_string(given == values.end()
                                                  ? all[i].values.front()
                                                  : given->second));
  }
  DiagnosticCollector errors(&context);
  PassManager passes(&context);
  passes.addPass(tile::createBindTunables(options));
  if (failed(passes.run(*module)))
    return Status::invalidInput(errors.text());
  return module;
}

StatusOr<tile::KernelOp> onlyKernel(ModuleOp module, StringRef name) {
  auto kernels = llvm::to_vector(module.getOps<tile::KernelOp>());
  for (tile::KernelOp kernel : kernels)
    if (name.empty() ? kernels.size() == 1 : kernel.getSymName() == name)
      return kernel;
  auto names = llvm::map_range(kernels, [](tile::KernelOp kernel) {
    return "@" + kernel.getSymName().str();
  });
  return Status::invalidInput(
      "expected " +
      (name.empty() ? "one tile.kernel" : "a tile.kernel @" + name.str()) +
      ", found " + (kernels.empty() ? "none" : commas(names)));
}

} // namespace tilewright
