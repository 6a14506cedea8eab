// A small kernel and its launch on the emulator.
#ifndef TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_KERNEL_H
#define TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_KERNEL_H

#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/machine/Warp.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace instructions {

constexpr uint8_t parameterByte(unsigned index) {
  return uint8_t(7 * index + 131);
}

struct LaunchShape {
  uint32_t blocks = 1, threads = 32, cluster = 1;
  uint32_t dynamicShared = 0;
};

/// A file of PTX with the entry `probe(.param .u64 data, .param .align 32 .b8
/// bytes[64])`: the address of a buffer, and bytes by parameterByte().
class Kernel {
public:
  /// `body`: the text between the kernel's braces; `before`: before the kernel.
  explicit Kernel(const std::string &body, const std::string &before = "");
  /// The text that was loaded.
  [[nodiscard]] const std::string &text() const { return source; }
  /// Why it could not be loaded; empty if it was.
  [[nodiscard]] const std::string &error() const { return loadError; }
  [[nodiscard]] const tilewright::emulator::Program &program() const {
    return *loaded;
  }
  /// Runs it over `data`, in place. Returns the error, or nothing.
  std::string run(std::span<std::byte> data, const LaunchShape &shape);
  /// A launch that is to fail; its fault, or nullptr.
  std::unique_ptr<tilewright::emulator::Fault> fault(std::span<std::byte> data,
                                                     const LaunchShape &shape);

private:
  std::string source, loadError;
  tilewright::emulator::GlobalMemory memory;
  std::shared_ptr<tilewright::emulator::LoadedModule> module;
  std::shared_ptr<const tilewright::emulator::Program> loaded;
};

/// Runs a kernel over `data` and notes the instructions called `opcodes` in it
/// as tested. Fails the test if it does not load or run.
template <class T>
void runKernel(const std::string &body, std::vector<T> &data,
               const LaunchShape &shape, const std::string &opcodes,
               const std::string &before = "");
void runKernelOnBytes(const std::string &body, std::span<std::byte> data,
                      const LaunchShape &shape, const std::string &opcodes,
                      const std::string &before);
template <class T>
void runKernel(const std::string &body, std::vector<T> &data,
               const LaunchShape &shape, const std::string &opcodes,
               const std::string &before) {
  runKernelOnBytes(body, std::as_writable_bytes(std::span(data)), shape,
                   opcodes, before);
}

} // namespace instructions

#endif // TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_KERNEL_H
