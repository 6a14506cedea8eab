#include "test/runtime/emulator/instructions/Probe.h"

#include "test/runtime/emulator/instructions/Coverage.h"
#include "test/runtime/emulator/instructions/Kernel.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

namespace instructions {

namespace {

constexpr unsigned slotBytes = 16;
using Slot = Bits;

enum class Variant { guarded, aliased, immediate };

/// One run of a probe: its kernel, its data, its comparison.
class Trial {
public:
  Trial(const Probe &probe, Variant variant) : probe(probe), variant(variant) {}
  void run();

private:
  void setShape();
  void fill();
  std::string kernelText();
  std::string instructionText();
  [[nodiscard]] std::string registerOf(size_t slot) const;
  std::string immediateText(const Operand &operand, Bits value) const;
  void noteForm(const Kernel &kernel) const;
  void compare();
  void report(unsigned thread, size_t result, const Expected &expected,
              Bits found);

  [[nodiscard]] size_t slots() const {
    return 1 + probe.sources.size() + probe.results.size();
  }
  Slot &at(size_t thread, size_t slot) { return data[thread * slots() + slot]; }
  [[nodiscard]] const Operand &operandOfSlot(size_t slot) const {
    return slot <= probe.sources.size()
               ? probe.sources[slot - 1]
               : probe.results[slot - 1 - probe.sources.size()];
  }

  const Probe &probe;
  Variant variant;
  unsigned threads = 0, blocks = 0;
  /// Of each thread: the guard, the sources, the results.
  std::vector<Slot> data, before;
  size_t immediateSource = ~size_t{0};
  unsigned wrong = 0;
  std::ostringstream messages;
};

/// Lanes of a warp that run the instruction: all, some, one, few.
uint32_t guardOf(unsigned warp, Random &random) {
  switch (warp % 5) {
  case 0:
  case 3:
    return ~uint32_t{0};
  case 1:
    return uint32_t(random());
  case 2:
    return uint32_t{1} << random() % 32;
  default:
    return uint32_t(random() & random() & random());
  }
}

void Trial::setShape() {
  constexpr unsigned sizes[] = {128, 96, 77, 33, 256};
  Random random(hashOf(probe.text));
  threads = sizes[random() % (probe.wholeWarps ? 2 : 5)];
  unsigned lanes = variant == Variant::guarded   ? probe.lanes
                   : variant == Variant::aliased ? 256
                                                 : 64;
  if (variant == Variant::aliased)
    threads = 128;
  blocks = (lanes + threads - 1) / threads;
}

void Trial::fill() {
  Random random(hashOf(probe.text) + unsigned(variant));
  size_t count = size_t{threads} * blocks;
  data.resize(count * slots());
  std::vector<std::vector<Bits>> edges;
  for (const Operand &source : probe.sources)
    edges.push_back(edgesOf(source));
  bool guarded = variant == Variant::guarded && !probe.wholeWarps;
  uint32_t guard = ~uint32_t{0};
  unsigned warp = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t thread = i % threads;
    if (thread % 32 == 0 && guarded)
      guard = guardOf(warp++, random);
    at(i, 0) = guard >> thread % 32 & 1;
    for (size_t s = 0; s < probe.sources.size(); ++s) {
      const Operand &operand = probe.sources[s];
      bool listed = s < probe.samples.size() && !probe.samples[s].empty();
      Bits value = listed ? probe.samples[s][i % probe.samples[s].size()]
                          : sampleOf(operand, edges[s], random);
      // What is above the type is anything.
      if (operand.registerBits > operand.bits * operand.elements &&
          operand.kind != Kind::predicate)
        value |= Bits{random()} << operand.bits * operand.elements &
                 lowBits(operand.registerBits);
      at(i, 1 + s) = value;
    }
    for (size_t r = 0; r < probe.results.size(); ++r)
      at(i, 1 + probe.sources.size() + r) =
          Bits{random()} & lowBits(probe.results[r].registerBits);
  }
  if (immediateSource != ~size_t{0})
    for (size_t i = 1; i < count; ++i)
      at(i, 1 + immediateSource) = at(0, 1 + immediateSource);
  before = data;
}

std::string Trial::registerOf(size_t slot) const {
  bool isPredicate = operandOfSlot(slot).kind == Kind::predicate;
  if (variant == Variant::aliased && slot == probe.sources.size() + 1)
    for (size_t s = 0; s < probe.sources.size(); ++s)
      if (probe.sources[s].registerBits == probe.results[0].registerBits)
        return (isPredicate ? "%p" : "%v") + std::to_string(s + 1);
  return (isPredicate ? "%p" : "%v") + std::to_string(slot);
}

std::string Trial::immediateText(const Operand &operand, Bits value) const {
  std::ostringstream out;
  if (operand.kind == Kind::single)
    out << "0f" << std::hex << std::uppercase;
  else if (operand.kind == Kind::twice)
    out << "0d" << std::hex << std::uppercase;
  else
    out << "0x" << std::hex;
  out.fill('0');
  if (isFloat(operand.kind))
    out.width(operand.bits / 4);
  out << uint64_t(value);
  return out.str();
}

/// Replaces each `name` in `text`.
void replace(std::string &text, const std::string &name,
             const std::string &with) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;
       at += with.size())
    text.replace(at, name.size(), with);
}

