// Each wrong kernel causes one diagnostic, at the user's own line, with the
// wording of a file.
#include "Messages.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

namespace tilewright::test {

WrongKernels joined(std::initializer_list<WrongKernels> parts) {
  WrongKernels all;
  for (const WrongKernels &part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

const std::vector<Mistake> &mistakes() {
  static const std::vector<Mistake> all = [] {
    const std::pair<const char *, WrongKernels> groups[] = {
        {"shapes", wrongShapes()},    {"elements", wrongElements()},
        {"memory", wrongMemory()},    {"control", wrongControl()},
        {"program", wrongPrograms()},
    };
    std::vector<Mistake> found;
    for (const auto &[group, kernels] : groups)
      for (const WrongKernel &wrong : kernels) {
        Mistake &mistake = found.emplace_back();
        mistake.name = std::string(group) + ", " + wrong.name;
        auto built =
            wrong.kernel.build(wrong.bindings, {}, &mistake.diagnostics);
        mistake.built = built.ok();
        if (!built.ok())
          mistake.status = built.status().message();
      }
    return found;
  }();
  return all;
}

std::string messagesOf(const std::vector<Mistake> &mistakes) {
  std::string text;
  for (const Mistake &mistake : mistakes)
    text += mistake.name + ": " +
            (mistake.diagnostics.empty() ? std::string("nothing")
                                         : mistake.diagnostics[0].message) +
            "\n";
  return text;
}

static std::string readFile(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string messagesPath() {
  return TILEWRIGHT_AUTHORING_TESTS "/wrong-kernels.txt";
}

bool writeMessages() {
  std::ofstream file(messagesPath());
  file << messagesOf(mistakes());
  return bool(file);
}

/// The comment that ends a line of one of these sources: a code.
static std::string codeAt(const SourceRange &where) {
  std::string name = where.file.substr(where.file.rfind('/') + 1);
  std::istringstream lines(readFile(TILEWRIGHT_AUTHORING_TESTS "/" + name));
  std::string line;
  for (uint32_t number = 0; number < where.line; ++number)
    if (!std::getline(lines, line))
      return "no line " + std::to_string(where.line) + " in '" + name + "'";
  size_t comment = line.rfind("// ");
  return comment == std::string::npos
             ? "no comment in line " + std::to_string(where.line)
             : line.substr(comment + 3);
}

TEST_CASE("each wrong kernel gives one error, at the user's line") {
  CHECK(mistakes().size() >= 60);
  std::set<std::string> names;
  for (const Mistake &mistake : mistakes()) {
    INFO(mistake.name);
    CHECK(names.insert(mistake.name).second);
    CHECK_FALSE(mistake.built);
    REQUIRE(mistake.diagnostics.size() == 1);
    const Diagnostic &diagnostic = mistake.diagnostics[0];
    INFO(printDiagnostic(diagnostic));
    CHECK(diagnostic.severity == Severity::error);
    CHECK(codeAt(diagnostic.where) == diagnostic.code);
    CHECK(diagnostic.where.column > 0);
    CHECK(mistake.status == printDiagnostic(diagnostic));
  }
}

TEST_CASE("messages of wrong kernels") {
  // After a change that is meant: the test's program with --write.
  CHECK(readFile(messagesPath()) == messagesOf(mistakes()));
}

} // namespace tilewright::test
