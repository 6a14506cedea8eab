// Malformed text: where, what was expected, what was found.
#include "runtime/emulator/ptx/Parser.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright;
using namespace tilewright::emulator::ptx;

namespace {

std::string messageOf(const std::string &text) {
  StatusOr<Module> module = parse(text);
  return module.ok() ? "" : module.status().message();
}

/// The error of a kernel whose body, on line 2, is `text`.
std::string bodyMessage(const std::string &text) {
  return messageOf(".version 8.0 .target sm_80 .entry k() {\n" + text + "\n}");
}

constexpr const char *sample = R"(
.version 8.3
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 smem[];
.global .u64 at[2] = {generic(smem)+8, 0xff(smem)};
.visible .entry k(.param .u64 .ptr .global .align 4 p, .param .f32 x)
  .maxntid 128, 1, 1
{
  .reg .pred %p<3>;
  .reg .b32 %r<10>;
  .reg .b64 %rd<4>;
  ld.param.b64 %rd1, [p];
  mov.u32 %r1, %tid.x;
$L__BB0_1:
  @!%p1 bra $L__BB0_1;
  { .reg .pred P; mbarrier.try_wait.parity.shared.b64 P, [%rd1], %r2; }
  st.global.v4.b32 [%rd1+-16], {%r1, %r2, 0f3F800000, 7};
  call.uni (retval0), f, (a, b);
  list: .branchtargets A, B;
  ret;
}
)";

} // namespace

TEST_CASE("ptx errors: the header") {
  CHECK(messageOf("") ==
        "1:1: expected '.version' at the start, found the end of the text");
  CHECK(messageOf(".version 5.0 .target sm_80") ==
        "1:10: expected a version from 6.0 to 9.x, found '5.0'");
  CHECK(messageOf(".version 8.0 .target 80") ==
        "1:22: expected a target such as sm_80, found '80'");
  CHECK(messageOf(".version 8.0 .target sm_80 .address_size 32") ==
        "1:42: expected .address_size 64, found 32; 32-bit addresses are not "
        "supported");
}

TEST_CASE("ptx errors: tokens") {
  CHECK(bodyMessage("mov.u32 %r1, `;") == "2:14: expected PTX, found '`'");
  CHECK(bodyMessage("x \x01;") == "2:3: expected PTX, found the byte 0x01");
  CHECK(bodyMessage("x 0f12;") ==
        "2:3: expected 8 hexadecimal digits after '0f'");
  CHECK(bodyMessage("x 99999999999999999999;") ==
        "2:3: expected an integer of at most 64 bits");
  CHECK(bodyMessage("/* open") == "2:1: expected '*/' to close this comment");
  CHECK(bodyMessage(".pragma \"open;") ==
        "2:9: expected '\"' to close this string");
}

TEST_CASE("ptx errors: statements") {
  CHECK(bodyMessage("add.s32 %r1, %r2") ==
        "3:1: expected ',' or ';' after an operand of 'add', found '}'");
  CHECK(bodyMessage(".reg %r1;") ==
        "2:6: expected a type such as .b32, found '%r1'");
  CHECK(bodyMessage(".reg .i32 %r1;") ==
        "2:6: expected a type such as .b32, found '.i32'");
  CHECK(bodyMessage(".reg .align 3 .b32 %r1;") ==
        "2:6: expected an alignment that is a power of two, found 3");
  CHECK(bodyMessage(".reg .b32 %r<99999999>;") ==
        "2:11: expected at most 16777216 registers");
  CHECK(bodyMessage(".weird 3;") ==
        "2:1: expected a statement, found '.weird'");
  CHECK(bodyMessage("x 4/0;") == "2:4: expected a divisor that is not 0");
  CHECK(bodyMessage("x 1.5+1;") == "2:6: expected integers around '+'");
  CHECK(bodyMessage("x ~1.5;") == "2:3: expected an integer after '~'");
  CHECK(bodyMessage("@ 4 ret;") == "2:3: expected a predicate, found '4'");
  CHECK(messageOf(".version 8.0 .target sm_80\n.entry k() {") ==
        "2:13: expected a statement or '}', found the end of the text");
  CHECK(messageOf(".version 8.0 .target sm_80\n.global .b64 a[4294967296]"
                  "[4294967296];") ==
        "2:14: expected an array of less than 2^64 bytes");
}

TEST_CASE("ptx errors: depth is limited") {
  CHECK(bodyMessage(std::string(200, '{')).find("at most 100 nested") !=
        std::string::npos);
  CHECK(bodyMessage("x " + std::string(100000, '(') + "1;")
            .find("at most 100 nested") != std::string::npos);
  CHECK(bodyMessage("x " + std::string(100000, '-') + "1;")
            .find("at most 100 nested") != std::string::npos);
}

TEST_CASE("ptx errors: any mutation gives a tree or one message") {
  const std::string text = sample;
  REQUIRE(messageOf(text) == "");
  std::mt19937 random(7);
  auto below = [&](size_t n) { return random() % n; };
  int rejected = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string mutant = text;
    for (size_t n = 1 + below(4); n && !mutant.empty(); --n) {
      size_t at = below(mutant.size()), length = 1 + below(8);
      switch (below(4)) {
      case 0:
        mutant.erase(at, length);
        break;
      case 1:
        mutant.insert(at, text.substr(below(text.size()), length));
        break;
      case 2:
        mutant[at] = char(below(256));
        break;
      default:
        mutant.resize(std::max<size_t>(at, 1));
      }
    }
    INFO(mutant);
    std::string message = messageOf(mutant);
    rejected += !message.empty();
    if (!message.empty())
      CHECK(message.find("expected") != std::string::npos);
  }
  CHECK(rejected > 2000);
}
