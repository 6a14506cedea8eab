//===- GraphInterface.cpp - What a graph's text says of it ----------------===//
#include "frontends/mlir/GraphInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tileir/diagnostics/DiagnosticData.h"
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
  // What importers write.
  if (name == "graph.dtype" || name == "graph.fixed")
    return "";
  return "is unknown; a tensor has graph.name and graph.dims";
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

Status checkGraphInterface(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    llvm::StringSet<> inputs, outputs;
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
