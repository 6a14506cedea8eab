//===- DeviceMemory.h - What the interpreter device allocates ---*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_DEVICE_DEVICEMEMORY_H
#define TILEWRIGHT_VERIFY_DEVICE_DEVICEMEMORY_H

#include "tileir/reference/Shadow.h"
#include "tilewright/runtime/Device.h"
#include "tilewright/support/Status.h"
#include "verify/threads/ErrorMemory.h"
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace tilewright::verify {

class DeviceMemory;

/// Host memory that tracks which of its bytes were written.
class Block {
public:
  /// Memory of which nothing was written. Errors where there is none.
  static StatusOr<std::shared_ptr<Block>> allocate(size_t bytes);

  [[nodiscard]] uint64_t address() const { return memory->address(); }
  [[nodiscard]] size_t size() const { return count; }
  /// The bytes, and the flags of reference::Memory.
  [[nodiscard]] std::span<uint8_t> bytes() const;
  [[nodiscard]] std::span<uint8_t> written() const {
    return {flags.get(), size()};
  }

  /// Copies between the host and [offset, offset + bytes).
  void write(size_t offset, const void *source, size_t bytes);
  void read(void *target, size_t offset, size_t bytes) const;
  /// Copies from a block; what was not written there was not here.
  void copy(size_t offset, const Block &source, size_t sourceOffset,
            size_t bytes);

  /// Programs may not write to it.
  bool readOnly = false;

private:
  struct Free {
    void operator()(uint8_t *flags) const { std::free(flags); }
  };
  std::shared_ptr<runtime::Buffer> memory;
  size_t count = 0;
  /// Fresh pages of zeros cost nothing until they are touched.
  std::unique_ptr<uint8_t[], Free> flags;
};

/// Memory of the interpreter device. The host accesses it only by copies, so
/// that its writes are tracked.
class BlockBuffer : public runtime::Buffer {
public:
  BlockBuffer(std::shared_ptr<Block> block,
              std::shared_ptr<DeviceMemory> memory)
      : block(std::move(block)), memory(std::move(memory)) {}
  [[nodiscard]] uint64_t address() const override { return block->address(); }
  [[nodiscard]] size_t size() const override { return block->size(); }
  [[nodiscard]] const runtime::MemorySpace *space() const override;

  const std::shared_ptr<Block> block;

private:
  std::shared_ptr<DeviceMemory> memory;
};

/// All blocks that live. Safe from many threads.
class DeviceMemory {
public:
  StatusOr<std::shared_ptr<Block>> allocate(size_t bytes);
  /// Memory that programs may only read: a copy, so that its bounds are those
  /// of no neighbour.
  StatusOr<std::shared_ptr<Block>>
  constant(std::span<const std::byte> contents);
  /// The blocks that live now.
  [[nodiscard]] std::vector<std::shared_ptr<Block>> snapshot();

  /// A part of a block is copied to the host. Used by the stream that runs, as
  /// what follows.
  void noteHostRead(const void *target, const Block &block, size_t offset,
                    size_t bytes);
  /// The launch of a kernel has written to blocks with no errors before it.
  void noteOwnErrors(const std::string &kernel,
                     std::span<const std::shared_ptr<Block>> written);
  /// Whether all bytes that were copied to this address of the host were
  /// written.
  [[nodiscard]] bool isWrittenOnHost(const void *host, size_t bytes) const;

  const runtime::MemorySpace space = {"interpreter"};
  /// What launches with freedom permit.
  const std::shared_ptr<reference::Shadow> shadow =
      std::make_shared<reference::Shadow>();
  /// The bounds of errors, of launches that ask for them.
  threads::ErrorMemory errors;
  /// Names of kernels, in order, where such launches ran.
  std::vector<std::string> launches;
  /// By launch: the kernel's name, and the greatest bound of its own errors.
  std::vector<std::pair<std::string, double>> ownErrors;
  reference::Undetermined undetermined;
  bool reachedLimit = false;

private:
  /// Addresses of the host at which a copy has no value: the first of each
  /// range, and the one behind it.
  std::map<uint64_t, uint64_t> unwrittenOnHost;
  std::mutex mutex;
  std::vector<std::weak_ptr<Block>> blocks;
};

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_DEVICE_DEVICEMEMORY_H
