/* Code and data whose relocations a loader must get right. */
#include <stdint.h>
#include <string.h>

float expf(float);
double fmod(double, double);
float tanhf(float);

/* Constant pools, strings. */
double circle(double r) { return 3.14159265358979 * r * r; }
const char *greeting(void) { return "hello tile"; }

/* A visible global: reached through the table of addresses. */
int visible[4] = {10, 20, 30, 40};
int getVisible(int i) { return visible[i]; }

/* Zeroed and initialized data of its own. */
static int64_t counter;
static int64_t start = 1000;
static char zeros[100000];
int64_t count(void) { return start + ++counter + zeros[99999]; }

/* A table of functions: absolute addresses in data. */
static int twice(int x) { return 2 * x; }
static int negative(int x) { return -x; }
static int (*const volatile table[2])(int) = {twice, negative};
int callTable(int which, int x) { return table[which](x); }

/* A switch that becomes a table of distances. */
int pick(int i) {
  switch (i) {
  case 0:
    return 7;
  case 1:
    return 130;
  case 2:
    return -5;
  case 3:
    return 99;
  case 4:
    return 1234;
  case 5:
    return 42;
  case 6:
    return 17;
  default:
    return 0;
  }
}
const char *name(int i) {
  switch (i) {
  case 0:
    return "zero";
  case 1:
    return "one";
  case 2:
    return "two";
  case 3:
    return "three";
  case 4:
    return "four";
  default:
    return "many";
  }
}

/* Calls out of the object, one of them through a pointer. */
float callMath(float x) { return expf(x) + tanhf(x); }
typedef double (*Binary)(double, double);
Binary getFmod(void) { return fmod; }
void copyBytes(char *to, const char *from, int64_t n) {
  memcpy(to, from, (size_t)n);
}

/* A call within the object that the compiler may not inline. */
__attribute__((noinline)) int inner(int x) { return x + 3; }
int outer(int x) { return inner(x) * inner(x + 1); }
