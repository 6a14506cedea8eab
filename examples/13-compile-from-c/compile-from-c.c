/* A tile kernel compiled and run from C.
 *
 *   compile-from-c DEVICE
 */
#include "tilewright/c/tilewright-compiler.h"
#include "tilewright/c/tilewright.h"

#include <stdio.h>
#include <string.h>

static const char *scale =
    "tile.kernel @scale(%x: !tile.view<?xf32>, %by: f32)\n"
    "    grid affine_map<()[n] -> (n ceildiv 1024)> {\n"
    "  %i = tile.program_id\n"
    "  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<1024xf32>\n"
    "  %b = tile.splat %by : f32 -> tensor<1024xf32>\n"
    "  %r = arith.mulf %t, %b : tensor<1024xf32>\n"
    "  tile.store %r, %x[%i] : tensor<1024xf32>, !tile.view<?xf32>\n"
    "}\n";

/* Of a view of one dimension, loads a tile by two indices. */
static const char *wrong =
    "tile.kernel @wrong(%x: !tile.view<?xf32>)\n"
    "    grid affine_map<()[n] -> (n ceildiv 16)> {\n"
    "  %i = tile.program_id\n"
    "  %t = tile.load %x[%i, %i] : !tile.view<?xf32> -> tensor<16xf32>\n"
    "}\n";

/* Compiles a module of one kernel; where that fails, says so at each location.
 */
static tw_status *compile(const char *text, const char *target,
                          twc_result **result) {
  twc_request *request = NULL;
  twc_diagnostic found = TWC_DIAGNOSTIC_INIT;
  tw_status *status = twc_request_create(TILEWRIGHT_COMPILER_ABI_VERSION, text,
                                         strlen(text), "scale.mlir", &request);
  if (!status)
    status = twc_request_set_target(request, target);
  if (!status)
    status = twc_compile(request, result);
  for (size_t i = 0; i < twc_result_diagnostic_count(*result); ++i)
    if (!twc_result_diagnostic(*result, i, &found))
      printf("line %u, column %u: %s (%s)\n", (unsigned)found.line,
             (unsigned)found.column, found.message, found.code);
  twc_request_free(request);
  return status;
}

/* The kernel on the device. */
static tw_status *load(tw_device *device, tw_kernel **kernel) {
  twc_result *result = NULL;
  const char *manifest = NULL, *code = NULL;
  size_t bytes = 0;
  tw_status *status = compile(scale, tw_device_target(device, 0), &result);
  if (!status)
    status = twc_result_part(result, TWC_PART_MANIFEST, &manifest, NULL);
  if (!status)
    status = twc_result_part(result, TWC_PART_CODE, &code, &bytes);
  if (!status)
    status = tw_kernel_load(device, manifest, code, bytes, kernel);
  twc_result_free(result);
  return status;
}

/* x = by * x, on the device. */
static tw_status *run(const tw_kernel *kernel, tw_buffer *x, int64_t count,
                      double by) {
  tw_launch *launch = NULL;
  tw_status *status = tw_launch_create(kernel, &launch);
  if (!status)
    status = tw_launch_set_view(launch, 0, x, "f32", &count, NULL, 1);
  if (!status)
    status = tw_launch_set_float(launch, 1, by);
  if (!status)
    status = tw_launch_run(launch);
  tw_launch_free(launch);
  return status;
}

int main(int argc, char **argv) {
  enum { count = 3000 };
  static float numbers[count];
  tw_device *device = NULL;
  tw_kernel *kernel = NULL;
  tw_buffer *x = NULL;
  for (int i = 0; i < count; ++i)
    numbers[i] = (float)i;

  tw_status *status = tw_device_open(argc > 1 ? argv[1] : "cpu", 0, &device);
  if (!status)
    status = load(device, &kernel);
  if (!status)
    status = tw_buffer_create(device, sizeof numbers, &x);
  if (!status)
    status = tw_buffer_write(x, 0, numbers, sizeof numbers);
  if (!status)
    status = run(kernel, x, count, 0.5);
  if (!status)
    status = tw_buffer_read(x, 0, numbers, sizeof numbers);
  if (!status) {
    twc_result *result = NULL;
    printf("half of %d is %g\n", count - 1, numbers[count - 1]);
    tw_status_free(compile(wrong, "cpu", &result));
    twc_result_free(result);
  } else {
    fprintf(stderr, "error: %s\n", tw_status_message(status));
  }
  int code = status ? 1 : 0;
  tw_status_free(status);
  tw_buffer_free(x);
  tw_kernel_free(kernel);
  tw_device_free(device);
  return code;
}
