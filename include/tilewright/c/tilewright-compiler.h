/* The C interface of the Tilewright compiler: tile kernels in, kernel images
 * out; models in, packages out. What runs them is in
 * tilewright/c/tilewright.h, whose tw_status is the one of this interface, too.
 *
 * Errors: functions return NULL on success, else a tw_status that the caller
 * frees with tw_status_free. A wrong argument is an error, never a crash; what
 * is to be given is then NULL or 0. Nothing is printed, nothing is thrown.
 * Memory that runs out is an error, too, except within LLVM, which then ends
 * the process.
 * Threads: caches, compilers, jobs, stops and results may be shared by
 * threads; a request is used by one thread at a time, or by many that do not
 * set it. What is freed is used by nobody.
 * Ownership: what _open, _create, _submit and _compile give is freed by the
 * matching _free, in any order; NULL is allowed there. Strings that are taken
 * are copied. Strings that are returned belong to the handle they came from and
 * live as long as it does; they end in a zero that is not counted.
 * Structs begin with their size, which the caller sets. Fields are added at the
 * end and never changed, so that a program and a library of different minor
 * versions work together. Reserved values are 0.
 */
#ifndef TILEWRIGHT_C_TILEWRIGHT_COMPILER_H
#define TILEWRIGHT_C_TILEWRIGHT_COMPILER_H

#include "tilewright/c/tilewright.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. The major one changes where a program must be
 * built again, the minor one where something was added. */
#define TILEWRIGHT_COMPILER_ABI_MAJOR 1
#define TILEWRIGHT_COMPILER_ABI_MINOR 5
#define TILEWRIGHT_COMPILER_ABI_VERSION                                        \
  (TILEWRIGHT_COMPILER_ABI_MAJOR * 65536u + TILEWRIGHT_COMPILER_ABI_MINOR)

/* TILEWRIGHT_COMPILER_ABI_VERSION of the library. */
TW_API uint32_t twc_abi_version(void);

typedef struct twc_cache twc_cache;
typedef struct twc_compiler twc_compiler;
typedef struct twc_request twc_request;
typedef struct twc_job twc_job;
typedef struct twc_result twc_result;
typedef struct twc_stop twc_stop;

/*===-- The cache ---------------------------------------------------------===*/

typedef struct twc_cache_options {
  size_t size;
  /* TILEWRIGHT_COMPILER_ABI_VERSION: functions reject another major one. */
  uint32_t abi_version;
  /* How old a file of a writer that did not finish is when it is removed; 0:
   * ten minutes. */
  int32_t stale_after_seconds;
  /* Bytes of entries to keep; 0: 1 GiB. */
  int64_t max_bytes;
  /* Where entries are read and written; NULL: nothing is written. */
  const char *directory;
  /* Directories of other caches, looked at next and never written. */
  const char *const *read_only_layers;
  size_t read_only_layer_count;
} twc_cache_options;
#define TWC_CACHE_OPTIONS_INIT                                                 \
  {sizeof(twc_cache_options),                                                  \
   TILEWRIGHT_COMPILER_ABI_VERSION,                                            \
   0,                                                                          \
   0,                                                                          \
   NULL,                                                                       \
   NULL,                                                                       \
   0}

/* A directory of images that threads, processes and machines may share. Touches
 * no file. Compilers keep it alive. */
TW_API tw_status *twc_cache_open(const twc_cache_options *options,
                                 twc_cache **cache);
/* Removes what is too much or stale. */
TW_API tw_status *twc_cache_clean(twc_cache *cache);
TW_API void twc_cache_free(twc_cache *cache);

/*===-- The compiler ------------------------------------------------------===*/

typedef struct twc_compiler_options {
  size_t size;
  uint32_t abi_version;
  /* Threads that compile, at most 1024; 0: as many as the machine has. */
  int32_t threads;
  /* NULL: images are not kept. */
  twc_cache *cache;
  /* Files of plug-ins, in the order in which they are loaded. */
  const char *const *plugins;
  size_t plugin_count;
} twc_compiler_options;
#define TWC_COMPILER_OPTIONS_INIT                                              \
  {sizeof(twc_compiler_options),                                               \
   TILEWRIGHT_COMPILER_ABI_VERSION,                                            \
   0,                                                                          \
   NULL,                                                                       \
   NULL,                                                                       \
   0}

