/* Wrong arguments: a status each, never a crash. */
#include "test/library/capi/Capi.h"

static const char *isNull(const char *argument) {
  static char message[64];
  snprintf(message, sizeof message, "argument '%s' is NULL", argument);
  return message;
}
#define REJECTS_NULL(CALL, ARGUMENT)                                           \
  FAILS(CALL, TW_INVALID_INPUT, isNull(ARGUMENT))

static void giveNull(twc_request *request, twc_compiler *compiler) {
  twc_cache_options cacheOptions = TWC_CACHE_OPTIONS_INIT;
  twc_compiler_options options = TWC_COMPILER_OPTIONS_INIT;
  uint32_t version = TILEWRIGHT_COMPILER_ABI_VERSION;
  twc_cache *cache = NULL;
  twc_result *result = NULL;
  twc_job *job = NULL;
  int done = 0;
  REJECTS_NULL(twc_cache_open(NULL, &cache), "options");
  REJECTS_NULL(twc_cache_open(&cacheOptions, NULL), "cache");
  REJECTS_NULL(twc_cache_clean(NULL), "cache");
  REJECTS_NULL(twc_compiler_create(NULL, &compiler), "options");
  REJECTS_NULL(twc_compiler_create(&options, NULL), "compiler");
  REJECTS_NULL(twc_request_create(version, NULL, 1, "k", &request), "module");
  REJECTS_NULL(twc_request_create(version, "", 0, "k", NULL), "request");
  REJECTS_NULL(twc_compile(NULL, &result), "request");
  REJECTS_NULL(twc_compiler_submit(NULL, request, &job), "compiler");
  REJECTS_NULL(twc_job_wait(NULL), "job");
  REJECTS_NULL(twc_job_wait_for(NULL, 1, &done), "job");
  REJECTS_NULL(twc_job_cancel(NULL), "job");
  REJECTS_NULL(twc_job_result(NULL, &result), "job");
  twc_cache_free(NULL);
  twc_compiler_free(NULL);
  twc_request_free(NULL);
  twc_job_free(NULL);
  twc_result_free(NULL);
}

static void giveNullToRequest(twc_request *request, twc_compiler *compiler) {
  twc_result *result = NULL;
  twc_job *job = NULL;
  REJECTS_NULL(twc_request_set_kernel(NULL, "k"), "request");
  REJECTS_NULL(twc_request_set_kernel(request, NULL), "kernel");
  REJECTS_NULL(twc_request_set_target(NULL, "k"), "request");
  REJECTS_NULL(twc_request_set_target(request, NULL), "target");
  REJECTS_NULL(twc_request_set_tunable(NULL, "k", 1), "request");
  REJECTS_NULL(twc_request_set_tunable(request, NULL, 1), "name");
  REJECTS_NULL(twc_request_set_fast_math(NULL, "afn"), "request");
  REJECTS_NULL(twc_request_set_fast_math(request, NULL), "flags");
  REJECTS_NULL(twc_request_set_precision(NULL, "tf32"), "request");
  REJECTS_NULL(twc_request_set_precision(request, NULL), "precision");
  FAILS(twc_request_set_precision(request, "f16"), TW_INVALID_INPUT,
        "expected one of ieee, tf32, tf32x3, bf16x3, bf16x6, found 'f16'");
  REJECTS_NULL(twc_request_set_schedule(NULL, "k"), "request");
  REJECTS_NULL(twc_request_set_schedule(request, NULL), "schedule");
  REJECTS_NULL(twc_request_set_flag(NULL, TWC_FLAG_TEXT, 1), "request");
  REJECTS_NULL(twc_request_set_budget(NULL, TWC_BUDGET_TIME, 1), "request");
  REJECTS_NULL(twc_compile(request, NULL), "result");
  REJECTS_NULL(twc_compiler_compile(NULL, request, &result), "compiler");
  REJECTS_NULL(twc_compiler_compile(compiler, NULL, &result), "request");
  REJECTS_NULL(twc_compiler_compile(compiler, request, NULL), "result");
  REJECTS_NULL(twc_compiler_submit(compiler, NULL, &job), "request");
  REJECTS_NULL(twc_compiler_submit(compiler, request, NULL), "job");
}

