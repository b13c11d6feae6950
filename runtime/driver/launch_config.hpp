// Converts the driver's launch parameters to a launch_shape.
#pragma once

#include "runtime/device/driver_abi.hpp"
#include "runtime/launch/launch.hpp"

namespace bankwise::cuda {

inline error read_config(const driver_launch_config* config, launch_shape& shape) {
  if (config == nullptr) return cudaErrorInvalidValue;
  shape = {{config->grid_x, config->grid_y, config->grid_z},
           {config->block_x, config->block_y, config->block_z},
           config->dynamic_shared_bytes};
  return read_attributes(config->attributes, config->attribute_count, shape);
}

}  // namespace bankwise::cuda
