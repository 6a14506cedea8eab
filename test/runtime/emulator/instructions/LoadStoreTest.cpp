// Loads and stores: PTX sections 9.7.9.8 to 9.7.9.17.
#include "test/runtime/emulator/instructions/Coverage.h"
#include "test/runtime/emulator/instructions/Kernel.h"
#include "test/runtime/emulator/instructions/Values.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace instructions;

namespace {

/// Each thread has 64 bytes that are loaded from or stored to, and what its
/// registers hold: 8 slots of 16 bytes.
struct Record {
  uint8_t memory[64];
  uint8_t slots[8][16];
};
constexpr unsigned offset = 32; // of the access in the 64 bytes

struct Type {
  const char *name;
  unsigned bits;
  bool isSigned = false;
};
const Type types[] = {{"b8", 8},         {"b16", 16},       {"b32", 32},
                      {"b64", 64},       {"b128", 128},     {"u8", 8},
                      {"u16", 16},       {"u32", 32},       {"u64", 64},
                      {"s8", 8, true},   {"s16", 16, true}, {"s32", 32, true},
                      {"s64", 64, true}, {"f32", 32},       {"f64", 64}};

/// A space: how a thread's 64 bytes get there and back, and its address.
struct Space {
  /// As instructions write it; empty: a generic address.
  std::string name;
  /// Where generic addresses point to.
  std::string window;
  [[nodiscard]] const std::string &real() const {
    return name.empty() ? window : name;
  }
  [[nodiscard]] bool isReadOnly() const {
    return real() == "const" || real().starts_with("param");
  }
};

constexpr unsigned threads = 96;

std::string dotted(const std::string &name) {
  return name.empty() ? "" : "." + name;
}

/// Puts the address of the thread's 64 bytes in %p, for accesses to `space`.
std::string addressText(const Space &space) {
  const std::string &real = space.real();
  std::string text;
  if (real == "global")
    text = "mov.u64 %p, %base;\n";
  else if (real == "const")
    text = "mov.u64 %p, constants;\n";
  else if (real.starts_with("param"))
    text = "mov.u64 %p, bytes;\n";
  else if (real == "local")
    text = "mov.u64 %p, ours;\n";
  else
    text = "mov.u64 %p, cells;\nmul.wide.u32 %t, %thread, 64;\n"
           "add.u64 %p, %p, %t;\n";
  if (space.name.empty())
    text += "cvta." + real + ".u64 %p, %p;\n";
  return text;
}

/// Copies the 64 bytes between global memory and `space`.
std::string copyText(const Space &space, bool in) {
  const std::string &real = space.real();
  if (real == "global" || space.isReadOnly())
    return "";
  std::string text =
      "mov.u64 %c, " + std::string(real == "local" ? "ours" : "cells") + ";\n";
  if (real != "local")
    text += "mul.wide.u32 %t, %thread, 64;\nadd.u64 %c, %c, %t;\n";
  std::string where = real == "local" ? "local" : "shared";
  for (unsigned i = 0; i < 64; i += 8) {
    std::string at = "+" + std::to_string(i) + "]";
    text += in ? "ld.global.u64 %t, [%base" + at + ";\nst." + where +
                     ".u64 [%c" + at + ", %t;\n"
               : "ld." + where + ".u64 %t, [%c" + at +
                     ";\nst.global.u64 [%base" + at + ", %t;\n";
  }
  return text;
}

std::string constantBytes() {
  std::string list;
  for (unsigned i = 0; i < 64; ++i)
    list += (i ? ", " : "") + std::to_string(parameterByte(i));
  return list;
}

struct Access {
  /// `ld.global.v2.u8`: the whole name of the instruction.
  std::string instruction;
  Space space;
  Type type;
  unsigned width = 1;
  unsigned registerBits = 32;
  /// Behind the operands: `, %policy`.
  std::string tail = {};
};

std::string registers(const Access &access) {
  std::string list = "{";
  for (unsigned i = 0; i < access.width; ++i)
    list += (i ? ", %v" : "%v") + std::to_string(i);
  return access.width == 1 ? "%v0" : list + "}";
}

/// Moves register i to or from its slot.
std::string slotText(const Access &access, unsigned i, bool load) {
  std::string reg = "%v" + std::to_string(i);
  std::string at = "[%base+" + std::to_string(64 + 16 * i) + "]";
  if (access.registerBits == 128)
    return load ? "ld.global.v2.u64 {%t, %c}, " + at + ";\nmov.b128 " + reg +
                      ", {%t, %c};\n"
                : "mov.b128 {%t, %c}, " + reg + ";\nst.global.v2.u64 " + at +
                      ", {%t, %c};\n";
  std::string type = ".b" + std::to_string(access.registerBits) + " ";
  return load ? "ld.global" + type + reg + ", " + at + ";\n"
              : "st.global" + type + at + ", " + reg + ";\n";
}

/// Random bytes.
std::vector<Record> initial(const Access &access) {
  std::vector<Record> records(threads);
  Random random(hashOf(access.instruction));
  for (Record &record : records) {
    for (uint8_t &byte : record.memory)
      byte = uint8_t(random());
    for (auto &slot : record.slots)
      for (uint8_t &byte : slot)
        byte = uint8_t(random());
  }
  return records;
}

/// Runs the access in each thread whose number is not a multiple of 5.
std::vector<Record> run(const Access &access, bool isStore) {
  std::vector<Record> records = initial(access);
  std::ostringstream text;
  text << ".reg .u64 %base, %p, %c, %t, %policy; .reg .u32 %thread, %five;\n"
       << ".reg .pred %guard; .reg .b" << access.registerBits << " %v<"
       << access.width << ">;\n.shared .align 32 .b8 cells[" << 64 * threads
       << "];\n.local .align 32 .b8 ours[64];\n"
       << "ld.param.u64 %base, [data]; mov.u32 %thread, %tid.x;\n"
       << "mad.wide.u32 %base, %thread, " << sizeof(Record) << ", %base;\n"
       << "createpolicy.fractional.L2::evict_last.b64 %policy;\n"
       << "rem.u32 %five, %thread, 5; setp.ne.u32 %guard, %five, 0;\n"
       << copyText(access.space, true) << addressText(access.space);
  for (unsigned i = 0; i < access.width; ++i)
    text << slotText(access, i, true);
  std::string place = "[%p+" + std::to_string(offset) + "]";
  text << "@%guard " << access.instruction << " "
       << (isStore ? place + ", " + registers(access)
                   : registers(access) + ", " + place)
       << access.tail << "; // tested\n";
  if (isStore)
    text << copyText(access.space, false);
  else
    for (unsigned i = 0; i < access.width; ++i)
      text << slotText(access, i, false);
  Kernel kernel(text.str(), ".const .align 32 .b8 constants[64] = {" +
                                constantBytes() + "};\n");
  INFO(access.instruction);
  CHECK(kernel.error() == "");
  if (!kernel.error().empty())
    return {};
  for (const auto &instruction : kernel.program().kernel().code) {
    std::string text = textAt(kernel.text(), instruction.at);
    if (text.ends_with("// tested"))
      coverage().add(*instruction.form, text);
  }
  REQUIRE(kernel.run(std::as_writable_bytes(std::span(records)),
                     {1, threads}) == "");
  return records;
}

void checkLoad(const Access &access) {
  std::vector<Record> after = run(access, false), expected = initial(access);
  if (after.empty())
    return;
  unsigned bytes = access.type.bits / 8, wrong = 0;
  for (unsigned thread = 0; thread < threads; ++thread) {
    Record &record = expected[thread];
    uint8_t source[64];
    for (unsigned i = 0; i < 64; ++i)
      source[i] =
          access.space.isReadOnly() ? parameterByte(i) : record.memory[i];
    for (unsigned i = 0; thread % 5 != 0 && i < access.width; ++i) {
      Bits value = 0;
      std::memcpy(&value, source + offset + i * bytes, bytes);
      // Section 9.4.1: wider registers are filled by the sign, or with 0.
      if (access.type.isSigned && value >> (access.type.bits - 1) & 1)
        value |= ~lowBits(access.type.bits);
      std::memcpy(record.slots[i], &value, access.registerBits / 8);
    }
    wrong += std::memcmp(&record, &after[thread], sizeof(Record)) != 0;
  }
  INFO(access.instruction << " of " << access.space.real());
  CHECK(wrong == 0);
}

void checkStore(const Access &access) {
  std::vector<Record> after = run(access, true), expected = initial(access);
  if (after.empty())
    return;
  unsigned bytes = access.type.bits / 8, wrong = 0;
  for (unsigned thread = 0; thread < threads; ++thread) {
    Record &record = expected[thread];
    for (unsigned i = 0; thread % 5 != 0 && i < access.width; ++i)
      std::memcpy(record.memory + offset + i * bytes, record.slots[i], bytes);
    wrong += std::memcmp(&record, &after[thread], sizeof(Record)) != 0;
  }
  INFO(access.instruction << " of " << access.space.real());
  CHECK(wrong == 0);
}

const Space global{"global", ""};
const std::vector<Space> spaces = {{"global", ""},      {"shared", ""},
                                   {"shared::cta", ""}, {"shared::cluster", ""},
                                   {"local", ""},       {"const", ""},
                                   {"param", ""},       {"param::entry", ""},
                                   {"", "global"},      {"", "shared"},
                                   {"", "local"},       {"", "const"},
                                   {"", "param"}};

/// function(type, vector, registers' bits) for all that 16 bytes hold, and 32
/// bytes in global memory.
template <class F> void forTypes(const Space &space, F function) {
  for (const Type &type : types)
    for (unsigned width : {1u, 2u, 4u, 8u}) {
      unsigned bits = type.bits * width;
      bool wide = bits == 256 && space.name == "global" && type.bits >= 32;
      if ((bits > 128 && !wide) || (type.bits == 128 && width > 1) ||
          (width == 8 && !wide))
        continue;
      for (unsigned registerBits : {16u, 32u, 64u, 128u}) {
        bool isFloat = type.name[0] == 'f';
        bool fits =
            registerBits == 128 ? type.bits == 128 : registerBits >= type.bits;
        if (fits && (!isFloat || registerBits == type.bits))
          function(type, width, registerBits);
      }
    }
}
std::string vectorText(unsigned width) {
  return width == 1 ? "" : ".v" + std::to_string(width);
}

} // namespace

