#include "frontends/torch/Autocast.h"

#include "llvm/ADT/StringSet.h"

namespace tilewright::torch {

/// Those with a kernel for the key AutocastCPU in PyTorch 2.15: matrix products
/// and convolutions take the type of the region; losses, products, quantiles
/// and some pools and pads f32; and joins the widest type of their parts.
static const llvm::StringSet<> &castOperators() {
  static const llvm::StringSet<> names = {"_addmm_activation",
                                          "adaptive_avg_pool3d",
                                          "adaptive_max_pool3d",
                                          "addbmm",
                                          "addmm",
                                          "avg_pool3d",
                                          "baddbmm",
                                          "binary_cross_entropy",
                                          "binary_cross_entropy_with_logits",
                                          "bmm",
                                          "cat",
                                          "cdist",
                                          "conv1d",
                                          "conv2d",
                                          "conv3d",
                                          "conv_tbc",
                                          "conv_transpose1d",
                                          "conv_transpose2d",
                                          "conv_transpose3d",
                                          "cosine_embedding_loss",
                                          "cross_entropy_loss",
                                          "grid_sampler",
                                          "grid_sampler_2d",
                                          "grid_sampler_3d",
                                          "hinge_embedding_loss",
                                          "huber_loss",
                                          "index_copy",
                                          "kl_div",
                                          "l1_loss",
                                          "linalg_vecdot",
                                          "linear",
                                          "margin_ranking_loss",
                                          "matmul",
                                          "max_pool3d",
                                          "max_unpool2d",
                                          "max_unpool3d",
                                          "mm",
                                          "mse_loss",
                                          "multi_margin_loss",
                                          "multilabel_margin_loss",
                                          "nanquantile",
                                          "nll_loss",
                                          "nll_loss2d",
                                          "poisson_nll_loss",
                                          "prelu",
                                          "prod",
                                          "quantile",
                                          "reflection_pad1d",
                                          "reflection_pad2d",
                                          "replication_pad1d",
                                          "replication_pad2d",
                                          "replication_pad3d",
                                          "scaled_dot_product_attention",
                                          "smooth_l1_loss",
                                          "soft_margin_loss",
                                          "stack",
                                          "trace",
                                          "triplet_margin_loss"};
  return names;
}

bool isCastByAutocast(llvm::StringRef target) {
  return target.consume_front("aten.") &&
         castOperators().contains(target.split('.').first);
}

} // namespace tilewright::torch
