#include "runtime/cpu/ElfLoader.h"
#include "TestPackage.h"
#include "runtime/cpu/ElfRelocations.h"
#include "runtime/cpu/HostSymbols.h"
#include "runtime/cpu/SmallFloats.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

using namespace tilewright;
using namespace tilewright::runtime;

/// Calls of loaded code, which has no tags for the function sanitizer.
template <typename Result, typename... Arguments>
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static Result call(const ElfImage &image, const char *name,
                   Arguments... arguments) {
  auto address = image.function(name);
  INFO(name);
  REQUIRE(address);
  return reinterpret_cast<Result (*)(Arguments...)>(*address)(arguments...);
}

static std::shared_ptr<const ElfImage> load(const std::string &object,
                                            const ElfOptions &options = {}) {
  auto image = ElfImage::load(asBytes(object), options);
  INFO(image.status().message());
  REQUIRE(image.ok());
  return *image;
}

static std::string error(const std::string &object,
                         const ElfOptions &options = {}) {
  auto image = ElfImage::load(asBytes(object), options);
  REQUIRE_FALSE(image.ok());
  return image.status().message();
}

TEST_CASE("loaded code runs: constants, tables, data and calls") {
  for (const char *object : {"relocations", "relocations_debug"}) {
    INFO(object);
    auto image = load(objectBytes(object));
    CHECK(call<double>(*image, "circle", 2.0) == 3.14159265358979 * 2 * 2);
    CHECK(std::string(call<const char *>(*image, "greeting")) == "hello tile");
    CHECK(call<int>(*image, "getVisible", 2) == 30);
    CHECK(call<int64_t>(*image, "count") == 1001);
    CHECK(call<int64_t>(*image, "count") == 1002);
    CHECK(call<int>(*image, "callTable", 0, 21) == 42);
    CHECK(call<int>(*image, "callTable", 1, 21) == -21);
    CHECK(call<int>(*image, "pick", 4) == 1234);
    CHECK(call<int>(*image, "pick", 100) == 0);
    CHECK(std::string(call<const char *>(*image, "name", 3)) == "three");
    CHECK(std::string(call<const char *>(*image, "name", 9)) == "many");
    CHECK(call<float>(*image, "callMath", 0.5f) == expf(0.5f) + tanhf(0.5f));
    CHECK(call<int>(*image, "outer", 1) == 4 * 5);
    char target[6] = {};
    call<void>(*image, "copyBytes", &target[0], "abcde", int64_t(5));
    CHECK(std::string(target) == "abcde");
    CHECK_FALSE(image->function("nothing"));
    CHECK_FALSE(image->function("visible"));
    CHECK(image->symbol("visible"));
  }
}

TEST_CASE("two copies of an object have data of their own") {
  auto one = load(objectBytes("relocations"));
  auto two = load(objectBytes("relocations"));
  CHECK(call<int64_t>(*one, "count") == 1001);
  CHECK(call<int64_t>(*two, "count") == 1001);
}

TEST_CASE("compiler helpers convert small floats with the right convention") {
  auto image = load(objectBytes("small_floats"));
  for (float x : {0.0f, 1.0f, -2.5f, 65504.0f, 65520.0f, 1e-7f, 5.96e-8f,
                  1.0009765f, 3.1415926f, -1e30f}) {
    INFO(x);
    CHECK(call<uint16_t>(*image, "halfOfFloat", x) == halfFromDouble(x));
    CHECK(call<uint16_t>(*image, "halfOfDouble", double(x) * 1.0000001) ==
          halfFromDouble(double(x) * 1.0000001));
    CHECK(call<uint16_t>(*image, "bfloatOfFloat", x) == bfloatFromDouble(x));
  }
  for (unsigned bits = 0; bits < 0x7c00; bits += 37)
    CHECK(call<float>(*image, "floatOfHalf", uint16_t(bits)) ==
          floatFromHalf(uint16_t(bits)));
}

