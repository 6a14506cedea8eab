// Functions that are called: by pointer from a table, recursively, with
// structures, with pointers to any memory.
typedef int (*Operation)(int, int);
__device__ __noinline__ int plus(int a, int b) { return a + b; }
__device__ __noinline__ int minus(int a, int b) { return a - b; }
__device__ __noinline__ int times(int a, int b) { return a * b; }
__device__ __noinline__ int greater(int a, int b) { return a > b ? a : b; }
__device__ Operation operations[4] = {plus, minus, times, greater};

extern "C" __global__ void function_table(const int *x, int *out) {
  int v = x[threadIdx.x], sum = v;
  for (int i = 0; i < 5; ++i)
    sum = operations[(v + i * threadIdx.x) & 3](sum, i + 1);
  out[threadIdx.x] = sum;
}

// Lanes recurse to different depths; each frame keeps locals.
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n, int *calls) {
  ++*calls;
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1, calls);
  return ackermann(m - 1, ackermann(m, n - 1, calls), calls);
}
extern "C" __global__ void recursion(unsigned *out, int *calls) {
  int count = 0;
  out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3, &count);
  calls[threadIdx.x] = count;
}

struct Big {
  double d[3];
  char tag;
  short s[2];
};
__device__ __noinline__ Big mix(Big a, const Big *b, float f) {
  Big r = a;
  for (int i = 0; i < 3; ++i)
    r.d[i] = a.d[i] * f + b->d[2 - i];
  r.tag = a.tag ^ b->tag;
  r.s[0] = a.s[1];
  r.s[1] = b->s[0];
  return r;
}
extern "C" __global__ void structures(const Big *in, Big *out) {
  int t = threadIdx.x;
  Big r = mix(in[t], &in[31 - t], 0.5f);
  r = mix(r, &r, 2.0f);
  out[t] = r;
}

// One function sees global, shared, local and constant memory.
__constant__ int fixed[4] = {3, -1, 4, 1};
__device__ __noinline__ int total(const int *p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += p[i];
  return sum * (__isShared(p) ? 10 : 1) + (__isLocal(p) ? 1000 : 0) +
         (__isGlobal(p) ? 100000 : 0) + (__isConstant(p) ? 7 : 0);
}
extern "C" __global__ void any_memory(const int *x, int *out, int pick) {
  __shared__ int tile[4];
  int mine[4];
  for (int i = 0; i < 4; ++i)
    mine[(i + pick) % 4] = x[i] + threadIdx.x;
  if (threadIdx.x < 4)
    tile[threadIdx.x] = x[threadIdx.x] * 2;
  __syncthreads();
  const int *choices[4] = {x, tile, mine, fixed};
  out[threadIdx.x] = total(choices[(threadIdx.x + pick) % 4], 4);
}

// A virtual call: objects are built where they are used.
struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Ring : Shape {
  float outer, inner;
  __device__ Ring(float a, float b) : outer(a), inner(b) {}
  __device__ float area() const override {
    return 3 * (outer * outer - inner * inner);
  }
};
extern "C" __global__ void virtual_calls(const float *x, float *out) {
  float v = x[threadIdx.x];
  Square square(v);
  Ring ring(v + 1, v);
  const Shape *shape = threadIdx.x & 1 ? (const Shape *)&square : &ring;
  asm volatile("" : "+l"(shape) : : "memory");
  out[threadIdx.x] = shape->area();
}
