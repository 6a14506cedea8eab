#include "runtime/core/DeviceRegistry.h"

int main() { return tilewright::runtime::openDevice("cpu").ok() ? 0 : 1; }
