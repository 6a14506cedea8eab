/* Conversions for which a compiler without such instructions calls helpers. */
#include <stdint.h>
#include <string.h>

uint16_t halfOfFloat(float x) {
  _Float16 h = (_Float16)x;
  uint16_t bits;
  memcpy(&bits, &h, 2);
  return bits;
}
uint16_t halfOfDouble(double x) {
  _Float16 h = (_Float16)x;
  uint16_t bits;
  memcpy(&bits, &h, 2);
  return bits;
}
float floatOfHalf(uint16_t bits) {
  _Float16 h;
  memcpy(&h, &bits, 2);
  return (float)h;
}
uint16_t bfloatOfFloat(float x) {
  __bf16 h = (__bf16)x;
  uint16_t bits;
  memcpy(&bits, &h, 2);
  return bits;
}
