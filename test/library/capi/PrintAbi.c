/* What programs in binary form hold on to: sizes, offsets and values. */
#include "tilewright/c/tilewright-compiler.h"
#include <stdio.h>

#define STRUCT(TYPE) printf("struct %s %zu\n", #TYPE, sizeof(TYPE))
#define FIELD(TYPE, NAME)                                                      \
  printf("  %zu %s %zu\n", offsetof(TYPE, NAME), #NAME,                        \
         sizeof(((TYPE *)0)->NAME))
#define VALUE(NAME) printf("value %s %lld\n", #NAME, (long long)(NAME))

static void printStructs(void) {
  STRUCT(twc_cache_options);
  FIELD(twc_cache_options, size);
  FIELD(twc_cache_options, abi_version);
  FIELD(twc_cache_options, stale_after_seconds);
  FIELD(twc_cache_options, max_bytes);
  FIELD(twc_cache_options, directory);
  FIELD(twc_cache_options, read_only_layers);
  FIELD(twc_cache_options, read_only_layer_count);
  STRUCT(twc_compiler_options);
  FIELD(twc_compiler_options, size);
  FIELD(twc_compiler_options, abi_version);
  FIELD(twc_compiler_options, threads);
  FIELD(twc_compiler_options, cache);
  FIELD(twc_compiler_options, plugins);
  FIELD(twc_compiler_options, plugin_count);
  STRUCT(twc_model_options);
  FIELD(twc_model_options, size);
  FIELD(twc_model_options, abi_version);
  FIELD(twc_model_options, threads);
  FIELD(twc_model_options, targets);
  FIELD(twc_model_options, target_count);
  FIELD(twc_model_options, input_names);
  FIELD(twc_model_options, input_ranks);
  FIELD(twc_model_options, input_shapes);
  FIELD(twc_model_options, input_count);
  FIELD(twc_model_options, replaced_patterns);
  FIELD(twc_model_options, replacement_modules);
  FIELD(twc_model_options, replacement_kernels);
  FIELD(twc_model_options, replacement_count);
  FIELD(twc_model_options, cache);
  FIELD(twc_model_options, plugins);
  FIELD(twc_model_options, plugin_count);
  FIELD(twc_model_options, time_limit);
  FIELD(twc_model_options, memory_limit);
  FIELD(twc_model_options, llvm_ir_limit);
  FIELD(twc_model_options, stop);
  FIELD(twc_model_options, precision);
  FIELD(twc_model_options, max_names);
  FIELD(twc_model_options, max_ranks);
  FIELD(twc_model_options, max_shapes);
  FIELD(twc_model_options, max_count);
  STRUCT(twc_model_report);
  FIELD(twc_model_report, size);
  FIELD(twc_model_report, node_count);
  FIELD(twc_model_report, step_count);
  FIELD(twc_model_report, kernel_count);
  FIELD(twc_model_report, cached_image_count);
  STRUCT(twc_diagnostic);
  FIELD(twc_diagnostic, size);
  FIELD(twc_diagnostic, severity);
  FIELD(twc_diagnostic, line);
  FIELD(twc_diagnostic, column);
  FIELD(twc_diagnostic, end_line);
  FIELD(twc_diagnostic, end_column);
  FIELD(twc_diagnostic, note_count);
  FIELD(twc_diagnostic, code);
  FIELD(twc_diagnostic, file);
  FIELD(twc_diagnostic, message);
  STRUCT(twc_phase);
  FIELD(twc_phase, size);
  FIELD(twc_phase, name);
  FIELD(twc_phase, milliseconds);
}

static void printValues(void) {
  VALUE(TILEWRIGHT_COMPILER_ABI_MAJOR);
  VALUE(TILEWRIGHT_COMPILER_ABI_MINOR);
  VALUE(TILEWRIGHT_COMPILER_ABI_VERSION);
  VALUE(sizeof(tw_code));
  VALUE(TW_OK);
  VALUE(TW_INVALID_INPUT);
  VALUE(TW_UNSUPPORTED);
  VALUE(TW_NOT_FOUND);
  VALUE(TW_IO_ERROR);
  VALUE(TW_RESOURCE_EXHAUSTED);
  VALUE(TW_CANCELLED);
  VALUE(TW_INTERNAL);
  VALUE(sizeof(tw_role));
  VALUE(TW_INPUT);
  VALUE(TW_OUTPUT);
  VALUE(TW_WEIGHT);
  VALUE(sizeof(twc_flag));
  VALUE(TWC_FLAG_LINE_INFO);
  VALUE(TWC_FLAG_ASSERTIONS);
  VALUE(TWC_FLAG_TEXT);
  VALUE(TWC_FLAG_EXPLANATION);
  VALUE(TWC_FLAG_REMARKS);
  VALUE(sizeof(twc_budget));
  VALUE(TWC_BUDGET_TIME);
  VALUE(TWC_BUDGET_MEMORY);
  VALUE(TWC_BUDGET_LLVM_IR);
  VALUE(sizeof(twc_part));
  VALUE(TWC_PART_CODE);
  VALUE(TWC_PART_MANIFEST);
  VALUE(TWC_PART_SCHEDULED);
  VALUE(TWC_PART_LOOPS);
  VALUE(TWC_PART_LLVM_IR);
  VALUE(TWC_PART_ASSEMBLY);
  VALUE(TWC_PART_SCHEDULE);
  VALUE(TWC_PART_SCHEDULE_REASON);
  VALUE(TWC_PART_EXPLANATION);
  VALUE(TWC_PART_REMARKS);
  VALUE(TWC_PART_DIAGNOSTICS);
  VALUE(TWC_PART_CACHE_KEY);
  VALUE(TWC_ERROR);
  VALUE(TWC_WARNING);
  VALUE(TWC_REMARK);
  VALUE(TWC_NOTE);
}

int main(void) {
  printStructs();
  printValues();
  return 0;
}
