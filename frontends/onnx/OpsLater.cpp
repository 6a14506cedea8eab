#include "frontends/onnx/Node.h"
namespace tilewright::onnx {
void addQuantOps(OpTable &) {}
void addAttentionOps(OpTable &) {}
void addControlOps(OpTable &) {}
void addNormOps(OpTable &);
void addGatherOps(OpTable &);
}
