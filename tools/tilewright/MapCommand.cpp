//===- MapCommand.cpp - tilewright map MODEL --machine M.json -o X.tws ----===//
#include "support/Format.h"
#include "tilewright/compiler/MapModel.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Usage.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

namespace tilewright::tool {

namespace {
struct MapArguments {
  std::string model, machine, output, precision;
  std::vector<std::string> shapes;
  int64_t chips = 1;
  bool json = false;
};
} // namespace

static double gapOf(const MapModelReport &report) {
  return static_cast<double>(report.cycles) /
             static_cast<double>(std::max<int64_t>(report.lowerBound, 1)) -
         1;
}

static int64_t milliseconds(double seconds) {
  return static_cast<int64_t>(seconds * 1000 + 0.5);
}

static void printJson(const MapModelReport &report) {
  nlohmann::ordered_json result = {
      {"chips", report.chips},
      {"cycles", report.cycles},
      {"interval", report.cycles},
      {"lower_bound", report.lowerBound},
      {"macs", report.macs},
      {"mxm_utilization", report.mxmUtilization},
      {"units", report.units},
      {"memory",
       {{"constants", report.constantBytes}, {"chip", report.memoryBytes}}},
      {"gap", gapOf(report)},
      {"grades", report.grades},
      {"ms",
       {{"import", milliseconds(report.importSeconds)},
        {"vectors", milliseconds(report.vectorSeconds)},
        {"schedule", milliseconds(report.scheduleSeconds)},
        {"write", milliseconds(report.writeSeconds)}}}};
  std::puts(result.dump(2).c_str());
}

static std::string percent(double share) {
  return formatFixed(share * 100, 1) + " %";
}

static void printText(const MapModelReport &report, const std::string &output) {
  std::string units;
  for (const auto &[kind, share] : report.units)
    units += (units.empty() ? "" : ", ") + kind + " " + percent(share);
  auto assumed = report.grades.find("assumed");
  std::puts(
      format(
          "{}: {} cycles, at least {} for this vector program (gap {})\n"
          "  products   {} multiply-adds in {}, {} of the mxm's peak\n"
          "  units      {}\n"
          "  memory     {} MiB of constants, the chip has {}\n"
          "  the machine file has {} assumed numbers\n"
          "  import {} s, vectors {} s, schedule {} s, write {} s",
          {output, formatCount(report.cycles), formatCount(report.lowerBound),
           percent(gapOf(report)), formatCount(report.macs),
           std::string(runtime::dtypeName(report.precision)),
           percent(report.mxmUtilization), units,
           formatFixed(static_cast<double>(report.constantBytes) / 1048576, 1),
           formatFixed(static_cast<double>(report.memoryBytes) / 1048576, 1),
           assumed == report.grades.end() ? int64_t(0) : assumed->second,
           formatFixed(report.importSeconds, 2),
           formatFixed(report.vectorSeconds, 2),
           formatFixed(report.scheduleSeconds, 2),
           formatFixed(report.writeSeconds, 2)})
          .c_str());
}

static int map(const MapArguments &arguments) {
  MapModelOptions options;
  options.machine = arguments.machine;
  options.chips = arguments.chips;
  if (!arguments.precision.empty())
    options.precision = runtime::dtypeFromName(arguments.precision);
  StatusOr<std::map<std::string, std::vector<int64_t>>> shapes =
      parseShapes(arguments.shapes, OpenSizes::Rejected);
  if (!shapes.ok())
    return fail(shapes.status());
  options.inputShapes = *shapes;
  StatusOr<ModelSource> source = ModelSource::file(arguments.model);
  if (!source.ok())
    return fail(source.status());
  StatusOr<MapModelReport> report =
      mapModel(*source, arguments.output, options);
  if (!report.ok())
    return fail(report.status());
  if (arguments.json)
    printJson(*report);
  else
    printText(*report, arguments.output);
  return exitGood;
}

void addMap(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<MapArguments>();
  CLI::App *command = app.add_subcommand(
      "map", "Schedule a model on a machine, cycle by cycle");
  command
      ->add_option("MODEL", arguments->model,
                   ".onnx, .pt2 or graph-level "
                   ".mlir")
      ->required();
  command
      ->add_option("--machine", arguments->machine,
                   "The machine file, M.json (docs/spatial.md)")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "The schedule to write, X.tws")
      ->required();
  command
      ->add_option("--chips", arguments->chips,
                   "How many chips: 1, others are not supported")
      ->capture_default_str()
      ->check(wholeNumber(1));
  command
      ->add_option("--precision", arguments->precision,
                   "The type of the factors of products: f32, f16 or bf16; "
                   "default: the first one that the mxm multiplies")
      ->check(oneOf({"f32", "f16", "bf16"}));
  command
      ->add_option("--input-shape", arguments->shapes,
                   "Fix an input's shape: NAME=2x3x45x61")
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "Machine-readable results");
  command->callback([arguments, &action] {
    action = [arguments] { return map(*arguments); };
  });
}

} // namespace tilewright::tool
