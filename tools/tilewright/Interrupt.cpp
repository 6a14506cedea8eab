//===- Interrupt.cpp - Ctrl-C as a wish to stop ---------------------------===//
#include "tools/tilewright/Interrupt.h"

#include "support/Threads.h"
#include "tools/tilewright/Report.h"
#include <unistd.h>

namespace tilewright::tool {

Interrupt::Interrupt() {
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // Where nohup has it ignored, it stays ignored.
  struct sigaction hangUp;
  if (sigaction(SIGHUP, nullptr, &hangUp) == 0 && hangUp.sa_handler != SIG_IGN)
    sigaddset(&signals, SIGHUP);
  // Threads inherit it, so that no other one gets the signals.
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  StatusOr<std::jthread> started = startThread([this] { wait(); });
  // Without it, a signal ends the process as if nobody had asked for this.
  if (started.ok())
    thread = *std::move(started);
  else
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Interrupt::wait() {
  for (int signal = 0; sigwait(&signals, &signal) == 0;) {
    if (isOver)
      return;
    if (stop.stop_requested())
      ::_exit(exitStopped);
    stop.request_stop();
  }
}

Interrupt::~Interrupt() {
  if (!thread.joinable())
    return;
  isOver = true;
  pthread_kill(thread.native_handle(), SIGINT);
  thread.join();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace tilewright::tool
