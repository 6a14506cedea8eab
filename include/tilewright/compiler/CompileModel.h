//===- CompileModel.h - From a model file to a package ----------*- C++ -*-===//
//
// The whole compilation of a model: import, fusion, tile kernels, code
// generation, package. Only this library depends on the frontends, the compiler
// and the package format.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_COMPILER_COMPILEMODEL_H
#define TILEWRIGHT_COMPILER_COMPILEMODEL_H

#include "tilewright/codegen/CodeOptions.h"
#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/codegen/CpuTarget.h"
#include "tilewright/codegen/GpuSchedule.h"
#include "tilewright/codegen/GpuTarget.h"
#include "tilewright/codegen/PassPrinter.h"
#include "tilewright/compiler/Cache.h"
#include "tilewright/compiler/ModelSource.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/compiler/ScheduleTable.h"
#include "tilewright/compiler/TileModule.h"
#include "tilewright/manifest/Precision.h"
#include "tilewright/runtime/Model.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

/// A user's kernel that replaces a part of the model.
struct KernelReplacement {
  /// The computation that it replaces, in the frontend's terms. For ONNX it is
  /// a list of nodes (docs/onnx.md): "y = Mul(x, Sigmoid(x))".
  std::string pattern;
  /// A module with the kernel and everything it calls. The kernel's arguments
  /// are views of the pattern's inputs, then of its outputs.
  TileModule kernels;
  /// The kernel's name; empty for the only kernel of the module.
  std::string kernel;
};

/// The time of the budget of a kernel is checked between stages.
struct CompileModelOptions : CodeOptions {
  /// Fixed shapes for inputs of a graph, by name; -1 leaves a size unchanged.
  /// An element of an input `x` that is a sequence is called "x[0]", and "x[]"
  /// is their number.
  std::map<std::string, std::vector<int64_t>> inputShapes;
  /// Known elements of inputs, by name. Those on which shapes depend become
  /// part of the package, which then accepts no other values for them. Optional
  /// inputs and elements of sequences are there if they have a value or a
  /// shape.
  std::map<std::string, runtime::HostTensor> inputValues;
  /// The largest shapes of inputs and outputs by name, or the largest value of
  /// a size by the name that it has in the package's shapes. Of a size that
  /// data decides it becomes part of the package: a run fails beyond it, and
  /// memory is planned for it. For others the report computes memory, and the
  /// package accepts larger ones. An output's sizes must be such names, or
  /// follow from the inputs.
  std::map<std::string, std::vector<int64_t>> maxShapes;
  /// Kernels that replace parts of the model on each target, if the frontend
  /// supports patterns. Earlier patterns match first; each must match.
  std::vector<KernelReplacement> replacements;
  /// The targets: this CPU, unless `cpu` is empty, and GPUs from
  /// target::gpuTargets() and `plugins`.
  std::optional<cpu::CpuTarget> cpu = cpu::hostTarget();
  std::vector<const target::GpuTarget *> gpus;
  /// Also compile for the device "interpreter": the kernels as they are before
  /// code generation, as a reference for other devices.
  bool interpreter = false;
  /// When attentions become one kernel each (docs/attention.md): never, where
  /// that is faster on all targets, or wherever such a kernel exists.
  enum class Attention { never, whereFaster, always };
  Attention attention = Attention::whereFaster;
  /// Of products of f32: those of a graph, and in tile kernels those that have
  /// none themselves (docs/onnx.md). Code for CPUs computes all of them in f32.
  runtime::Precision precision = runtime::Precision::ieee;
  /// Threads that compile kernels; 0 means one for each core.
  unsigned threads = 0;
  /// Called after each kernel with the number of finished kernels and of all
  /// kernels: one call at a time, on the threads that compile.
  std::function<void(size_t done, size_t total)> progress;
  /// Limit for the whole compilation; counts like Budget::time.
  std::optional<std::chrono::milliseconds> timeLimit;
  /// Cancels the compilation.
  std::stop_token stop;
  /// A cache for packages and kernel images; may be null. The result is the
  /// same without it. Stages that an option observes (passes, checks, times)
  /// run again. A whole package comes from the cache only if nothing else is
  /// requested, the model is one file, and there is no `scheduleTable`.
  std::shared_ptr<Cache> cache;
  /// Plug-ins with frontends, kernel passes and targets; may be null.
  std::shared_ptr<const Plugins> plugins;
  /// Prints the IR after passes, from the import to the llvm dialect. Kernels
  /// are then compiled one after another. The report lists the passes that ran.
  PassPrintOptions printPasses;
  /// If a pass fails, writes the program before that pass and the remaining
  /// passes to this file, in the format of `stopAfter`; the error names it.
  /// Empty: disabled. The passes run a second time for it, one by one.
  std::filesystem::path reproducer;
  /// One schedule for all kernels on GPUs, and one for the CPU; without it each
  /// kernel has the default for its work. Their tunables determine the tiling
  /// of groups (graph/lowering/Tiling.h) or bind those of a handwritten kernel;
  /// omitted ones have their defaults.
  std::optional<schedule::GpuSchedule> schedule;
  std::optional<schedule::CpuSchedule> cpuSchedule;
  /// A table with schedules for groups of graph ops or for the handwritten
  /// kernel, which take precedence over those above; may be null. It must
  /// outlive the compilation, which calls it on the calling thread.
  ScheduleTable *scheduleTable = nullptr;
  /// Restricts the report's texts, schedules and PTX to one kernel, and, if
  /// nothing is written, compilation too. From a file with several tile kernels
  /// it selects the one to compile. Empty: all kernels, or the only one.
  std::string onlyKernel;
  /// Stops the compilation of a graph after this pass; "NAME:2" is the second
  /// pass of that name. `output` is then an .mlir file from which another
  /// compilation continues, with `resume`. Empty: does not stop.
  std::string stopAfter;
  /// Continues with a model that `stopAfter` or `reproducer` wrote. Such a file
  /// is code, as a package is: what it becomes may do what the process may that
  /// runs it. False: it is rejected.
  bool resume = false;
  /// Fill in the report's schedules.
  bool wantSchedules = false;
  /// Fill in the report's layouts.
  bool wantLayouts = false;
  /// Fill in the report's PTX.
  bool wantPtx = false;
  /// Whether the caller reads the report's memory. If not, a largest shape that
  /// is only for the report is an error.
  bool wantMemory = true;
  /// Fill in the report's fusion plan.
  bool wantFusion = false;
  /// Fill in the texts of the report.
  bool wantGraph = false, wantTiles = false, wantScheduled = false,
       wantLoops = false, wantLlvm = false, wantAssembly = false;
  /// Receives errors as data, with the codes of CompileReport::diagnostics and
  /// "io"; the returned status has the same text. May be null.
  std::vector<Diagnostic> *diagnostics = nullptr;
  /// The format of the report's times.
  enum class TimeFormat { none, text, json };
  TimeFormat times = TimeFormat::none;
};

