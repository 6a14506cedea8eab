//===- TunableModule.cpp - Tile kernels whose tunables are open -----------===//
#include "library/compiler/TunableModule.h"

#include "codegen/pipeline/DiagnosticCollector.h"
#include "codegen/pipeline/Pipelines.h"
#include "mlir/Pass/PassManager.h"
#include "tileir/diagnostics/ParseText.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright {

using Values = std::map<std::string, int64_t>;

namespace {
/// Where errors in a source go.
struct Reporter {
  const std::string &name;
  std::vector<Diagnostic> *diagnostics;

  /// An error at `where`, or in the file.
  Status fail(StatusCode status, std::string_view code,
              const std::string &message,
              std::optional<Location> where = std::nullopt) const {
    std::string prefix = where ? locationPrefix(*where) : "";
    if (diagnostics) {
      Diagnostic diagnostic;
      diagnostic.code = code;
      diagnostic.message = message;
      if (where)
        diagnostic.where = sourceRange(*where);
      diagnostics->push_back(std::move(diagnostic));
    }
    return {status, (prefix.empty() ? name + ": " : prefix) + message};
  }
  /// The errors of MLIR, which get a code where they have no label.
  Status fail(std::string_view code, const DiagnosticCollector &errors) const {
    if (diagnostics)
      for (Diagnostic &diagnostic : *diagnostics)
        if (diagnostic.code.empty())
          diagnostic.code = code;
    return Status::invalidInput(errors.text());
  }

  StatusOr<OwningOpRef<ModuleOp>> parse(MLIRContext &context,
                                        const std::string &text) const;
  Status check(const tile::Tunable &tunable, const Values &values,
               std::optional<Location> where) const;
};
} // namespace

/// "a, b, c" of a list with names or numbers.
template <typename Range> static std::string commas(const Range &range) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(range, stream);
  return text;
}

StatusOr<OwningOpRef<ModuleOp>> Reporter::parse(MLIRContext &context,
                                                const std::string &text) const {
  DiagnosticCollector errors(&context, diagnostics);
  OwningOpRef<ModuleOp> module = parseUnverified(text, &context, name);
  if (!module)
    return fail("parse", errors);
  if (failed(verifyModule(*module, Dialects::ofSources)))
    return fail("invalid_ir", errors);
  return module;
}

/// Whether a tunable can have the value that it is given, if any.
Status Reporter::check(const tile::Tunable &tunable, const Values &values,
                       std::optional<Location> where) const {
  auto given = values.find(tunable.name);
  if (given == values.end() ||
      llvm::is_contained(tunable.values, given->second))
    return Status();
  return fail(StatusCode::invalidInput, "tunable",
              "tunable '" + tunable.name + "' is given " +
                  std::to_string(given->second) + ", expected one of " +
                  commas(tunable.values),
              where);
}

/// The given values, or the defaults.
static Values complete(ArrayRef<tile::Tunable> tunables, const Values &given) {
  Values all;
  for (const tile::Tunable &tunable : tunables) {
    auto found = given.find(tunable.name);
    all.try_emplace(tunable.name, found == given.end() ? tunable.values.front()
                                                       : found->second);
  }
  return all;
}

