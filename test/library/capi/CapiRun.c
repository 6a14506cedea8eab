/* What was compiled, loaded and launched through the runtime's C interface. */
#include "test/library/capi/Capi.h"
#include "tilewright/c/tilewright.h"

enum { count = 100 };

static const char *mixed = "tile.kernel @mixed(%A: !tile.view<?xf32, "
                           "strides<[?]>>, %n: i32, %f: f32)\n"
                           "    grid affine_map<()[n, m] -> (n ceildiv 64)> {\n"
                           "  %i = tile.program_id\n"
                           "  %a = tile.load %A[%i] pad 0.0 : "
                           "!tile.view<?xf32, strides<[?]>> -> tensor<64xf32>\n"
                           "  %m = arith.sitofp %n : i32 to f32\n"
                           "  %p = arith.mulf %m, %f : f32\n"
                           "  %s = tile.splat %p : f32 -> tensor<64xf32>\n"
                           "  %b = arith.addf %a, %s : tensor<64xf32>\n"
                           "  tile.store %b, %A[%i] : tensor<64xf32>, "
                           "!tile.view<?xf32, strides<[?]>>\n"
                           "}\n";

static tw_kernel *load(tw_device *device) {
  twc_request *request = requestFor(mixed, tw_device_target(device, 0));
  twc_result *result = NULL;
  tw_kernel *kernel = NULL;
  const char *code = NULL;
  size_t bytes = 0;
  OK(twc_compile(request, &result));
  OK(twc_result_part(result, TWC_PART_CODE, &code, &bytes));
  const char *manifest = partOf(result, TWC_PART_MANIFEST);
  OK(tw_kernel_load(device, manifest, code, bytes, &kernel));
  /* What is wrong with an image. */
  tw_kernel *none = kernel;
  FAILS(tw_kernel_load(device, "{", code, bytes, &none), TW_INVALID_INPUT, "");
  CHECK(none == NULL);
  FAILS(tw_kernel_load(device, NULL, code, bytes, &none), TW_INVALID_INPUT,
        "argument 'manifest' is NULL");
  tw_status *status = tw_kernel_load(device, manifest, "nonsense", 8, &none);
  CHECK(status && none == NULL);
  tw_status_free(status);
  twc_result_free(result);
  twc_request_free(request);
  return kernel;
}

static void giveWrongArgumentsTo(tw_launch *launch, const tw_buffer *buffer) {
  const int64_t dims[2] = {count, 1}, more = count + 1, half = count / 2;
  const int64_t two = 2;
  FAILS(tw_launch_run(launch), TW_INVALID_INPUT, "argument 0: it is not set");
  FAILS(tw_launch_set_view(launch, 0, buffer, "f16", dims, NULL, 1),
        TW_INVALID_INPUT,
        "kernel 'mixed': argument 0: expected a view of f32 of rank 1, found "
        "f16 of rank 1");
  FAILS(tw_launch_set_view(launch, 0, buffer, "f32", dims, NULL, 2),
        TW_INVALID_INPUT, "found f32 of rank 2");
  FAILS(tw_launch_set_view(launch, 1, buffer, "f32", dims, NULL, 1),
        TW_INVALID_INPUT, "expected a number of i32, found a view");
  FAILS(tw_launch_set_view(launch, 0, NULL, "f32", dims, NULL, 1),
        TW_INVALID_INPUT, "argument 'buffer' is NULL");
  FAILS(tw_launch_set_view(launch, 0, buffer, "f32", NULL, NULL, 1),
        TW_INVALID_INPUT, "argument 'dims' is NULL");
  FAILS(tw_launch_set_integer(launch, 0, 1), TW_INVALID_INPUT,
        "expected a view of f32, found an integer");
  FAILS(tw_launch_set_integer(launch, 2, 1), TW_INVALID_INPUT,
        "expected a number of f32, found an integer");
  FAILS(tw_launch_set_integer(launch, 1, INT64_MAX), TW_INVALID_INPUT,
        "does not fit a number of i32");
  FAILS(tw_launch_set_integer(launch, 3, 1), TW_INVALID_INPUT,
        "argument 3: there are 3");
  FAILS(tw_launch_set_float(launch, 1, 1), TW_INVALID_INPUT,
        "expected a number of i32, found a float");
  OK(tw_launch_set_integer(launch, 1, -2));
  OK(tw_launch_set_float(launch, 2, 0.25));
  OK(tw_launch_set_view(launch, 0, buffer, "f32", &more, NULL, 1));
  FAILS(tw_launch_run(launch), TW_INVALID_INPUT, "does not fit in 400 bytes");
  OK(tw_launch_set_view(launch, 0, buffer, "f32", &half, &two, 1));
}

