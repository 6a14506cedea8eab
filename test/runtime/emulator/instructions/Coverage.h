// Which forms of instructions, with which modifiers, the tests ran.
#ifndef TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_COVERAGE_H
#define TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_COVERAGE_H

#include "runtime/emulator/program/Form.h"

#include <map>
#include <set>
#include <string>

namespace instructions {

/// The line with that number, from 1.
std::string lineOf(const std::string &text, unsigned number);
/// The rest of the line from a location on.
std::string textAt(const std::string &text,
                   const tilewright::emulator::ptx::Location &at);

class Coverage {
public:
  /// An instruction of `form` ran; `text` begins with its opcode.
  void add(const tilewright::emulator::Form &form, const std::string &text);

  /// The modifiers that were written, by form.
  std::map<const tilewright::emulator::Form *, std::set<std::string>> run;
};

/// The one of this program.
Coverage &coverage();

} // namespace instructions

#endif // TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_COVERAGE_H