std::string Trial::instructionText() {
  static const std::string sourceNames = "abcefgh", resultNames = "dpqr";
  std::string text = probe.text;
  size_t sources = probe.sources.size(), results = probe.results.size();
  if (text.find('$') == std::string::npos) {
    text += results == 0 ? "" : results == 1 ? " $d" : " $d|$p";
    for (size_t s = 0; s < sources; ++s)
      text += (s + results ? ", $" : " $") + sourceNames.substr(s, 1);
  }
  // Numbers from the last on: $d1 is a part of $d10.
  for (size_t r = results; r-- > 0;) {
    std::string with = registerOf(1 + sources + r);
    replace(text, "$d" + std::to_string(r), with);
    if (r < resultNames.size())
      replace(text, "$" + resultNames.substr(r, 1), with);
  }
  for (size_t s = sources; s-- > 0;) {
    std::string with = s == immediateSource
                           ? immediateText(probe.sources[s], at(0, 1 + s))
                           : registerOf(1 + s);
    replace(text, "$s" + std::to_string(s), with);
    if (s < sourceNames.size())
      replace(text, "$" + sourceNames.substr(s, 1), with);
  }
  return text;
}

/// Moves a slot between its register and memory, which holds predicates as
/// words of 32 bits.
std::string transfer(bool load, const Operand &operand, size_t slot) {
  std::string number = std::to_string(slot);
  std::string place = "[%base+" + std::to_string(slot * slotBytes) + "]";
  std::string target = "%v" + number;
  auto access = [&](const std::string &type, const std::string &what) {
    return load ? "ld.global." + type + " " + what + ", " + place + ";\n"
                : "st.global." + type + " " + place + ", " + what + ";\n";
  };
  if (operand.kind == Kind::predicate)
    return load
               ? access("b32", "%t") + "setp.ne.u32 %p" + number + ", %t, 0;\n"
               : "selp.u32 %t, 1, 0, %p" + number + ";\n" + access("b32", "%t");
  if (operand.registerBits == 128)
    return load ? access("v2.b64", "{%low, %high}") + "mov.b128 " + target +
                      ", {%low, %high};\n"
                : "mov.b128 {%low, %high}, " + target + ";\n" +
                      access("v2.b64", "{%low, %high}");
  return access("b" + std::to_string(operand.registerBits), target);
}

std::string Trial::kernelText() {
  std::ostringstream text;
  text << ".reg .b32 %i, %t, %thread;\n.reg .b64 %base, %offset, %low, %high;\n"
       << ".reg .pred %guard;\n";
  for (size_t slot = 1; slot < slots(); ++slot) {
    const Operand &operand = operandOfSlot(slot);
    if (operand.kind == Kind::predicate)
      text << ".reg .pred %p" << slot << ";\n";
    else
      text << ".reg .b" << operand.registerBits << " %v" << slot << ";\n";
  }
  text << "ld.param.u64 %base, [data];\n"
       << "mov.u32 %i, %ctaid.x;\nmov.u32 %t, %ntid.x;\n"
       << "mul.lo.u32 %i, %i, %t;\nmov.u32 %thread, %tid.x;\n"
       << "add.u32 %i, %i, %thread;\n"
       << "mul.wide.u32 %offset, %i, " << slots() * slotBytes << ";\n"
       << "add.u64 %base, %base, %offset;\n"
       << "ld.global.u32 %t, [%base];\nsetp.ne.u32 %guard, %t, 0;\n";
  // The results first: one may be in a source's register.
  for (size_t slot = slots() - 1; slot > 0; --slot)
    text << transfer(true, operandOfSlot(slot), slot);
  text << probe.setup;
  std::string guard = variant == Variant::guarded ? "@%guard " : "";
  std::string instructions = guard + instructionText();
  // Each of several.
  for (size_t at = 0; (at = instructions.find("; ", at)) != std::string::npos;)
    instructions.insert(at += 2, guard);
  text << instructions << "; // probe\n";
  for (size_t r = 0; r < probe.results.size(); ++r) {
    size_t slot = 1 + probe.sources.size() + r;
    std::string store = transfer(false, probe.results[r], slot);
    std::string own = (probe.results[r].kind == Kind::predicate ? "%p" : "%v") +
                      std::to_string(slot);
    replace(store, own, registerOf(slot));
    text << store;
  }
  text << "ret;\n";
  return text.str();
}

