// Global data that the module initializes: of each width, with addresses of
// other data and of functions in it.
struct Item {
  int value;
  const Item *next;
};
__device__ Item last[2] = {{-1, nullptr}, {7, nullptr}};
__device__ Item middle[2] = {{13, last + 1}, {11, last}};
__device__ Item start = {5, middle};
__device__ const Item *first = &start;
__device__ float shades[2][3] = {{0.5f, 1.5f, -2.0f}, {4.0f}};
__device__ double tenth = 0.1;
__device__ char text[] = "tile\0wright";
__device__ unsigned long long big = 0x123456789abcdef0;
__device__ unsigned short halves[3] = {0x3c00, 0xc000};
__device__ int counter;
__constant__ const char *words[3] = {"load", "store", "fence"};
__constant__ float *shade = &shades[1][0];

extern "C" __global__ void initialized(double *out) {
  int n = 0;
  for (const Item *item = first; item; item = item->next)
    out[n++] = item->value;
  for (int i = 0; i < 6; ++i)
    out[n++] = (&shades[0][0])[i];
  out[n++] = tenth;
  for (int i = 0; i < (int)sizeof(text); ++i)
    out[n++] = text[i];
  out[n++] = (double)(big >> 32);
  out[n++] = halves[0] + halves[1] + halves[2];
  for (auto word : words)
    for (; *word; ++word)
      out[n++] = *word;
  out[n++] = *shade;
  out[n++] = counter;
}

// What one launch writes to the module's memory, its blocks share.
extern "C" __global__ void module_counter(int *out) {
  __shared__ int place;
  if (threadIdx.x == 0)
    place = atomicAdd(&counter, 1);
  __syncthreads();
  out[place * blockDim.x + threadIdx.x] = place;
}
