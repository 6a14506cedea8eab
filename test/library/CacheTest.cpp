// The store of bytes, alone: what is kept, what is rejected, what goes.
#include "tilewright/compiler/Cache.h"
#include "test/library/Kernels.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <sstream>
#include <sys/resource.h>

namespace fs = std::filesystem;
using namespace tilewright;
using namespace tilewright::test;

static CacheKey keyOf(uint8_t number) {
  CacheKey key;
  key.bytes.fill(number);
  return key;
}

static std::shared_ptr<Cache> openCache(CacheOptions options) {
  StatusOr<std::shared_ptr<Cache>> cache = Cache::open(std::move(options));
  REQUIRE(cache.ok());
  return *cache;
}

static std::string contentOf(const fs::path &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Makes a file look unused for so many seconds.
static void age(const fs::path &path, int seconds) {
  fs::last_write_time(path, fs::file_time_type::clock::now() -
                                std::chrono::seconds(seconds));
}

TEST_CASE("cache: what was stored is found, under its key only") {
  TemporaryFolder folder;
  auto cache = openCache({.directory = folder.path / "made" / "when used"});
  CHECK(!cache->lookup(keyOf(1)));
  CHECK(folder.files().empty());
  REQUIRE(cache->store(keyOf(1), "one").ok());
  REQUIRE(cache->store(keyOf(2), "").ok());
  CHECK(cache->lookup(keyOf(1)) == "one");
  CHECK(cache->lookup(keyOf(2)) == "");
  CHECK(!cache->lookup(keyOf(3)));
  REQUIRE(cache->store(keyOf(1), "another").ok());
  CHECK(cache->lookup(keyOf(1)) == "another");
  CHECK(folder.files().size() == 2);
}

TEST_CASE("cache: wrong options") {
  CHECK(Cache::open({}).status().message() ==
        "cache: expected a directory, found none");
  CHECK(Cache::open({.directory = "x", .maxBytes = 0}).status().message() ==
        "cache: expected a positive number of bytes to keep, found 0");
}

TEST_CASE("cache: damage in any place makes an entry missing") {
  TemporaryFolder folder;
  auto cache = openCache({.directory = folder.path});
  const std::string payload = "a payload of some bytes";
  REQUIRE(cache->store(keyOf(7), payload).ok());
  REQUIRE(folder.files().size() == 1);
  fs::path path = folder.files()[0];
  const std::string whole = contentOf(path);
  auto replace = [&](const std::string &bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  };
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = char(damaged[bit / 8] ^ (1 << bit % 8));
    replace(damaged);
    INFO("bit " << bit);
    CHECK(!cache->lookup(keyOf(7)));
  }
  for (size_t size = 0; size < whole.size(); ++size) {
    replace(whole.substr(0, size));
    INFO("cut to " << size);
    CHECK(!cache->lookup(keyOf(7)));
  }
  replace(whole + "x");
  CHECK(!cache->lookup(keyOf(7)));
}

TEST_CASE("cache: an entry under the name of another key is missing") {
  TemporaryFolder folder;
  auto cache = openCache({.directory = folder.path});
  REQUIRE(cache->store(keyOf(1), "one").ok());
  fs::path one = folder.files()[0];
  REQUIRE(cache->store(keyOf(2), "two").ok());
  fs::path two = folder.files()[1];
  fs::copy_file(one, two, fs::copy_options::overwrite_existing);
  CHECK(!cache->lookup(keyOf(2)));
  REQUIRE(cache->store(keyOf(2), "two").ok());
  CHECK(cache->lookup(keyOf(2)) == "two");
}

TEST_CASE("cache: the least recently used go first") {
  TemporaryFolder folder;
  const std::string payload(1000, 'x');
  // Ten entries of 1,064 bytes fit.
  auto cache = openCache({.directory = folder.path, .maxBytes = 10640});
  for (uint8_t i = 0; i < 10; ++i) {
    REQUIRE(cache->store(keyOf(i), payload).ok());
    age(folder.path / keyOf(i).text().substr(0, 2) /
            (keyOf(i).text().substr(2) + ".entry"),
        1000 - i);
  }
  REQUIRE(folder.files().size() == 10);
  // Use makes the oldest the youngest.
  CHECK(cache->lookup(keyOf(0)) == payload);
  REQUIRE(cache->store(keyOf(10), payload).ok());
  CHECK(cache->lookup(keyOf(0)));
  CHECK(!cache->lookup(keyOf(1)));
  CHECK(!cache->lookup(keyOf(2)));
  CHECK(cache->lookup(keyOf(3)));
  CHECK(cache->lookup(keyOf(10)));
  // Nine tenths are left.
  CHECK(folder.files().size() == 9);
  // One that alone is too large is not kept, and drives none out.
  REQUIRE(cache->store(keyOf(11), std::string(20000, 'y')).ok());
  CHECK(!cache->lookup(keyOf(11)));
  CHECK(folder.files().size() == 9);
}

TEST_CASE("cache: what unfinished writers left goes when it is old") {
  TemporaryFolder folder;
  auto cache = openCache({.directory = folder.path});
  REQUIRE(cache->store(keyOf(1), "one").ok());
  fs::path shard = folder.files()[0].parent_path();
  for (const char *name : {".writing-1-old", ".writing-1-new", "a stranger"})
    std::ofstream(shard / name) << "part";
  age(shard / ".writing-1-old", 700);
  age(shard / "a stranger", 700);
  cache->clean();
  CHECK(!fs::exists(shard / ".writing-1-old"));
  CHECK(fs::exists(shard / ".writing-1-new"));
  CHECK(fs::exists(shard / "a stranger"));
  CHECK(cache->lookup(keyOf(1)) == "one");
}

TEST_CASE("cache: layers are read and never written") {
  TemporaryFolder own, layer;
  REQUIRE(openCache({.directory = layer.path})->store(keyOf(1), "far").ok());
  age(layer.files()[0], 1000);
  auto before = fs::last_write_time(layer.files()[0]);
  auto cache =
      openCache({.directory = own.path, .readOnlyLayers = {layer.path}});
  CHECK(cache->lookup(keyOf(1)) == "far");
  CHECK(own.files().empty());
  REQUIRE(cache->store(keyOf(1), "near").ok());
  REQUIRE(cache->store(keyOf(2), "near").ok());
  CHECK(cache->lookup(keyOf(1)) == "near");
  CHECK(layer.files().size() == 1);
  CHECK(fs::last_write_time(layer.files()[0]) == before);
  // Layers alone keep nothing.
  auto reader = openCache({.readOnlyLayers = {layer.path}});
  CHECK(reader->store(keyOf(3), "nowhere").ok());
  CHECK(!reader->lookup(keyOf(3)));
}

TEST_CASE("cache: a folder that cannot be made, and one that is full") {
  TemporaryFolder folder;
  std::ofstream(folder.path / "file") << "not a folder";
  auto cache = openCache({.directory = folder.path / "file" / "cache"});
  CHECK(!cache->lookup(keyOf(1)));
  CHECK(cache->store(keyOf(1), "one").code() == StatusCode::ioError);

  // No file may grow above 100 bytes: as on a disk that is full.
  auto full = openCache({.directory = folder.path / "full"});
  rlimit before, little;
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  little = before;
  little.rlim_cur = 100;
  std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &little) == 0);
  Status stored = full->store(keyOf(1), std::string(1000, 'x'));
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(stored.code() == StatusCode::ioError);
  CHECK(!full->lookup(keyOf(1)));
  CHECK(folder.files() == std::vector{folder.path / "file"});
}
