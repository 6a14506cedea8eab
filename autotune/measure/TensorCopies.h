// The tensors of one task in a device's memory.
#ifndef TILEWRIGHT_AUTOTUNE_MEASURE_TENSORCOPIES_H
#define TILEWRIGHT_AUTOTUNE_MEASURE_TENSORCOPIES_H

#include "autotune/task/Task.h"
#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/Launch.h"
#include <memory>
#include <vector>

namespace tilewright::autotune {

/// A tensor on the device, `shift` bytes behind the start of its buffer.
struct ShiftedBuffer {
  std::shared_ptr<runtime::Buffer> buffer;
  size_t shift = 0;
};

/// All tensors of a task. Each has another offset in its page: large buffers
/// begin at the same one, so that elements of equal index conflict in
/// processors that compare only the low bits of addresses.
using TensorCopy = std::vector<ShiftedBuffer>;

/// One or more copies of a task's tensors, all with the same contents.
class TensorCopies {
public:
  TensorCopies() = default;
  /// At least `coldBytes` of copies, but no more than 63. Inputs are random by
  /// `seed`.
  static StatusOr<TensorCopies> make(runtime::Device &device,
                                     runtime::Stream &stream,
                                     const std::vector<TaskTensor> &tensors,
                                     uint64_t seed, size_t coldBytes);

  [[nodiscard]] const TensorCopy &first() const { return copies.front(); }
  /// The copies one after the other, over and over.
  const TensorCopy &next();

  /// Writes the first contents again.
  Status reset(runtime::Stream &stream, const TensorCopy &copy) const;
  /// The contents of the tensors that kernels of the task write.
  StatusOr<std::vector<runtime::HostTensor>>
  written(runtime::Stream &stream, const TensorCopy &copy) const;
  /// The tensor with that number as an argument of a kernel.
  [[nodiscard]] runtime::LaunchArgument view(const TensorCopy &copy,
                                             size_t number) const;

private:
  StatusOr<TensorCopy> makeCopy(runtime::Device &device) const;

  std::vector<TaskTensor> tensors;
  std::vector<runtime::HostTensor> initial;
  std::vector<TensorCopy> copies;
  size_t nextCopy = 0;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_MEASURE_TENSORCOPIES_H
