// Compilation, at once or as a job.
#include "library/capi/Handles.h"
#include "support/Format.h"

using namespace tilewright;
using namespace tilewright::capi;
using runtime::checkArguments;
using runtime::guarded;

/// The result of a job, now or later; keeps the job alive.
static std::shared_ptr<const CompileResult>
resultOf(const CompileHandle &handle) {
  auto kept = std::make_shared<const CompileHandle>(handle);
  return {kept, &kept->get()};
}

tw_status *twc_compile(const twc_request *request, twc_result **result) {
  if (result)
    *result = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"request", request}, {"result", result}}));
    CompileReport report;
    StatusOr<KernelImage> image = compile(request->request, &report);
    return giveResult(
        std::make_shared<CompileResult>(std::move(image), std::move(report)),
        result);
  });
}

tw_status *twc_compiler_compile(twc_compiler *compiler,
                                const twc_request *request,
                                twc_result **result) {
  if (result)
    *result = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments(
        {{"compiler", compiler}, {"request", request}, {"result", result}}));
    return giveResult(resultOf(compiler->compiler->submit(request->request)),
                      result);
  });
}

tw_status *twc_compiler_submit(twc_compiler *compiler,
                               const twc_request *request, twc_job **job) {
  if (job)
    *job = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments(
        {{"compiler", compiler}, {"request", request}, {"job", job}}));
    *job = new twc_job{compiler->compiler->submit(request->request)};
    return {};
  });
}

tw_status *twc_job_wait(const twc_job *job) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"job", job}}));
    job->handle.wait();
    return {};
  });
}

tw_status *twc_job_wait_for(const twc_job *job, int64_t milliseconds,
                            int *done) {
  if (done)
    *done = 0;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"job", job}, {"done", done}}));
    if (milliseconds < 0)
      return Status::invalidInput(
          format("milliseconds is {}, expected 0 or more", {milliseconds}));
    *done = job->handle.waitFor(clampTime(milliseconds));
    return {};
  });
}

tw_status *twc_job_cancel(const twc_job *job) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"job", job}}));
    job->handle.cancel();
    return {};
  });
}

tw_status *twc_job_result(const twc_job *job, twc_result **result) {
  if (result)
    *result = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"job", job}, {"result", result}}));
    return giveResult(resultOf(job->handle), result);
  });
}

void twc_job_free(twc_job *job) { delete job; }
