//===- TorchProgram.h - Programs of PyTorch as plain data -------*- C++ -*-===//
//
// What the reader of `.pt2` archives and torch.compile fill, and the importer
// reads. No torch, no MLIR, no JSON. ModelSource::program compiles one.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_COMPILER_TORCHPROGRAM_H
#define TILEWRIGHT_COMPILER_TORCHPROGRAM_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright::torch {

/// Arithmetic on sizes, and conditions on them.
struct Expression {
  enum class Kind : uint8_t {
    Integer,
    Real,
    /// A size by its name.
    Symbol,
    /// Size `integer` of the input called `name`.
    InputSize,
    Add,
    Multiply,
    Divide,
    FloorDivide,
    CeilDivide,
    Remainder,
    Power,
    Minimum,
    Maximum,
    /// A number as a float.
    ToReal,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    And,
    Or,
    Not
  };
  Kind kind = Kind::Integer;
  int64_t integer = 0;
  double real = 0;
  std::string name;
  std::vector<Expression> operands;
};

/// torch.dtype, by its name: "float32". In the order of dtypeNames.
enum class DType : uint8_t {
  UInt8,
  Int8,
  Int16,
  Int32,
  Int64,
  Float16,
  Float32,
  Float64,
  Complex32,
  Complex64,
  Complex128,
  Bool,
  BFloat16,
  UInt16,
  Float8E4M3FN,
  Float8E5M2,
  Float8E4M3FNUZ,
  Float8E5M2FNUZ,
  Float8E8M0FNU,
  UInt32,
  UInt64
};
inline constexpr std::string_view dtypeNames[] = {
    "uint8",           "int8",
    "int16",           "int32",
    "int64",           "float16",
    "float32",         "float64",
    "complex32",       "complex64",
    "complex128",      "bool",
    "bfloat16",        "uint16",
    "float8_e4m3fn",   "float8_e5m2",
    "float8_e4m3fnuz", "float8_e5m2fnuz",
    "float8_e8m0fnu",  "uint32",
    "uint64"};

/// What is known of a tensor. Strides and offset are in elements.
struct TensorMeta {
  DType dtype = DType::Float32;
  std::vector<Expression> sizes, strides;
  Expression offset;
};

enum class MemoryFormat : uint8_t {
  Contiguous = 1,
  ChannelsLast,
  ChannelsLast3d,
  Preserve
};

struct Graph;

/// A tensor or a symbolic number (of integers, floats, booleans) by its name.
struct TensorName {
  std::string name;
};
struct NumberName {
  std::string name;
};
/// What has no meaning for the result: a device, a layout.
struct Placement {};

/// An operator's argument.
struct Argument {
  using List = std::vector<Argument>;
  /// None is std::monostate.
  std::variant<std::monostate, bool, int64_t, double, std::string, TensorName,
               NumberName, DType, MemoryFormat, Placement, List,
               std::shared_ptr<const Graph>>
      value;
};

struct NamedArgument {
  std::string name;
  Argument value;
};

/// Where the user's program calls an operator. The file has no folders.
struct SourceLine {
  std::string file, code;
  unsigned line = 0;
};

/// A call of an operator: "aten.add.Tensor", "_operator.mul", ...
struct Node {
  std::string name, target;
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
  SourceLine source;
};

struct Graph {
  std::vector<Argument> inputs, outputs;
  std::vector<Node> nodes;
  std::map<std::string, TensorMeta> tensors;
  /// Symbolic numbers.
  std::map<std::string, Expression> numbers;
};

/// Elements of a parameter, buffer or constant: the storage that tensors may
/// share, at the strides of `meta`.
struct Storage {
  TensorMeta meta;
  std::string_view bytes;
  /// Owns the bytes; null if the caller does, and they must be copied.
  std::shared_ptr<const void> owner;
};

/// What an input of the graph is.
struct InputSpec {
  enum class Kind : uint8_t { User, Parameter, Buffer, Constant, Fixed };
  Kind kind = Kind::User;
  /// The name in the graph; that of a constant in `storages`.
  std::string name, target;
};

/// What an output of the graph is.
struct OutputSpec {
  enum class Kind : uint8_t { User, BufferMutation, InputMutation, Other };
  Kind kind = Kind::User;
  Argument value;
  /// What is written to.
  std::string target;
};

struct Range {
  std::optional<int64_t> least, most;
};

/// A condition under which the program is valid.
struct Guard {
  Expression condition;
  /// As users read it.
  std::string text;
};

/// The result of torch.export, or a graph of torch.compile.
struct Program {
  Graph graph;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  /// Parameters, buffers and constants by name.
  std::map<std::string, Storage> storages;
  /// Of symbols.
  std::map<std::string, Range> ranges;
  std::vector<Guard> guards;
  std::string torchVersion;
};

} // namespace tilewright::torch

#endif // TILEWRIGHT_COMPILER_TORCHPROGRAM_H
