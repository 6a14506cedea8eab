/* States and memory of the caller, used from C. Returns NULL, or what went
 * wrong. */
#include "tilewright/c/tilewright.h"
#include <stdio.h>
#include <string.h>

const char *useStatesFromC(const char *path);

static char failure[512];

#define OK(call)                                                               \
  do {                                                                         \
    tw_status *failed = (call);                                                \
    if (failed) {                                                              \
      snprintf(failure, sizeof(failure), "%s: %s", #call,                      \
               tw_status_message(failed));                                     \
      tw_status_free(failed);                                                  \
      return failure;                                                          \
    }                                                                          \
  } while (0)
#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition))                                                          \
      return #condition;                                                       \
  } while (0)

/* The first element of a state; -1 where it cannot be read. */
static float firstOf(tw_session *session, const char *name) {
  const int64_t *shape = NULL;
  const void *data = NULL;
  size_t rank = 0, bytes = 0;
  tw_status *status =
      tw_session_get_state(session, name, &shape, &rank, &data, &bytes);
  tw_status_free(status);
  return status || bytes != 16 ? -1.0f : *(const float *)data;
}

/* Whether a call fails with this code. */
static int fails(tw_status *status, tw_code code) {
  const int result = tw_status_code(status) == code;
  tw_status_free(status);
  return result;
}

const char *useStatesFromC(const char *path) {
  tw_device *device = NULL;
  tw_model *model = NULL;
  tw_session *first = NULL, *second = NULL;
  OK(tw_device_open("cpu", 2, &device));
  OK(tw_model_load(device, path, &model));
  OK(tw_session_create(model, &first));
  OK(tw_session_create(model, &second));
  EXPECT(tw_model_state_count(model) == 2);
  EXPECT(strcmp(tw_model_state_name(model, 1), "z") == 0);
  EXPECT(strcmp(tw_model_state_dtype(model, 0), "f32") == 0);
  EXPECT(tw_model_state_rank(model, 0) == 2);
  EXPECT(strcmp(tw_model_state_dim(model, 0, 1), "4") == 0);
  EXPECT(!tw_model_state_name(model, 2));

  OK(tw_session_run(first));
  OK(tw_session_run(first));
  EXPECT(firstOf(first, "s") == 3.5f && firstOf(first, "z") == 1.0f);
  EXPECT(firstOf(second, "s") == 0.5f && firstOf(second, "z") == 0.0f);
  OK(tw_session_copy_states(second, first));
  OK(tw_session_reset_states(first));
  EXPECT(firstOf(first, "s") == 0.5f && firstOf(second, "s") == 3.5f);

  const int64_t four[] = {4}, rows[] = {1, 4}, two[] = {2};
  const float given[4] = {7, 7, 7, 7};
  OK(tw_session_set_state(first, "z", "f32", four, 1, given, 16));
  OK(tw_session_run(first));
  EXPECT(firstOf(first, "z") == 7.5f);
  EXPECT(fails(tw_session_set_state(first, "z", "f32", rows, 2, given, 16),
               TW_INVALID_INPUT));
  EXPECT(fails(tw_session_set_state(first, "q", "f32", four, 1, given, 16),
               TW_NOT_FOUND));

  float y[8] = {0}, bias[4] = {1, 1, 1, 1};
  size_t bytes = 0;
  OK(tw_session_reset_states(first));
  OK(tw_session_bind(first, TW_OUTPUT, "y", "f32", four, NULL, 1, y, 16));
  OK(tw_session_bind(first, TW_WEIGHT, "bias", "f32", four, NULL, 1, bias, 16));
  OK(tw_session_run(first));
  EXPECT(y[0] == 2.0f && y[3] == 17.0f);
  EXPECT(tw_session_bound_copies(first, &bytes) == 0 && bytes == 0);
  OK(tw_session_bind(first, TW_OUTPUT, "y", "f32", four, two, 1, y, 32));
  OK(tw_session_run(first));
  EXPECT(y[0] == 5.0f && y[6] == 35.0f);
  EXPECT(tw_session_bound_copies(first, &bytes) == 1 && bytes == 16);
  tw_session_set_time_limit(first, 1e-6);
  EXPECT(fails(tw_session_run(first), TW_CANCELLED));
  tw_session_set_time_limit(first, 0);
  tw_session_cancel(first); /* Nothing is under way. */
  OK(tw_session_run(first));
  OK(tw_session_unbind(first, TW_WEIGHT, "bias"));
  EXPECT(fails(
      tw_session_bind(first, (tw_role)7, "y", "f32", four, NULL, 1, y, 16),
      TW_INVALID_INPUT));
  EXPECT(
      fails(tw_session_bind(first, TW_OUTPUT, "y", "f32", four, NULL, 1, y, 12),
            TW_INVALID_INPUT));
  EXPECT(fails(tw_session_unbind(first, TW_INPUT, "y"), TW_NOT_FOUND));

  tw_session_free(first);
  tw_session_free(second);
  tw_model_free(model);
  tw_device_free(device);
  return NULL;
}
