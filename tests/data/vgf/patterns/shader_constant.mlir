module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %c = "tosa.const"() <{values = dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %3 = tosa.custom %arg0, %c {domain_name = "com.arm.VulkanCustomShader", implementation_attrs = "{\"entry_point\": \"main\", \"workgroup_sizes\": [16, 1, 1], \"input_0_binding\": 0, \"input_0_descriptorset\": 0, \"input_0_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER\", \"input_0_vkformat\": \"VK_FORMAT_R32_SFLOAT\", \"input_1_binding\": 1, \"input_1_descriptorset\": 0, \"input_1_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_TENSOR_ARM\", \"input_1_vkformat\": \"VK_FORMAT_R32_SFLOAT\", \"output_0_binding\": 2, \"output_0_descriptorset\": 1, \"output_0_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER\", \"output_0_vkformat\": \"VK_FORMAT_R32_SFLOAT\"}", operator_name = "sh"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %4 = tosa.add %3, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %5 = tosa.exp %arg1 : (tensor<4xf32>) -> tensor<4xf32>
    return %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
