/* CapiMain FOLDER PLUGIN: the compiler's C interface, used from C11. */
#include "test/library/capi/Capi.h"

#if __STDC_VERSION__ < 201112L || defined(__cplusplus)
#error "expected C11"
#endif

int failures = 0;

/* b = factor * a, 64 elements a program. */
const char *twice =
    "tile.kernel @twice(%A: !tile.view<?xf32>, %B: !tile.view<?xf32>)\n"
    "    grid affine_map<()[n, m] -> (n ceildiv 64)> {\n"
    "  %i = tile.program_id\n"
    "  %t = tile.tunable \"factor\" of [2, 3]\n"
    "  %a = tile.load %A[%i] pad 0.0 : !tile.view<?xf32> -> tensor<64xf32>\n"
    "  %n = arith.index_cast %t : index to i32\n"
    "  %f = arith.sitofp %n : i32 to f32\n"
    "  %s = tile.splat %f : f32 -> tensor<64xf32>\n"
    "  %b = arith.mulf %a, %s : tensor<64xf32>\n"
    "  tile.store %b, %B[%i] : tensor<64xf32>, !tile.view<?xf32>\n"
    "}\n";

int succeeds(tw_status *status) {
  if (!status)
    return 1;
  fprintf(stderr, "status %d: %s\n", (int)tw_status_code(status),
          tw_status_message(status));
  tw_status_free(status);
  return 0;
}

int failsWith(tw_status *status, tw_code code, const char *message) {
  int good = tw_status_code(status) == code &&
             strstr(tw_status_message(status), message) != NULL;
  if (!good)
    fprintf(stderr, "expected status %d: %s\nfound status %d: %s\n", (int)code,
            message, (int)tw_status_code(status), tw_status_message(status));
  tw_status_free(status);
  return good;
}

twc_request *requestFor(const char *text, const char *target) {
  twc_request *request = NULL;
  OK(twc_request_create(TILEWRIGHT_COMPILER_ABI_VERSION, text, strlen(text),
                        "k.mlir", &request));
  OK(twc_request_set_target(request, target));
  return request;
}

const char *partOf(const twc_result *result, twc_part part) {
  const char *data = NULL;
  size_t bytes = 0;
  OK(twc_result_part(result, part, &data, &bytes));
  CHECK(data && (part == TWC_PART_CODE || strlen(data) == bytes));
  return data ? data : "";
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  useCompiler(argv[1]);
  useJobs();
  useDiagnostics();
  usePlugins(argv[2]);
  useModels(argv[1], argv[2]);
  giveWrongArguments();
  giveWrongVersions();
  runKernels();
  if (failures)
    fprintf(stderr, "%d checks failed\n", failures);
  return failures ? 1 : 0;
}
