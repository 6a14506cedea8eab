#include "tilewright/emulator.h"
#include "tilewright/runtime.h"

int main() {
  return tilewright::runtime::openDevice("cpu").ok() &&
                 tilewright::runtime::openDevice("emulator").ok()
             ? 0
             : 1;
}
