// The table of operators, and their other names.
#include "frontends/torch/Call.h"

using namespace mlir;

namespace tilewright::torch {

std::optional<Element> elementOf(MLIRContext *context, DType dtype) {
  Builder b(context);
  auto integer = [&](unsigned bits, bool isUnsigned = false) {
    return Element{b.getIntegerType(bits), isUnsigned};
  };
  switch (dtype) {
  case DType::Bool:
    return integer(1, true);
  case DType::UInt8:
    return integer(8, true);
  case DType::UInt16:
    return integer(16, true);
  case DType::UInt32:
    return integer(32, true);
  case DType::UInt64:
    return integer(64, true);
  case DType::Int8:
    return integer(8);
  case DType::Int16:
    return integer(16);
  case DType::Int32:
    return integer(32);
  case DType::Int64:
    return integer(64);
  case DType::Float16:
    return Element{b.getF16Type()};
  case DType::BFloat16:
    return Element{b.getBF16Type()};
  case DType::Float32:
    return Element{b.getF32Type()};
  case DType::Float64:
    return Element{b.getF64Type()};
  case DType::Float8E4M3FN:
    return Element{Float8E4M3FNType::get(context)};
  case DType::Float8E5M2:
    return Element{Float8E5M2Type::get(context)};
  default:
    return std::nullopt;
  }
}

/// Operators with two names.
static constexpr std::pair<StringRef, StringRef> aliases[] = {
    {"absolute", "abs"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"clip", "clamp"},
    {"concatenate", "cat"},
    {"divide", "div"},
    {"fix", "trunc"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"multiply", "mul"},
    {"negative", "neg"},
    {"not_equal", "ne"},
    {"special_erf", "erf"},
    {"special_erfc", "erfc"},
    {"special_exp2", "exp2"},
    {"special_expit", "sigmoid"},
    {"special_expm1", "expm1"},
    {"special_log1p", "log1p"},
    {"special_log_softmax", "log_softmax"},
    {"special_logit", "logit"},
    {"special_logsumexp", "logsumexp"},
    {"special_round", "round"},
    {"special_softmax", "softmax"},
    {"special_xlogy", "xlogy"},
    {"subtract", "sub"},
    {"true_divide", "div"},
};

std::string canonicalTarget(StringRef target) {
  auto [library, rest] = target.split('.');
  auto [name, overload] = rest.split('.');
  if (library != "aten")
    return target.str();
  StringRef mark = name.ends_with("_") && !name.ends_with("__") ? "_" : "";
  StringRef plain = name.drop_back(mark.size());
  for (auto [alias, original] : aliases)
    if (plain == alias)
      return (library + "." + original + mark + "." + overload).str();
  return target.str();
}

Handler OpTable::find(StringRef target, bool &inPlace) const {
  std::string canonical = canonicalTarget(target);
  target = canonical;
  inPlace = false;
  if (auto found = rows.find(target); found != rows.end())
    return found->second;
  auto [operation, overload] = target.rsplit('.');
  if (!operation.consume_back("_"))
    return nullptr;
  auto found = rows.find((operation + "." + overload).str());
  if (found == rows.end())
    return nullptr;
  inPlace = true;
  return found->second;
}

const OpTable &opTable() {
  static const OpTable table = [] {
    OpTable t;
    addElementwiseOps(t);
    addActivationOps(t);
    addCompareOps(t);
    addReduceOps(t);
    addNormOps(t);
    addMatMulOps(t);
    addConvOps(t);
    addPoolOps(t);
    addViewOps(t);
    addMoveOps(t);
    addCreateOps(t);
    addIndexOps(t);
    addAttentionOps(t);
    addResizeOps(t);
    addControlOps(t);
    addCompositeOps(t);
    addRecurrentOps(t);
    return t;
  }();
  return table;
}

} // namespace tilewright::torch
