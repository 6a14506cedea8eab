// One side of a comparison: something that takes tensors and gives tensors.
#pragma once

#include "tileir/reference/Permitted.h"
#include "tilewright/runtime/Tensor.h"
#include <chrono>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tilewright::verify {

/// A run that takes longer is given up.
using RunTime = std::chrono::duration<double>;
inline constexpr RunTime ordinaryTime(10);

/// The part of its outputs that a program computes where all of them take too
/// long.
struct Sample {
  /// Elements of each output of a graph: the first, the last, and others by
  /// chance; 0: all.
  int64_t elements = 0;
  /// Of each output of a graph those that may be chosen; empty: all.
  std::vector<std::vector<bool>> among = {};
  /// Programs of a kernel; 0: all. Not of what is compiled.
  int64_t programs = 0;
};

/// A tensor that a program takes or gives.
struct Port {
  std::string name;
  runtime::DType dtype = runtime::DType::F32;
  /// -1: the size is open.
  runtime::Shape shape;
  /// Of each dimension; sizes with the same name are equal, "" is none. Empty
  /// where there are no names.
  std::vector<std::string> sizeNames = {};
};

/// Whether a tensor has the port's type, and a shape that fits its own.
bool takes(const Port &port, const runtime::HostTensor &tensor);

/// "x: f32[?, 64]".
std::string portText(const Port &port);

/// Sizes of inputs that have one name and differ, as a message; else "".
std::string findDisagreement(std::span<const Port> ports,
                             std::span<const runtime::HostTensor> inputs);

struct Signature {
  std::vector<Port> inputs, outputs;
};

/// "(x: f32[?, 64]) -> (y: f32[?])".
std::string signatureText(const Signature &signature);

/// What came of a run.
struct Outcome {
  enum class Kind : uint8_t {
    /// There are outputs.
    completed,
    /// The program did what is not defined: an access outside of a tensor, use
    /// of poison, a deadlock.
    faulted,
    /// Two accesses that nothing orders; also a fault.
    raced,
    /// The program does not take these inputs.
    rejected,
    /// It was given up: too many ops, or too long.
    unfinished,
    /// With freedom: what it does depends on which permitted result it took.
    undetermined
  };
  Kind kind = Kind::completed;
  /// Of a run without outputs: what happened, at the op.
  std::string message;
  /// In the order of the signature.
  std::vector<runtime::HostTensor> outputs;
  /// Of each output which elements have a value; empty: all.
  std::vector<std::vector<bool>> written = {};
  /// Whether the others would have one, too, if all were computed.
  bool isSample = false;
  /// With freedom, of each output what is permitted for each element.
  std::vector<std::vector<reference::Permitted>> permitted = {};
};

/// Numbers in a program near which it may behave differently.
struct Hints {
  /// Sizes of tiles, steps, static shapes.
  std::set<int64_t> sizes;
  std::set<int64_t> integers;
  std::set<double> reals;

  void add(const Hints &other);
};

/// A program that can be run again and again. Not safe from several threads.
class Program {
public:
  virtual ~Program() = default;

  [[nodiscard]] const std::string &name() const { return title; }
  [[nodiscard]] const Signature &signature() const { return ports; }
  [[nodiscard]] const Hints &hints() const { return near; }
  /// In how many ways the specification lets it be executed: orders of
  /// programs, of warps, times at which copies land.
  [[nodiscard]] virtual unsigned orderCount() const { return 1; }
  /// Whether it can tell which other results are permitted.
  [[nodiscard]] virtual bool hasFreedom() const { return false; }
  /// Whether it is seen that each element of an output is computed from the
  /// elements of the inputs at its index, in the same way at each index.
  [[nodiscard]] virtual bool isElementwise() const { return false; }
  /// Runs it on one tensor for each input, whose shapes fit the ports, in one
  /// of these ways. Freedom is for those that have it. Errors: it cannot be run
  /// at all.
  virtual StatusOr<Outcome>
  run(std::span<const runtime::HostTensor> inputs, unsigned order,
      reference::Freedom freedom = reference::Freedom::none) = 0;

protected:
  std::string title;
  Signature ports;
  Hints near;
};

} // namespace tilewright::verify