/// "BM=32 BN=64".
static std::string assignments(const Values &values) {
  std::string text;
  for (const auto &[name, value] : values)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

StatusOr<TunableModule>
TunableModule::parse(MLIRContext &context, TileModule source,
                     std::vector<Diagnostic> *diagnostics) {
  StatusOr<tile::Template> pieces = tile::Template::parse(source.code);
  if (!pieces.ok())
    return Status(pieces.status().code(),
                  source.name + ":" + pieces.status().message());
  TunableModule read(std::move(source), *std::move(pieces));
  Reporter reporter{read.source.name, diagnostics};
  TILEWRIGHT_ASSIGN_OR_RETURN(read.parsed,
                              reporter.parse(context, read.pieces.expand({})));
  return read;
}

/// The ops of the tunables of a kernel.
static SmallVector<tile::TunableOp> tunableOps(tile::KernelOp kernel) {
  SmallVector<tile::TunableOp> ops;
  for (Operation &op : *kernel->getBlock())
    if (&op == kernel || !isa<tile::KernelOp>(op))
      op.walk([&](tile::TunableOp tunable) { ops.push_back(tunable); });
  return ops;
}

static tile::Tunable tunableOf(tile::TunableOp op) {
  return {op.getName().str(), {op.getValues().begin(), op.getValues().end()}};
}

std::vector<tile::Tunable>
TunableModule::tunables(tile::KernelOp kernel) const {
  std::vector<tile::Tunable> all = pieces.tunables();
  const size_t inText = all.size();
  for (tile::TunableOp op : tunableOps(kernel)) {
    auto isNamed = [&](const tile::Tunable &other) {
      return other.name == op.getName();
    };
    // All ops of one name are one tunable.
    if (std::none_of(all.begin() + ptrdiff_t(inText), all.end(), isNamed))
      all.push_back(tunableOf(op));
  }
  return all;
}

static LogicalResult bindOps(ModuleOp module, const Values &values) {
  tile::BindTunablesOptions options;
  for (const auto &[name, value] : values)
    options.bindings.push_back(name + "=" + std::to_string(value));
  PassManager passes(module.getContext());
  passes.addPass(tile::createBindTunables(options));
  return passes.run(module);
}

/// The text with these numbers, parsed; null where they are the defaults.
static StatusOr<OwningOpRef<ModuleOp>> expand(const Reporter &reporter,
                                              MLIRContext &context,
                                              const tile::Template &pieces,
                                              const Values &values) {
  // With a value that is not legal the text may not even parse.
  for (const tile::Tunable &tunable : pieces.tunables())
    TILEWRIGHT_RETURN_IF_ERROR(reporter.check(tunable, values, std::nullopt));
  const Values ofText = complete(pieces.tunables(), values);
  if (!pieces.hasVariant(ofText))
    return reporter.fail(StatusCode::invalidInput, "tunable",
                         "the kernel does not take these values together: " +
                             assignments(ofText));
  if (ofText == complete(pieces.tunables(), {}))
    return OwningOpRef<ModuleOp>();
  return reporter.parse(context, pieces.expand(ofText));
}

/// Whether `kernel`, which has `tunables`, has one for each value.
static Status checkNames(const Reporter &reporter, tile::KernelOp kernel,
                         ArrayRef<tile::Tunable> tunables,
                         const Values &values) {
  auto names = llvm::to_vector(llvm::map_range(
      tunables, [](const tile::Tunable &tunable) { return tunable.name; }));
  for (const auto &[name, value] : values)
    if (!llvm::is_contained(names, name))
      return reporter.fail(StatusCode::invalidInput, "tunable",
                           "there is no tunable '" + name + "' of kernel '" +
                               kernel.getSymName().str() + "'; it has " +
                               (names.empty() ? "none" : commas(names)),
                           kernel.getLoc());
  return Status();
}

StatusOr<BoundKernel>
TunableModule::bind(StringRef name, const Values &values,
                    std::vector<Diagnostic> *diagnostics) const {
  MLIRContext &context = *(*parsed)->getContext();
  Reporter reporter{source.name, diagnostics};
  TILEWRIGHT_ASSIGN_OR_RETURN(OwningOpRef<ModuleOp> expanded,
                              expand(reporter, context, pieces, values));
  StatusOr<tile::KernelOp> found =
      findKernel(expanded ? *expanded : *parsed, name);
  if (!found.ok())
    return reporter.fail(found.status().code(), "kernel",
                         found.status().message());
  for (tile::TunableOp op : tunableOps(*found))
    TILEWRIGHT_RETURN_IF_ERROR(
        reporter.check(tunableOf(op), values, op.getLoc()));
  const std::vector<tile::Tunable> all = tunables(*found);
  TILEWRIGHT_RETURN_IF_ERROR(checkNames(reporter, *found, all, values));
  BoundKernel bound;
  bound.tunables = complete(all, values);
  bound.module = moduleOf(*found, nullptr);
  bound.kernel = *bound.module->getOps<tile::KernelOp>().begin();
  DiagnosticCollector errors(&context, diagnostics);
  const ArrayRef<tile::Tunable> ofOps =
      ArrayRef(all).drop_front(pieces.tunables().size());
  if (failed(bindOps(*bound.module, complete(ofOps, values))))
    return reporter.fail("tunable", errors);
  return bound;
}

StatusOr<tile::KernelOp> findKernel(ModuleOp module, StringRef name) {
  auto kernels = llvm::to_vector(module.getOps<tile::KernelOp>());
  for (tile::KernelOp kernel : kernels)
    if (name.empty() ? kernels.size() == 1 : kernel.getSymName() == name)
      return kernel;
  auto names = llvm::map_range(kernels, [](tile::KernelOp kernel) {
    return "@" + kernel.getSymName().str();
  });
  const bool isChoice = name.empty() && !kernels.empty();
  return Status(isChoice ? StatusCode::invalidInput : StatusCode::notFound,
                "expected " +
                    (isChoice       ? "one tile.kernel, or the name of one"
                     : name.empty() ? "a tile.kernel"
                                    : "a tile.kernel @" + name.str()) +
                    ", found " + (kernels.empty() ? "none" : commas(names)));
}

} // namespace tilewright
