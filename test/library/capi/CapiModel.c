/* Models through the interface, and what is wrong with them. */
#include "test/library/capi/Capi.h"
#include "tilewright/c/tilewright.h"

static const char *graph =
    "func.func @main(%x: tensor<?x3xf32> {graph.name = \"x\", graph.dims = "
    "[\"N\", \"\"]}) -> (tensor<?x3xf32> {graph.name = \"y\"}) {\n"
    "  %y = arith.addf %x, %x : tensor<?x3xf32>\n"
    "  return %y : tensor<?x3xf32>\n"
    "}\n";
/* A ModelProto: y = Relu(x) over 4 floats. */
static const char relu[] = "\x08\x08\x3a\x33\x0a\x0c\x0a\x01x\x12\x01y\x22\x04"
                           "Relu\x12\x01gZ\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01"
                           "\x12\x04\x0a\x02\x08\x04"
                           "b\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a"
                           "\x02\x08\x04"
                           "B\x02\x10\x0d";
static const char *negate =
    "tile.kernel @negate(%x: !tile.view<4xf32>, %y: !tile.view<4xf32>) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %t = tile.load %x[%c0] : !tile.view<4xf32> -> tensor<4xf32>\n"
    "  %n = arith.negf %t : tensor<4xf32>\n"
    "  tile.store %n, %y[%c0] : tensor<4xf32>, !tile.view<4xf32>\n"
    "}\n";

static char output[512];

static tw_status *compileText(const char *text, const char *name,
                              const twc_model_options *options,
                              twc_result **result) {
  return twc_compile_model(text, strlen(text), name, output, options, result);
}

static tw_status *compileGraph(const twc_model_options *options,
                               twc_result **result) {
  return compileText(graph, "sum.mlir", options, result);
}

static int hasCode(const twc_result *result, const char *code) {
  twc_diagnostic found = TWC_DIAGNOSTIC_INIT;
  OK(twc_result_diagnostic(result, 0, &found));
  return found.severity == TWC_ERROR && found.code &&
         strcmp(found.code, code) == 0;
}

static tw_model *load(const char *device) {
  tw_device *opened = NULL;
  tw_model *model = NULL;
  OK(tw_device_open(device, 1, &opened));
  OK(tw_model_load(opened, output, &model));
  tw_device_free(opened);
  return model;
}

/* For two targets, with a size fixed, and once more from the cache. */
static void useOptions(const char *folder) {
  const char *targets[] = {"cpu", "sm_80"};
  const char *input = "x";
  const int64_t sizes[] = {4, 3}, *shape = sizes;
  const size_t rank = 2;
  char kept[512];
  twc_cache_options cacheOptions = TWC_CACHE_OPTIONS_INIT;
  twc_model_options options = TWC_MODEL_OPTIONS_INIT;
  twc_model_report report = TWC_MODEL_REPORT_INIT;
  twc_result *result = NULL;
  snprintf(kept, sizeof kept, "%s/models", folder);
  cacheOptions.directory = kept;
  OK(twc_cache_open(&cacheOptions, &options.cache));
  options.threads = 1;
  options.targets = targets;
  options.target_count = 2;
  options.input_names = &input;
  options.input_ranks = &rank;
  options.input_shapes = &shape;
  options.input_count = 1;
  options.time_limit = INT64_MAX;
  options.memory_limit = options.llvm_ir_limit = INT64_MAX;
  for (int again = 0; again < 2; ++again) {
    OK(compileGraph(&options, &result));
    CHECK(twc_result_from_cache(result) == again);
    CHECK(twc_result_diagnostic_count(result) == 0);
    CHECK(twc_result_phase_count(result) == 3);
    OK(twc_result_model_report(result, &report));
    CHECK(report.node_count > 0 && report.step_count == 1);
    CHECK(report.kernel_count == 1 && report.cached_image_count == 0);
    const char *code = NULL;
    FAILS(twc_result_part(result, TWC_PART_CODE, &code, NULL), TW_NOT_FOUND,
          "a model's images are in its package");
    twc_result_free(result);
  }
  twc_cache_free(options.cache);
  for (int i = 0; i < 2; ++i) {
    tw_model *model = load(i ? "emulator" : "cpu");
    CHECK(strcmp(tw_model_input_dim(model, 0, 0), "4") == 0);
    tw_model_free(model);
  }
}

