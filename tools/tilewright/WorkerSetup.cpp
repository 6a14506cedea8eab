//===- WorkerSetup.cpp - The process in which schedules are tried ---------===//
#include "tools/tilewright/WorkerSetup.h"

#include "autotune/measure/WorkerMain.h"
#include "support/Threads.h"

#include <cerrno>
#include <new>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tilewright::tool {

static void endWithParent(int descriptor) {
  StatusOr<std::jthread> watch = startThread([descriptor] {
    pollfd events = {descriptor, POLLRDHUP, 0};
    while (::poll(&events, 1, -1) < 0 && errno == EINTR) {
    }
    ::_exit(0);
  });
  if (!watch.ok())
    ::_exit(autotune::workerOutOfMemory);
  watch->detach();
}

void setUpWorker(int descriptor, size_t memoryBytes) {
  endWithParent(descriptor);
  rlimit memory = {memoryBytes, memoryBytes}, core = {0, 0};
  ::setrlimit(RLIMIT_AS, &memory);
  ::setrlimit(RLIMIT_CORE, &core);
  std::set_new_handler([] { ::_exit(autotune::workerOutOfMemory); });
}

} // namespace tilewright::tool
