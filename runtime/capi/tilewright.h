/* The C interface of the Tilewright runtime.
 *
 * Load a compiled package on a device, set inputs, run, read outputs. The
 * interface is stable: functions are added, never changed. Handles are opaque.
 *
 * Errors: functions return NULL on success, else a tw_status that the caller
 * frees with tw_status_free. Nothing is printed.
 * Threads: devices and models may be shared by threads; a session is used by
 * one thread at a time.
 * Ownership: what tw_*_open, _load and _create give is freed by the matching
 * _free, in any order. Strings and arrays that are returned belong to the
 * handle they came from and live as long as it does.
 */
#ifndef TILEWRIGHT_RUNTIME_CAPI_TILEWRIGHT_H
#define TILEWRIGHT_RUNTIME_CAPI_TILEWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TW_API
#else
#define TW_API __attribute__((visibility("default")))
#endif

typedef struct tw_status tw_status;
typedef struct tw_device tw_device;
typedef struct tw_model tw_model;
typedef struct tw_session tw_session;

/* What kind of failure a status reports. */
typedef enum tw_code {
  TW_OK = 0,
  TW_INVALID_INPUT = 1,
  TW_UNSUPPORTED = 2,
  TW_NOT_FOUND = 3,
  TW_IO_ERROR = 4,
  TW_RESOURCE_EXHAUSTED = 5,
  TW_CANCELLED = 6,
  TW_INTERNAL = 7
} tw_code;

/* The version of the library: "0.1.0". */
TW_API const char *tw_version(void);

/* The message: where, what was expected, what was found. "" for NULL. */
TW_API const char *tw_status_message(const tw_status *status);
/* TW_OK for NULL. */
TW_API tw_code tw_status_code(const tw_status *status);
/* NULL is allowed, here and in each other _free function. */
TW_API void tw_status_free(tw_status *status);

/* Opens a device by name: "cpu", "cuda:0". `threads` is the number of threads
 * of the cpu device; 0 means one for each hardware thread. */
TW_API tw_status *tw_device_open(const char *name, unsigned threads,
                                 tw_device **device);
/* "cpu", and for people "AMD EPYC 9354, 2 threads". */
TW_API const char *tw_device_name(const tw_device *device);
TW_API const char *tw_device_description(const tw_device *device);
TW_API void tw_device_free(tw_device *device);

/* Loads the package in the folder `path` on a device. */
TW_API tw_status *tw_model_load(tw_device *device, const char *path,
                                tw_model **model);
TW_API void tw_model_free(tw_model *model);

/* The inputs and outputs, in the model's order. Names and element types
 * ("f32") are NULL and ranks are 0 for an index that is too large. */
TW_API size_t tw_model_input_count(const tw_model *model);
TW_API const char *tw_model_input_name(const tw_model *model, size_t index);
TW_API const char *tw_model_input_dtype(const tw_model *model, size_t index);
TW_API size_t tw_model_input_rank(const tw_model *model, size_t index);
TW_API size_t tw_model_output_count(const tw_model *model);
TW_API const char *tw_model_output_name(const tw_model *model, size_t index);
TW_API const char *tw_model_output_dtype(const tw_model *model, size_t index);
TW_API size_t tw_model_output_rank(const tw_model *model, size_t index);
/* One dimension as text: "48", or an expression of symbols: "N". */
TW_API const char *tw_model_input_dim(const tw_model *model, size_t index,
                                      size_t dim);
TW_API const char *tw_model_output_dim(const tw_model *model, size_t index,
                                       size_t dim);

TW_API tw_status *tw_session_create(const tw_model *model,
                                    tw_session **session);
TW_API void tw_session_free(tw_session *session);

/* Copies an input: a dense row-major tensor of element type `dtype` ("f32").
 * `bytes` is the size of `data`. */
TW_API tw_status *tw_session_set_input(tw_session *session, const char *name,
                                       const char *dtype, const int64_t *shape,
                                       size_t rank, const void *data,
                                       size_t bytes);
/* Runs the model and waits. */
TW_API tw_status *tw_session_run(tw_session *session);

/* An output of the last run. `shape`, of `*rank` sizes, and `data` belong to
 * the session and live until the next call of this function for the same
 * output, or the end of the session. */
TW_API tw_status *tw_session_get_output(tw_session *session, const char *name,
                                        const int64_t **shape, size_t *rank,
                                        const void **data, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_RUNTIME_CAPI_TILEWRIGHT_H */
