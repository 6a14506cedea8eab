//===- GraphInterface.cpp - What a graph's text says of it ----------------===//
#include "frontends/mlir/GraphInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tileir/diagnostics/DiagnosticData.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilewright {

/// What is wrong with one attribute; empty if nothing is.
static std::string wrongWith(StringRef name, Attribute value, Type type) {
  if (name == "graph.name") {
    auto text = dyn_cast<StringAttr>(value);
    return text && !text.empty() ? "" : "expected a text that is not empty";
  }
  if (name == "graph.dims") {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto dims = dyn_cast<ArrayAttr>(value);
    if (!dims || !llvm::all_of(dims, llvm::IsaPred<StringAttr>))
      return "expected a list of texts, such as [\"N\", \"\"]";
    if (tensor && int64_t(dims.size()) != tensor.getRank())
      return "expected " + std::to_string(tensor.getRank()) +
             " entries, as the tensor has dimensions, found " +
             std::to_string(dims.size());
    return "";
  }
  if (name == "graph.state" || name == "graph.updates") {
    auto text = dyn_cast<StringAttr>(value);
    if (!text || text.empty())
      return "expected the name of a state";
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape()
               ? ""
               : "expected a tensor of static shape: a state does not change "
                 "its shape";
  }
  if (name == "graph.overwrites") {
    auto text = dyn_cast<StringAttr>(value);
    return text && !text.empty() ? "" : "expected the name of an input";
  }
  if (name == "graph.initial") {
    auto elements = dyn_cast<ElementsAttr>(value);
    return elements && elements.getType() == type
               ? ""
               : "expected elements of the argument's type";
  }
  // What importers write.
  if (name == "graph.dtype" || name == "graph.fixed")
    return "";
  return "is unknown; a tensor has graph.name and graph.dims, a state "
         "graph.state, graph.initial and graph.updates, an input's new value "
         "graph.overwrites";
}

/// The attributes of one argument or result.
static Status check(Location location, const std::string &what, Type type,
                    ArrayRef<NamedAttribute> attributes,
                    llvm::StringSet<> &names) {
  const std::string where = locationPrefix(location) + what;
  for (NamedAttribute attribute : attributes) {
    StringRef name = attribute.getName().getValue();
    if (!name.starts_with("graph."))
      continue;
    if (std::string wrong = wrongWith(name, attribute.getValue(), type);
        !wrong.empty())
      return Status::invalidInput(where + ": " + name.str() + ": " + wrong);
    if (name != "graph.name")
      continue;
    StringRef own = cast<StringAttr>(attribute.getValue()).getValue();
    if (!names.insert(own).second)
      return Status::invalidInput(where +
                                  ": graph.name: another one is called '" +
                                  own.str() + "' too");
  }
  return Status();
}

/// Each result with the attribute `updates` is the new value of another
/// argument, of its type: one whose attribute `name` has that value.
static Status checkUpdates(func::FuncOp function, StringRef updates,
                           StringRef name) {
  const std::string here = locationPrefix(function.getLoc());
  llvm::StringMap<Type> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (auto own = function.getArgAttrOfType<StringAttr>(i, name))
      arguments[own.getValue()] = function.getArgumentTypes()[i];
    if (function.getArgAttr(i, updates))
      return Status::invalidInput(here + "argument " + std::to_string(i) +
                                  ": " + updates.str() +
                                  ": expected it of a result");
  }
  llvm::StringSet<> updated;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto text = function.getResultAttrOfType<StringAttr>(i, updates);
    if (!text)
      continue;
    const std::string value = text.getValue().str();
    const std::string what =
        here + "result " + std::to_string(i) + ": " + updates.str() + ": ";
    auto argument = arguments.find(value);
    if (argument == arguments.end())
      return Status::invalidInput(what + "no argument has " + name.str() +
                                  " = \"" + value + "\"");
    if (argument->second != function.getResultTypes()[i])
      return Status::invalidInput(what + "argument '" + value +
                                  "' is of another type");
    if (!updated.insert(value).second)
      return Status::invalidInput(what + "another result updates '" + value +
                                  "' too");
  }
  return Status();
}

/// The states of a function: each argument is one of its own.
static Status checkStates(func::FuncOp function) {
  const std::string here = locationPrefix(function.getLoc());
  llvm::StringSet<> states;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    const std::string what = here + "argument " + std::to_string(i);
    auto name = function.getArgAttrOfType<StringAttr>(i, "graph.state");
    if (!name && function.getArgAttr(i, "graph.initial"))
      return Status::invalidInput(
          what + ": graph.initial: expected an argument with graph.state");
    if (name && !states.insert(name.getValue()).second)
      return Status::invalidInput(what + ": graph.state: another one is '" +
                                  name.getValue().str() + "' too");
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    const std::string what = here + "result " + std::to_string(i);
    if (function.getResultAttr(i, "graph.state") ||
        function.getResultAttr(i, "graph.initial"))
      return Status::invalidInput(what + ": graph.state and graph.initial are "
                                         "of arguments, expected "
                                         "graph.updates");
  }
  TILEWRIGHT_RETURN_IF_ERROR(
      checkUpdates(function, "graph.updates", "graph.state"));
  return checkUpdates(function, "graph.overwrites", "graph.name");
}

Status checkGraphInterface(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    llvm::StringSet<> inputs, outputs;
    TILEWRIGHT_RETURN_IF_ERROR(checkStates(function));
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      TILEWRIGHT_RETURN_IF_ERROR(
          check(function.isExternal() ? function.getLoc()
                                      : function.getArgument(i).getLoc(),
                "argument " + std::to_string(i), function.getArgumentTypes()[i],
                function_interface_impl::getArgAttrs(function, i), inputs));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      TILEWRIGHT_RETURN_IF_ERROR(
          check(function.getLoc(), "result " + std::to_string(i),
                function.getResultTypes()[i],
                function_interface_impl::getResultAttrs(function, i), outputs));
  }
  return Status();
}

} // namespace tilewright
