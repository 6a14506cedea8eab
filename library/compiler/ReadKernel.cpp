//===- ReadKernel.cpp - The kernel that a request names -------------------===//
#include "library/compiler/ReadKernel.h"

#include "library/compiler/DotPrecision.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright {

/// Adds an error with a code.
static Status fail(StatusCode status, std::string_view code,
                   std::string message, std::vector<Diagnostic> &diagnostics) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = message;
  diagnostics.push_back(std::move(diagnostic));
  return {status, std::move(message)};
}

/// Reads the request's schedule, which is for its target.
static Status readSchedule(const CompileRequest &request,
                           std::optional<schedule::GpuSchedule> &gpu,
                           std::optional<schedule::CpuSchedule> &cpu,
                           std::vector<Diagnostic> &diagnostics) {
  if (request.schedule.empty())
    return Status();
  auto read = [&](auto &into, auto schedule) -> Status {
    if (!schedule.ok())
      return fail(schedule.status().code(), "schedule",
                  schedule.status().message(), diagnostics);
    into = *std::move(schedule);
    return Status();
  };
  return request.target == "cpu"
             ? read(cpu, schedule::CpuSchedule::parse(request.schedule))
             : read(gpu, schedule::GpuSchedule::parse(request.schedule));
}

/// Adds the values of tunables in the schedule to those of the request.
static Status addTunables(const std::map<std::string, int64_t> &scheduled,
                          std::map<std::string, int64_t> &given,
                          std::vector<Diagnostic> &diagnostics) {
  for (const auto &[name, value] : scheduled)
    if (auto [at, isNew] = given.try_emplace(name, value);
        !isNew && at->second != value)
      return fail(StatusCode::invalidInput, "tunable",
                  "tunable '" + name + "' is given " +
                      std::to_string(at->second) + ", but the schedule gives " +
                      std::to_string(value),
                  diagnostics);
  return Status();
}

StatusOr<BoundKernel> readKernel(const CompileRequest &request,
                                 MLIRContext &context,
                                 CompilationControl &control,
                                 std::vector<Diagnostic> &diagnostics) {
  std::optional<schedule::GpuSchedule> gpu;
  std::optional<schedule::CpuSchedule> cpu;
  TILEWRIGHT_RETURN_IF_ERROR(readSchedule(request, gpu, cpu, diagnostics));
  std::map<std::string, int64_t> tunables = request.tunables;
  if (gpu)
    TILEWRIGHT_RETURN_IF_ERROR(
        addTunables(gpu->tunables, tunables, diagnostics));
  if (cpu)
    TILEWRIGHT_RETURN_IF_ERROR(
        addTunables(cpu->tunables, tunables, diagnostics));
  control.beginPhase("parse");
  TILEWRIGHT_ASSIGN_OR_RETURN(
      TunableModule module,
      TunableModule::parse(context, request.module, &diagnostics));
  if (!control.goOn())
    return Status::cancelled("stopped");
  control.beginPhase("bind");
  TILEWRIGHT_ASSIGN_OR_RETURN(
      BoundKernel bound, module.bind(request.kernel, tunables, &diagnostics));
  TILEWRIGHT_RETURN_IF_ERROR(setDotPrecision(*bound.module, request.precision));
  tile::isolate(bound.kernel);
  if (gpu)
    gpu->tunables = bound.tunables;
  if (cpu)
    cpu->tunables = bound.tunables;
  bound.schedule = std::move(gpu);
  bound.cpuSchedule = std::move(cpu);
  return bound;
}

} // namespace tilewright
