// Reads the attributes of kernels. Skips attributes that a launch does not need: scheduling hints, barriers, offsets of
// instructions.
#include "cubin/kernel_info.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/format.hpp"

namespace bankwise::cubin {

namespace {

// CUDA's limit is 32,764 bytes for all parameters.
constexpr std::uint32_t most_params = 1 << 15, most_param_bytes = 1 << 15;

// An attribute consists of a u8 format, a u8 number and a u16 value. In format 4, the value is a size, and this number
// of bytes follows.
enum attribute : std::uint8_t {
  attribute_max_threads = 0x05,
  attribute_param_bank = 0x0a,
  attribute_frame_size = 0x11,
  attribute_min_stack = 0x12,
  attribute_param_info = 0x17,
  attribute_registers = 0x2f,
  attribute_cluster = 0x3d,
  attribute_large_param_info = 0x45,  // for kernels with more than 4,096 bytes of parameters
};

kernel* kernel_of_symbol(const elf_image& elf, std::vector<kernel>& kernels, std::uint32_t symbol) {
  if (symbol >= elf.symbols.size()) return nullptr;
  for (kernel& k : kernels)
    if (k.mangled == elf.symbols[symbol].name) return &k;
  return nullptr;
}

// nvlink writes this size for a kernel with recursion or with calls through pointers.
constexpr std::uint32_t unknown_stack = 0xffffffff;

void apply(std::uint8_t what, byte_reader body, const elf_image& elf, std::vector<kernel>& kernels, kernel* owner) {
  switch (what) {
    case attribute_registers:
    case attribute_frame_size:
    case attribute_min_stack: {
      const std::uint32_t symbol = body.u32();
      std::uint32_t n = body.u32();
      if (what == attribute_min_stack && n == unknown_stack) n = 0;
      if (kernel* k = kernel_of_symbol(elf, kernels, symbol))
        (what == attribute_registers    ? k->registers
         : what == attribute_frame_size ? k->frame_bytes
                                        : k->stack_bytes) = n;
      break;
    }
    case attribute_max_threads: {
      const std::uint64_t x = body.u32(), y = body.u32(), z = body.u32();
      if (owner != nullptr)
        owner->max_threads = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(x * std::max<std::uint64_t>(y, 1) * std::max<std::uint64_t>(z, 1), 1, 1024));
      break;
    }
    case attribute_cluster: {
      const std::uint32_t x = body.u32(), y = body.u32(), z = body.u32();
      if (owner != nullptr && x != 0) owner->cluster = {x, y, z};
      break;
    }
    case attribute_param_bank: {
      body.u32();
      if (owner != nullptr) owner->param_base = body.u16();
      break;
    }
    case attribute_param_info:
    case attribute_large_param_info: {
      body.u32();
      const std::uint32_t ordinal = body.u16(), offset = body.u16(), size = body.u32();
      const std::uint32_t bytes = what == attribute_param_info ? size >> 18 : size;
      if (owner == nullptr || ordinal > most_params || bytes > most_param_bytes) break;
      if (owner->params.size() <= ordinal) owner->params.resize(ordinal + 1);
      owner->params[ordinal] = {offset, bytes};
      break;
    }
    default: break;
  }
}

}  // namespace

std::optional<diagnostic> read_kernel_info(const elf_image& elf, const elf_section& section, const std::string& name,
                                           std::vector<kernel>& kernels, kernel* owner) {
  byte_reader r(section.bytes);
  while (!r.at_end() && !r.failed()) {
    const std::uint8_t format = r.u8(), what = r.u8();
    const std::uint16_t value = r.u16();
    const byte_span body = format == 4 ? r.take(value) : byte_span{};
    if (r.failed()) return damaged(name, formatted("section {} is damaged", section.name), section.offset);
    apply(what, byte_reader(body), elf, kernels, owner);
  }
  return std::nullopt;
}

}  // namespace bankwise::cubin