TEST_CASE("far functions are reached through stubs") {
  // Addresses out of range of 32-bit distances, which are never called.
  ElfOptions far;
  far.resolver = [](std::string_view) -> std::optional<uint64_t> {
    return 0x123456789abcull;
  };
  auto image = load(objectBytes("relocations"), far);
  CHECK(call<int>(*image, "outer", 1) == 20);
  CHECK(call<uint64_t>(*image, "getFmod") == 0x123456789abcull);
}

TEST_CASE("unknown symbols are all named") {
  CHECK(error(objectBytes("unknown_symbol")) ==
        "the object needs symbols that the runtime does not offer: "
        "never_seen, unheard_of");
}

TEST_CASE("what is not supported says so") {
  CHECK(error(objectBytes("thread_local")).find("thread-local") !=
        std::string::npos);
  CHECK(error(objectBytes("common")).find("common symbol 'value'") !=
        std::string::npos);
  CHECK(error(objectBytes("initializer")).find("static initializers") !=
        std::string::npos);
  CHECK(error("no object at all") == "not an ELF object");
  std::string twice = objectBytes("relocations");
  twice.replace(twice.find(std::string("\0outer\0", 7)) + 1, 5, "count");
  CHECK(error(twice) == "corrupted object: symbol 'count' is defined twice");
  std::string object = objectBytes("relocations");
  object[16] = 3; // e_type: a shared library.
  CHECK(error(object).find("expected a relocatable ELF object") !=
        std::string::npos);
  object = objectBytes("relocations");
  object[18] = 8; // e_machine: MIPS.
  CHECK(error(object).find("found ELF machine 8") != std::string::npos);
  object = objectBytes("relocations");
  object[4] = 1; // 32 bits.
  CHECK(error(object).find("64-bit little-endian") != std::string::npos);
}

TEST_CASE("an object cut anywhere is an error, never a crash") {
  for (const char *name : {"relocations", "small_floats"}) {
    std::string object = objectBytes(name);
    for (size_t length = 0; length < object.size(); ++length) {
      auto image = ElfImage::load(asBytes(object.substr(0, length)));
      if (image.ok())
        FAIL(name << " loads with " << length << " of " << object.size());
    }
  }
}

TEST_CASE("a damaged object is loaded or rejected, never a crash") {
  // The code is not called: it may be damaged where nobody can see it.
  std::string good = objectBytes("relocations");
  for (unsigned seed = 0; seed < 20000; ++seed) {
    std::mt19937 random(seed);
    std::string object = good;
    for (unsigned i = 0; i <= random() % 4; ++i) {
      // Half of the damage goes where the structure is.
      size_t range = random() % 2 ? 64 : object.size();
      size_t at = random() % range;
      object[random() % 2 ? at : object.size() - 1 - at] = char(random());
    }
    (void)ElfImage::load(asBytes(object));
  }
}

TEST_CASE("the table of host functions has each name once, and its address") {
  for (std::string_view name : hostSymbolNames()) {
    INFO(name);
    CHECK(hostSymbol(name).value_or(0) != 0);
  }
  CHECK(hostSymbol("expf") ==
        reinterpret_cast<uint64_t>(static_cast<float (*)(float)>(&::expf)));
  CHECK_FALSE(hostSymbol("system"));
  CHECK_FALSE(hostSymbol(""));
}

#ifdef TEST_HAS_CROSS_OBJECTS

static ElfOptions forMachine(ElfMachine machine, uint64_t external) {
  ElfOptions options;
  options.machine = machine;
  options.resolver = [=](std::string_view) { return external; };
  return options;
}

static uint64_t wordAt(uint64_t address) {
  uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void *>(address), 8);
  return word;
}

TEST_CASE("another machine's object is rejected") {
  ElfMachine other = hostMachine() == ElfMachine::x86_64 ? ElfMachine::aarch64
                                                         : ElfMachine::x86_64;
  std::string object =
      objectBytes(other == ElfMachine::aarch64 ? "aarch64_sites" : "x86_more");
  CHECK(error(object).find("this machine is") != std::string::npos);
}

