//===- Devices.cpp - tilewright devices -----------------------------------===//
#include "support/Format.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Report.h"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

namespace tilewright::tool {

/// A line of the list: a device, or why there is none.
static nlohmann::ordered_json
describe(const std::string &name,
         const StatusOr<std::shared_ptr<runtime::Device>> &device) {
  return {{"device", name},
          {"available", device.ok()},
          {"text", device.ok() ? (*device)->info().description
                               : device.status().message()}};
}

static int listDevices(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string &kind : runtime::DeviceRegistry::builtin().kinds()) {
    // Several devices of a kind have a line each, with the full name.
    auto first = runtime::openDevice(kind);
    list.push_back(describe(first.ok() ? (*first)->info().name : kind, first));
    for (unsigned i = 1; first.ok(); ++i) {
      std::string name = format("{}:{}", {kind, i});
      auto next = runtime::openDevice(name);
      if (!next.ok() && next.status().code() == StatusCode::notFound)
        break;
      list.push_back(describe(name, next));
    }
  }
  if (json) {
    printObject(list);
    return exitGood;
  }
  for (const nlohmann::ordered_json &entry : list)
    std::cout << entry["device"].get<std::string>() << "  "
              << entry["text"].get<std::string>() << "\n";
  return exitGood;
}

void addDevices(CLI::App &app, Action &action) {
  auto json = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand("devices", "List the devices");
  command->add_flag("--json", *json, "Machine-readable results");
  command->callback(
      [json, &action] { action = [json] { return listDevices(*json); }; });
}

} // namespace tilewright::tool
