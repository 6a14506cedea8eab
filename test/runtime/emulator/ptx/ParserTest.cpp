// What the tree says of each thing that PTX text can hold.
#include "runtime/emulator/ptx/Parser.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::emulator;
using namespace tilewright::emulator::ptx;

namespace {

constexpr const char *header = ".version 8.3\n.target sm_90a\n"
                               ".address_size 64\n";

Module parsed(const std::string &text) {
  StatusOr<Module> module = parse(header + text);
  INFO(module.status().message());
  REQUIRE(module.ok());
  return std::move(*module);
}

/// The statements of a kernel whose body is `text`.
struct Body {
  explicit Body(const std::string &text)
      : module(parsed(".entry k()\n{" + text + "}")),
        block(*module.functions.at(0).body) {}
  template <typename T> const T &at(size_t index) const {
    return std::get<T>(block.statements.at(index));
  }
  Module module;
  const Block &block;
};

const Operand &onlyOperand(const Body &body) {
  const Instruction &instruction = body.at<Instruction>(0);
  REQUIRE(instruction.operands.size() == 1);
  return instruction.operands[0];
}

} // namespace

TEST_CASE("ptx: the header") {
  StatusOr<Module> module =
      parse("// made by hand\n.version 7.8 /* any */ .target sm_89, debug\n");
  REQUIRE(module.ok());
  CHECK(module->versionMajor == 7);
  CHECK(module->versionMinor == 8);
  CHECK(module->target == "sm_89");
  CHECK(module->addressSize == 64);
}

TEST_CASE("ptx: variables") {
  Module module = parsed(R"(
.visible .global .align 16 .v4 .f32 grid[3][4];
.extern .shared .align 1024 .b8 smem[];
.const .b32 a = 1, b = -(3 << 2);
)");
  REQUIRE(module.variables.size() == 4);
  const Variable &grid = module.variables[0];
  CHECK(grid.linkage == Linkage::visible);
  CHECK(grid.space == Space::global);
  CHECK(grid.alignment == 16);
  CHECK(grid.vectorWidth == 4);
  CHECK(grid.type == Type::f32);
  CHECK(grid.dims == std::vector<uint64_t>{3, 4});
  CHECK(module.variables[1].isUnsized());
  CHECK(module.variables[1].linkage == Linkage::external);
  CHECK(module.variables[3].space == Space::constant);
  CHECK(module.variables[3].initializer->value == uint64_t(-12));
}

TEST_CASE("ptx: initializers") {
  Module module = parsed(R"(
.global .f32 reals[3] = {0f3F800000, -1.5, 0d4000000000000000};
.global .u64 places[] = {reals, generic(reals)+8, reals-4};
.global .u8 bytes[2][2] = {{0xff(reals), 0xff00(reals)}, {7}};
)");
  const auto &reals = module.variables[0].initializer->elements;
  CHECK(reals[0].value == 0x3f800000);
  CHECK_FALSE(reals[0].isDouble);
  CHECK(reals[1].value == 0xbff8000000000000);
  CHECK(reals[1].isDouble);
  const auto &places = module.variables[1].initializer->elements;
  CHECK(places[0].symbol == "reals");
  CHECK_FALSE(places[0].generic);
  CHECK(places[1].generic);
  CHECK(places[1].value == 8);
  CHECK(places[2].value == uint64_t(-4));
  const auto &bytes = module.variables[2].initializer->elements;
  CHECK(bytes[0].elements[1].mask == 0xff00);
  CHECK(bytes[1].elements.size() == 1);
}

TEST_CASE("ptx: functions") {
  Module module = parsed(R"(
.func (.param .b32 r) twice (.param .b32 x, .reg .b64 %y);
.visible .entry k(.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 s[24])
  .maxntid 128, 1, 1
  .minnctapersm 2
  .explicitcluster
{ ret; }
)");
  const Function &twice = module.functions[0];
  CHECK_FALSE(twice.isEntry);
  CHECK_FALSE(twice.body);
  CHECK(twice.results[0].name.text == "r");
  CHECK(twice.parameters[1].space == Space::reg);
  const Function &k = module.functions[1];
  CHECK(k.isEntry);
  CHECK(k.parameters[0].type == Type::u64);
  CHECK(k.parameters[1].dims == std::vector<uint64_t>{24});
  REQUIRE(k.directives.size() == 3);
  CHECK(k.directives[0].values == std::vector<uint64_t>{128, 1, 1});
  CHECK(k.directives[2].name.text == "explicitcluster");
}