static void giveNullToResult(twc_request *request, twc_compiler *compiler) {
  twc_result *result = NULL;
  twc_job *job = NULL;
  twc_diagnostic diagnostic = TWC_DIAGNOSTIC_INIT;
  twc_phase phase = TWC_PHASE_INIT;
  const char *data = NULL;
  OK(twc_compiler_submit(compiler, request, &job));
  REJECTS_NULL(twc_job_wait_for(job, 1, NULL), "done");
  REJECTS_NULL(twc_job_result(job, NULL), "result");
  FAILS(twc_job_wait_for(job, -1, &(int){0}), TW_INVALID_INPUT,
        "milliseconds is -1, expected 0 or more");
  OK(twc_job_result(job, &result));
  REJECTS_NULL(twc_result_part(NULL, TWC_PART_CODE, &data, NULL), "result");
  REJECTS_NULL(twc_result_part(result, TWC_PART_CODE, NULL, NULL), "data");
  FAILS(twc_result_part(result, 12, &data, NULL), TW_INVALID_INPUT,
        "no part 12, expected 0 to 11");
  FAILS(twc_result_part(result, UINT32_MAX, &data, NULL), TW_INVALID_INPUT,
        "no part 4294967295");
  REJECTS_NULL(twc_result_diagnostic(NULL, 0, &diagnostic), "result");
  REJECTS_NULL(twc_result_diagnostic(result, 0, NULL), "diagnostic");
  REJECTS_NULL(twc_result_note(NULL, 0, 0, &diagnostic), "result");
  REJECTS_NULL(twc_result_note(result, 0, 0, NULL), "diagnostic");
  FAILS(twc_result_diagnostic(result, 0, &diagnostic), TW_INVALID_INPUT,
        "index is 0, there are 0");
  REJECTS_NULL(twc_result_phase(NULL, 0, &phase), "result");
  REJECTS_NULL(twc_result_phase(result, 0, NULL), "phase");
  phase.size = 4;
  FAILS(twc_result_phase(result, 0, &phase), TW_INVALID_INPUT,
        "twc_phase: size is 4, expected sizeof(twc_phase)");
  CHECK(twc_result_diagnostic_count(NULL) == 0);
  CHECK(twc_result_phase_count(NULL) == 0);
  CHECK(twc_result_from_cache(NULL) == 0);
  twc_result_free(result);
  twc_job_free(job);
}

static void giveWrongValues(twc_request *request) {
  twc_cache_options cacheOptions = TWC_CACHE_OPTIONS_INIT;
  twc_compiler_options options = TWC_COMPILER_OPTIONS_INIT;
  const char *paths[2] = {"/tmp", NULL};
  twc_cache *cache = NULL;
  twc_compiler *compiler = NULL;
  FAILS(twc_cache_open(&cacheOptions, &cache), TW_INVALID_INPUT, "director");
  cacheOptions.directory = "/tmp/x";
  cacheOptions.max_bytes = -1;
  FAILS(twc_cache_open(&cacheOptions, &cache), TW_INVALID_INPUT,
        "max_bytes is -1, expected 0 or more");
  cacheOptions.max_bytes = 0;
  cacheOptions.stale_after_seconds = -2;
  FAILS(twc_cache_open(&cacheOptions, &cache), TW_INVALID_INPUT,
        "stale_after_seconds is -2");
  cacheOptions.stale_after_seconds = 0;
  cacheOptions.read_only_layer_count = 2;
  FAILS(twc_cache_open(&cacheOptions, &cache), TW_INVALID_INPUT,
        "read_only_layers is NULL, expected 2 paths");
  cacheOptions.read_only_layers = paths;
  FAILS(twc_cache_open(&cacheOptions, &cache), TW_INVALID_INPUT,
        "read_only_layers[1] is NULL, expected a path");
  options.threads = -1;
  FAILS(twc_compiler_create(&options, &compiler), TW_INVALID_INPUT,
        "threads is -1, expected 0 or more");
  options.threads = 2000;
  FAILS(twc_compiler_create(&options, &compiler), TW_INVALID_INPUT,
        "at most 1024 threads");
  FAILS(twc_request_set_flag(request, 5, 1), TW_INVALID_INPUT,
        "no flag 5, expected 0 to 4");
  FAILS(twc_request_set_flag(request, TWC_FLAG_TEXT, 2), TW_INVALID_INPUT,
        "flag 2 is 2, expected 0 or 1");
  FAILS(twc_request_set_budget(request, 3, 1), TW_INVALID_INPUT,
        "no budget 3, expected 0 to 2");
  FAILS(twc_request_set_budget(request, TWC_BUDGET_TIME, -1), TW_INVALID_INPUT,
        "limit is -1, expected 0 or more");
  /* The C++ library throws at this. */
  FAILS(twc_request_create(TILEWRIGHT_COMPILER_ABI_VERSION, "", SIZE_MAX, NULL,
                           &request),
        TW_RESOURCE_EXHAUSTED, "larger than any memory");
  CHECK(request == NULL);
}