static void runOn(const char *name) {
  float numbers[count];
  tw_device *device = NULL;
  tw_buffer *buffer = NULL;
  tw_launch *launch = NULL;
  OK(tw_device_open(name, 2, &device));
  CHECK(tw_device_target(device, 1000) == NULL);
  tw_kernel *kernel = load(device);
  OK(tw_buffer_create(device, sizeof numbers, &buffer));
  OK(tw_launch_create(kernel, &launch));
  for (int i = 0; i < count; ++i)
    numbers[i] = (float)i;
  OK(tw_buffer_write(buffer, 0, numbers, sizeof numbers));
  FAILS(tw_buffer_write(buffer, 1, numbers, sizeof numbers), TW_INVALID_INPUT,
        "400");
  FAILS(tw_buffer_read(buffer, 0, NULL, 1), TW_INVALID_INPUT,
        "argument 'data' is NULL");
  giveWrongArgumentsTo(launch, buffer);
  /* The launch keeps the others alive. */
  tw_kernel_free(kernel);
  tw_device_free(device);
  OK(tw_launch_run(launch));
  OK(tw_launch_set_integer(launch, 1, 4));
  OK(tw_launch_run(launch));
  OK(tw_buffer_read(buffer, 4, numbers, sizeof numbers - 4));
  /* Each second one: -2 * 0.25 and 4 * 0.25 more. */
  for (int i = 0; i + 1 < count; ++i)
    CHECK(numbers[i] == (float)(i + 1) + ((i + 1) % 2 ? 0.0f : 0.5f));
  /* And the memory; the emulator would tell of what is gone. */
  tw_buffer_free(buffer);
  OK(tw_launch_run(launch));
  tw_launch_free(launch);
}

static const char *printing = "tile.kernel @said(%n: i32) {\n"
                              "  tile.print \"n = \", %n : i32\n"
                              "}\n";

static void keepLine(void *context, const char *line, size_t bytes) {
  snprintf(context, 80, "%.*s", (int)bytes, line);
}

static void printOn(const char *name) {
  char said[80] = "";
  const char *code = NULL;
  size_t bytes = 0;
  tw_device *device = NULL;
  twc_result *result = NULL;
  tw_kernel *kernel = NULL;
  tw_launch *launch = NULL;
  OK(tw_device_open_printing(name, 1, keepLine, said, &device));
  twc_request *request = requestFor(printing, tw_device_target(device, 0));
  OK(twc_compile(request, &result));
  OK(twc_result_part(result, TWC_PART_CODE, &code, &bytes));
  OK(tw_kernel_load(device, partOf(result, TWC_PART_MANIFEST), code, bytes,
                    &kernel));
  OK(tw_launch_create(kernel, &launch));
  OK(tw_launch_set_integer(launch, 0, 7));
  OK(tw_launch_run(launch));
  CHECK(strstr(said, "n = 7") != NULL);
  tw_launch_free(launch);
  tw_kernel_free(kernel);
  tw_device_free(device);
  twc_result_free(result);
  twc_request_free(request);
}

void runKernels(void) {
  printOn("cpu");
  printOn("emulator");
  printOn("interpreter");
  runOn("cpu");
  runOn("emulator");
  runOn("interpreter");
  tw_buffer *buffer = NULL;
  tw_launch *launch = NULL;
  FAILS(tw_buffer_create(NULL, 1, &buffer), TW_INVALID_INPUT, "'device'");
  FAILS(tw_launch_create(NULL, &launch), TW_INVALID_INPUT, "'kernel'");
  FAILS(tw_launch_run(NULL), TW_INVALID_INPUT, "'launch'");
  tw_buffer_free(NULL);
  tw_kernel_free(NULL);
  tw_launch_free(NULL);
}
