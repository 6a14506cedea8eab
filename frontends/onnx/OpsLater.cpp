#include "frontends/onnx/Node.h"
namespace tilewright::onnx {
void addControlOps(OpTable &) {}
void addSampleOps(OpTable &) {}
void addScatterOps(OpTable &) {}
}
