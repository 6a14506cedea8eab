#include "test/runtime/emulator/instructions/Page.h"

#include "runtime/emulator/ptx/Types.h"
#include "test/runtime/emulator/instructions/Coverage.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

namespace instructions {

using tilewright::emulator::CompiledForm;
using tilewright::emulator::Form;
using tilewright::emulator::FormTable;
using tilewright::emulator::ModifierSpec;
using tilewright::emulator::typeFromName;

namespace {

/// A line of the manual.
struct Line {
  enum Kind { ours, elsewhere, missing };
  Kind kind;
  std::string section, opcode;
  /// Types, tests or a reason.
  std::string text;
  /// Of Kind::elsewhere: as the page has it.
  std::string name;
};
const std::vector<Line> manual = {
#define LINE(SECTION, OPCODE, TYPES) {Line::ours, SECTION, OPCODE, TYPES, {}},
#define ELSEWHERE(SECTION, OPCODE, NAME, TESTS)                                \
  {Line::elsewhere, SECTION, OPCODE, TESTS, NAME},
#define MISSING(SECTION, NAME, REASON)                                         \
  {Line::missing, SECTION, NAME, REASON, {}},
#include "test/runtime/emulator/instructions/Manual.inc"
#undef LINE
#undef ELSEWHERE
#undef MISSING
};

/// The line that `form` belongs to: of its section or one around it.
const Line *lineOf(const Form &form) {
  std::string section(form.section);
  for (const Line &line : manual)
    if (line.kind != Line::missing && line.opcode == form.opcode &&
        (section == line.section || section.starts_with(line.section + ".")))
      return &line;
  return nullptr;
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    parts.push_back(part);
  return parts;
}

bool contains(const std::vector<std::string> &list, const std::string &item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// What the tests ran of a line.
struct Run {
  std::vector<std::string> types;
  size_t spellings = 0;
};
Run runOf(const Line &line) {
  std::set<std::string> spellings, types;
  for (const auto &[form, texts] : coverage().run)
    if (lineOf(*form) == &line)
      spellings.insert(texts.begin(), texts.end());
  for (const std::string &spelling : spellings)
    for (const std::string &word : split(spelling, '.'))
      if (typeFromName(word) || word == "u2" || word == "s2")
        types.insert(word);
  return {{types.begin(), types.end()}, spellings.size()};
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Whether the emulator has a form of it.
bool isInTable(const Line &line) {
  for (const CompiledForm &form : FormTable::instance().of(line.opcode))
    if (lineOf(*form.form) == &line)
      return true;
  return false;
}

/// The manual's types first, in its order.
std::string rowOf(const Line &line) {
  std::string start = "| " + line.section + " | `" + line.opcode + "` | ";
  if (line.kind == Line::missing)
    return "| " + line.section + " | " + line.opcode +
           " | | | missing: " + line.text + " |\n";
  if (line.kind == Line::elsewhere)
    return "| " + line.section + " | `" + line.name + "` | | | " +
           (isInTable(line) ? "tested apart: " + line.text
                            : "not in the table") +
           " |\n";
  Run run = runOf(line);
  std::vector<std::string> wanted = split(line.text, ' '), found, lacking;
  for (const std::string &type : wanted)
    (contains(run.types, type) ? found : lacking).push_back(type);
  for (const std::string &type : run.types)
    if (!contains(wanted, type))
      found.push_back(type);
  std::string remark = lacking.empty() ? "" : "not run: " + joined(lacking);
  if (!run.spellings)
    remark = "not run";
  return start + joined(found) + " | " + std::to_string(run.spellings) + " | " +
         remark + " |\n";
}

/// A modifier's values that no test used, including its absence.
std::string untakenOf(const CompiledForm &form, const ModifierSpec &spec) {
  std::set<std::string> taken;
  for (const std::string &spelling : coverage().run[form.form]) {
    std::vector<std::string> words = split(spelling, '.');
    std::vector<tilewright::emulator::ptx::Word> modifiers;
    for (const std::string &word : words)
      modifiers.push_back({word, {}});
    taken.insert(std::string(fit(form, modifiers).match[spec.slot]));
  }
  std::vector<std::string> untaken;
  for (std::string_view choice : spec.choices)
    if (!taken.contains(std::string(choice)))
      untaken.push_back("." + std::string(choice));
  if (spec.optional && !taken.contains(""))
    untaken.push_back("no ." + std::string(spec.slot));
  return joined(untaken);
}

/// Forms, or values of their modifiers, that no test ran.
std::string unrun() {
  std::string text;
  for (const auto &[opcode, forms] : FormTable::instance().all())
    for (const CompiledForm &form : forms) {
      const Line *line = lineOf(*form.form);
      std::string name = "- `" + std::string(opcode) + " " +
                         std::string(form.form->modifiers) + "` (" +
                         std::string(form.form->section) + ")";
      if (!line)
        text += name + ": not in the list of the manual's instructions\n";
      if (!line || line->kind != Line::ours)
        continue;
      if (!coverage().run.contains(form.form)) {
        text += name + "\n";
        continue;
      }
      for (const ModifierSpec &spec : form.modifiers)
        if (std::string untaken = untakenOf(form, spec); !untaken.empty())
          text += name + ": " + untaken + "\n";
    }
  return text.empty() ? "None.\n" : text;
}

const char *const firstMark = "<!-- what runs: made by "
                              "tilewright-emulator-instructions-test -->\n";
const char *const lastMark = "<!-- end of what runs -->\n";

std::string readFile(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

std::string whatRuns() {
  std::string text = "| Section | Instruction | Types run | Spellings run | "
                     "Remarks |\n|---|---|---|---|---|\n";
  for (const Line &line : manual)
    text += rowOf(line);
  text += "\nForms of the emulator's table, and choices of their modifiers, "
          "that no test runs:\n\n" +
          unrun();
  return text;
}

std::string compareWithPage(const std::filesystem::path &page) {
  std::string text = readFile(page);
  size_t start = text.find(firstMark), end = text.find(lastMark);
  if (start == std::string::npos || end == std::string::npos)
    return page.string() + ": expected the marks of its table";
  start += std::string(firstMark).size();
  std::vector<std::string> found = split(text.substr(start, end - start), '\n'),
                           expected = split(whatRuns(), '\n');
  for (size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
    std::string is = i < found.size() ? found[i] : "its end";
    std::string shall = i < expected.size() ? expected[i] : "its end";
    if (is != shall)
      return page.string() + ": expected\n  " + shall + "\nfound\n  " + is +
             "\n(--write-page PAGE makes it anew)";
  }
  return "";
}

bool writeToPage(const std::filesystem::path &page) {
  std::string text = readFile(page);
  size_t start = text.find(firstMark), end = text.find(lastMark);
  if (start == std::string::npos || end == std::string::npos)
    return false;
  start += std::string(firstMark).size();
  text.replace(start, end - start, whatRuns());
  std::ofstream out(page, std::ios::binary);
  out << text;
  return bool(out.flush());
}

} // namespace instructions
