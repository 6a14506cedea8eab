// Control of the fake CUDA driver by tests.
//
// The fake is a shared library with the functions of
// runtime/cuda/DriverSymbols.inc. It keeps device memory in host memory, runs
// each stream on a thread, and runs a kernel by calling host code of the same
// name. It checks what the real driver demands (a current context, live
// handles, ranges, sizes, states), and where the real driver may do one of two
// things, it does the one that is worse for the caller: a copy from pageable
// memory waits for its stream, host functions of all streams share one thread,
// new memory holds garbage.
#ifndef TILEWRIGHT_TEST_FAKE_DRIVER_FAKEDRIVER_H
#define TILEWRIGHT_TEST_FAKE_DRIVER_FAKEDRIVER_H

#include <cstddef>
#include <cstdint>

extern "C" {

/// What the machine looks like.
struct FakeMachine {
  int version = 12040;
  int devices = 1;
  int major = 9, minor = 0;
  int pools = 1, clusters = 1;
  int sharedOptIn = 232448;
  size_t memory = size_t{1} << 30;
};

/// A launch as host code sees it: parameters of 64 bits, blocks, threads in a
/// block, and dynamic shared memory of one block.
struct FakeLaunch {
  const uint64_t *words;
  unsigned grid[3];
  unsigned block;
  unsigned shared;
  unsigned cluster[3];
};
using FakeKernel = void (*)(const FakeLaunch *launch);

/// Forgets everything (objects that live are leaked) and sets up a machine.
void fakeReset(const FakeMachine *machine);
/// Makes call number `call` (from 1, counted from now) of `function` answer
/// `code`: a function that makes something makes nothing, one that destroys
/// something does so all the same.
void fakeFail(const char *function, int call, int code);
/// How often `function` was called since the last fakeReset or fakeFail.
int fakeCalls(const char *function);
/// Host code for a kernel; it replaces what was there.
void fakeKernel(const char *entry, FakeKernel code);
/// Makes the kernel fail with `code` (0: no more) when it runs.
void fakeFault(const char *entry, int code);
/// Rules that were broken, and objects that live, one a line; "" for none.
/// Valid until the next call. The library ends the process with status 66 if
/// there are any when it ends.
const char *fakeProblems();
}

#endif // TILEWRIGHT_TEST_FAKE_DRIVER_FAKEDRIVER_H