/// Sets the targets of `options` to exactly these: "cpu" (this machine),
/// "interpreter", and GPUs, including those of `options.plugins`. Errors: an
/// unknown target.
TILEWRIGHT_API Status setTargets(std::span<const std::string> names,
                                 CompileModelOptions &options);

/// The PTX of one kernel for one GPU.
struct KernelPtx {
  std::string kernel, target, text;
};

/// The module of one kernel for one GPU at the scheduled level, as MLIR
/// bytecode with locations.
struct KernelBytecode {
  std::string kernel, target, bytes;
};

/// Results and metrics of a compilation.
struct CompileModelReport {
  int64_t nodes = 0;
  size_t steps = 0, kernels = 0;
  /// Whether the whole package came from the cache. If not, `cachedImages` of
  /// the images, one for each kernel and target, did.
  bool fromCache = false;
  size_t cachedImages = 0;
  double importSeconds = 0, lowerSeconds = 0, codeSeconds = 0;
  /// The memory of a session, if all shapes are static or given.
  std::optional<runtime::MemoryUse> memory;
  /// The time of each stage and pass, longest first. Times of kernels are added
  /// up over kernels and threads.
  std::string times;
  /// The fusion plan, as text and as JSON.
  std::string fusionText, fusionJson;
  /// The requested stages as text. Assembly is PTX for a GPU.
  std::string graph, tiles, scheduled, loops, llvm, assembly;
  std::vector<KernelPtx> ptx;
  std::vector<KernelBytecode> bytecode;
  /// The schedule of each kernel for each GPU and why it was chosen, as text.
  std::string schedules;
  /// The layouts of each kernel for each GPU, their prices and runners-up.
  std::string layouts;
  /// With `printPasses`: the passes that ran, each once.
  std::vector<std::string> passes;
  /// Warnings, with the codes
  ///   spills  a handwritten kernel for the CPU: more than one instruction in
  ///           four moves a value to or from the stack
  ///   cache   the cache cannot be written
  std::vector<Diagnostic> warnings;
};

/// Compiles a model into the package directory `output`, which appears only
/// when it is complete; if `output` is empty, nothing is written. The model is
/// of any frontend: an ONNX model, a graph in MLIR (also one that was stopped
/// between passes), a tile kernel, or a format of `plugins`. Errors say where,
/// what was expected and what was found.
TILEWRIGHT_API StatusOr<CompileModelReport>
compileModel(const ModelSource &model, const std::filesystem::path &output,
             const CompileModelOptions &options);
TILEWRIGHT_API StatusOr<CompileModelReport>
compileModel(const std::filesystem::path &model,
             const std::filesystem::path &output,
             const CompileModelOptions &options);

/// A compiled model that is nowhere but in memory.
struct CompiledModel {
  std::shared_ptr<const runtime::Package> package;
  CompileModelReport report;
};

/// Compiles a model into a package in memory: what compileModel would write,
/// and nothing is written. The package is called as the model. The cache, if
/// there is one, keeps kernels, and no whole package.
TILEWRIGHT_API StatusOr<CompiledModel>
compileModelInMemory(const ModelSource &model,
                     const CompileModelOptions &options);

/// The kernels of a model that can have a schedule: for each target, one entry
/// per launch. Errors: those of compileModel().
TILEWRIGHT_API StatusOr<std::vector<KernelToSchedule>>
kernelsToSchedule(const std::filesystem::path &model,
                  const CompileModelOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_COMPILEMODEL_H
