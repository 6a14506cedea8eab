#include "tilewright/c/tilewright.h"
#include "runtime/capi/Handles.h"
#include "support/Format.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"

using namespace tilewright;
using namespace tilewright::runtime;

static_assert(int(StatusCode::internal) == TW_INTERNAL &&
                  int(StatusCode::ioError) == TW_IO_ERROR,
              "the codes of the two interfaces agree");

static tw_status *wrap(const Status &status) {
  return makeStatusHandle(status);
}

const char *tw_version(void) { return TILEWRIGHT_VERSION; }

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

tw_status *tw_device_open(const char *name, unsigned threads,
                          tw_device **device) {
  return tw_device_open_printing(name, threads, nullptr, nullptr, device);
}
tw_status *tw_device_open_printing(const char *name, unsigned threads,
                                   tw_print_sink sink, void *context,
                                   tw_device **device) {
  Status status = checkArguments({{"name", name}, {"device", device}});
  if (!status.ok())
    return wrap(status);
  *device = nullptr;
  DeviceOptions options;
  options.threads = threads;
  if (sink)
    options.prints = [sink, context](std::string_view line) {
      sink(context, line.data(), line.size());
    };
  StatusOr<std::shared_ptr<Device>> opened = openDevice(name, options);
  if (!opened.ok())
    return wrap(opened.status());
  *device = new tw_device{*opened};
  return nullptr;
}
const char *tw_device_name(const tw_device *device) {
  return device->device->info().name.c_str();
}
const char *tw_device_description(const tw_device *device) {
  return device->device->info().description.c_str();
}
const char *tw_device_target(const tw_device *device, size_t index) {
  const std::vector<std::string> &targets = device->device->info().targets;
  return index < targets.size() ? targets[index].c_str() : nullptr;
}
void tw_device_free(tw_device *device) { delete device; }

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

static std::vector<TensorText>
describe(const std::vector<InterfaceTensor> &tensors) {
  std::vector<TensorText> result;
  for (const InterfaceTensor &tensor : tensors) {
    TensorText text{tensor.name, std::string(dtypeName(tensor.dtype)), {}};
    for (const Expression &size : tensor.shape)
      text.dims.push_back(size.str());
    result.push_back(std::move(text));
  }
  return result;
}

tw_status *tw_model_load(tw_device *device, const char *path,
                         tw_model **model) {
  Status status =
      checkArguments({{"device", device}, {"path", path}, {"model", model}});
  if (!status.ok())
    return wrap(status);
  *model = nullptr;
  auto loaded = Model::load(device->device, std::filesystem::path(path));
  if (!loaded.ok())
    return wrap(loaded.status());
  const PackageManifest &manifest = (*loaded)->manifest();
  *model = new tw_model{*loaded, describe(manifest.inputs),
                        describe(manifest.outputs), describe(manifest.states)};
  return nullptr;
}
void tw_model_free(tw_model *model) { delete model; }

static const char *nameOf(const std::vector<TensorText> &list, size_t index) {
  return index < list.size() ? list[index].name.c_str() : nullptr;
}
static const char *dtypeOf(const std::vector<TensorText> &list, size_t index) {
  return index < list.size() ? list[index].dtype.c_str() : nullptr;
}
static size_t rankOf(const std::vector<TensorText> &list, size_t index) {
  return index < list.size() ? list[index].dims.size() : 0;
}
static const char *dimOf(const std::vector<TensorText> &list, size_t index,
                         size_t dim) {
  return dim < rankOf(list, index) ? list[index].dims[dim].c_str() : nullptr;
}

size_t tw_model_input_count(const tw_model *model) {
  return model->inputs.size();
}
const char *tw_model_input_name(const tw_model *model, size_t index) {
  return nameOf(model->inputs, index);
}
const char *tw_model_input_dtype(const tw_model *model, size_t index) {
  return dtypeOf(model->inputs, index);
}
size_t tw_model_input_rank(const tw_model *model, size_t index) {
  return rankOf(model->inputs, index);
}
const char *tw_model_input_dim(const tw_model *model, size_t index,
                               size_t dim) {
  return dimOf(model->inputs, index, dim);
}
size_t tw_model_output_count(const tw_model *model) {
  return model->outputs.size();
}
const char *tw_model_output_name(const tw_model *model, size_t index) {
  return nameOf(model->outputs, index);
}
const char *tw_model_output_dtype(const tw_model *model, size_t index) {
  return dtypeOf(model->outputs, index);
}
size_t tw_model_output_rank(const tw_model *model, size_t index) {
  return rankOf(model->outputs, index);
}
const char *tw_model_output_dim(const tw_model *model, size_t index,
                                size_t dim) {
  return dimOf(model->outputs, index, dim);
}
size_t tw_model_state_count(const tw_model *model) {
  return model->states.size();
}
const char *tw_model_state_name(const tw_model *model, size_t index) {
  return nameOf(model->states, index);
}
const char *tw_model_state_dtype(const tw_model *model, size_t index) {
  return dtypeOf(model->states, index);
}
size_t tw_model_state_rank(const tw_model *model, size_t index) {
  return rankOf(model->states, index);
}
const char *tw_model_state_dim(const tw_model *model, size_t index,
                               size_t dim) {
  return dimOf(model->states, index, dim);
}