TEST_CASE("ld of each space and type", "[9.7.9.8]") {
  for (const Space &space : spaces)
    forTypes(space, [&](const Type &type, unsigned width, unsigned bits) {
      checkLoad(
          {"ld" + dotted(space.name) + vectorText(width) + "." + type.name,
           space, type, width, bits, ""});
    });
}

TEST_CASE("st of each space and type", "[9.7.9.11]") {
  for (const Space &space : spaces)
    if (!space.isReadOnly())
      forTypes(space, [&](const Type &type, unsigned width, unsigned bits) {
        checkStore(
            {"st" + dotted(space.name) + vectorText(width) + "." + type.name,
             space, type, width, bits, ""});
      });
}

static const Type word = {"u32", 32};

TEST_CASE("ld, st with order and scope", "[9.7.9.8]") {
  const std::vector<Space> writable = {global,
                                       {"shared", ""},
                                       {"shared::cta", ""},
                                       {"shared::cluster", ""},
                                       {"", "global"},
                                       {"", "shared"}};
  for (const Space &space : writable) {
    std::string ss = dotted(space.name) + ".u32";
    for (const char *order : {"weak", "volatile"}) {
      checkLoad({"ld." + std::string(order) + ss, space, word});
      checkStore({"st." + std::string(order) + ss, space, word});
    }
    for (const char *scope : {"cta", "cluster", "gpu", "sys"}) {
      std::string tail = "." + std::string(scope) + ss;
      checkLoad({"ld.relaxed" + tail, space, word});
      checkLoad({"ld.acquire" + tail, space, word});
      checkStore({"st.relaxed" + tail, space, word});
      checkStore({"st.release" + tail, space, word});
    }
  }
  forTypes(global, [](const Type &type, unsigned width, unsigned bits) {
    std::string tail = vectorText(width) + "." + type.name;
    checkLoad({"ld.acquire.sys.global" + tail, global, type, width, bits});
    checkStore({"st.release.sys.global" + tail, global, type, width, bits});
    if (width > 1)
      return;
    for (const char *ss : {"", ".global"}) {
      Space space{*ss ? "global" : "", "global"};
      tail = ".sys" + std::string(ss) + "." + type.name;
      checkLoad({"ld.mmio.relaxed" + tail, space, type, 1, bits});
      checkLoad({"ld.mmio.acquire" + tail, space, type, 1, bits});
      checkStore({"st.mmio.relaxed" + tail, space, type, 1, bits});
      checkStore({"st.mmio.release" + tail, space, type, 1, bits});
    }
  });
}

