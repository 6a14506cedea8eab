// Chooses the tables for this machine.
#include "runtime/emulator/program/Form.h"
#include "support/HostIsa.h"

namespace tilewright::emulator {

using Tables = std::span<const std::span<const Form>>;

namespace baseline {
Tables allForms();
}
#ifdef TILEWRIGHT_HAS_avx2
namespace avx2 {
Tables allForms();
}
#endif
#ifdef TILEWRIGHT_HAS_avx512
namespace avx512 {
Tables allForms();
}
#endif

static Tables tablesOf([[maybe_unused]] HostIsa isa) {
#ifdef TILEWRIGHT_HAS_avx512
  if (isa >= HostIsa::avx512)
    return avx512::allForms();
#endif
#ifdef TILEWRIGHT_HAS_avx2
  if (isa >= HostIsa::avx2)
    return avx2::allForms();
#endif
  return baseline::allForms();
}

const FormTable &FormTable::instance() {
  static const FormTable table(tablesOf(hostIsa()));
  return table;
}

} // namespace tilewright::emulator
