// ptxas as an oracle of PTX.
#ifndef TILEWRIGHT_TEST_PTXAS_PTXAS_H
#define TILEWRIGHT_TEST_PTXAS_PTXAS_H

#include <string>
#include <string_view>

namespace tilewright::test {

/// Whether ptxas is on this machine. A test without it says that it skips.
bool hasPtxas();

/// What ptxas said of a text.
struct Assembled {
  bool accepted = false;
  /// Its messages, with registers, spills and shared memory of each kernel.
  std::string log;
};

/// Assembles PTX for "sm_90a" or the like. Needs hasPtxas().
Assembled assemble(std::string_view ptx, std::string_view target);

/// What ptxas says against the PTX of one of very many kernels that are alike:
/// one in `n` is assembled, which its text decides. Empty if it is accepted, is
/// not one of them, or there is no ptxas.
std::string errorOfOneIn(unsigned n, std::string_view ptx,
                         std::string_view target);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_PTXAS_PTXAS_H
