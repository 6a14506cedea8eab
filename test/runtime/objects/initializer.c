static volatile int value;
__attribute__((constructor)) static void start(void) { value = 1; }
int f(void) { return value; }