/* Threads that compile what is submitted. */
TW_API tw_status *twc_compiler_create(const twc_compiler_options *options,
                                      twc_compiler **compiler);
/* Cancels what is not done, and waits for it. */
TW_API void twc_compiler_free(twc_compiler *compiler);

/*===-- Requests ----------------------------------------------------------===*/

/* One kernel for one target: of a module of `bytes` bytes, which is text or
 * MLIR bytecode. `name` is what messages call it, a file's path; NULL:
 * "<module>". `abi_version` is TILEWRIGHT_COMPILER_ABI_VERSION. */
TW_API tw_status *twc_request_create(uint32_t abi_version, const void *module,
                                     size_t bytes, const char *name,
                                     twc_request **request);
TW_API void twc_request_free(twc_request *request);

/* Which kernel of the module; "", as at first: its only one. */
TW_API tw_status *twc_request_set_kernel(twc_request *request,
                                         const char *kernel);
/* "cpu", as at first: this machine. "sm_90a" and other GPUs. "interpreter". */
TW_API tw_status *twc_request_set_target(twc_request *request,
                                         const char *target);
/* A tunable that is not set has its first legal value. */
TW_API tw_status *twc_request_set_tunable(twc_request *request,
                                          const char *name, int64_t value);
/* For a GPU or the cpu: a schedule as text. "", as at first: the default
   one. */
TW_API tw_status *twc_request_set_schedule(twc_request *request,
                                           const char *schedule);
/* MLIR's fast-math flags for all ops of floats, with commas:
   "contract,arcp,afn". "", as at first: those that the ops have. */
TW_API tw_status *twc_request_set_fast_math(twc_request *request,
                                            const char *flags);

/* Of products of f32 that have none themselves: "ieee", as at first, "tf32",
   "tf32x3", "bf16x3" or "bf16x6". */
TW_API tw_status *twc_request_set_precision(twc_request *request,
                                            const char *precision);

typedef uint32_t twc_flag;
enum {
  /* For a GPU: say in the PTX which line each instruction is from. Off. */
  TWC_FLAG_LINE_INFO = 0,
  /* For a GPU: whether a false tile.assert stops the kernel. On. */
  TWC_FLAG_ASSERTIONS = 1,
  /* Give the texts of the stages, the explanation, the remarks. Off. */
  TWC_FLAG_TEXT = 2,
  TWC_FLAG_EXPLANATION = 3,
  TWC_FLAG_REMARKS = 4
};
/* `on` is 0 or 1. */
TW_API tw_status *twc_request_set_flag(twc_request *request, twc_flag flag,
                                       int on);

typedef uint32_t twc_budget;
enum {
  /* Milliseconds from the moment a thread takes up the request. */
  TWC_BUDGET_TIME = 0,
  /* Bytes of IR. */
  TWC_BUDGET_MEMORY = 1,
  /* Instructions of LLVM IR. */
  TWC_BUDGET_LLVM_IR = 2
};
/* What is not set has the limits of Budget in
 * tilewright/codegen/CompilationControl.h: no time, 1 GiB, 1,000,000
 * instructions. INT64_MAX is no limit. */
TW_API tw_status *twc_request_set_budget(twc_request *request,
                                         twc_budget budget, int64_t limit);

/*===-- Compilation -------------------------------------------------------===*/

/* Compiles on the calling thread, without cache and plug-ins. Where the
 * compilation fails its failure is returned and the result given as well: it
 * has the diagnostics. Where an argument is wrong there is no result. */
TW_API tw_status *twc_compile(const twc_request *request, twc_result **result);
/* The same on a thread of the compiler. */
TW_API tw_status *twc_compiler_compile(twc_compiler *compiler,
                                       const twc_request *request,
                                       twc_result **result);
/* Puts a copy of the request into the compiler's queue. The job outlives the
 * compiler; to free it does not cancel it. */
TW_API tw_status *twc_compiler_submit(twc_compiler *compiler,
                                      const twc_request *request,
                                      twc_job **job);
