//===- Devices.cpp - tilewright devices -----------------------------------===//
#include "runtime/core/DeviceRegistry.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Report.h"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

namespace tilewright::tool {

static int listDevices(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string &kind : runtime::DeviceRegistry::builtin().kinds()) {
    StatusOr<std::shared_ptr<runtime::Device>> device =
        runtime::openDevice(kind);
    std::string text =
        device.ok() ? (*device)->info().description : device.status().message();
    list.push_back(
        {{"device", kind}, {"available", device.ok()}, {"text", text}});
    if (!json)
      std::cout << kind << "  " << text << "\n";
  }
  if (json)
    std::cout << list.dump(2) << "\n";
  return exitGood;
}

void addDevices(CLI::App &app, Action &action) {
  auto json = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand("devices", "List the devices");
  command->add_flag("--json", *json, "Machine-readable results");
  command->footer("Example:\n  tilewright devices");
  command->callback(
      [json, &action] { action = [json] { return listDevices(*json); }; });
}

} // namespace tilewright::tool
