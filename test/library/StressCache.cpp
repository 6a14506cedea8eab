// stress cache PROCESSES SECONDS: processes read and write one cache that is
// too small for their entries, and are killed at any moment. Each read returns
// what was stored, and a cleaning removes all leftovers.
#include "test/library/Kernels.h"
#include "test/library/Stress.h"
#include "tilewright/compiler/Cache.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace tilewright::test {

static constexpr unsigned keys = 300;
static constexpr int wrongBytes = 3;

static CacheKey keyOf(unsigned number) {
  std::mt19937 random(number);
  CacheKey key;
  for (uint8_t &byte : key.bytes)
    byte = uint8_t(random());
  return key;
}

/// What is stored under a key: up to 200 kB, so that many a writer is killed in
/// the middle.
static std::string payloadOf(unsigned number) {
  std::mt19937_64 random(number);
  std::string bytes(random() % 200'000, '\0');
  for (size_t i = 0; i < bytes.size(); i += 64)
    bytes[i] = char(random());
  return bytes;
}

static std::shared_ptr<Cache> openCache(const std::filesystem::path &folder,
                                        int staleSeconds) {
  // A third of all entries fit.
  return *Cache::open({.directory = folder,
                       .maxBytes = 10'000'000,
                       .staleAfter = std::chrono::seconds(staleSeconds)});
}

int cacheWorker(const std::filesystem::path &folder, unsigned seed) {
  std::shared_ptr<Cache> cache = openCache(folder, /*staleSeconds=*/5);
  std::mt19937 random(seed);
  while (true) {
    unsigned number = random() % keys;
    std::string payload = payloadOf(number);
    std::optional<std::string> found = cache->lookup(keyOf(number));
    if (found && *found != payload)
      return wrongBytes;
    if (!found && !cache->store(keyOf(number), payload).ok())
      return wrongBytes + 1;
  }
}

static pid_t startWorker(const std::filesystem::path &folder, unsigned seed) {
  std::string path = folder, number = std::to_string(seed);
  const char *arguments[] = {"/proc/self/exe", "worker", path.c_str(),
                             number.c_str(), nullptr};
  pid_t process = -1;
  if (posix_spawn(&process, arguments[0], nullptr, nullptr,
                  const_cast<char **>(arguments), environ))
    return -1;
  return process;
}

/// Kills a process and returns how it ended: 0 by the signal, else its status.
static int endWorker(pid_t process) {
  ::kill(process, SIGKILL);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

namespace {
/// What is in the folder.
struct Count {
  size_t entries = 0, temporaries = 0, bad = 0;
};
} // namespace

/// Looks at each file; an entry must be whole.
static Count count(const TemporaryFolder &folder) {
  Count count;
  for (const std::filesystem::path &file : folder.files()) {
    bool isEntry = file.extension() == ".entry";
    count.entries += isEntry;
    count.temporaries += !isEntry;
  }
  auto reader = *Cache::open({.readOnlyLayers = {folder.path}});
  size_t whole = 0;
  for (unsigned number = 0; number < keys; ++number)
    if (auto found = reader->lookup(keyOf(number)))
      whole += *found == payloadOf(number);
  count.bad = count.entries - whole;
  return count;
}

int stressCache(unsigned processes, unsigned seconds) {
  TemporaryFolder folder;
  std::vector<pid_t> workers;
  unsigned seed = 1, killed = 0, wrong = 0;
  for (; seed <= processes; ++seed)
    workers.push_back(startWorker(folder.path, seed));
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::mt19937 random(1);
  while (std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 40));
    pid_t &victim = workers[random() % workers.size()];
    wrong += endWorker(victim) != 0;
    ++killed;
    victim = startWorker(folder.path, seed++);
  }
  for (pid_t worker : workers)
    wrong += endWorker(worker) != 0;
  Count before = count(folder);
  openCache(folder.path, /*staleSeconds=*/0)->clean();
  Count after = count(folder);
  std::printf("%u processes killed, %u ended by a fault; %zu entries, %zu bad, "
              "%zu unfinished, %zu of them after cleaning\n",
              killed, wrong, before.entries, before.bad + after.bad,
              before.temporaries, after.temporaries);
  return wrong || before.bad || after.bad || after.temporaries ||
                 !before.entries
             ? 1
             : 0;
}

} // namespace tilewright::test
