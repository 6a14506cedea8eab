// What this program was compiled for, as constants that need no code to run.
extern const bool requiresAvx2;
extern const bool requiresAvx512;

#ifdef __AVX2__
const bool requiresAvx2 = true;
#else
const bool requiresAvx2 = false;
#endif
#ifdef __AVX512F__
const bool requiresAvx512 = true;
#else
const bool requiresAvx512 = false;
#endif
