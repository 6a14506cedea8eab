// Requests.
#include "library/capi/Handles.h"
#include "support/Format.h"

using namespace tilewright;
using namespace tilewright::capi;
using runtime::checkArguments;
using runtime::guarded;

tw_status *twc_request_create(uint32_t abi_version, const void *module,
                              size_t bytes, const char *name,
                              twc_request **request) {
  if (request)
    *request = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkVersion(abi_version));
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"module", module}, {"request", request}}));
    auto made = std::make_unique<twc_request>();
    made->request.module.code.assign(static_cast<const char *>(module), bytes);
    if (name)
      made->request.module.name = name;
    *request = made.release();
    return {};
  });
}

void twc_request_free(twc_request *request) { delete request; }

tw_status *twc_request_set_kernel(twc_request *request, const char *kernel) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"request", request}, {"kernel", kernel}}));
    request->request.kernel = kernel;
    return {};
  });
}

tw_status *twc_request_set_target(twc_request *request, const char *target) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"request", request}, {"target", target}}));
    request->request.target = target;
    return {};
  });
}

tw_status *twc_request_set_tunable(twc_request *request, const char *name,
                                   int64_t value) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"request", request}, {"name", name}}));
    request->request.tunables[name] = value;
    return {};
  });
}

tw_status *twc_request_set_schedule(twc_request *request,
                                    const char *schedule) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"request", request}, {"schedule", schedule}}));
    request->request.schedule = schedule;
    return {};
  });
}

tw_status *twc_request_set_fast_math(twc_request *request, const char *flags) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"request", request}, {"flags", flags}}));
    request->request.fastMath = flags;
    return {};
  });
}

tw_status *twc_request_set_precision(twc_request *request,
                                     const char *precision) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"request", request}, {"precision", precision}}));
    TILEWRIGHT_ASSIGN_OR_RETURN(request->request.precision,
                                runtime::parseF32Precision(precision));
    return {};
  });
}

/// Where a flag is kept; null where there is no such flag.
static bool *findFlag(CompileRequest &request, twc_flag flag) {
  switch (flag) {
  case TWC_FLAG_LINE_INFO:
    return &request.lineInfo;
  case TWC_FLAG_ASSERTIONS:
    return &request.assertions;
  case TWC_FLAG_TEXT:
    return &request.wantText;
  case TWC_FLAG_EXPLANATION:
    return &request.wantExplanation;
  case TWC_FLAG_REMARKS:
    return &request.wantRemarks;
  }
  return nullptr;
}

tw_status *twc_request_set_flag(twc_request *request, twc_flag flag, int on) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"request", request}}));
    bool *kept = findFlag(request->request, flag);
    if (!kept)
      return Status::invalidInput(
          format("this library has no flag {}, expected 0 to {}",
                 {flag, int(TWC_FLAG_REMARKS)}));
    if (on != 0 && on != 1)
      return Status::invalidInput(
          format("flag {} is {}, expected 0 or 1", {flag, on}));
    *kept = on;
    return {};
  });
}

tw_status *twc_request_set_budget(twc_request *request, twc_budget budget,
                                  int64_t limit) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"request", request}}));
    TILEWRIGHT_RETURN_IF_ERROR(checkNotNegative("limit", limit));
    Budget &kept = request->request.budget;
    if (budget == TWC_BUDGET_TIME)
      kept.time = clampTime(limit);
    else if (budget == TWC_BUDGET_MEMORY)
      kept.memory = limit;
    else if (budget == TWC_BUDGET_LLVM_IR)
      kept.llvmIr = limit;
    else
      return Status::invalidInput(
          format("this library has no budget {}, expected 0 to {}",
                 {budget, int(TWC_BUDGET_LLVM_IR)}));
    return {};
  });
}
