/* A package from C: load it, give it one row, read one number.
 *
 *   run-from-c PACKAGE.twp
 */
#include "tilewright/c/tilewright.h"

#include <stdio.h>

static int report(tw_status *status) {
  fprintf(stderr, "error: %s\n", tw_status_message(status));
  tw_status_free(status);
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: run-from-c PACKAGE.twp\n");
    return 2;
  }
  tw_device *device = NULL;
  tw_model *model = NULL;
  tw_session *session = NULL;
  const float x[2] = {3, 5};
  const int64_t shape[2] = {1, 2};
  const int64_t *outShape = NULL;
  const void *data = NULL;
  size_t rank = 0, bytes = 0;

  tw_status *status = tw_device_open("cpu", 0, &device);
  if (!status)
    status = tw_model_load(device, argv[1], &model);
  if (!status)
    status = tw_session_create(model, &session);
  if (!status)
    status = tw_session_set_input(session, "x", "f32", shape, 2, x, sizeof x);
  if (!status)
    status = tw_session_run(session);
  if (!status)
    status =
        tw_session_get_output(session, "y", &outShape, &rank, &data, &bytes);
  if (!status)
    printf("tilewright %s on %s: y = %g\n", tw_version(),
           tw_device_name(device), *(const float *)data);
  tw_session_free(session);
  tw_model_free(model);
  tw_device_free(device);
  return status ? report(status) : 0;
}
