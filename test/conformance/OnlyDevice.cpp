// --device KIND runs the suite on this kind of device alone, which has to be
// there.
#include "Conformance.h"
#include "test/main/TestMain.h"

namespace tilewright::runtime::conformance {

std::string &onlyDevice() {
  static std::string kind;
  return kind;
}

[[maybe_unused]] static const bool isRegistered = [] {
  test::testMain().options["device"] = &onlyDevice();
  return true;
}();

} // namespace tilewright::runtime::conformance
