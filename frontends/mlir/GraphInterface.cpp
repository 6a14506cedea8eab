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
         "graph.state, "
         "graph.initial and graph.updates";
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

/// The states of a function: each argument is one of its own, and each update
/// is one of them, of its type.
static Status checkStates(func::FuncOp function) {
  const std::string here = locationPrefix(function.getLoc());
  llvm::StringMap<Type> states;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    const std::string what = here + "argument " + std::to_string(i);
    auto name = function.getArgAttrOfType<StringAttr>(i, "graph.state");
    if (!name && function.getArgAttr(i, "graph.initial"))
      return Status::invalidInput(
          what + ": graph.initial: expected an argument with graph.state");
    if (name &&
        !states.try_emplace(name.getValue(), function.getArgumentTypes()[i])
             .second)
      return Status::invalidInput(what + ": graph.state: another one is '" +
                                  name.getValue().str() + "' too");
    if (function.getArgAttr(i, "graph.updates"))
      return Status::invalidInput(what +
                                  ": graph.updates: expected it of a result");
  }
  llvm::StringSet<> updated;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    const std::string what = here + "result " + std::to_string(i);
    if (function.getResultAttr(i, "graph.state") ||
        function.getResultAttr(i, "graph.initial"))
      return Status::invalidInput(what + ": graph.state and graph.initial are "
                                         "of arguments, expected "
                                         "graph.updates");
    auto name = function.getResultAttrOfType<StringAttr>(i, "graph.updates");
    if (!name)
      continue;
    auto state = states.find(name.getValue());
    if (state == states.end())
      return Status::invalidInput(what +
                                  ": graph.updates: no argument has "
                                  "graph.state = \"" +
                                  name.getValue().str() + "\"");
    if (state->second != function.getResultTypes()[i])
      return Status::invalidInput(what + ": graph.updates: state '" +
                                  name.getValue().str() +
                                  "' is of another type");
    if (!updated.insert(name.getValue()).second)
      return Status::invalidInput(what +
                                  ": graph.updates: another result "
                                  "updates '" +
                                  name.getValue().str() + "' too");
  }
  return Status();
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
