// A plug-in for a version that is no more.
#include "tilewright/mlir/Registry.h"

extern "C" {
extern TILEWRIGHT_API const tilewright::PluginAbi tilewrightPluginAbi;
const tilewright::PluginAbi tilewrightPluginAbi = {0, LLVM_VERSION_STRING};
TILEWRIGHT_API void tilewrightPlugin(tilewright::Registry &,
                                     tilewright::Status &) {}
}
