func.func @linalg_conv(%x: tensor<1x16x16x4xf32>, %w: tensor<3x3x4x8xf32>, %o: tensor<1x14x14x8xf32>, %win: tensor<3x3xf32>, %po: tensor<1x14x14x4xf32>, %dw: tensor<3x3x4xf32>, %wf: tensor<2x3x3x5xf32>, %wo: tensor<6x6x5x2xf32>) -> tensor<1x14x14x8xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x16x16x4xf32>, tensor<3x3x4x8xf32>) outs(%o : tensor<1x14x14x8xf32>) -> tensor<1x14x14x8xf32>
  %1 = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%x, %win : tensor<1x16x16x4xf32>, tensor<3x3xf32>) outs(%po : tensor<1x14x14x4xf32>) -> tensor<1x14x14x4xf32>
  %2 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[1, 1]> : tensor<2xi64>} ins(%x, %dw : tensor<1x16x16x4xf32>, tensor<3x3x4xf32>) outs(%po : tensor<1x14x14x4xf32>) -> tensor<1x14x14x4xf32>
  %3 = linalg.winograd_filter_transform fmr(F_4_3) ins(%wf : tensor<2x3x3x5xf32>) outs(%wo : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  return %0 : tensor<1x14x14x8xf32>
}


func.func @more_convolutions(%x1: tensor<1x16x4xf32>, %w1: tensor<3x4x8xf32>, %o1: tensor<1x14x8xf32>, %xc: tensor<1x4x16x16xf32>, %wc: tensor<8x4x3x3xf32>, %oc: tensor<1x8x14x14xf32>, %x3: tensor<1x8x8x8x2xf32>, %w3: tensor<3x3x3x2x4xf32>, %o3: tensor<1x6x6x6x4xf32>, %q: i32) -> tensor<1x14x8xf32> {
  %0 = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%x1, %w1 : tensor<1x16x4xf32>, tensor<3x4x8xf32>) outs(%o1 : tensor<1x14x8xf32>) -> tensor<1x14x8xf32>
  %1 = linalg.conv_2d_nchw_fchw ins(%xc, %wc : tensor<1x4x16x16xf32>, tensor<8x4x3x3xf32>) outs(%oc : tensor<1x8x14x14xf32>) -> tensor<1x8x14x14xf32>
  %2 = linalg.conv_3d_ndhwc_dhwcf ins(%x3, %w3 : tensor<1x8x8x8x2xf32>, tensor<3x3x3x2x4xf32>) outs(%o3 : tensor<1x6x6x6x4xf32>) -> tensor<1x6x6x6x4xf32>
  return %0 : tensor<1x14x8xf32>
}

