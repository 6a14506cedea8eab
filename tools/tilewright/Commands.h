//===- Commands.h - The commands of tilewright ------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H

#include <CLI/CLI.hpp>
#include <functional>

namespace tilewright::tool {

/// Each adds its command to the parser; the callback stores what to do in
/// `action`, which returns the process's exit code.
using Action = std::function<int()>;
void addCompile(CLI::App &app, Action &action);
void addRun(CLI::App &app, Action &action);
void addInspect(CLI::App &app, Action &action);
void addMap(CLI::App &app, Action &action);
void addTune(CLI::App &app, Action &action);
void addVerify(CLI::App &app, Action &action);
void addDevices(CLI::App &app, Action &action);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H