void giveWrongArguments(void) {
  twc_compiler_options options = TWC_COMPILER_OPTIONS_INIT;
  twc_compiler *compiler = NULL;
  twc_request *request = requestFor(twice, "interpreter");
  options.threads = 1;
  OK(twc_compiler_create(&options, &compiler));
  giveNull(request, compiler);
  giveNullToRequest(request, compiler);
  giveNullToResult(request, compiler);
  giveWrongValues(request);
  twc_request_free(request);
  twc_compiler_free(compiler);
}

/* What a program that knows one field more would give. */
struct newerOptions {
  twc_compiler_options known;
  int64_t added;
};

void giveWrongVersions(void) {
  const uint32_t own = TILEWRIGHT_COMPILER_ABI_VERSION, next = own + 65536;
  const char *other = "was built for version 2.5 of the compiler's C "
                      "interface, the library has 1.5";
  struct newerOptions newer = {TWC_COMPILER_OPTIONS_INIT, 0};
  twc_compiler_options options = TWC_COMPILER_OPTIONS_INIT;
  twc_cache_options cacheOptions = TWC_CACHE_OPTIONS_INIT;
  twc_compiler *compiler = NULL;
  twc_cache *cache = NULL;
  twc_request *request = NULL;
  CHECK(twc_abi_version() == own);
  FAILS(twc_request_create(next, "", 0, NULL, &request), TW_UNSUPPORTED, other);
  FAILS(twc_request_create(0, "", 0, NULL, &request), TW_UNSUPPORTED,
        "version 0.0");
  /* Another minor one is good. */
  OK(twc_request_create(own + 1, "", 0, NULL, &request));
  twc_request_free(request);
  cacheOptions.abi_version = options.abi_version = next;
  FAILS(twc_cache_open(&cacheOptions, &cache), TW_UNSUPPORTED, other);
  FAILS(twc_compiler_create(&options, &compiler), TW_UNSUPPORTED, other);
  options.abi_version = own;
  options.size = 0;
  FAILS(twc_compiler_create(&options, &compiler), TW_INVALID_INPUT,
        "twc_compiler_options: size is 0");
  options.size = SIZE_MAX;
  FAILS(twc_compiler_create(&options, &compiler), TW_INVALID_INPUT,
        "twc_compiler_options: size is 1844");
  newer.known.size = sizeof newer;
  newer.known.threads = 1;
  OK(twc_compiler_create(&newer.known, &compiler));
  twc_compiler_free(compiler);
  newer.added = 1;
  FAILS(twc_compiler_create(&newer.known, &compiler), TW_UNSUPPORTED,
        "sets a field that this library does not know");
}