/* Waits until the job is done, successful or not. */
TW_API tw_status *twc_job_wait(const twc_job *job);
/* Waits, but not longer than so; `*done` is 1 where the job is done, else 0. */
TW_API tw_status *twc_job_wait_for(const twc_job *job, int64_t milliseconds,
                                   int *done);
/* Gives the job up; its failure is then TW_CANCELLED. Nothing if it is done. */
TW_API tw_status *twc_job_cancel(const twc_job *job);
/* Waits and gives what came of it, as twc_compile does, each time it is
 * called. */
TW_API tw_status *twc_job_result(const twc_job *job, twc_result **result);
TW_API void twc_job_free(twc_job *job);

/*===-- Models ------------------------------------------------------------===*/

/* A wish to give work up, which any thread may tell while the work is done. */
TW_API tw_status *twc_stop_create(twc_stop **stop);
/* Ends all that was begun with it and is not done; its failure is then
 * TW_CANCELLED. What is begun later fails so at once. */
TW_API tw_status *twc_stop_request(twc_stop *stop);
TW_API void twc_stop_free(twc_stop *stop);

typedef struct twc_model_options {
  size_t size;
  uint32_t abi_version;
  /* Threads that compile kernels; 0: as many as the machine has. */
  int32_t threads;
  /* "cpu", which is this machine, "sm_90a" and other GPUs, "interpreter". None:
   * "cpu". */
  const char *const *targets;
  size_t target_count;
  /* The shapes of inputs of a graph, in place of the model's: by input its
   * name, its rank and so many sizes, of which -1 leaves one open. */
  const char *const *input_names;
  const size_t *input_ranks;
  const int64_t *const *input_shapes;
  size_t input_count;
  /* Kernels in place of parts of the model: what each computes in the
   * frontend's terms (docs/onnx.md), a module as text, and which kernel of it;
   * a name that is NULL, or no names: its only one. Each pattern must match.
   */
  const char *const *replaced_patterns;
  const char *const *replacement_modules;
  const char *const *replacement_kernels;
  size_t replacement_count;
  /* Where packages and images are kept; NULL: nowhere. */
  twc_cache *cache;
  /* Files of plug-ins, in the order in which they are loaded. */
  const char *const *plugins;
  size_t plugin_count;
  /* Milliseconds for all; 0: no limit. */
  int64_t time_limit;
  /* Of each kernel, as twc_request_set_budget says; 0: what is not set there.
   */
  int64_t memory_limit, llvm_ir_limit;
  /* NULL: the work is not given up. */
  const twc_stop *stop;
  /* Of products of f32, as twc_request_set_precision says; NULL: "ieee". */
  const char *precision;
  /* The largest shapes of inputs and outputs, or the largest value (of rank 1)
   * of a size by the name that it has in the package's shapes. Of a size that
   * data decides it becomes part of the package: a run fails beyond it, and
   * memory is planned for it. */
  const char *const *max_names;
  const size_t *max_ranks;
  const int64_t *const *max_shapes;
  size_t max_count;
} twc_model_options;
#define TWC_MODEL_OPTIONS_INIT                                                 \
  {sizeof(twc_model_options),                                                  \
   TILEWRIGHT_COMPILER_ABI_VERSION,                                            \
   0,                                                                          \
   NULL,                                                                       \
   0,                                                                          \
   NULL,                                                                       \
   NULL,                                                                       \
   NULL,                                                                       \
   0,                                                                          \
   NULL,                                                                       \
   NULL,                                                                       \
   NULL,                                                                       \
   0,                                                                          \
   NULL,                                                                       \
   NULL,                                                                       \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   NULL,                                                                       \
   NULL,                                                                       \
   NULL,                                                                       \
   NULL,                                                                       \
   NULL,                                                                       \
   0}

/* Compiles a model (.onnx, .mlir, what a plug-in reads) into the package folder
 * `output`, which appears only when it is complete. With `model` NULL and
 * `bytes` 0 the model is the file `name`; else it is these bytes, and `name`
 * is what messages call it, whose extension counts as a file's does. The
 * calling thread and those of the options compile. Where the compilation fails
 * its failure is returned and the result given as well: it has the
 * diagnostics. Where an argument is wrong, or a plug-in cannot be loaded, there
 * is no result. */
