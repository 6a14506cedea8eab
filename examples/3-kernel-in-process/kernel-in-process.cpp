//===- kernel-in-process.cpp - Build, compile and launch a kernel ---------===//
//
// A tile kernel built as IR in C++, compiled in this process, launched on the
// CPU device. No file is written.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tilewright/mlir/Compile.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Launch.h"

#include <cstdio>

using namespace tilewright;

/// c = a + b: one program adds 64 elements; the last one's tail is clipped.
static tile::KernelOp buildAdd(mlir::ModuleOp module) {
  auto b = mlir::OpBuilder::atBlockEnd(module.getBody());
  mlir::Location loc = b.getUnknownLoc();
  auto view = tile::ViewType::get({mlir::ShapedType::kDynamic}, b.getF32Type());
  auto grid = mlir::AffineMap::get(0, 3, b.getAffineSymbolExpr(0).ceilDiv(64),
                                   b.getContext());
  auto kernel = tile::KernelOp::create(b, loc, "add",
                                       mlir::TypeRange{view, view, view}, grid);
  mlir::Block &body = kernel.getRegion().front();
  b.setInsertionPoint(body.getTerminator());
  auto type = mlir::RankedTensorType::get(64, b.getF32Type());
  auto program =
      tile::ProgramIdOp::create(b, loc, mlir::TypeRange(b.getIndexType()));
  mlir::ValueRange at = program->getResults();
  mlir::TypedAttr pad = b.getF32FloatAttr(0);
  mlir::Value x =
      tile::LoadOp::createTile(b, loc, type, body.getArgument(0), at, pad);
  mlir::Value y =
      tile::LoadOp::createTile(b, loc, type, body.getArgument(1), at, pad);
  mlir::Value sum = mlir::arith::AddFOp::create(b, loc, x, y);
  tile::StoreOp::createTile(b, loc, sum, body.getArgument(2), at);
  return kernel;
}

static Status compileAndLaunch() {
  mlir::MLIRContext context;
  prepareContext(context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  TILEWRIGHT_ASSIGN_OR_RETURN(KernelImage image,
                              compile(buildAdd(*module), cpu::hostTarget()));

  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Device> device,
                              runtime::openDevice("cpu"));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::shared_ptr<runtime::Module> code,
      device->loadModule(std::as_bytes(std::span(image.code))));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Kernel> kernel,
                              code->kernel(image.manifest));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Stream> stream,
                              device->createStream());
  const float a[3] = {1, 2, 3}, b[3] = {10, 20, 30};
  float c[3] = {};
  TILEWRIGHT_ASSIGN_OR_RETURN(auto x, device->allocate(sizeof a));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto y, device->allocate(sizeof b));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto z, device->allocate(sizeof c));
  TILEWRIGHT_RETURN_IF_ERROR(stream->copyToDevice(*x, 0, a, sizeof a));
  TILEWRIGHT_RETURN_IF_ERROR(stream->copyToDevice(*y, 0, b, sizeof b));
  using runtime::LaunchArgument;
  const LaunchArgument arguments[] = {LaunchArgument::view(*x, {3}),
                                      LaunchArgument::view(*y, {3}),
                                      LaunchArgument::view(*z, {3})};
  TILEWRIGHT_RETURN_IF_ERROR(runtime::launch(*stream, *kernel, arguments));
  TILEWRIGHT_RETURN_IF_ERROR(stream->copyToHost(c, *z, 0, sizeof c));
  TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
  std::printf("%g+%g %g+%g %g+%g = %g %g %g\n", a[0], b[0], a[1], b[1], a[2],
              b[2], c[0], c[1], c[2]);
  return Status();
}

int main() {
  Status status = compileAndLaunch();
  if (!status.ok())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
