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
    {"linalg_matmul", "matmul"},
    {"moveaxis", "movedim"},
    {"multiply", "mul"},
    {"negative", "neg"},
    {"not_equal", "ne"},
    {"row_stack", "vstack"},
    {"special_digamma", "digamma"},
    {"special_erf", "erf"},
    {"special_erfc", "erfc"},
    {"special_erfinv", "erfinv"},
    {"special_exp2", "exp2"},
    {"special_expit", "sigmoid"},
    {"special_expm1", "expm1"},
    {"special_gammaln", "lgamma"},
    {"special_i0", "i0"},
    {"special_log1p", "log1p"},
    {"special_log_softmax", "log_softmax"},
    {"special_logit", "logit"},
    {"special_logsumexp", "logsumexp"},
    {"special_multigammaln", "mvlgamma"},
    {"special_polygamma", "polygamma"},
    {"special_psi", "digamma"},
    {"special_round", "round"},
    {"special_sinc", "sinc"},
    {"special_softmax", "softmax"},
    {"special_xlogy", "xlogy"},
    {"subtract", "sub"},
    {"swapdims", "swapaxes"},
    {"true_divide", "div"},
};

/// The name that the table has of an operator with two names.
static std::string canonicalTarget(StringRef target) {
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

Operator OpTable::find(StringRef target) const {
  Operator op;
  op.target = canonicalTarget(target);
  auto lookup = [&](const std::string &name) {
    auto found = rows.find(name);
    if (found == rows.end())
      return false;
    op.handler = found->second;
    op.target = name;
    return true;
  };
  const std::string canonical = op.target;
  if (lookup(canonical))
    return op;
  auto [operation, overload] = StringRef(canonical).rsplit('.');
  std::string suffix = ("." + overload).str();
  StringRef view = operation;
  if (operation.consume_back("_"))
    op.inPlace = lookup(operation.str() + suffix);
  else if (view.consume_back("_copy"))
    op.copies = lookup(view.str() + suffix);
  return op;
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
    addStackOps(t);
    addDiagonalOps(t);
    addOrderOps(t);
    addLossOps(t);
    addMarginLossOps(t);
    addSpecialOps(t);
    addProductOps(t);
    addFloatOps(t);
    addWriteOps(t);
    addSeriesOps(t);
    return t;
  }();
  return table;
}

} // namespace tilewright::torch
