/* The C interface, used from C. Returns NULL, or what went wrong. */
#include "tilewright/c/tilewright.h"
#include <stdio.h>
#include <string.h>

const char *useFromC(const char *path, float *first);

static char failure[512];

static const char *fail(tw_status *status, const char *where) {
  snprintf(failure, sizeof(failure), "%s: %s", where,
           tw_status_message(status));
  tw_status_free(status);
  return failure;
}

const char *useFromC(const char *path, float *first) {
  tw_device *device = NULL;
  tw_model *model = NULL;
  tw_session *session = NULL;
  tw_status *status = tw_device_open("cpu", 2, &device);
  if (status)
    return fail(status, "open");
  if ((status = tw_model_load(device, path, &model)))
    return fail(status, "load");
  if ((status = tw_session_create(model, &session)))
    return fail(status, "session");
  if (tw_model_input_count(model) != 1 ||
      strcmp(tw_model_input_name(model, 0), "x") != 0 ||
      strcmp(tw_model_input_dtype(model, 0), "f32") != 0 ||
      tw_model_input_rank(model, 0) != 2 ||
      strcmp(tw_model_input_dim(model, 0, 1), "W") != 0 ||
      tw_model_input_dim(model, 0, 2) || tw_model_input_name(model, 1))
    return "the input is described wrongly";
  if (tw_model_output_count(model) != 4 ||
      strcmp(tw_model_output_name(model, 2), "flat") != 0 ||
      strcmp(tw_model_output_dim(model, 2, 0), "N * W") != 0)
    return "the outputs are described wrongly";
  float x[2] = {1.0f, 2.0f};
  int64_t shape[2] = {1, 2};
  status = tw_session_set_input(session, "x", "f32", shape, 2, x, sizeof(x));
  if (status)
    return fail(status, "set input");
  if ((status = tw_session_run(session)))
    return fail(status, "run");
  const int64_t *outShape = NULL;
  const void *data = NULL;
  size_t rank = 0, bytes = 0;
  status = tw_session_get_output(session, "s", &outShape, &rank, &data, &bytes);
  if (status)
    return fail(status, "output");
  if (rank != 1 || outShape[0] != 1 || bytes != 4)
    return "the output has a wrong shape";
  *first = *(const float *)data;
  status = tw_session_set_input(session, "y", "f32", shape, 2, x, sizeof(x));
  if (tw_status_code(status) != TW_NOT_FOUND)
    return "a wrong name is not noticed";
  tw_status_free(status);
  status = tw_session_set_input(session, "x", "f33", shape, 2, x, sizeof(x));
  if (tw_status_code(status) != TW_INVALID_INPUT)
    return "a wrong dtype is not noticed";
  tw_status_free(status);
  status = tw_device_open(NULL, 0, &device);
  if (tw_status_code(status) != TW_INVALID_INPUT)
    return "a null argument is not noticed";
  tw_status_free(status);
  /* The session keeps the others alive. */
  tw_device_free(device);
  tw_model_free(model);
  if ((status = tw_session_run(session)))
    return fail(status, "second run");
  tw_session_free(session);
  return NULL;
}
