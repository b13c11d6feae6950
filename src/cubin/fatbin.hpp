// Reads fatbins: several images of one translation unit, for several architectures. An image may be compressed.
//
//     header   u32 0xba55ed50, u16 version, u16 header size, u64 bytes that follow
//     entry    u16 kind (1 PTX, 2 ELF), u16, u32 header size, u64 payload size, u32 compressed size, ...,
//              u32 architecture, ..., u64 flags (0x2000 LZ4, 0x8000 zstd), u64, u64 uncompressed size
//     payload
//
// The section .nv_fatbin of a host program contains its fatbins. The format was derived from files of nvcc 13.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace bankwise::cubin {

enum class image_kind : std::uint8_t { ptx, elf };

struct fatbin_image {
  image_kind kind = image_kind::elf;
  std::uint32_t sm = 0;          // for example 90
  bool arch_specific = false;    // whether the image is for this architecture only, such as code for sm_90a
  std::string name;              // the source file, if it was recorded
  std::vector<std::byte> bytes;  // decompressed
  std::uint32_t fatbin = 0;      // number of the fatbin in the file
};

// Limits for the size after decompression: of one image, and of all images of a file together.
inline constexpr std::uint64_t most_image_bytes = std::uint64_t{1} << 30;
inline constexpr std::uint64_t most_total_bytes = std::uint64_t{4} << 30;

bool is_fatbin(byte_span bytes);
// Reads all images of all fatbins in `bytes`. The fatbins follow each other. `base` is the position of `bytes` in the
// file, for errors.
result<std::vector<fatbin_image>> read_fatbins(byte_span bytes, const std::string& name, std::uint64_t base = 0);

}  // namespace bankwise::cubin
