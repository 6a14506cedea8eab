/* Calls functions that no runtime offers. */
int unheard_of(int);
int never_seen(int);
int f(int x) { return unheard_of(x) + never_seen(x); }