static float runRelu(void) {
  const int64_t four = 4, *shape = NULL;
  const void *data = NULL;
  size_t rank = 0, bytes = 0;
  float numbers[4] = {1, 2, 3, 4};
  tw_model *model = load("cpu");
  tw_session *session = NULL;
  OK(tw_session_create(model, &session));
  OK(tw_session_set_input(session, "x", "f32", &four, 1, numbers,
                          sizeof numbers));
  OK(tw_session_run(session));
  OK(tw_session_get_output(session, "y", &shape, &rank, &data, &bytes));
  CHECK(rank == 1 && bytes == sizeof numbers);
  if (data)
    memcpy(numbers, data, sizeof numbers);
  tw_session_free(session);
  tw_model_free(model);
  return numbers[3];
}

/* A kernel in place of a node, and what is read by a plug-in. */
static void useReplacement(void) {
  const char *pattern = "y = Relu(x)", *name = "negate";
  twc_model_options options = TWC_MODEL_OPTIONS_INIT;
  twc_result *result = NULL;
  OK(twc_compile_model(relu, sizeof relu - 1, "relu.onnx", output, &options,
                       &result));
  twc_result_free(result);
  CHECK(runRelu() == 4);
  options.replaced_patterns = &pattern;
  options.replacement_modules = &negate;
  options.replacement_count = 1;
  for (int named = 0; named < 2; ++named) {
    options.replacement_kernels = named ? &name : NULL;
    OK(twc_compile_model(relu, sizeof relu - 1, "relu.onnx", output, &options,
                         &result));
    twc_result_free(result);
    CHECK(runRelu() == -4);
  }
  name = "none";
  FAILS(twc_compile_model(relu, sizeof relu - 1, "relu.onnx", output, &options,
                          &result),
        TW_NOT_FOUND, "none");
  twc_result_free(result);
}

/* Products of f32, of a kernel and of a package with it: manifests tell. */
static void usePrecision(void) {
  const char *square =
      "tile.kernel @square(%x: !tile.view<8x8xf32> {tile.name = \"x\"}) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %t = tile.load %x[%c0, %c0] : !tile.view<8x8xf32> -> tensor<8x8xf32>\n"
      "  %n = tile.dot %t, %t, %t : tensor<8x8xf32>, tensor<8x8xf32> -> "
      "tensor<8x8xf32>\n"
      "  tile.store %n, %x[%c0, %c0] : tensor<8x8xf32>, !tile.view<8x8xf32>\n"
      "}\n";
  twc_request *request = requestFor(square, "sm_80");
  twc_model_options options = TWC_MODEL_OPTIONS_INIT;
  twc_result *result = NULL;
  char path[600], manifest[4096] = "";
  OK(twc_request_set_precision(request, "tf32"));
  OK(twc_compile(request, &result));
  CHECK(strstr(partOf(result, TWC_PART_MANIFEST), "\"precision\": \"tf32\""));
  twc_result_free(result);
  twc_request_free(request);
  options.precision = "bf16x6";
  OK(compileText(square, "square.mlir", &options, &result));
  twc_result_free(result);
  snprintf(path, sizeof path, "%s/manifest.json", output);
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL);
  if (!file)
    return;
  manifest[fread(manifest, 1, sizeof manifest - 1, file)] = 0;
  fclose(file);
  CHECK(strstr(manifest, "\"precision\": \"bf16x6\""));
}

