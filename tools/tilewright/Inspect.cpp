//===- Inspect.cpp - tilewright inspect -----------------------------------===//
#include "runtime/core/Package.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Report.h"

#include <cstdio>
#include <iostream>
#include <memory>

namespace tilewright::tool {

static void printInterface(const char *title,
                           const std::vector<runtime::InterfaceTensor> &list) {
  for (const runtime::InterfaceTensor &tensor : list)
    std::printf("%s  %s: %s\n", title, tensor.name.c_str(),
                runtime::printTensorType(tensor.dtype, tensor.shape).c_str());
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
  std::printf("  %zu steps, %zu kernels, %zu buffers\n", manifest.steps.size(),
              manifest.kernels.size(), manifest.buffers.size());
  if (steps)
    for (size_t i = 0; i < manifest.steps.size(); ++i)
      std::printf("  %4zu  %-40s %s\n", i, manifest.steps[i].kernel.c_str(),
                  manifest.steps[i].label.c_str());
  return exitGood;
}

void addInspect(CLI::App &app, Action &action) {
  struct Arguments {
    std::string package;
    bool json = false, steps = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command =
      app.add_subcommand("inspect", "Show what a package holds");
  command->add_option("PACKAGE", arguments->package, "X.twp")->required();
  command->add_flag("--steps", arguments->steps, "List the steps");
  command->add_flag("--json", arguments->json, "Print the manifest");
  command->footer("Examples:\n"
                  "  tilewright inspect m.twp\n"
                  "  tilewright inspect m.twp --steps");
  command->callback([arguments, &action] {
    action = [arguments] {
      return inspect(arguments->package, arguments->json, arguments->steps);
    };
  });
}

} // namespace tilewright::tool
