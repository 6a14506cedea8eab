#include "tilewright/c/tilewright-compiler.h"
#include "tilewright/c/tilewright.h"

int main(void) {
  tw_device *device = 0;
  tw_status *status = tw_device_open("emulator", 0, &device);
  int failed = status != 0;
  tw_status_free(status);
  tw_device_free(device);
  return failed;
}