void Trial::noteForm(const Kernel &kernel) const {
  for (const auto &instruction : kernel.program().kernel().code) {
    std::string text = textAt(kernel.text(), instruction.at);
    if (text.ends_with("// probe"))
      coverage().add(*instruction.form, text);
  }
}

void Trial::report(unsigned thread, size_t result, const Expected &expected,
                   Bits found) {
  if (++wrong > 4)
    return;
  messages << probe.text << ", thread " << thread << ": sources";
  for (size_t s = 0; s < probe.sources.size(); ++s)
    messages << " " << hex(before[thread * slots() + 1 + s]);
  messages << ", result " << result << ": expected " << textOf(expected)
           << ", found " << textOf(probe.results[result], expected, found)
           << "\n";
}

void Trial::compare() {
  size_t results = probe.results.size(), sources = probe.sources.size();
  size_t count = size_t{threads} * blocks;
  for (size_t first = 0; first < count;) {
    // The threads of a warp.
    size_t block = first / threads * threads;
    size_t end = std::min({first + 32 - (first - block) % 32, block + threads});
    std::vector<std::vector<Expected>> all(results, std::vector<Expected>(32));
    uint32_t active = 0;
    std::vector<std::vector<Bits>> values(sources, std::vector<Bits>(32));
    for (size_t i = first; i < end; ++i) {
      active |= uint32_t(bool(before[i * slots()])) << (i - first);
      for (size_t s = 0; s < sources; ++s)
        values[s][i - first] = before[i * slots() + 1 + s];
    }
    if (probe.warpReference)
      probe.warpReference(active, values.data(), all.data());
    for (size_t i = first; i < end; ++i) {
      std::vector<Expected> expected(results);
      for (size_t r = 0; r < results; ++r)
        expected[r] = all[r][i - first];
      if (!probe.warpReference)
        probe.reference(&before[i * slots() + 1], expected.data());
      for (size_t r = 0; r < results; ++r) {
        size_t slot = 1 + sources + r;
        if (!(active >> (i - first) & 1))
          expected[r] = {before[i * slots() + slot]};
        Bits found = at(i, slot);
        if (!agrees(probe.results[r], expected[r], found))
          report(unsigned(i), r, expected[r], found);
      }
    }
    first = end;
  }
}

void Trial::run() {
  setShape();
  if (variant == Variant::immediate)
    immediateSource = probe.sources.size() - 1;
  fill();
  Kernel kernel(kernelText());
  INFO(probe.text);
  CHECK(kernel.error() == "");
  if (!kernel.error().empty())
    return;
  noteForm(kernel);
  LaunchShape shape{blocks, threads};
  std::string fault =
      kernel.run(std::as_writable_bytes(std::span(data)), shape);
  CHECK(fault == "");
  if (!fault.empty())
    return;
  compare();
  INFO(messages.str());
  CHECK(wrong == 0);
}

} // namespace

void run(const Probe &probe) {
  Trial(probe, Variant::guarded).run();
  bool whole = probe.wholeWarps || probe.warpReference;
  if (!probe.results.empty() && !probe.sources.empty() && !whole)
    Trial(probe, Variant::aliased).run();
  if (probe.sources.empty() || whole || !probe.takesImmediates)
    return;
  const Operand &last = probe.sources.back();
  bool hasLiterals = last.kind == Kind::integer || last.kind == Kind::amount ||
                     last.kind == Kind::single || last.kind == Kind::twice;
  if (hasLiterals && last.elements == 1 && last.registerBits <= 64 &&
      last.bits >= 16)
    Trial(probe, Variant::immediate).run();
}

} // namespace instructions
