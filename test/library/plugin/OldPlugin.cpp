// A plug-in for a version that is no more.
#include "tilewright/mlir/Registry.h"

extern "C" {
extern const tilewright::PluginAbi tilewrightPluginAbi;
const tilewright::PluginAbi tilewrightPluginAbi = {0, LLVM_VERSION_STRING};
void tilewrightPlugin(tilewright::Registry &, tilewright::Status &) {}
}