TW_API tw_status *twc_compile_model(const void *model, size_t bytes,
                                    const char *name, const char *output,
                                    const twc_model_options *options,
                                    twc_result **result);

typedef struct twc_model_report {
  size_t size;
  /* Of the model's format; launches of the package; kernels of each target. */
  int64_t node_count, step_count, kernel_count;
  /* Where not the whole package was: how many images were in the cache. */
  int64_t cached_image_count;
} twc_model_report;
#define TWC_MODEL_REPORT_INIT {sizeof(twc_model_report), 0, 0, 0, 0}

/* What became of a model. TW_NOT_FOUND for the result of a kernel, and where
 * the compilation failed. */
TW_API tw_status *twc_result_model_report(const twc_result *result,
                                          twc_model_report *report);

/*===-- Results -----------------------------------------------------------===*/

typedef uint32_t twc_part;
enum {
  /* Of the image; TW_NOT_FOUND where there is none: a model's are in its
   * package.
   * For cpu an ELF object, for a GPU PTX, for the interpreter a module. */
  TWC_PART_CODE = 0,
  /* What a launch takes, as JSON. */
  TWC_PART_MANIFEST = 1,
  /* The stages; "" without TWC_FLAG_TEXT, and where the target lacks one. */
  TWC_PART_SCHEDULED = 2,
  TWC_PART_LOOPS = 3,
  TWC_PART_LLVM_IR = 4,
  TWC_PART_ASSEMBLY = 5,
  /* For a GPU: the schedule, and why it was chosen. */
  TWC_PART_SCHEDULE = 6,
  TWC_PART_SCHEDULE_REASON = 7,
  /* "" without TWC_FLAG_EXPLANATION. */
  TWC_PART_EXPLANATION = 8,
  /* Of each result. The remarks as JSON, one object a line; "" without
   * TWC_FLAG_REMARKS. */
  TWC_PART_REMARKS = 9,
  /* The diagnostics, printed for people. */
  TWC_PART_DIAGNOSTICS = 10,
  /* What the cache knows the image by; "" without one. */
  TWC_PART_CACHE_KEY = 11
};
/* `bytes` may be NULL. */
TW_API tw_status *twc_result_part(const twc_result *result, twc_part part,
                                  const char **data, size_t *bytes);
/* 1 where the image, or the whole package, was in the cache, else 0. 0 for
 * NULL. */
TW_API int twc_result_from_cache(const twc_result *result);

enum { TWC_ERROR = 0, TWC_WARNING = 1, TWC_REMARK = 2, TWC_NOTE = 3 };
typedef struct twc_diagnostic {
  size_t size;
  uint32_t severity;
  /* From 1; 0 where not known. */
  uint32_t line, column, end_line, end_column;
  uint32_t note_count;
  /* The rule that was broken, "dot_c2", or "parse", "budget_time", ...: stable
   * across versions. "" for a note. */
  const char *code;
  /* "" where not known. */
  const char *file;
  const char *message;
} twc_diagnostic;
#define TWC_DIAGNOSTIC_INIT                                                    \
  {sizeof(twc_diagnostic), 0, 0, 0, 0, 0, 0, NULL, NULL, NULL}

/* Errors, if it failed, and warnings. 0 for NULL. */
TW_API size_t twc_result_diagnostic_count(const twc_result *result);
TW_API tw_status *twc_result_diagnostic(const twc_result *result, size_t index,
                                        twc_diagnostic *diagnostic);
/* A note of the diagnostic `index`, which has `note_count`. */
TW_API tw_status *twc_result_note(const twc_result *result, size_t index,
                                  size_t note, twc_diagnostic *diagnostic);

typedef struct twc_phase {
  size_t size;
  const char *name;
  double milliseconds;
} twc_phase;
#define TWC_PHASE_INIT {sizeof(twc_phase), NULL, 0}

/* What was done, in this order, and how long it took. 0 for NULL. */
TW_API size_t twc_result_phase_count(const twc_result *result);
TW_API tw_status *twc_result_phase(const twc_result *result, size_t index,
                                   twc_phase *phase);
TW_API void twc_result_free(twc_result *result);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_C_TILEWRIGHT_COMPILER_H */
