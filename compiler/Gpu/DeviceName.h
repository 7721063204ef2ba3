//===-- DeviceName.h - The name of a GPU -----------------------*- C++ -*-===//

#ifndef TILE_COMPILER_GPU_DEVICENAME_H
#define TILE_COMPILER_GPU_DEVICENAME_H

#include <string>

namespace tilec::gpu {

/// "NVIDIA H200" for device 0; empty if there is none. Makes no context.
std::string findDeviceName();

} // namespace tilec::gpu

#endif // TILE_COMPILER_GPU_DEVICENAME_H
