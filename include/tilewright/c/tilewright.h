/* The C interface of the Tilewright runtime.
 *
 * Load a compiled package on a device, set inputs, run, read outputs; or load
 * one compiled kernel and launch it on memory of the device. The interface is
 * stable: functions are added, never changed. Handles are opaque.
 *
 * Errors: functions return NULL on success, else a tw_status that the caller
 * frees with tw_status_free. Nothing is printed.
 * Threads: devices, models and kernels may be shared by threads; a session, a
 * buffer and a launch are used by one thread at a time.
 * Ownership: what tw_*_open, _load and _create give is freed by the matching
 * _free, in any order. Strings and arrays that are returned belong to the
 * handle they came from and live as long as it does.
 */
#ifndef TILEWRIGHT_C_TILEWRIGHT_H
#define TILEWRIGHT_C_TILEWRIGHT_H

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
typedef struct tw_buffer tw_buffer;
typedef struct tw_kernel tw_kernel;
typedef struct tw_launch tw_launch;

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
/* Takes a line that a kernel prints, of `bytes` bytes without its end: it does
 * not end with a zero, and is gone when the call returns. Called while a kernel
 * runs, from any thread, for one line at a time. It must call no function on
 * the device. */
typedef void (*tw_print_sink)(void *context, const char *line, size_t bytes);
/* As tw_device_open, with a sink for what kernels print; `context` is the first
 * argument of its calls. NULL: the lines go nowhere. cuda's driver writes to
 * the standard output instead. */
TW_API tw_status *tw_device_open_printing(const char *name, unsigned threads,
                                          tw_print_sink sink, void *context,
                                          tw_device **device);
/* "cpu", and for people "AMD EPYC 9354, 2 threads". */
TW_API const char *tw_device_name(const tw_device *device);
TW_API const char *tw_device_description(const tw_device *device);
/* The targets whose kernels it runs, best first: "sm_90a". NULL for an index
 * that is too large. */
TW_API const char *tw_device_target(const tw_device *device, size_t index);
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

/* The states: what a session keeps from run to run. */
TW_API size_t tw_model_state_count(const tw_model *model);
TW_API const char *tw_model_state_name(const tw_model *model, size_t index);
TW_API const char *tw_model_state_dtype(const tw_model *model, size_t index);
TW_API size_t tw_model_state_rank(const tw_model *model, size_t index);
TW_API const char *tw_model_state_dim(const tw_model *model, size_t index,
                                      size_t dim);

/* Each session has states of its own, which begin with their initial values. */
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
/* Ends the run that is under way before its next step, if there is one: it
 * fails with TW_CANCELLED. May be called from any thread. */
TW_API void tw_session_cancel(tw_session *session);
/* Ends runs from now on that take longer, in the same way; 0: no limit. */
TW_API void tw_session_set_time_limit(tw_session *session, double milliseconds);

/* An output of the last run. `shape`, of `*rank` sizes, and `data` belong to
 * the session and live until the next call of this function for the same
 * output, or the end of the session. */
TW_API tw_status *tw_session_get_output(tw_session *session, const char *name,
                                        const int64_t **shape, size_t *rank,
                                        const void **data, size_t *bytes);

/* Gives each state its initial value, as in a new session. */
TW_API tw_status *tw_session_reset_states(tw_session *session);
/* The value of a state. `shape` and `data` live as those of an output. */
TW_API tw_status *tw_session_get_state(tw_session *session, const char *name,
                                       const int64_t **shape, size_t *rank,
                                       const void **data, size_t *bytes);
/* Copies into a state, as tw_session_set_input. */
TW_API tw_status *tw_session_set_state(tw_session *session, const char *name,
                                       const char *dtype, const int64_t *shape,
                                       size_t rank, const void *data,
                                       size_t bytes);
/* Copies all states of `from`, a session of the same model that nobody uses
 * meanwhile. */
TW_API tw_status *tw_session_copy_states(tw_session *session,
                                         const tw_session *from);

/* What memory of the caller stands for. */
typedef enum tw_role { TW_INPUT = 0, TW_OUTPUT = 1, TW_WEIGHT = 2 } tw_role;
/* Makes the runs from now on read an input or a weight from memory of the
 * caller, or write an output there. `strides` is in elements; NULL: row-major.
 * `data` is the first element, of a memory of `bytes` bytes, which lives until
 * it is unbound, the name is bound again, or the session is freed. Nothing is
 * copied where kernels can access the memory and it is contiguous and aligned
 * to its elements, and no kernel needs more; else there is one copy in each
 * run. A weight has the name of its tensor in the package's weights. */
TW_API tw_status *tw_session_bind(tw_session *session, tw_role role,
                                  const char *name, const char *dtype,
                                  const int64_t *shape, const int64_t *strides,
                                  size_t rank, void *data, size_t bytes);
/* Ends it. An input must be set or bound again. */
TW_API tw_status *tw_session_unbind(tw_session *session, tw_role role,
                                    const char *name);
/* The number of copies that the last run made for bound tensors, and their
 * `bytes`, which may be NULL. */
TW_API size_t tw_session_bound_copies(const tw_session *session, size_t *bytes);

/* Memory of a device, not initialized. */
TW_API tw_status *tw_buffer_create(tw_device *device, size_t bytes,
                                   tw_buffer **buffer);
TW_API void tw_buffer_free(tw_buffer *buffer);
/* Copies `bytes` bytes to, or from, the location `offset` of the buffer. */
TW_API tw_status *tw_buffer_write(tw_buffer *buffer, size_t offset,
                                  const void *data, size_t bytes);
TW_API tw_status *tw_buffer_read(tw_buffer *buffer, size_t offset, void *data,
                                 size_t bytes);

/* Loads a compiled kernel: its code, and its manifest as JSON. Both are
 * copied. */
TW_API tw_status *tw_kernel_load(tw_device *device, const char *manifest,
                                 const void *code, size_t bytes,
                                 tw_kernel **kernel);
TW_API void tw_kernel_free(tw_kernel *kernel);

/* A launch, to which each argument of the kernel is given by its index. */
TW_API tw_status *tw_launch_create(const tw_kernel *kernel, tw_launch **launch);
TW_API void tw_launch_free(tw_launch *launch);
/* A view of the start of a buffer, whose elements are of type `dtype` ("f32").
 * `strides`, in elements, may be NULL: the view is row-major. */
TW_API tw_status *tw_launch_set_view(tw_launch *launch, size_t index,
                                     const tw_buffer *buffer, const char *dtype,
                                     const int64_t *dims,
                                     const int64_t *strides, size_t rank);
/* A number: an integer or index; f32 or f64. */
TW_API tw_status *tw_launch_set_integer(tw_launch *launch, size_t index,
                                        int64_t value);
TW_API tw_status *tw_launch_set_float(tw_launch *launch, size_t index,
                                      double value);
/* Launches the kernel, whose grid follows from the arguments, and waits. May be
 * called again, with other arguments or the same. */
TW_API tw_status *tw_launch_run(tw_launch *launch);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_C_TILEWRIGHT_H */
