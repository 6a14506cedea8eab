#include "runtime/cpu/ThreadPool.h"
#include "runtime/abi/Chunks.h"
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <mutex>
#include <set>
#include <sys/resource.h>
#include <thread>
#include <vector>

using namespace tilewright;
using namespace tilewright::runtime;

namespace {
struct Counts {
  explicit Counts(int64_t size) : times(size_t(size)) {}
  std::vector<std::atomic<int>> times;
};
} // namespace

/// Counts each item and uses the scratch memory.
static void countItems(const void *context, int64_t first, int64_t last,
                       void *scratch) {
  auto &counts = *static_cast<Counts *>(const_cast<void *>(context));
  std::memset(scratch, int(first), 256);
  for (int64_t i = first; i < last; ++i)
    ++counts.times[size_t(i)];
}

static bool eachOnce(const Counts &counts) {
  for (const auto &times : counts.times)
    if (times != 1)
      return false;
  return true;
}

TEST_CASE("each item is done once, for any number of threads and items") {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    auto pool = *ThreadPool::create(threads);
    CHECK(pool->threads() == threads);
    Scratch scratch;
    for (int64_t count : {0, 1, 2, 7, 31, 32, 33, 1000, 4097})
      for (int repeat = 0; repeat < 20; ++repeat) {
        Counts counts(count);
        REQUIRE(pool->run(count, 256, countItems, &counts, scratch).ok());
        INFO(threads << " threads, " << count << " items");
        REQUIRE(eachOnce(counts));
      }
  }
}

namespace {
/// Which threads came, and the largest piece that one got at once.
struct Visits {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  int64_t items = 0, largest = 0;
};
} // namespace

static void noteVisit(const void *context, int64_t first, int64_t last,
                      void *) {
  auto &visits = *static_cast<Visits *>(const_cast<void *>(context));
  // Long enough for all threads to come.
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::lock_guard lock(visits.mutex);
  visits.threads.insert(std::this_thread::get_id());
  visits.items += last - first;
  visits.largest = std::max(visits.largest, last - first);
}

TEST_CASE("a launch says how many items are a chunk, and how many threads") {
  auto pool = *ThreadPool::create(4);
  Scratch scratch;
  for (auto [chunk, threads] : {std::pair<int64_t, int64_t>{0, 0},
                                {1, 2},
                                {3, 3},
                                {7, 0},
                                {5, 1},
                                {1000, 9}})
    for (int repeat = 0; repeat < 3; ++repeat) {
      INFO("chunk " << chunk << ", threads " << threads);
      Visits visits;
      REQUIRE(
          pool->run(40, 0, noteVisit, &visits, scratch, {chunk, threads}).ok());
      CHECK(visits.items == 40);
      int64_t most = threads == 1 || chunk >= 40 ? 1
                     : threads == 0              ? 4
                                                 : threads;
      CHECK(int64_t(visits.threads.size()) <= most);
      if (most > 1)
        CHECK(visits.largest == (chunk ? chunk : 40 / (4 * most)));
      else
        CHECK(visits.largest == 40);
    }
}

TEST_CASE("chunks are a quarter of a share, or less for equal shares") {
  CHECK(defaultChunk(1, 2) == 1);
  CHECK(defaultChunk(7, 2) == 1);
  CHECK(defaultChunk(40, 4) == 2);
  CHECK(defaultChunk(1000, 1) == 250);
  // Of 10 chunks of 3, one is a single program: 15 and 13 programs.
  CHECK(longestShare(28, 3, 2) == 15);
  CHECK(longestShare(28, 2, 2) == 14);
  CHECK(defaultChunk(28, 2) == 2);
  // No chunk makes them more equal than the largest does.
  CHECK(longestShare(29, 3, 2) == 15);
  CHECK(defaultChunk(29, 2) == 3);
  CHECK(longestShare(5, 8, 2) == 5);
}

TEST_CASE("many callers share a pool") {
  auto pool = *ThreadPool::create(3);
  std::atomic<bool> good = true;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      Scratch scratch;
      for (int repeat = 0; repeat < 300; ++repeat) {
        Counts counts(100 + repeat);
        if (!pool->run(100 + repeat, 256, countItems, &counts, scratch).ok() ||
            !eachOnce(counts))
          good = false;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  CHECK(good);
}

TEST_CASE("sleeping threads wake up") {
  auto pool = *ThreadPool::create(2);
  Scratch scratch;
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    Counts counts(64);
    REQUIRE(pool->run(64, 256, countItems, &counts, scratch).ok());
    CHECK(eachOnce(counts));
  }
}

TEST_CASE("scratch that cannot be had is an error") {
  auto pool = *ThreadPool::create(1);
  Scratch scratch;
  Counts counts(1);
  Status status = pool->run(1, size_t{1} << 62, countItems, &counts, scratch);
  CHECK(status.code() == StatusCode::resourceExhausted);
}

// A sanitizer needs more address space than any limit allows.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TILEWRIGHT_SANITIZED
#endif
#endif
#ifndef TILEWRIGHT_SANITIZED
TEST_CASE("threads that the system does not start are an error") {
  // Each takes some MiB of addresses for its stack.
  rlimit before;
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  rlimit little = before;
  little.rlim_cur = size_t{2} << 30;
  REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
  StatusOr<std::shared_ptr<ThreadPool>> pool = ThreadPool::create(4096);
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  REQUIRE(pool.status().code() == StatusCode::resourceExhausted);
  CHECK(pool.status().message().find("threads, expected 4096: ") !=
        std::string::npos);
  CHECK(ThreadPool::create(4).ok());
}
#endif
