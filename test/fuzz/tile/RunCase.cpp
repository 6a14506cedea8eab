#include "RunCase.h"

#include "test/ptxas/Ptxas.h"
#include "verify/barriers/BarrierCheck.h"

#include <regex>
#include <set>

namespace tilewright::fuzz {

using kerneltest::Comparison;

namespace {
struct Found {
  Result result = Result::agreed;
  std::string message;
};
} // namespace

/// What an error of the compiler is: of ours, or a rejection. The kernel was
/// valid, so IR that breaks a rule of an op, "(copy_c1)", was made by a pass.
static Found failure(const Status &status) {
  static const std::regex rule("\\([a-z_]+_c[0-9]+\\)");
  const bool isOurs = status.code() == StatusCode::internal ||
                      std::regex_search(status.message(), rule);
  return {isOurs ? Result::differed : Result::rejected, status.message()};
}

static Found differed(const std::string &error) {
  return {error.empty() ? Result::agreed : Result::differed, error};
}

/// This machine with all its registers, or with fewer.
static cpu::CpuTarget cpuTarget(const std::string &name) {
  cpu::CpuTarget target = cpu::hostTarget();
  if (name == "cpu")
    return target;
  bool isAvx2 = name == "cpu-avx2";
  target.cpu = isAvx2 ? "x86-64-v3" : "x86-64";
  target.features = isAvx2 ? "+avx2,+fma" : "+sse2";
  target.required = isAvx2 ? "x86_64,avx2,fma" : "x86_64";
  target.vectorBits = isAvx2 ? 256 : 128;
  target.vectorRegisters = 16;
  target.masksLanes = false;
  return target;
}

static Found runCpu(const Comparison &comparison, const Run &run) {
  CompileOptions options;
  options.verifyEach = true;
  auto schedule = schedule::CpuSchedule::parse(run.schedule);
  if (!schedule.ok())
    return failure(schedule.status());
  options.cpuSchedule = *schedule;
  StatusOr<KernelImage> image =
      compile(comparison.kernel(), cpuTarget(run.target), options);
  if (!image.ok())
    return failure(image.status());
  return differed(comparison.run(*image, "cpu").error);
}

static Found runScheduled(const Comparison &comparison, const Run &run) {
  auto schedule = schedule::GpuSchedule::parse(run.schedule);
  if (!schedule.ok())
    return failure(schedule.status());
  mlir::TimingScope untimed;
  CompileOptions options;
  options.verifyEach = true;
  // One that has all that the scheduled level can use.
  auto module =
      scheduleForGpu(comparison.kernel(), *target::findGpuTarget("sm_90a"),
                     *schedule, untimed, options);
  if (!module.ok())
    return failure(module.status());
  tile::KernelOp kernel = *(**module).getOps<tile::KernelOp>().begin();
  for (const auto &finding : verify::findUnordered(kernel))
    return {Result::differed, "barriers: " + verify::describe(finding)};
  return differed(comparison.run(kernel).error);
}

static Found runGpu(const Comparison &comparison, const Run &run,
                    bool usePtxas) {
  const target::GpuTarget *target = target::findGpuTarget(run.target);
  auto schedule = schedule::GpuSchedule::parse(run.schedule);
  if (!schedule.ok())
    return failure(schedule.status());
  if (!target)
    return {Result::invalid, "no target '" + run.target + "'"};
  CompileOptions options;
  options.verifyEach = true;
  options.schedule = *schedule;
  StatusOr<KernelImage> image = compile(comparison.kernel(), *target, options);
  if (!image.ok())
    return failure(image.status());
  Found found = differed(comparison.run(*image, "emulator").error);
  if (usePtxas && found.result == Result::agreed) {
    test::Assembled assembled = test::assemble(image->code, run.target);
    if (!assembled.accepted)
      return {Result::differed, "ptxas: " + assembled.log};
  }
  return found;
}

static Found runOne(const Comparison &comparison, const Run &run,
                    const CheckOptions &options) {
  if (run.target.starts_with("cpu"))
    return runCpu(comparison, run);
  if (run.target == "scheduled")
    return runScheduled(comparison, run);
  return runGpu(comparison, run, options.usePtxas);
}

void runCase(const Case &c, int first, const CheckOptions &options,
             const Reporter &report) {
  report.begins(-1);
  Comparison comparison(c.text, c.inputs, c.data);
  if (!comparison.error().empty())
    return report.ends(Result::invalid, comparison.error());
  std::set<std::string> ops;
  comparison.kernel()->walk([&](mlir::Operation *op) {
    ops.insert(op->getName().getStringRef().str());
  });
  for (const std::string &op : ops)
    report.hasOp(op);
  for (size_t i = first; i < c.runs.size(); ++i) {
    report.begins(int(i));
    Found found =
        options.plantedOp.empty()      ? runOne(comparison, c.runs[i], options)
        : ops.count(options.plantedOp) ? Found{Result::differed, "planted"}
                                       : Found();
    report.ends(found.result, found.message);
  }
}

} // namespace tilewright::fuzz