static void usePlugin(const char *plugin) {
  const char *target = "sm_87";
  twc_model_options options = TWC_MODEL_OPTIONS_INIT;
  twc_result *result = NULL;
  options.targets = &target;
  options.target_count = 1;
  FAILS(compileText("7\n", "seven.number", &options, &result), TW_UNSUPPORTED,
        "target 'sm_87' is not supported; expected cpu");
  CHECK(result == NULL);
  options.plugins = &plugin;
  options.plugin_count = 1;
  OK(compileText("7\n", "seven.number", &options, &result));
  twc_result_free(result);
  plugin = "/no/such/plugin.so";
  FAILS(compileGraph(&options, &result), TW_NOT_FOUND, plugin);
  CHECK(result == NULL);
}

/* As many zeros as `n` says. */
static const char *const zeros =
    "func.func @zeros(%n: tensor<i64> {graph.name = \"n\"})\n"
    "    -> (tensor<?xf32> {graph.name = \"y\"}) {\n"
    "  %z = arith.constant 0.0 : f32\n"
    "  %k = graph.size %n : tensor<i64>\n"
    "  %e = tensor.empty(%k) : tensor<?xf32>\n"
    "  %y = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>)\n"
    "      -> tensor<?xf32>\n"
    "  return %y : tensor<?xf32>\n"
    "}\n";

/* A size that data decides, up to the bound and beyond it. */
static void useBound(void) {
  const char *name = "y";
  const int64_t most = 5, *shape = &most;
  const size_t rank = 1;
  twc_model_options options = TWC_MODEL_OPTIONS_INIT;
  twc_result *result = NULL;
  options.max_names = &name;
  options.max_count = 1;
  FAILS(compileText(zeros, "zeros.mlir", &options, &result), TW_INVALID_INPUT,
        "'options->max_ranks' is NULL");
  options.max_ranks = &rank;
  options.max_shapes = &shape;
  OK(compileText(zeros, "zeros.mlir", &options, &result));
  twc_result_free(result);
  tw_model *model = load("cpu");
  tw_session *session = NULL;
  OK(tw_session_create(model, &session));
  for (int64_t n = 5; n < 7; ++n) {
    OK(tw_session_set_input(session, "n", "i64", NULL, 0, &n, sizeof n));
    if (n == 5)
      OK(tw_session_run(session));
    else
      FAILS(tw_session_run(session), TW_INVALID_INPUT, "expected at most 5");
  }
  tw_session_free(session);
  tw_model_free(model);
}

static void giveUp(void) {
  twc_model_options options = TWC_MODEL_OPTIONS_INIT;
  twc_result *result = NULL;
  twc_stop *stop = NULL;
  OK(twc_stop_create(&stop));
  options.stop = stop;
  OK(compileGraph(&options, &result));
  twc_result_free(result);
  OK(twc_stop_request(stop));
  FAILS(compileGraph(&options, &result), TW_CANCELLED, "given up");
  CHECK(hasCode(result, "cancelled"));
  twc_result_free(result);
  twc_stop_free(stop);
  options.stop = NULL;
  options.llvm_ir_limit = 1;
  FAILS(compileGraph(&options, &result), TW_RESOURCE_EXHAUSTED,
        "passed the limit of 1");
  CHECK(hasCode(result, "budget_llvm_ir"));
  twc_result_free(result);
  options.llvm_ir_limit = 0;
  options.memory_limit = 1;
  FAILS(compileGraph(&options, &result), TW_RESOURCE_EXHAUSTED,
        "passed the limit of 1");
  CHECK(hasCode(result, "budget_memory"));
  twc_result_free(result);
}

static void giveWrongModels(void) {
  twc_model_options options = TWC_MODEL_OPTIONS_INIT;
  twc_model_report report = TWC_MODEL_REPORT_INIT;
  twc_diagnostic found = TWC_DIAGNOSTIC_INIT;
  twc_result *result = NULL;
  FAILS(compileText("func.func @f(", "f.mlir", &options, &result),
        TW_INVALID_INPUT, "f.mlir:1:13");
  OK(twc_result_diagnostic(result, 0, &found));
  CHECK(strcmp(found.file, "f.mlir") == 0 && found.line == 1);
  CHECK(strstr(partOf(result, TWC_PART_DIAGNOSTICS), "f.mlir:1:13"));
  FAILS(twc_result_model_report(result, &report), TW_NOT_FOUND, "a model");
  twc_result_free(result);
  FAILS(twc_compile_model(NULL, 0, "/no/such.onnx", output, &options, &result),
        TW_NOT_FOUND, "/no/such.onnx");
  CHECK(twc_result_diagnostic_count(result) == 1);
  twc_result_free(result);
}

