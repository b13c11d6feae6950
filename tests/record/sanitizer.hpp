// Functions with which a program simulates a driver and a GPU. sanitizer.cpp implements them.
#pragma once

#include <cstddef>
#include <cstdint>

struct played_launch {
  void *context, *module;
  const char* kernel;    // mangled
  std::uint32_t blocks;  // of 32 x 8 threads
  std::uint32_t offset;  // offset of the instruction that each warp executes; all lanes access one bank
};
using play_load_function = void (*)(void* context, void* module, const char* cubin, std::size_t bytes);
using play_unload_function = void (*)(void* context, void* module);
using play_destroy_function = void (*)(void* context);
using play_end_function = void (*)();
using play_launch_function = void (*)(const played_launch*);
