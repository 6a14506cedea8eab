// Layouts as text: printed as their columns, and read again.
#include "codegen/layout/Layout.h"
#include "codegen/layout/Text.h"
#include "targets/Target.h"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StatusOr<layout::Layout> found = layout::parse(fuzz::textOf(data, size));
  if (!found.ok())
    return 0;
  const std::string printed = layout::print(*found);
  StatusOr<layout::Layout> again = layout::parse(printed);
  fuzz::require(again.ok(), "a printed layout is read",
                again.status().message());
  fuzz::require(*again == *found && again->hash() == found->hash(),
                "parse(print(layout)) is equal", printed);
  // Its first element has one owner, from which it is found again.
  const layout::Dims first(found->rank(), 0);
  const layout::HardwareIndex owner = found->invert(first);
  fuzz::require(found->apply(owner) == first && found->isOwner(owner),
                "the owner of an element holds it", printed);
  return 0;
}