TEST_CASE("ld, st with cache operators and hints", "[9.7.9.8]") {
  for (const char *cop : {"ca", "cg", "cs", "lu", "cv"})
    checkLoad({"ld.global." + std::string(cop) + ".u32", global, word});
  for (const char *cop : {"wb", "cg", "cs", "wt"})
    checkStore({"st.global." + std::string(cop) + ".u32", global, word});
  for (const char *l1 :
       {"", ".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first",
        ".L1::evict_last", ".L1::no_allocate"}) {
    checkLoad({"ld.global" + std::string(l1) + ".u32", global, word});
    checkLoad({"ld.global" + std::string(l1) + ".L2::cache_hint.u32", global,
               word, 1, 32, ", %policy"});
    checkLoad({"ld.global.nc" + std::string(l1) + ".u32", global, word});
    checkStore({"st.global" + std::string(l1) + ".u32", global, word});
    checkStore({"st.global" + std::string(l1) + ".L2::cache_hint.u32", global,
                word, 1, 32, ", %policy"});
  }
  const Type wide = {"b64", 64};
  for (const char *l2 : {"evict_normal", "evict_last", "evict_first"}) {
    std::string tail = ".L2::" + std::string(l2) + ".v4.b64";
    checkLoad({"ld.global" + tail, global, wide, 4, 64});
    checkLoad({"ld.global.nc" + tail, global, wide, 4, 64});
    checkStore({"st.global" + tail, global, wide, 4, 64});
    tail = ".relaxed.gpu.global.L2::" + std::string(l2) + ".v4.b64";
    checkLoad({"ld" + tail, global, wide, 4, 64});
    checkStore({"st" + tail, global, wide, 4, 64});
  }
  for (const char *prefetch : {"64B", "128B", "256B"}) {
    std::string tail = ".L2::" + std::string(prefetch) + ".u32";
    checkLoad({"ld.global" + tail, global, word});
    checkLoad({"ld.global.nc" + tail, global, word});
    checkLoad({"ld.relaxed.gpu.global" + tail, global, word});
  }
  for (const char *l1 : {"evict_normal", "evict_unchanged", "evict_first",
                         "evict_last", "no_allocate"}) {
    std::string tail = ".gpu.global.L1::" + std::string(l1) + ".u32";
    checkLoad({"ld.relaxed" + tail, global, word});
    checkStore({"st.relaxed" + tail, global, word});
  }
  checkLoad({"ld.relaxed.gpu.global.L2::cache_hint.u32", global, word, 1, 32,
             ", %policy"});
  checkStore({"st.relaxed.gpu.global.L2::cache_hint.u32", global, word, 1, 32,
              ", %policy"});
}