static void giveWrongArgument(void) {
  twc_model_options options = TWC_MODEL_OPTIONS_INIT;
  twc_model_report report = TWC_MODEL_REPORT_INIT;
  const char *none = NULL;
  twc_result *result = NULL;
  FAILS(twc_compile_model(NULL, 1, "m", output, &options, &result),
        TW_INVALID_INPUT, "'model' is NULL");
  FAILS(twc_compile_model(NULL, 0, NULL, output, &options, &result),
        TW_INVALID_INPUT, "'name' is NULL");
  FAILS(twc_compile_model(NULL, 0, "m", NULL, &options, &result),
        TW_INVALID_INPUT, "'output' is NULL");
  FAILS(twc_compile_model(NULL, 0, "m", "", &options, &result),
        TW_INVALID_INPUT, "output is \"\"");
  FAILS(compileGraph(NULL, &result), TW_INVALID_INPUT, "'options' is NULL");
  FAILS(compileGraph(&options, NULL), TW_INVALID_INPUT, "'result' is NULL");
  options.target_count = 1;
  FAILS(compileGraph(&options, &result), TW_INVALID_INPUT,
        "targets is NULL, expected 1 targets");
  options.targets = &none;
  FAILS(compileGraph(&options, &result), TW_INVALID_INPUT,
        "targets[0] is NULL, expected a target");
  options.target_count = 0;
  options.time_limit = -1;
  FAILS(compileGraph(&options, &result), TW_INVALID_INPUT,
        "time_limit is -1, expected 0 or more");
  options.time_limit = 0;
  options.precision = "f16";
  FAILS(compileGraph(&options, &result), TW_INVALID_INPUT,
        "expected one of ieee, tf32, tf32x3, bf16x3, bf16x6, found 'f16'");
  options.abi_version += 65536;
  FAILS(compileGraph(&options, &result), TW_UNSUPPORTED, "version 2.");
  options.size = 4;
  FAILS(compileGraph(&options, &result), TW_INVALID_INPUT,
        "twc_model_options: size is 4");
  FAILS(twc_result_model_report(NULL, &report), TW_INVALID_INPUT, "'result'");
  FAILS(twc_stop_create(NULL), TW_INVALID_INPUT, "'stop' is NULL");
  FAILS(twc_stop_request(NULL), TW_INVALID_INPUT, "'stop' is NULL");
  twc_stop_free(NULL);
}

static void giveWrongShapes(void) {
  twc_model_options options = TWC_MODEL_OPTIONS_INIT;
  const char *input = "z";
  const int64_t sizes[] = {4, 3}, *shape = NULL;
  size_t rank = 2;
  twc_result *result = NULL;
  options.input_names = &input;
  options.input_count = 1;
  FAILS(compileGraph(&options, &result), TW_INVALID_INPUT,
        "'options->input_ranks' is NULL");
  options.input_ranks = &rank;
  options.input_shapes = &shape;
  FAILS(compileGraph(&options, &result), TW_INVALID_INPUT,
        "input_shapes[0] is NULL, expected 2 sizes");
  CHECK(result == NULL);
  shape = sizes;
  FAILS(compileGraph(&options, &result), TW_UNSUPPORTED, "'z'");
  CHECK(result != NULL);
  twc_result_free(result);
}

void useModels(const char *folder, const char *plugin) {
  snprintf(output, sizeof output, "%s/model.twp", folder);
  useOptions(folder);
  useReplacement();
  usePrecision();
  usePlugin(plugin);
  useBound();
  giveUp();
  giveWrongModels();
  giveWrongArgument();
  giveWrongShapes();
}
