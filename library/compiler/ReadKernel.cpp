//===- ReadKernel.cpp - The kernel that a request names -------------------===//
#include "library/compiler/ReadKernel.h"

#include "codegen/pipeline/DiagnosticCollector.h"
#include "library/compiler/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "tileir/diagnostics/ParseText.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright {

namespace {
/// Where errors go.
struct Reader {
  const CompileRequest &request;
  std::vector<Diagnostic> &diagnostics;

  /// Adds an error.
  Status fail(StatusCode status, std::string_view code, std::string message,
              std::optional<Location> where = std::nullopt) const {
    Diagnostic diagnostic;
    diagnostic.code = code;
    diagnostic.message = message;
    if (where)
      diagnostic.where = sourceRange(*where);
    diagnostics.push_back(std::move(diagnostic));
    return {status, std::move(message)};
  }
  /// Adds a code to errors without a label.
  Status unlabelled(std::string_view code, std::string message) const {
    for (Diagnostic &diagnostic : diagnostics)
      if (diagnostic.code.empty())
        diagnostic.code = code;
    return Status::invalidInput(std::move(message));
  }

  StatusOr<OwningOpRef<ModuleOp>> parse(MLIRContext &context) const;
  StatusOr<tile::KernelOp> select(ModuleOp module) const;
  StatusOr<std::map<std::string, int64_t>>
  chooseTunables(tile::KernelOp kernel,
                 const std::map<std::string, int64_t> &given) const;
};
} // namespace

/// "a, b, c" of a list with names or numbers.
template <typename Range> static std::string commas(const Range &range) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(range, stream);
  return text;
}

StatusOr<OwningOpRef<ModuleOp>> Reader::parse(MLIRContext &context) const {
  DiagnosticCollector errors(&context, &diagnostics);
  OwningOpRef<ModuleOp> module =
      parseUnverified(request.module.code, &context, request.module.name);
  if (!module)
    return unlabelled("parse", errors.text());
  if (failed(verifyModule(*module, Dialects::ofSources)))
    return unlabelled("invalid_ir", errors.text());
  return module;
}

StatusOr<tile::KernelOp> Reader::select(ModuleOp module) const {
  SmallVector<std::string> names;
  tile::KernelOp found;
  for (tile::KernelOp kernel : module.getOps<tile::KernelOp>()) {
    names.push_back(kernel.getSymName().str());
    if (request.kernel.empty() || request.kernel == names.back())
      found = kernel;
  }
  if (names.empty())
    return fail(StatusCode::notFound, "kernel",
                "expected a tile.kernel, found none");
  if (request.kernel.empty() && names.size() > 1)
    return fail(StatusCode::invalidInput, "kernel",
                "expected the name of one of " + std::to_string(names.size()) +
                    " kernels, found none; there are " + commas(names));
  if (!found)
    return fail(StatusCode::notFound, "kernel",
                "there is no kernel '" + request.kernel + "'; there is " +
                    commas(names));
  return found;
}

StatusOr<std::map<std::string, int64_t>>
Reader::chooseTunables(tile::KernelOp kernel,
                       const std::map<std::string, int64_t> &given) const {
  std::string where = " of kernel '" + kernel.getSymName().str() + "'";
  std::map<std::string, int64_t> chosen;
  Status wrong;
  kernel.walk([&](tile::TunableOp op) {
    std::string name = op.getName().str();
    auto value = given.find(name);
    if (value == given.end())
      chosen.try_emplace(name, op.getValues().front());
    else if (llvm::is_contained(op.getValues(), value->second))
      chosen[name] = value->second;
    else if (wrong.ok())
      wrong = fail(StatusCode::invalidInput, "tunable",
                   "tunable '" + name + "'" + where + " is given " +
                       std::to_string(value->second) + ", expected one of " +
                       commas(op.getValues()),
                   op.getLoc());
  });
  TILEWRIGHT_RETURN_IF_ERROR(wrong);
  for (const auto &[name, value] : given)
    if (!chosen.count(name))
      return fail(
          StatusCode::invalidInput, "tunable",
          "there is no tunable '" + name + "'" + where + "; " +
              (chosen.empty()
                   ? "it has none"
                   : "it has " + commas(llvm::make_first_range(chosen))),
          kernel.getLoc());
  return chosen;
}

