// _TorchProgram: the graph of tilewright/torch as plain data.
#include "TorchProgram.h"

#include "Errors.h"
#include <algorithm>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace tilewright::python {

using namespace nb::literals;
using torch::Argument;
using torch::Expression;
using torch::Program;

namespace {

struct KindRow {
  std::string_view name;
  Expression::Kind kind;
};
constexpr KindRow kinds[] = {
    {"add", Expression::Kind::Add},
    {"multiply", Expression::Kind::Multiply},
    {"divide", Expression::Kind::Divide},
    {"floor_divide", Expression::Kind::FloorDivide},
    {"ceil_divide", Expression::Kind::CeilDivide},
    {"remainder", Expression::Kind::Remainder},
    {"power", Expression::Kind::Power},
    {"minimum", Expression::Kind::Minimum},
    {"maximum", Expression::Kind::Maximum},
    {"to_real", Expression::Kind::ToReal},
    {"equal", Expression::Kind::Equal},
    {"not_equal", Expression::Kind::NotEqual},
    {"less", Expression::Kind::Less},
    {"less_equal", Expression::Kind::LessEqual},
    {"and", Expression::Kind::And},
    {"or", Expression::Kind::Or},
    {"not", Expression::Kind::Not},
};

[[noreturn]] void reject(const char *what, nb::handle found) {
  throw nb::type_error((std::string("expected ") + what + ", found " +
                        nb::cast<std::string>(nb::repr(found)))
                           .c_str());
}

/// An int, a float, the name of a symbol, or ("add", operand, ...).
Expression readExpression(nb::handle value) {
  Expression result;
  if (nb::isinstance<nb::int_>(value)) {
    result.integer = nb::cast<int64_t>(value);
  } else if (nb::isinstance<nb::float_>(value)) {
    result.kind = Expression::Kind::Real;
    result.real = nb::cast<double>(value);
  } else if (nb::isinstance<nb::str>(value)) {
    result.kind = Expression::Kind::Symbol;
    result.name = nb::cast<std::string>(value);
  } else if (nb::isinstance<nb::tuple>(value) && nb::len(value) > 1) {
    auto name = nb::cast<std::string>(value[0]);
    const KindRow *row = std::ranges::find(kinds, name, &KindRow::name);
    if (row == std::end(kinds))
      reject("an operation on sizes", value[0]);
    result.kind = row->kind;
    for (size_t i = 1; i < nb::len(value); ++i)
      result.operands.push_back(readExpression(value[i]));
  } else {
    reject("an expression of sizes", value);
  }
  return result;
}

std::vector<Expression> readExpressions(nb::handle values) {
  std::vector<Expression> result;
  for (nb::handle each : values)
    result.push_back(readExpression(each));
  return result;
}

torch::DType readDType(std::string_view name) {
  const auto *found = std::ranges::find(torch::dtypeNames, name);
  if (found == std::end(torch::dtypeNames))
    throw nb::type_error(("there is no dtype " + std::string(name)).c_str());
  return torch::DType(found - torch::dtypeNames);
}

/// A tuple of a kind and a value: ("tensor", "x").
Argument readTagged(nb::handle value) {
  auto kind = nb::cast<std::string>(value[0]);
  if (kind == "placement")
    return {torch::Placement{}};
  if (kind == "memory_format")
    return {torch::MemoryFormat(nb::cast<uint8_t>(value[1]))};
  auto name = nb::cast<std::string>(value[1]);
  if (kind == "tensor")
    return {torch::TensorName{name}};
  if (kind == "number")
    return {torch::NumberName{name}};
  if (kind == "dtype")
    return {readDType(name)};
  reject("a kind of argument", value);
}

/// None, a bool, a number, a str, a list of arguments, or a tagged tuple.
Argument readArgument(nb::handle value) {
  if (value.is_none())
    return {};
  if (nb::isinstance<nb::bool_>(value))
    return {nb::cast<bool>(value)};
  if (nb::isinstance<nb::int_>(value))
    return {nb::cast<int64_t>(value)};
  if (nb::isinstance<nb::float_>(value))
    return {nb::cast<double>(value)};
  if (nb::isinstance<nb::str>(value))
    return {nb::cast<std::string>(value)};
  if (nb::isinstance<nb::list>(value)) {
    Argument::List list;
    for (nb::handle each : value)
      list.push_back(readArgument(each));
    return {std::move(list)};
  }
  if (nb::isinstance<nb::tuple>(value) && nb::len(value) > 0)
    return readTagged(value);
  reject("an argument of an operator", value);
}

/// Keeps an object until the last copy goes, in any thread.
std::shared_ptr<const void> keep(nb::object object) {
  return std::shared_ptr<nb::object>(
      new nb::object(std::move(object)), [](nb::object *kept) {
        if (!Py_IsInitialized())
          return; // The process ends; so does all that it holds.
        nb::gil_scoped_acquire lock;
        delete kept;
      });
}

void addTensor(TorchProgramHandle &self, const std::string &name,
               std::string_view dtype, nb::handle sizes, nb::handle strides) {
  self.program->graph.tensors[name] = {
      readDType(dtype), readExpressions(sizes), readExpressions(strides), {}};
}

void addNode(TorchProgramHandle &self, const std::string &name,
             const std::string &target, nb::handle inputs, nb::handle outputs,
             const std::string &file, unsigned line, const std::string &code) {
  torch::Node node{name, target, {}, {}, {file, code, line}};
  for (nb::handle each : inputs)
    node.inputs.push_back(
        {nb::cast<std::string>(each[0]), readArgument(each[1])});
  for (nb::handle each : outputs)
    node.outputs.push_back(readArgument(each));
  self.program->graph.nodes.push_back(std::move(node));
}

void addInput(TorchProgramHandle &self, const std::string &name) {
  self.program->graph.inputs.push_back({torch::TensorName{name}});
  self.program->inputs.push_back({torch::InputSpec::Kind::User, name, ""});
}

void addConstant(TorchProgramHandle &self, const std::string &name,
                 const std::string &target, uintptr_t address, size_t bytes,
                 nb::object owner) {
  Program &program = *self.program;
  auto meta = program.graph.tensors.find(name);
  if (meta == program.graph.tensors.end())
    reject("a tensor that was added", nb::str(name.c_str()));
  program.graph.inputs.push_back({torch::TensorName{name}});
  program.inputs.push_back({torch::InputSpec::Kind::Constant, name, target});
  program.storages[target] = {meta->second,
                              {reinterpret_cast<const char *>(address), bytes},
                              keep(std::move(owner))};
}

void addOutput(TorchProgramHandle &self, const std::string &name) {
  self.program->graph.outputs.push_back({torch::TensorName{name}});
  torch::OutputSpec spec;
  spec.value.value = torch::TensorName{name};
  self.program->outputs.push_back(std::move(spec));
}

} // namespace

void bindTorchProgram(nb::module_ &module) {
  nb::class_<TorchProgramHandle>(module, "_TorchProgram")
      .def(nb::init<>())
      .def("tensor", addTensor, "name"_a, "dtype"_a, "sizes"_a, "strides"_a)
      .def("number",
           [](TorchProgramHandle &self, const std::string &name,
              nb::handle value) {
             self.program->graph.numbers[name] = readExpression(value);
           })
      .def("node", addNode, "name"_a, "target"_a, "inputs"_a, "outputs"_a,
           "file"_a = "", "line"_a = 0, "code"_a = "")
      .def("input", addInput, "name"_a)
      .def("constant", addConstant, "name"_a, "target"_a, "address"_a,
           "bytes"_a, "owner"_a)
      .def("output", addOutput, "name"_a)
      .def(
          "range",
          [](TorchProgramHandle &self, const std::string &symbol,
             std::optional<int64_t> least, std::optional<int64_t> most) {
            self.program->ranges[symbol] = {least, most};
          },
          "symbol"_a, "least"_a.none(), "most"_a.none())
      .def("version", [](TorchProgramHandle &self, const std::string &version) {
        self.program->torchVersion = version;
      });
}

} // namespace tilewright::python
