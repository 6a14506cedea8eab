//===- Inspect.cpp - tilewright inspect -----------------------------------===//
#include "support/Format.h"
#include "tilewright/runtime/Package.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Evidence.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/ScheduleFile.h"
#include "tools/tilewright/TensorFile.h"
#include "tools/tilewright/Usage.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <memory>

namespace tilewright::tool {

static void printInterface(const char *title,
                           const std::vector<runtime::InterfaceTensor> &list) {
  for (const runtime::InterfaceTensor &tensor : list)
    std::printf("%s  %s: %s\n", title, tensor.name.c_str(),
                runtime::printTensorType(tensor.dtype, tensor.shape).c_str());
}

/// How many kernels multiply f32 less exactly than they could.
static void printPrecisions(const runtime::PackageManifest &manifest) {
  using runtime::Precision;
  std::map<Precision, size_t> kernels;
  for (const runtime::KernelManifest &kernel : manifest.kernels)
    if (kernel.precision != Precision::ieee)
      ++kernels[kernel.precision];
  for (const auto &[precision, count] : kernels)
    std::printf("  precision %s: %s\n",
                std::string(runtime::precisionName(precision)).c_str(),
                counted(count, "kernel").c_str());
}

/// "while buffer 3, at most N times".
static std::string describeLoop(const runtime::LoopManifest &loop) {
  std::string text;
  if (loop.condition)
    text = format("while buffer {}", {*loop.condition});
  if (loop.count)
    text += format("{}{} times",
                   {loop.condition ? ", at most " : "", loop.count->str()});
  return text;
}

/// What a step does, in a word or two, or the name of its kernel.
static std::string describeStep(const runtime::StepManifest &step) {
  if (step.copy)
    return "copy";
  if (step.check)
    return "check";
  if (step.read)
    return format("read {}", {step.read->symbol.name});
  if (step.branch)
    return format("if buffer {}", {step.branch->condition});
  return step.loop ? describeLoop(*step.loop) : step.kernel;
}

/// Lists steps; those inside of others stand `depth` levels further to the
/// right.
static void printSteps(const std::vector<runtime::StepManifest> &steps,
                       int depth) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const runtime::StepManifest &step = steps[i];
    std::printf("  %*s%4zu  %-40s %s\n", 4 * depth, "", i,
                printable(describeStep(step)).c_str(),
                printable(step.label).c_str());
    if (step.loop)
      printSteps(step.loop->steps, depth + 1);
    if (!step.branch)
      continue;
    printSteps(step.branch->first, depth + 1);
    std::printf("  %*s      else\n", 4 * depth, "");
    printSteps(step.branch->second, depth + 1);
  }
}

static int inspect(const std::string &path, bool json, bool steps) {
  StatusOr<std::shared_ptr<const runtime::Package>> package =
      runtime::Package::load(path);
  if (!package.ok())
    return fail(package.status());
  const runtime::PackageManifest &manifest = (*package)->manifest();
  if (json) {
    std::cout << runtime::printPackageManifest(manifest);
    return exitGood;
  }
  std::printf("%s, written by %s\n", manifest.name.c_str(),
              manifest.producer.c_str());
  printInterface("  input ", manifest.inputs);
  printInterface("  output", manifest.outputs);
  printInterface("  state ", manifest.states);
  std::printf("  %s, %s, %s\n",
              counted(runtime::stepCount(manifest.steps), "step").c_str(),
              counted(manifest.kernels.size(), "kernel").c_str(),
              counted(manifest.buffers.size(), "buffer").c_str());
  printPrecisions(manifest);
  if (steps)
    printSteps(manifest.steps, 0);
  return exitGood;
}

/// Shows the lowering of each line of a kernel.
static int inspectKernels(const std::string &model, const std::string &target,
                          const std::string &kernel) {
  StatusOr<std::string> text = describeKernels(model, target, kernel);
  if (!text.ok())
    return fail(text.status());
  std::cout << *text;
  return exitGood;
}

/// Shows a layout as a table; with a file `svg` as a picture too.
static int inspectLayout(const std::string &text, const std::string &svg,
                         unsigned elementBits) {
  StatusOr<std::string> table = describeLayout(text, svg, elementBits);
  if (!table)
    return fail(table.status());
  std::cout << *table;
  return exitGood;
}

void addInspect(CLI::App &app, Action &action) {
  struct Arguments {
    std::string package, layout, svg, target, kernel;
    unsigned elementBits = 32;
    bool json = false, steps = false, evidence = false;
    bool memory = false, units = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand(
      "inspect", "Show what a package, a kernel or a layout is");
  CLI::Option *package =
      command->add_option("PACKAGE", arguments->package,
                          "X.twp; a schedule, X.tws; with --target a kernel, "
                          "K.mlir");
  CLI::Option *layout = command->add_option(
      "--layout", arguments->layout,
      "A layout: who holds which element of a tile (docs/layouts.md)");
  package->excludes(layout);
  command
      ->add_option("--target", arguments->target,
                   "Show what becomes of a kernel's lines for sm_80, ..")
      ->needs(package);
  command
      ->add_option("--kernel", arguments->kernel,
                   "With --target: show this kernel only")
      ->needs("--target");
  CLI::Option *steps =
      command->add_flag("--steps", arguments->steps, "List the steps")
          ->needs(package)
          ->excludes("--target");
  command
      ->add_flag("--evidence", arguments->evidence,
                 "Show what was verified of the kernels")
      ->needs(package)
      ->excludes("--target")
      ->excludes(steps);
  command
      ->add_flag("--units", arguments->units,
                 "Of a schedule: how busy each unit is, and why it idles")
      ->needs(package);
  command
      ->add_flag("--memory", arguments->memory,
                 "Of a schedule: the rows in use over time")
      ->needs(package);
  command
      ->add_flag("--json", arguments->json,
                 "Print the manifest, the evidence, or what a schedule uses")
      ->needs(package)
      ->excludes("--target")
      ->excludes(steps);
  command->add_option("--svg", arguments->svg, "Draw the layout to a file")
      ->needs(layout);
  command
      ->add_option("--bits", arguments->elementBits,
                   "Bits of an element, for colours of banks (32)")
      ->needs(layout)
      ->check(CLI::Range(1, 64));
  command->callback([arguments, package, layout, command, &action] {
    if (package->empty() && layout->empty())
      throw UsageError("inspect: expected a PACKAGE or --layout\n  see "
                       "tilewright inspect --help");
    action = [arguments, command, isLayout = !layout->empty()] {
      if (isLayout)
        return inspectLayout(arguments->layout, arguments->svg,
                             arguments->elementBits);
      if (Status missing = requireFile(arguments->package); !missing.ok())
        return fail(missing);
      if (isScheduleFile(arguments->package)) {
        requireScheduleOptions(*command,
                               {"PACKAGE", "--units", "--memory", "--json"});
        return inspectSchedule({arguments->package, arguments->memory,
                                arguments->units, arguments->json});
      }
      for (const char *option : {"--units", "--memory"})
        requireEffect(*command, option, false, "it is of a schedule, X.tws");
      if (!arguments->target.empty())
        return inspectKernels(arguments->package, arguments->target,
                              arguments->kernel);
      if (!isPackage(arguments->package))
        return fail(Status::invalidInput(
            arguments->package +
            ": expected a package, X.twp; with --target sm_90a a kernel's "
            "lines are shown, K.mlir"));
      if (arguments->evidence)
        return inspectEvidence(arguments->package, arguments->json);
      return inspect(arguments->package, arguments->json, arguments->steps);
    };
  });
}

} // namespace tilewright::tool
