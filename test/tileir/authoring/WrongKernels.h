// Kernels with one mistake each, in groups.
//
// The line with the mistake ends in a comment that holds the code of the
// diagnostic: the test looks there for it.
#pragma once

#include "tilewright/authoring.h"

namespace tilewright::test {

struct WrongKernel {
  /// What is wrong; unique in its group.
  std::string name;
  authoring::Kernel kernel;
  authoring::Bindings bindings;
};
class WrongKernels : public std::vector<WrongKernel> {
public:
  void add(std::string name, authoring::Kernel kernel) {
    push_back({std::move(name), std::move(kernel), {}});
  }
  /// Of a kernel called 'k'.
  template <class F>
  void add(std::string name, F function, authoring::Bindings bindings = {},
           std::source_location where = std::source_location::current()) {
    push_back({std::move(name), authoring::kernel("k", function, where),
               std::move(bindings)});
  }
};
WrongKernels joined(std::initializer_list<WrongKernels> parts);

WrongKernels wrongShapes();
WrongKernels wrongElements();
WrongKernels wrongMemory();
WrongKernels wrongControl();
WrongKernels wrongPrograms();

} // namespace tilewright::test
