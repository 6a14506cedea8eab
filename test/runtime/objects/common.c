int value; /* Compiled with -fcommon. */
int f(void) { return value; }