TEST_CASE("ld.global.nc, ldu of each type", "[9.7.9.9]") {
  forTypes(global, [&](const Type &type, unsigned width, unsigned bits) {
    std::string tail = vectorText(width) + "." + type.name;
    checkLoad({"ld.global.nc" + tail, global, type, width, bits});
    if (type.bits * width <= 128)
      checkLoad({"ldu.global" + tail, global, type, width, bits});
  });
  for (const char *cop : {"ca", "cg", "cs"})
    checkLoad({"ld.global." + std::string(cop) + ".nc.u32", global, word});
  checkLoad(
      {"ld.global.nc.L2::cache_hint.u32", global, word, 1, 32, ", %policy"});
  checkLoad({"ldu.u32", {"", "global"}, word});
}

TEST_CASE("Addresses of 32 bits, constants as addresses", "[6.4]") {
  std::vector<uint32_t> data(64);
  runKernel(".reg .u32 %r<4>, %s; .reg .u64 %a;\n"
            ".shared .align 16 .b32 words[64];\n"
            "ld.param.u64 %a, [data]; mov.u32 %r0, %tid.x;\n"
            "mad.wide.u32 %a, %r0, 4, %a;\n"
            "mov.u32 %s, words; mad.lo.u32 %s, %r0, 4, %s;\n"
            "mul.lo.u32 %r1, %r0, 3;\n"
            "st.shared.u32 [%s+-0], %r1; bar.sync 0;\n"
            "ld.shared.u32 %r2, [%s];\n"
            "ld.shared.u32 %r3, [words+8];\n"
            "add.u32 %r2, %r2, %r3;\n"
            "st.global.u32 [%a], %r2;\n",
            data, {1, 64}, "");
  for (uint32_t i = 0; i < 64; ++i)
    CHECK(data[i] == 3 * i + 6);
}

TEST_CASE("prefetch, applypriority, discard", "[9.7.9.15]") {
  // Nothing changes but what discard leaves undefined.
  std::vector<uint32_t> data(64, 7);
  runKernel(".reg .u64 %a;\n.local .b32 mine;\n.reg .u64 %m;\n"
            "ld.param.u64 %a, [data]; mov.u64 %m, mine;\n"
            "prefetch.global.L1 [%a];\nprefetch.global.L2 [%a];\n"
            "prefetch.local.L1 [%m];\nprefetch.local.L2 [%m];\n"
            "prefetch.L1 [%a];\nprefetch.L2 [%a];\n"
            "prefetch.global.L2::evict_last [%a];\n"
            "prefetch.global.L2::evict_normal [%a];\n"
            "prefetchu.L1 [%a];\n"
            "prefetch.tensormap [%a];\nprefetch.param.tensormap [bytes];\n"
            "prefetch.const.tensormap [table];\n"
            "applypriority.global.L2::evict_normal [%a], 128;\n"
            "applypriority.L2::evict_normal [%a], 128;\n",
            data, {1, 32}, "prefetch prefetchu applypriority",
            ".const .align 64 .b8 table[128];\n");
  CHECK(data == std::vector<uint32_t>(64, 7));
  runKernel(".reg .u64 %a;\nld.param.u64 %a, [data];\n"
            "discard.global.L2 [%a], 128;\ndiscard.L2 [%a], 128;\n"
            "st.global.u32 [%a], 9;\n",
            data, {1, 1}, "discard");
  CHECK(data[0] == 9);
}