TEST_CASE("x86-64: absolute 32-bit addresses are rejected") {
  std::string message =
      error(objectBytes("x86_absolute"), forMachine(ElfMachine::x86_64, 0));
  INFO(message);
  CHECK(message.find("R_X86_64_32 does not reach") != std::string::npos);
  CHECK(message.find("-fPIC") != std::string::npos);
}

TEST_CASE("x86-64: 64-bit relocations and stubs are right") {
  constexpr uint64_t external = 0x7000000000001234;
  auto image =
      load(objectBytes("x86_more"), forMachine(ElfMachine::x86_64, external));
  uint64_t value = *image->symbol("value");
  CHECK(wordAt(*image->symbol("here")) == value - *image->symbol("here"));
  CHECK(wordAt(*image->symbol("pointer")) == value + 8);
  // far: e9 and the distance to the stub, which is ff 25 02 00 00 00 cc cc
  // and the address.
  uint64_t far = *image->function("far");
  CHECK((wordAt(far) & 0xff) == 0xe9);
  uint64_t stub = far + 5 + uint64_t(int64_t(int32_t(wordAt(far) >> 8)));
  CHECK(wordAt(stub) == 0xcccc0000000225ff);
  CHECK(wordAt(stub + 8) == external);
}

/// The target of adrp at `address`, as the Arm manual decodes it.
static uint64_t decodeAdrp(uint64_t address) {
  auto instruction = uint32_t(wordAt(address));
  REQUIRE((instruction & 0x9f000000) == 0x90000000);
  uint64_t immediate = (instruction >> 29 & 3) | (instruction >> 5 & 0x7ffff)
                                                     << 2;
  auto pages = int64_t(immediate << 43) >> 43; // 21 bits, signed.
  return (address & ~uint64_t{0xfff}) + uint64_t(pages * 4096);
}

static uint64_t decodeImmediate12(uint64_t address, unsigned scale) {
  return uint64_t(uint32_t(wordAt(address)) >> 10 & 0xfff) << scale;
}

static uint64_t decodeBranch(uint64_t address) {
  auto distance = int32_t(uint32_t(wordAt(address)) << 6) >> 4;
  return address + uint64_t(int64_t(distance));
}

TEST_CASE("AArch64: each relocation is right") {
  constexpr uint64_t external = 0x7000000000001234;
  auto image = load(objectBytes("aarch64_sites"),
                    forMachine(ElfMachine::aarch64, external));
  uint64_t sites = *image->function("sites");
  uint64_t value = *image->symbol("value");
  uint64_t page = value & ~uint64_t{0xfff}, low = value & 0xfff;
  CHECK(decodeAdrp(sites) == page);
  CHECK(decodeImmediate12(sites + 4, 0) == low);
  CHECK(decodeImmediate12(sites + 8, 0) == low);
  CHECK(decodeImmediate12(sites + 12, 1) == low);
  CHECK(decodeImmediate12(sites + 16, 2) == low);
  CHECK(decodeImmediate12(sites + 20, 3) == low);
  CHECK(decodeImmediate12(sites + 24, 4) == low);
  uint64_t slot = decodeAdrp(sites + 28) + decodeImmediate12(sites + 32, 3);
  CHECK(wordAt(slot) == value);
  CHECK(decodeBranch(sites + 36) == *image->function("local"));
  uint64_t stub = decodeBranch(sites + 40);
  CHECK(wordAt(stub) == 0xd61f020058000050); // ldr x16, #8; br x16
  CHECK(wordAt(stub + 8) == external);
  uint64_t numbers = *image->symbol("numbers");
  CHECK(wordAt(numbers) == value + 16);
  CHECK(wordAt(numbers + 8) == value - (numbers + 8));
  CHECK(int32_t(wordAt(numbers + 16)) == int64_t(value - (numbers + 16)));
}

#endif // TEST_HAS_CROSS_OBJECTS
