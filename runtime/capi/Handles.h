// The objects behind the handles that several files of the C interface use.
#ifndef TILEWRIGHT_RUNTIME_CAPI_HANDLES_H
#define TILEWRIGHT_RUNTIME_CAPI_HANDLES_H

#include "runtime/capi/StatusHandle.h"
#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/Model.h"
#include <map>
#include <string>
#include <vector>

struct tw_device {
  std::shared_ptr<tilewright::runtime::Device> device;
};

namespace tilewright::runtime {
/// The strings that the interface returns for one input, output or state.
struct TensorText {
  std::string name;
  std::string dtype;
  std::vector<std::string> dims;
};
} // namespace tilewright::runtime

struct tw_model {
  std::shared_ptr<const tilewright::runtime::Model> model;
  std::vector<tilewright::runtime::TensorText> inputs, outputs, states;
};

#endif // TILEWRIGHT_RUNTIME_CAPI_HANDLES_H
