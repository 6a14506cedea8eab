#include "tileir/authoring/construction/Handles.h"

using namespace mlir;

namespace tilewright::authoring {

using detail::Handle;
using detail::Handles;

/// "kernel 'a'", for the kernel that contains the value.
static std::string ownerOf(Region *region) {
  auto kernel = region->getParentOfType<tile::KernelOp>();
  return kernel ? "kernel '" + kernel.getName().str() + "'"
                : std::string("another kernel");
}

Value valueOf(KernelBuilder &c, Handle handle,
              const std::source_location &where) {
  if (c.hasFailed())
    return {};
  if (!handle.value) {
    c.error(where, "empty_value",
            "a value that was never made: it was declared without one, or "
            "computed where no kernel is built; make it inside " +
                ownerOf(&c.kernel.getRegion()));
    return {};
  }
  if (handle.kernelBuilder != c.id) {
    c.error(where, "foreign_handle",
            "a value of another kernel, or of an earlier build of this one, is "
            "used in " +
                ownerOf(&c.kernel.getRegion()) +
                "; make it anew in this one, or pass it as an argument");
    return {};
  }
  Value value = Value::getFromOpaquePointer(handle.value);
  Region *here = c.builder.getInsertionBlock()->getParent();
  Region *home = value.getParentRegion();
  if (home->isAncestor(here))
    return value;
  if (c.secondTrace.hasFirst(home->getParentOp())) {
    c.error(
        where, "loop_variable",
        "a variable is read here that the body of a loop or a reduction "
        "assigned in the iteration before; iterations share no variables of "
        "C++: pass the value to the loop, take it as an argument of the body "
        "and return the next one");
    return {};
  }
  c.error(where, "escaped_value",
          "a value made inside the body of a loop, a condition or a reduction "
          "is used outside of it; return it from the body");
  return {};
}

Handle handleOf(const KernelBuilder &c, Value value) {
  return {value.getAsOpaquePointer(), value ? c.id : 0};
}

Handles handlesOf(const KernelBuilder &c, ValueRange values) {
  Handles handles;
  for (Value value : values)
    handles.push_back(handleOf(c, value));
  return handles;
}

bool valuesOf(KernelBuilder &c, const Handles &handles,
              const std::source_location &where,
              SmallVectorImpl<Value> &values) {
  for (Handle handle : handles) {
    Value value = valueOf(c, handle, where);
    if (!value)
      return false;
    values.push_back(value);
  }
  return true;
}

} // namespace tilewright::authoring
