//===- Interrupt.h - Ctrl-C as a wish to stop -------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_INTERRUPT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_INTERRUPT_H

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace tilewright::tool {

/// During its lifetime, SIGINT, SIGTERM and SIGHUP request a stop, so that
/// nothing is left half written; a second one ends the process at once. Made
/// before the worker threads. Of one within another either gets a signal.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  [[nodiscard]] std::stop_token token() const { return stop.get_token(); }

private:
  void wait();

  std::stop_source stop;
  sigset_t signals, before;
  std::atomic<bool> isOver = false;
  std::jthread thread;
};

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_INTERRUPT_H