void isolate(ModuleOp module, tile::KernelOp kernel) {
  tile::inlineCalls(kernel, module);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (&op != kernel)
      op.erase();
}

static LogicalResult
bindTunables(ModuleOp module, const std::map<std::string, int64_t> &tunables) {
  if (tunables.empty())
    return success();
  tile::BindTunablesOptions options;
  for (const auto &[name, value] : tunables)
    options.bindings.push_back(name + "=" + std::to_string(value));
  PassManager passes(module.getContext());
  passes.addPass(tile::createBindTunables(options));
  return passes.run(module);
}

/// Reads the request's schedule, which is for its target.
static Status readSchedule(const Reader &reader, BoundKernel &bound) {
  const CompileRequest &request = reader.request;
  if (request.schedule.empty())
    return Status();
  auto read = [&](auto &into, auto schedule) -> Status {
    if (!schedule.ok())
      return reader.fail(schedule.status().code(), "schedule",
                         schedule.status().message());
    into = *std::move(schedule);
    return Status();
  };
  return request.target == "cpu"
             ? read(bound.cpuSchedule,
                    schedule::CpuSchedule::parse(request.schedule))
             : read(bound.schedule,
                    schedule::GpuSchedule::parse(request.schedule));
}

/// The values of tunables in the request and its schedule.
static StatusOr<std::map<std::string, int64_t>>
tunablesOf(const Reader &reader, const BoundKernel &bound) {
  std::map<std::string, int64_t> given = reader.request.tunables, scheduled;
  if (bound.schedule)
    scheduled = bound.schedule->tunables;
  if (bound.cpuSchedule)
    scheduled = bound.cpuSchedule->tunables;
  for (const auto &[name, value] : scheduled)
    if (auto [at, isNew] = given.try_emplace(name, value);
        !isNew && at->second != value)
      return reader.fail(
          StatusCode::invalidInput, "tunable",
          "tunable '" + name + "' is given " + std::to_string(at->second) +
              ", but the schedule gives " + std::to_string(value));
  return given;
}

StatusOr<BoundKernel> readKernel(const CompileRequest &request,
                                 MLIRContext &context,
                                 CompilationControl &control,
                                 std::vector<Diagnostic> &diagnostics) {
  Reader reader{request, diagnostics};
  BoundKernel bound;
  TILEWRIGHT_RETURN_IF_ERROR(readSchedule(reader, bound));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto given, tunablesOf(reader, bound));
  control.beginPhase("parse");
  TILEWRIGHT_ASSIGN_OR_RETURN(bound.module, reader.parse(context));
  if (!control.goOn())
    return Status::cancelled("stopped");
  TILEWRIGHT_ASSIGN_OR_RETURN(bound.kernel, reader.select(*bound.module));
  control.beginPhase("bind");
  isolate(*bound.module, bound.kernel);
  TILEWRIGHT_ASSIGN_OR_RETURN(bound.tunables,
                              reader.chooseTunables(bound.kernel, given));
  DiagnosticCollector errors(&context, &diagnostics);
  if (failed(bindTunables(*bound.module, bound.tunables)))
    return Status::internal(errors.text());
  if (bound.schedule)
    bound.schedule->tunables = bound.tunables;
  if (bound.cpuSchedule)
    bound.cpuSchedule->tunables = bound.tunables;
  return bound;
}

std::string printModule(ModuleOp module, bool withLocations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (withLocations)
    flags.enableDebugInfo();
  module->print(stream, flags.assumeVerified());
  return text;
}

} // namespace tilewright
