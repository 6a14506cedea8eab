/* What the interface gives where it is used rightly. */
#include "test/library/capi/Capi.h"

static twc_compiler *createCompiler(int32_t threads, twc_cache *cache) {
  twc_compiler_options options = TWC_COMPILER_OPTIONS_INIT;
  twc_compiler *compiler = NULL;
  options.threads = threads;
  options.cache = cache;
  OK(twc_compiler_create(&options, &compiler));
  return compiler;
}

/* The parts of an image, with all that may be asked for. */
static void lookAtParts(const twc_result *result) {
  size_t bytes = 0;
  const char *code = NULL;
  OK(twc_result_part(result, TWC_PART_CODE, &code, &bytes));
  if (!code)
    return;
  CHECK(bytes > 100 && code[bytes] == 0 && strstr(code, ".target sm_90a"));
  /* Of the line info. */
  CHECK(strstr(code, ".loc") != NULL);
  CHECK(strstr(partOf(result, TWC_PART_MANIFEST), "\"twice\""));
  CHECK(strstr(partOf(result, TWC_PART_SCHEDULED), "tile"));
  CHECK(strstr(partOf(result, TWC_PART_LLVM_IR), "define"));
  CHECK(strlen(partOf(result, TWC_PART_LOOPS)) > 0);
  CHECK(strlen(partOf(result, TWC_PART_ASSEMBLY)) == 0);
  CHECK(strstr(partOf(result, TWC_PART_SCHEDULE), "warps=2"));
  CHECK(strlen(partOf(result, TWC_PART_SCHEDULE_REASON)) > 0);
  CHECK(strlen(partOf(result, TWC_PART_EXPLANATION)) > 0);
  CHECK(strstr(partOf(result, TWC_PART_REMARKS), "\"code\":\"schedule\""));
  CHECK(strlen(partOf(result, TWC_PART_DIAGNOSTICS)) == 0);
  CHECK(strlen(partOf(result, TWC_PART_CACHE_KEY)) == 64);
}

static void lookAtPhases(const twc_result *result) {
  twc_phase phase = TWC_PHASE_INIT;
  size_t count = twc_result_phase_count(result);
  CHECK(count > 1);
  OK(twc_result_phase(result, 0, &phase));
  CHECK(strcmp(phase.name, "parse") == 0 && phase.milliseconds >= 0);
  FAILS(twc_result_phase(result, count, &phase), TW_INVALID_INPUT, "there are");
}

void useCompiler(const char *folder) {
  twc_cache_options options = TWC_CACHE_OPTIONS_INIT;
  twc_cache *cache = NULL;
  twc_request *request = requestFor(twice, "sm_90a");
  twc_result *first = NULL, *second = NULL, *direct = NULL;
  options.directory = folder;
  options.read_only_layers = &folder;
  options.read_only_layer_count = 1;
  options.max_bytes = 1 << 20;
  options.stale_after_seconds = 60;
  OK(twc_cache_open(&options, &cache));
  twc_compiler *compiler = createCompiler(2, cache);
  /* The compiler keeps it. */
  twc_cache_free(cache);

  OK(twc_request_set_kernel(request, "twice"));
  OK(twc_request_set_tunable(request, "factor", 3));
  OK(twc_request_set_schedule(request, "warps=2"));
  OK(twc_request_set_fast_math(request, "contract,afn"));
  OK(twc_request_set_precision(request, "tf32"));
  for (twc_flag flag = TWC_FLAG_LINE_INFO; flag <= TWC_FLAG_REMARKS; ++flag)
    OK(twc_request_set_flag(request, flag, flag != TWC_FLAG_ASSERTIONS));
  OK(twc_request_set_budget(request, TWC_BUDGET_TIME, INT64_MAX));
  OK(twc_request_set_budget(request, TWC_BUDGET_MEMORY, (int64_t)1 << 30));
  OK(twc_request_set_budget(request, TWC_BUDGET_LLVM_IR, 1000000));

  OK(twc_compiler_compile(compiler, request, &first));
  CHECK(twc_result_from_cache(first) == 0);
  lookAtParts(first);
  lookAtPhases(first);
  OK(twc_compiler_compile(compiler, request, &second));
  CHECK(twc_result_from_cache(second) == 1);
  OK(twc_compile(request, &direct));
  CHECK(twc_result_from_cache(direct) == 0);
  for (twc_part part = TWC_PART_CODE; part <= TWC_PART_DIAGNOSTICS; ++part) {
    CHECK(strcmp(partOf(first, part), partOf(second, part)) == 0);
    CHECK(strcmp(partOf(first, part), partOf(direct, part)) == 0);
  }
  twc_result_free(second);
  twc_compiler_free(compiler);
  twc_request_free(request);
  /* A result needs nothing else. */
  lookAtParts(first);
  twc_result_free(first);
  twc_result_free(direct);
}

