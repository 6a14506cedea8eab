// Which threads of a launch touch which bytes of global memory, from the
// emulator.
#ifndef TILEWRIGHT_TEST_CODEGEN_TILEGPU_ACCESSLOG_H
#define TILEWRIGHT_TEST_CODEGEN_TILEGPU_ACCESSLOG_H

#include "runtime/emulator/counters/Traits.h"
#include <map>
#include <string>
#include <vector>

namespace tilewright::test {

/// The accesses to global memory of one launch on one host thread. Set before
/// the launch, which it must outlive.
class AccessLog : public emulator::Observer {
public:
  explicit AccessLog(emulator::Launch &launch);

  /// Two threads that touch one byte, at least one of which writes it, with no
  /// barrier of a block between them; "" if there are none.
  [[nodiscard]] std::string conflict() const;
  /// Bytes that were touched.
  [[nodiscard]] size_t size() const { return touches.size(); }

  void begins(emulator::Warp &warp, const emulator::Instruction &in) override;
  void ends(emulator::Warp &, const emulator::Instruction &,
            uint32_t) override {}
  void copies(emulator::Warp &, const emulator::Instruction &,
              emulator::DataPath, uint64_t, uint64_t) override {}

private:
  struct Touch {
    uint32_t block, thread;
    /// How many times the block's barrier 0 was completed before.
    uint64_t phase;
    bool writes;
    auto operator<=>(const Touch &) const = default;
  };

  const emulator::Program &program;
  std::vector<std::vector<emulator::Traits>> traits;
  std::map<uint64_t, std::vector<Touch>> touches;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_CODEGEN_TILEGPU_ACCESSLOG_H
