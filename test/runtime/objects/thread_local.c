_Thread_local int value;
int f(void) { return ++value; }