TEST_CASE("ptx: instructions") {
  Body body("@!%p1 ld.global.v2.b32 {%r1, _}, [%rd1+-8];");
  const Instruction &load = body.at<Instruction>(0);
  CHECK(load.guard->negated);
  CHECK(load.guard->predicate.text == "%p1");
  CHECK(load.opcode.text == "ld");
  REQUIRE(load.modifiers.size() == 3);
  CHECK(load.modifiers[1].text == "v2");
  CHECK(load.at().line == 5);
  CHECK(load.at().column == 8);
  CHECK(load.operands[0].kind == Operand::Kind::vector);
  CHECK(load.operands[0].elements[1].kind == Operand::Kind::sink);
  CHECK(load.operands[1].kind == Operand::Kind::address);
  CHECK(load.operands[1].elements[0].name == "%rd1");
  CHECK(load.operands[1].value == uint64_t(-8));
}

TEST_CASE("ptx: names as operands") {
  CHECK(onlyOperand(Body("x %tid.y;")).component == 'y');
  CHECK(onlyOperand(Body("x !p;")).negated);
  CHECK(onlyOperand(Body("x smem+16;")).value == 16);
  Body pair("shfl.sync.up.b32 r|p, a, 1, 0, -1;");
  const Operand &both = pair.at<Instruction>(0).operands[0];
  CHECK(both.kind == Operand::Kind::pair);
  CHECK(both.elements[1].name == "p");
}

TEST_CASE("ptx: constants as operands") {
  CHECK(onlyOperand(Body("x -1;")).value == UINT64_MAX);
  CHECK(onlyOperand(Body("x 0x10U;")).value == 16);
  CHECK(onlyOperand(Body("x 017;")).value == 15);
  CHECK(onlyOperand(Body("x 0b101;")).value == 5);
  CHECK(onlyOperand(Body("x 0f7F800000;")).kind == Operand::Kind::real);
  CHECK(onlyOperand(Body("x 1.5;")).value == 0x3ff8000000000000);
  CHECK(onlyOperand(Body("x 1e3;")).value == 0x408f400000000000);
  CHECK(onlyOperand(Body("x WARP_SZ*2-1;")).value == 63);
  CHECK(onlyOperand(Body("x (1+2)*3 == 9 ? 7 : 8;")).value == 7);
  CHECK(onlyOperand(Body("x 7-2-1;")).value == 4);
  CHECK(onlyOperand(Body("x 1|2^3&~1 && !0;")).value == 1);
  CHECK(onlyOperand(Body("x (.s64)-8 >> 1;")).value == uint64_t(-4));
}

TEST_CASE("ptx: addresses") {
  Body body("x [16]; x [smem+4]; x [%rd1, {%r1, %r2}]; x [a, {b}], [c];");
  CHECK(body.at<Instruction>(0).operands[0].elements[0].value == 16);
  CHECK(body.at<Instruction>(1).operands[0].value == 4);
  const Operand &tensor = body.at<Instruction>(2).operands[0];
  REQUIRE(tensor.elements.size() == 2);
  CHECK(tensor.elements[1].elements[1].name == "%r2");
  CHECK(body.at<Instruction>(3).operands.size() == 2);
}

TEST_CASE("ptx: calls, targets and prototypes") {
  Body body(R"(
call.uni (r), f, (a, 1);
call f, (2);
list: .branchtargets A, B;
p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b64 _);
)");
  const Instruction &call = body.at<Instruction>(0);
  CHECK(call.operands[0].kind == Operand::Kind::list);
  CHECK(call.operands[1].name == "f");
  CHECK(call.operands[2].elements[1].value == 1);
  const Targets &targets = body.at<Targets>(2);
  CHECK(targets.kind == Targets::Kind::branch);
  CHECK(targets.targets[1].text == "B");
  CHECK(body.at<Prototype>(3).parameters.size() == 2);
}

TEST_CASE("ptx: scopes, labels and lines") {
  Body body(R"(
.reg .b32 %r<3>, one;
L: .loc 1 24 3, function_name $info+4, inlined_at 2 7 1
{ .reg .pred p; L: bra L; }
.pragma "nounroll";
)");
  CHECK(body.at<Variable>(0).range == 3);
  CHECK(body.at<Variable>(1).name.text == "one");
  CHECK(body.at<Label>(2).name.text == "L");
  CHECK(body.at<SourceLine>(3).line == 24);
  CHECK(body.at<std::unique_ptr<Block>>(4)->statements.size() == 3);
  CHECK(body.block.statements.size() == 5);
}

TEST_CASE("ptx: debug sections are passed over") {
  Module module = parsed(R"(
.file 1 "a.cu", 1700000000, 77
.section .debug_info { .b32 12 .b64 .debug_abbrev { } }
.global .b32 x;
)");
  CHECK(module.files[0].path == "a.cu");
  CHECK(module.variables.size() == 1);
}
