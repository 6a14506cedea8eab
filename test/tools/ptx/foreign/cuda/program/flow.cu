#include <cassert>
#include <cstdint>

// A dense switch: a small stack machine runs a program from constant memory.
enum Code : uint8_t { push, add, mul, dup, swap, jump, drop, halt, negate };
__constant__ int8_t program[] = {push, 7,      add,  dup, mul,  push,
                                 3,    swap,   dup,  add, push, 5,
                                 drop, negate, push, 9,   halt};
extern "C" __global__ void stack_machine(const int *x, int *out,
                                         const int8_t *other) {
  int stack[8], top = 0;
  stack[top++] = x[threadIdx.x];
  const int8_t *code = threadIdx.x % 2 ? other : program;
  for (int at = 0;;) {
    int a, b;
    switch (code[at++]) {
    case push:
      stack[top++] = code[at++];
      continue;
    case add:
      a = stack[--top];
      stack[top - 1] += a;
      continue;
    case mul:
      a = stack[--top];
      stack[top - 1] *= a;
      continue;
    case dup:
      a = stack[top - 1];
      stack[top++] = a;
      continue;
    case swap:
      a = stack[top - 1];
      b = stack[top - 2];
      stack[top - 1] = b;
      stack[top - 2] = a;
      continue;
    case jump:
      a = code[at++];
      at += stack[top - 1] > 0 ? a : 0;
      continue;
    case drop:
      stack[--top] = 0;
      continue;
    case negate:
      stack[top - 1] = -stack[top - 1];
      continue;
    default:
      break;
    }
    break;
  }
  int sum = top * 1000000;
  for (int i = 0; i < top; ++i)
    sum += stack[i] * (i + 1);
  out[threadIdx.x] = sum;
}

// A table of branch targets. The compiler makes trees of comparisons, so this
// one is written by hand.
extern "C" __global__ void branch_table(const int *x, int *out) {
  int v = x[threadIdx.x], r;
  asm volatile("{\n"
               "  .reg .u32 index;\n"
               "  and.b32 index, %1, 3;\n"
               "  targets: .branchtargets first, second, third, second;\n"
               "  brx.idx index, targets;\n"
               "  first: add.s32 %0, %1, 100; bra.uni done;\n"
               "  second: mul.lo.s32 %0, %1, -3; bra.uni done;\n"
               "  third: not.b32 %0, %1;\n"
               "  done:\n"
               "}"
               : "=r"(r)
               : "r"(v));
  out[threadIdx.x] = r;
}

// A local array that is indexed by data: sorting in local memory.
extern "C" __global__ void local_sort(const short *x, short *out, int n) {
  short mine[32];
  const short *row = x + threadIdx.x * n;
  for (int i = 0; i < n; ++i) {
    short v = row[i];
    int j = i;
    for (; j > 0 && mine[j - 1] > v; --j)
      mine[j] = mine[j - 1];
    mine[j] = v;
  }
  for (int i = 0; i < n; ++i)
    out[threadIdx.x * n + i] = mine[i];
}

// Dynamic shared memory, carved into arrays of three types.
extern "C" __global__ void carved(const double *x, float *out, int n) {
  extern __shared__ __align__(8) unsigned char room[];
  double *wide = (double *)room;
  float *narrow = (float *)(wide + n);
  unsigned char *bytes = (unsigned char *)(narrow + n);
  int t = threadIdx.x;
  wide[t] = x[t] * 2;
  narrow[n - 1 - t] = (float)x[t];
  bytes[t] = (unsigned char)t;
  __syncthreads();
  int u = bytes[(t + 1) % n];
  out[t] = (float)wide[u] + narrow[u];
}

// Memory from a stack that grows at run time.
extern "C" __global__ void stack_room(const int *x, int *out) {
  int n = 3 + threadIdx.x % 5;
  int *room = (int *)__builtin_alloca(n * sizeof(int));
  for (int i = 0; i < n; ++i)
    room[i] = x[i] * (int)threadIdx.x;
  int sum = 0;
  for (int i = n - 1; i >= 0; --i)
    sum = sum * 3 + room[i];
  out[threadIdx.x] = sum;
}

// Checks that hold: the failing side calls __assertfail with strings.
extern "C" __global__ void asserts(const int *x, int *out) {
  int v = x[threadIdx.x];
  assert(v >= 0 && "inputs are not negative");
  int root = 0;
  while ((root + 1) * (root + 1) <= v)
    ++root;
  assert(root * root <= v);
  if (root > 1000)
    __trap();
  out[threadIdx.x] = root;
}
