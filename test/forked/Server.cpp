//===- Server.cpp - Starts a program many times, linked once --------------===//
//
// A library to preload (LD_PRELOAD) into a program that tests start very often:
// to load and link LLVM takes longer than most of what they then do. It stops
// the program before its main, takes command lines from the socket that is its
// standard input, and forks for each a process that runs main as if it had been
// started so. forked.py is the other side.
//
// A request has two files, the standard output and error, and as text, each
// with a zero behind it: the folder to run in and the arguments, the program's
// name first. The answers are the process's number, and when it ended its
// status as waitpid() has it; both are ints.
//
//===----------------------------------------------------------------------===//
#include <array>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {
using Main = int (*)(int, char **, char **);
using Start = int (*)(Main, int, char **, void (*)(), void (*)(), void (*)(),
                      void *);

Main programMain = nullptr;

constexpr int kSocket = STDIN_FILENO;

struct Request {
  std::string text;
  std::array<int, 2> files = {-1, -1};
};

/// False at the end of all requests.
bool receive(Request &request) {
  request.text.resize(1 << 17);
  iovec part = {request.text.data(), request.text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof request.files)> files;
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = files.data();
  message.msg_controllen = files.size();
  ssize_t size = recvmsg(kSocket, &message, MSG_CMSG_CLOEXEC);
  const cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (size <= 0 || !header || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
    return false;
  std::memcpy(request.files.data(), CMSG_DATA(header), sizeof request.files);
  request.text.resize(size);
  return true;
}

int runProgram(Request &request, char **environment) {
  std::vector<char *> words;
  for (size_t at = 0; at < request.text.size();
       at = request.text.find('\0', at) + 1)
    words.push_back(&request.text[at]);
  words.push_back(nullptr);
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (chdir(words[0]) != 0 || dup2(nothing, STDIN_FILENO) < 0 ||
      dup2(request.files[0], STDOUT_FILENO) < 0 ||
      dup2(request.files[1], STDERR_FILENO) < 0)
    _exit(127);
  close(nothing);
  for (int file : request.files)
    close(file);
  return programMain(static_cast<int>(words.size()) - 2, words.data() + 1,
                     environment);
}

bool answer(int number) {
  return send(kSocket, &number, sizeof number, MSG_NOSIGNAL) == sizeof number;
}

int serve(int, char **, char **environment) {
  unsetenv("LD_PRELOAD");
  unsetenv("LD_BIND_NOW");
  Request request;
  while (receive(request)) {
    pid_t child = fork();
    if (child == 0)
      return runProgram(request, environment);
    for (int file : request.files)
      close(file);
    int status = 0;
    if (child < 0 || !answer(child) || waitpid(child, &status, 0) != child ||
        !answer(status))
      break;
  }
  _exit(0);
}
} // namespace

/// Takes the place of the C library's, which calls main.
extern "C" int __libc_start_main(Main main, int count, char **words,
                                 void (*init)(), void (*fini)(),
                                 void (*unload)(), void *stackEnd) {
  programMain = main;
  auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(serve, count, words, init, fini, unload, stackEnd);
}
