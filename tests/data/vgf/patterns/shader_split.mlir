module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %c = "tosa.const"() <{values = dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %9 = tosa.sub %arg3, %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = tosa.custom %arg3, %9 {domain_name = "com.arm.VulkanCustomShader", implementation_attrs = "{\"entry_point\": \"main\", \"workgroup_sizes\": [16, 1, 1], \"input_0_binding\": 0, \"input_0_descriptorset\": 0, \"input_0_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER\", \"input_0_vkformat\": \"VK_FORMAT_R32_SFLOAT\", \"input_1_binding\": 1, \"input_1_descriptorset\": 0, \"input_1_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_TENSOR_ARM\", \"input_1_vkformat\": \"VK_FORMAT_R32_SFLOAT\", \"output_0_binding\": 2, \"output_0_descriptorset\": 2, \"output_0_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER\", \"output_0_vkformat\": \"VK_FORMAT_R32_SFLOAT\"}", operator_name = "sh"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %4 = tosa.add %3, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %5 = tosa.exp %4 : (tensor<4xf32>) -> tensor<4xf32>
    %6 = tosa.custom %5, %9 {domain_name = "com.arm.VulkanCustomShader", implementation_attrs = "{\"entry_point\": \"main\", \"workgroup_sizes\": [16, 1, 1], \"input_0_binding\": 0, \"input_0_descriptorset\": 0, \"input_0_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER\", \"input_0_vkformat\": \"VK_FORMAT_R32_SFLOAT\", \"input_0_sampler\": {\"min_filter\": \"VK_FILTER_LINEAR\", \"mag_filter\": \"VK_FILTER_NEAREST\", \"address_mode_u\": \"VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE\", \"address_mode_v\": \"VK_SAMPLER_ADDRESS_MODE_REPEAT\", \"border_color\": \"VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK\"}, \"input_1_binding\": 1, \"input_1_descriptorset\": 0, \"input_1_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_TENSOR_ARM\", \"input_1_vkformat\": \"VK_FORMAT_R32_SFLOAT\", \"output_0_binding\": 2, \"output_0_descriptorset\": 0, \"output_0_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER\", \"output_0_vkformat\": \"VK_FORMAT_R32_SFLOAT\"}", operator_name = "sh"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %7 = tosa.add %6, %9 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %7, %4 : tensor<4xf32>, tensor<4xf32>
  }
}
