//===- SizeBounds.cpp - The most that sizes from data may be --------------===//
#include "library/model/package/SizeBounds.h"

#include "support/Format.h"
#include <algorithm>

using namespace tilewright::runtime;

namespace tilewright {

/// Adds the symbols that `steps` bind, by name.
static void addSymbols(std::vector<StepManifest> &steps,
                       std::map<std::string, StepSymbol *> &symbols) {
  for (StepManifest &step : steps) {
    if (step.read)
      symbols[step.read->symbol.name] = &step.read->symbol;
    if (step.branch) {
      for (StepSymbol &symbol : step.branch->symbols)
        symbols[symbol.name] = &symbol;
      addSymbols(step.branch->first, symbols);
      addSymbols(step.branch->second, symbols);
    }
    if (step.loop) {
      for (StepSymbol &symbol : step.loop->symbols)
        symbols[symbol.name] = &symbol;
      addSymbols(step.loop->steps, symbols);
    }
  }
}

namespace {
/// Gives bounds to the sizes of one package.
class SizeBounder {
public:
  explicit SizeBounder(PackageManifest &manifest) : manifest(manifest) {
    addSymbols(manifest.steps, symbols);
  }

  /// Whether a size has a bound now.
  StatusOr<bool> bound(const std::string &name,
                       const std::vector<int64_t> &most) {
    if (std::ranges::find(manifest.inputs, name, &InterfaceTensor::name) !=
        manifest.inputs.end())
      return false;
    auto output =
        std::ranges::find(manifest.outputs, name, &InterfaceTensor::name);
    if (output != manifest.outputs.end())
      return boundOutput(*output, most);
    const bool isOfInputs =
        std::ranges::find(manifest.symbols, name) != manifest.symbols.end();
    if (!isOfInputs && !symbols.contains(name))
      return unknown(name);
    if (most.size() != 1)
      return Status::invalidInput(
          format("'{}' is a size: expected one integer as its largest value, "
                 "found {}",
                 {name, printShape(most)}));
    if (!isOfInputs)
      tighten(*symbols.at(name), most[0]);
    return !isOfInputs;
  }

private:
  static void tighten(StepSymbol &symbol, int64_t most) {
    symbol.greatest = symbol.greatest ? runtime::min(*symbol.greatest, most)
                                      : Expression(most);
  }

  StatusOr<bool> boundOutput(const InterfaceTensor &output,
                             const std::vector<int64_t> &most) {
    const std::string where =
        format("output '{}' is {}, its largest shape {}",
               {output.name, printTensorType(output.dtype, output.shape),
                printShape(most)});
    if (most.size() != output.shape.size())
      return Status::invalidInput(
          format("{}: expected {} dimensions, found {}",
                 {where, output.shape.size(), most.size()}));
    bool isBound = false;
    for (size_t d = 0; d < most.size(); ++d) {
      const Expression &size = output.shape[d];
      if (size.constant().value_or(0) > most[d])
        return Status::invalidInput(
            format("{}: dimension {} is {}, expected at least that, found {}",
                   {where, d, *size.constant(), most[d]}));
      for (const std::string &name : size.names()) {
        auto symbol = symbols.find(name);
        if (symbol == symbols.end())
          continue; // Inputs decide it.
        if (size.name() != name)
          return Status::unsupported(
              format("{}: dimension {} is {}: give the largest value of {}: "
                     "{}={}",
                     {where, d, size.str(), name, name, most[d]}));
        tighten(*symbol->second, most[d]);
        isBound = true;
      }
    }
    return isBound;
  }

  [[nodiscard]] Status unknown(const std::string &name) const {
    auto namesOf = [](const std::vector<InterfaceTensor> &tensors) {
      return joined(tensors, ", ",
                    [](const InterfaceTensor &tensor) { return tensor.name; });
    };
    std::vector<std::string> sizes = manifest.symbols;
    for (const auto &[symbol, where] : symbols)
      sizes.push_back(symbol);
    return Status::invalidInput(format(
        "the model has no input, output or size '{}' to give a largest shape\n"
        "  the model's inputs: {}\n  its outputs: {}\n  its sizes: {}",
        {name, namesOf(manifest.inputs), namesOf(manifest.outputs),
         sizes.empty() ? "none" : joined(sizes)}));
  }

  PackageManifest &manifest;
  std::map<std::string, StepSymbol *> symbols;
};
} // namespace

Status boundSizes(PackageManifest &manifest,
                  const std::map<std::string, std::vector<int64_t>> &maxShapes,
                  bool mayPlan) {
  SizeBounder bounder(manifest);
  for (const auto &[name, most] : maxShapes) {
    TILEWRIGHT_ASSIGN_OR_RETURN(bool isBound, bounder.bound(name, most));
    if (!isBound && !mayPlan)
      return Status::invalidInput(
          format("the largest shape of '{}' has no effect: no data decides its "
                 "sizes, so it is only for the memory that a report tells "
                 "(--explain-fusion, --json)",
                 {name}));
  }
  return {};
}

} // namespace tilewright
