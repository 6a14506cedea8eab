//===- MapCommand.cpp - tilewright map MODEL --machine M.json -o X.tws ----===//
#include "support/Format.h"
#include "tilewright/compiler/MapModel.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Usage.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

namespace tilewright::tool {

namespace {
struct MapArguments {
  std::string model, machine, output, precision;
  std::vector<std::string> shapes;
  int64_t chips = 1;
  uint64_t effort = 5, seed = 0;
  bool json = false, explains = false;
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

//===--- --explain --------------------------------------------------------===//

using nlohmann::ordered_json;

static ordered_json layoutJson(const MapLayout &layout) {
  ordered_json operands = ordered_json::array();
  for (const auto &[node, lies] : layout.operands)
    operands.push_back({{"node", node}, {"lies", lies}});
  return {{"shape", layout.shape},
          {"vectors", layout.vectors},
          {"lanes", layout.lanes},
          {"filled", layout.filled},
          {"operands", std::move(operands)}};
}

static void addExplanation(const MapModelReport &report, ordered_json &object) {
  object["inputs"] = ordered_json::array();
  for (const auto &[name, layout] : report.inputs) {
    object["inputs"].push_back(layoutJson(layout));
    object["inputs"].back()["name"] = name;
  }
  object["nodes"] = ordered_json::array();
  for (const MapNode &node : report.nodes) {
    ordered_json layouts = ordered_json::array();
    for (const MapLayout &layout : node.layouts)
      layouts.push_back(layoutJson(layout));
    object["nodes"].push_back({{"name", node.name},
                               {"begin", node.begin},
                               {"end", node.end},
                               {"cycles", node.end - node.begin},
                               {"lower_bound", node.lowerBound},
                               {"binds", node.binds},
                               {"instructions", node.instructions},
                               {"layouts", std::move(layouts)}});
  }
}

static std::string percent(double share) {
  return formatFixed(share * 100, 1) + " %";
}

/// "2x64x256 in 128 vectors, dimension 2 in lanes, 80.0 % full; in place: a".
static std::string describe(const MapLayout &layout) {
  std::string shape, text;
  for (int64_t size : layout.shape)
    shape += (shape.empty() ? "" : "x") + std::to_string(size);
  text = format("{} in {}, ", {shape.empty() ? "a scalar" : shape,
                               counted(layout.vectors, "vector")});
  std::vector<std::string> lanes;
  for (int64_t dimension : layout.lanes)
    lanes.push_back(std::to_string(dimension));
  text += lanes.empty() ? "one element in each"
                        : (lanes.size() == 1 ? "dimension " : "dimensions ") +
                              joined(lanes, " and ") + " in lanes";
  text += ", " + percent(layout.filled) + " full";
  for (const char *lies : {"in place", "in other lanes"}) {
    std::vector<std::string> nodes;
    for (const auto &[node, found] : layout.operands)
      if (found == lies && std::ranges::find(nodes, node) == nodes.end())
        nodes.push_back(node);
    if (!nodes.empty())
      text += std::string("; ") + lies + ": " + joined(nodes);
  }
  return text;
}

static void printNode(const MapNode &node, size_t width) {
  std::vector<std::string> instructions;
  for (const auto &[op, count] : node.instructions)
    instructions.push_back(formatCount(count) + " " + op);
  std::string line = "  " + alignedLeft(node.name, width);
  for (int64_t number :
       {node.begin, node.end, node.end - node.begin, node.lowerBound})
    line += alignedRight(formatCount(number), 11);
  std::puts(printable(format("{}  {} {}", {line, alignedLeft(node.binds, 6),
                                           joined(instructions)}))
                .c_str());
  for (const MapLayout &layout : node.layouts)
    std::puts(printable("      " + describe(layout)).c_str());
}

static void printExplanation(const MapModelReport &report) {
  for (const auto &[name, layout] : report.inputs)
    std::puts(printable("  input " + name + ": " + describe(layout)).c_str());
  size_t width = 4;
  for (const MapNode &node : report.nodes)
    width = std::max(width, std::min<size_t>(node.name.size(), 40));
  std::string title = "  " + alignedLeft("node", width);
  for (const char *column : {"begin", "end", "cycles", "at least"})
    title += alignedRight(column, 11);
  std::puts((title + "  binds  instructions").c_str());
  for (const MapNode &node : report.nodes)
    printNode(node, width);
}

//===--- The report -------------------------------------------------------===//

static void printJson(const MapModelReport &report, bool explains) {
  ordered_json result = {
      {"chips", report.chips},
      {"cycles", report.cycles},
      {"interval", report.cycles},
      {"lower_bound", report.lowerBound},
      {"schedules",
       {{"tried", report.schedules}, {"best", report.bestSchedule}}},
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
  if (explains)
    addExplanation(report, result);
  std::puts(result.dump(2).c_str());
}

/// "25 tried, number 24 is the shortest".
static std::string triesOf(const MapModelReport &report) {
  if (report.schedules == 1)
    return "one, without a search";
  return format("{} tried, number {} is the shortest",
                {formatCount(report.schedules), report.bestSchedule});
}

static void printText(const MapModelReport &report, const std::string &output) {
  std::string units;
  for (const auto &[kind, share] : report.units)
    units += (units.empty() ? "" : ", ") + kind + " " + percent(share);
  auto assumed = report.grades.find("assumed");
  std::puts(
      format(
          "{}: {} cycles, at least {} for this vector program (gap {})\n"
          "  schedules  {}\n"
          "  products   {} multiply-adds in {}, {} of the mxm's peak\n"
          "  units      {}\n"
          "  memory     {} MiB of constants, the chip has {}\n"
          "  the machine file has {} assumed numbers\n"
          "  import {} s, vectors {} s, schedule {} s, write {} s",
          {output, formatCount(report.cycles), formatCount(report.lowerBound),
           percent(gapOf(report)), triesOf(report), formatCount(report.macs),
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
  options.effort = static_cast<double>(arguments.effort);
  options.seed = arguments.seed;
  if (!arguments.precision.empty())
    options.precision = runtime::dtypeFromName(arguments.precision);
  StatusOr<std::map<std::string, std::vector<int64_t>>> shapes =
      parseShapes(arguments.shapes, OpenSizes::Rejected);
  if (!shapes.ok())
    return fail(shapes.status());
  options.inputShapes = *shapes;
  options.explains = arguments.explains;
  StatusOr<ModelSource> source = ModelSource::file(arguments.model);
  if (!source.ok())
    return fail(source.status());
  StatusOr<MapModelReport> report =
      mapModel(*source, arguments.output, options);
  if (!report.ok())
    return fail(report.status());
  if (arguments.json) {
    printJson(*report, arguments.explains);
    return exitGood;
  }
  printText(*report, arguments.output);
  if (arguments.explains)
    printExplanation(*report);
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
  command
      ->add_option("--effort", arguments->effort,
                   "Search for a shorter schedule for about so many seconds of "
                   "one core, counted in steps, so that the result is always "
                   "the same; 0: make one schedule")
      ->capture_default_str()
      ->check(wholeNumber(0));
  command
      ->add_option("--seed", arguments->seed,
                   "Of the search: another one tries other schedules")
      ->capture_default_str()
      ->check(wholeNumber(0));
  command->add_flag("--explain", arguments->explains,
                    "Say of each node when it runs, what binds it, and how its "
                    "tensors lie in vectors");
  command->add_flag("--json", arguments->json, "Machine-readable results");
  command->callback([arguments, &action] {
    action = [arguments] { return map(*arguments); };
  });
}

} // namespace tilewright::tool