void useJobs(void) {
  enum { count = 6 };
  twc_compiler *compiler = createCompiler(1, NULL);
  twc_job *jobs[count] = {NULL};
  for (int i = 0; i < count; ++i) {
    twc_request *request = requestFor(twice, i % 2 ? "cpu" : "sm_80");
    OK(twc_compiler_submit(compiler, request, &jobs[i]));
    /* The job has a copy. */
    twc_request_free(request);
  }
  twc_result *result = NULL, *again = NULL;
  int done = 7;
  /* One thread has not yet come to the last. */
  OK(twc_job_wait_for(jobs[count - 1], 0, &done));
  CHECK(done == 0);
  OK(twc_job_cancel(jobs[count - 1]));
  OK(twc_job_wait_for(jobs[count - 1], INT64_MAX, &done));
  CHECK(done == 1);
  FAILS(twc_job_result(jobs[count - 1], &result), TW_CANCELLED, "queue");
  CHECK(twc_result_diagnostic_count(result) == 1);
  twc_result_free(result);

  OK(twc_job_wait(jobs[0]));
  OK(twc_job_result(jobs[0], &result));
  OK(twc_job_result(jobs[0], &again));
  CHECK(result != again);
  CHECK(partOf(result, TWC_PART_CODE) == partOf(again, TWC_PART_CODE));
  OK(twc_job_cancel(jobs[0]));
  twc_result_free(again);
  twc_job_free(jobs[0]);
  CHECK(strstr(partOf(result, TWC_PART_CODE), ".target sm_80"));
  twc_result_free(result);
  OK(twc_job_result(jobs[1], &result));
  CHECK(memcmp(partOf(result, TWC_PART_CODE), "\177ELF", 4) == 0);
  twc_result_free(result);
  twc_job_free(jobs[1]);
  /* Ends those that are not done. */
  twc_compiler_free(compiler);
  for (int i = 2; i < count; ++i) {
    OK(twc_job_wait(jobs[i]));
    twc_job_free(jobs[i]);
  }
}

/* One diagnostic with a note at another location. */
static void lookAtRedefinition(void) {
  const char *text = "tile.kernel @k() grid affine_map<() -> (1)> {\n"
                     "  %c = arith.constant 1 : index\n"
                     "  %c = arith.constant 2 : index\n"
                     "}\n";
  twc_request *request = requestFor(text, "cpu");
  twc_result *result = NULL;
  twc_diagnostic found = TWC_DIAGNOSTIC_INIT;
  FAILS(twc_compile(request, &result), TW_INVALID_INPUT,
        "k.mlir:3:3: error: redefinition of SSA value '%c'");
  CHECK(twc_result_diagnostic_count(result) == 1);
  OK(twc_result_diagnostic(result, 0, &found));
  CHECK(found.severity == TWC_ERROR && strcmp(found.code, "parse") == 0);
  CHECK(strcmp(found.file, "k.mlir") == 0);
  CHECK(found.line == 3 && found.column == 3 && found.note_count == 1);
  CHECK(strcmp(found.message, "redefinition of SSA value '%c'") == 0);
  OK(twc_result_note(result, 0, 0, &found));
  CHECK(found.severity == TWC_NOTE && found.line == 2 && found.column == 3);
  FAILS(twc_result_note(result, 0, 1, &found), TW_INVALID_INPUT,
        "note is 1, there are 1");
  FAILS(twc_result_note(result, 1, 0, &found), TW_INVALID_INPUT,
        "index is 1, there are 1");
  CHECK(strstr(partOf(result, TWC_PART_DIAGNOSTICS), "note: "));
  twc_result_free(result);
  twc_request_free(request);
}

void useDiagnostics(void) {
  twc_request *request = requestFor(twice, "sm_90a");
  twc_result *result = NULL;
  twc_diagnostic found = TWC_DIAGNOSTIC_INIT;
  const char *code = NULL;
  lookAtRedefinition();
  OK(twc_request_set_budget(request, TWC_BUDGET_LLVM_IR, 1));
  FAILS(twc_compile(request, &result), TW_RESOURCE_EXHAUSTED,
        "passed the limit of 1");
  OK(twc_result_diagnostic(result, 0, &found));
  CHECK(strcmp(found.code, "budget_llvm_ir") == 0);
  FAILS(twc_result_part(result, TWC_PART_CODE, &code, NULL), TW_NOT_FOUND,
        "there is no image");
  CHECK(code == NULL);
  twc_result_free(result);
  OK(twc_request_set_target(request, "sm_7"));
  FAILS(twc_compile(request, &result), TW_UNSUPPORTED,
        "there is no target 'sm_7'");
  twc_result_free(result);
  OK(twc_request_set_target(request, "cpu"));
  OK(twc_request_set_tunable(request, "factor", 5));
  FAILS(twc_compile(request, &result), TW_INVALID_INPUT, "factor");
  twc_result_free(result);
  twc_request_free(request);
}

void usePlugins(const char *plugin) {
  twc_compiler_options options = TWC_COMPILER_OPTIONS_INIT;
  twc_compiler *compiler = NULL;
  options.plugins = &plugin;
  options.plugin_count = 1;
  OK(twc_compiler_create(&options, &compiler));
  twc_compiler_free(compiler);
  plugin = "/no/such/plugin.so";
  FAILS(twc_compiler_create(&options, &compiler), TW_NOT_FOUND,
        "/no/such/plugin.so");
  CHECK(compiler == NULL);
}
