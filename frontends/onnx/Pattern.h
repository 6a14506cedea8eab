// Patterns of ONNX nodes: the argument of `--replace`. docs/onnx.md describes
// the language.
#pragma once

#include "tilewright/support/Status.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <variant>
#include <vector>

namespace tilewright::onnx {

/// A location in a pattern's text, from 1.
struct PatternLocation {
  unsigned line = 1, column = 1;
};

/// A number, or a list of them.
struct PatternNumbers {
  std::vector<double> values;
  /// In brackets: a list; else one value for all elements.
  bool isList = false;
  /// No number has a point or an exponent.
  bool areIntegers = true;
  /// As it is written.
  std::string text;
};

/// An operand: a value of the pattern, a constant, or nothing.
struct PatternOperand {
  enum class Kind { value, constant, absent };
  Kind kind = Kind::absent;
  /// Index in Pattern::values.
  size_t value = 0;
  PatternNumbers constant;
};

struct PatternAttribute {
  std::string name;
  std::variant<PatternNumbers, std::string> value;
};

struct PatternNode {
  /// Empty for ONNX's own operators.
  std::string domain;
  std::string op;
  std::vector<PatternOperand> operands;
  std::vector<PatternAttribute> attributes;
  /// Indices in Pattern::values, in the order of the node's outputs.
  std::vector<size_t> results;
  PatternLocation location;
  /// As it is written, its operands in full.
  std::string text;
};

struct PatternValue {
  /// Empty for the result of a nested call.
  std::string name;
  PatternLocation location;
  /// The node that defines it, -1 for an input.
  int node = -1;
};

struct Pattern {
  /// On one line.
  std::string text;
  std::vector<PatternValue> values;
  /// A node follows those that it reads.
  std::vector<PatternNode> nodes;
  /// Indices in `values`, in the order of the kernel's arguments.
  std::vector<size_t> inputs, outputs;

  /// "pattern 'TEXT': LINE:COLUMN: MESSAGE".
  Status error(PatternLocation location, const llvm::Twine &message) const;
};

/// A pattern's text as messages show it: statements divided by "; ".
std::string onOneLine(llvm::StringRef text);

/// Parses a pattern. Errors have line and column, what was expected and found.
/// Does not check that operators exist.
StatusOr<Pattern> parsePattern(llvm::StringRef text);

} // namespace tilewright::onnx
