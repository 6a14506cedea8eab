// The expressions and guards of manifests: printed, read again, evaluated.
#include "tilewright/manifest/Expression.h"
#include "targets/Target.h"
#include "tilewright/manifest/KernelManifest.h"

using namespace tilewright;
using namespace tilewright::runtime;

static void evaluate(const Expression &expression) {
  for (int64_t size : {int64_t{0}, int64_t{7}, INT64_MAX, INT64_MIN}) {
    Bindings values;
    for (const std::string &name : expression.names())
      values[name] = size;
    StatusOr<int64_t> value = expression.evaluate(values);
    if (std::optional<int64_t> constant = expression.constant())
      fuzz::require(value.ok() && *value == *constant,
                    "a constant has its value");
  }
}

static void readAgain(const Expression &expression) {
  const std::string printed = expression.str();
  StatusOr<Expression> again = Expression::parse(printed);
  fuzz::require(again.ok(), "a printed expression is read",
                again.status().message());
  fuzz::require(*again == expression, "parse(str()) is equal", printed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text = fuzz::textOf(data, size);
  if (StatusOr<Expression> expression = Expression::parse(text);
      expression.ok()) {
    evaluate(*expression);
    readAgain(*expression);
  }
  if (StatusOr<Guard> guard = Guard::parse(text); guard.ok())
    for (const Expression *side : {&guard->lhs, &guard->rhs}) {
      evaluate(*side);
      readAgain(*side);
    }
  return 0;
}
