#include "cubin/fatbin.hpp"

#include "base/format.hpp"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

namespace bankwise::cubin {

namespace {

constexpr std::uint32_t magic = 0xba55ed50;
constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_arch_specific = 0x100000;

struct entry {
  std::uint16_t kind = 0;
  std::uint32_t header_bytes = 0;
  std::uint64_t payload_bytes = 0;
  std::uint32_t compressed_bytes = 0;
  std::uint32_t sm = 0;
  std::uint32_t name_offset = 0, name_bytes = 0;
  std::uint64_t flags = 0;
  std::uint64_t plain_bytes = 0;
};

entry read_entry(byte_reader& r) {
  entry e;
  e.kind = r.u16();
  r.skip(2);
  e.header_bytes = r.u32();
  e.payload_bytes = r.u64();
  e.compressed_bytes = r.u32();
  r.skip(4 + 2 + 2);  // offset of the options, minor, major
  e.sm = r.u32();
  e.name_offset = r.u32();
  e.name_bytes = r.u32();
  e.flags = r.u64();
  r.skip(8);
  e.plain_bytes = r.u64();
  return e;
}

// Returns the largest possible size of the decompressed payload. LZ4 expands one byte to at most 255 bytes, and zstd
// stores the size.
std::uint64_t most_plain_bytes(const entry& e, byte_span payload) {
  if ((e.flags & flag_zstd) == 0) return std::uint64_t{e.compressed_bytes} * 255 + 255;
  const unsigned long long n = ZSTD_getFrameContentSize(payload.data(), e.compressed_bytes);
  return n == ZSTD_CONTENTSIZE_ERROR ? 0 : n;  // ZSTD_CONTENTSIZE_UNKNOWN is larger than any limit
}

// Returns the decompressed payload, or an error. Fails if the payload exceeds `most` bytes.
result<std::vector<std::byte>> decompress(const entry& e, byte_span payload, std::uint64_t most) {
  const bool packed = e.compressed_bytes != 0 && (e.flags & (flag_lz4 | flag_zstd)) != 0;
  if (!packed) return std::vector<std::byte>(payload.begin(), payload.end());
  if (e.compressed_bytes > payload.size())
    return diagnostic{"the image is shorter than the compressed size in the image's header"};
  if (e.plain_bytes == 0 || e.plain_bytes > most)
    return diagnostic{
        formatted("an image of {} bytes is too large. One image can have 1 GiB, and all images together can have 4 GiB",
                  e.plain_bytes)};
  if (e.plain_bytes > most_plain_bytes(e, payload))
    return diagnostic{"the decompressed image is shorter than the size in the image's header"};
  std::vector<std::byte> plain(e.plain_bytes);
  if ((e.flags & flag_zstd) != 0) {
    const std::size_t n = ZSTD_decompress(plain.data(), plain.size(), payload.data(), e.compressed_bytes);
    if (ZSTD_isError(n) != 0 || n != plain.size())
      return diagnostic{formatted("zstd: {}", ZSTD_isError(n) != 0 ? ZSTD_getErrorName(n)
                                                                   : "the decompressed image is shorter than the size "
                                                                     "in the image's header")};
    return plain;
  }
  const int n =
      LZ4_decompress_safe(reinterpret_cast<const char*>(payload.data()), reinterpret_cast<char*>(plain.data()),
                          static_cast<int>(e.compressed_bytes), static_cast<int>(plain.size()));
  if (n < 0 || static_cast<std::size_t>(n) != plain.size()) return diagnostic{"lz4: damaged data"};
  return plain;
}

}  // namespace

bool is_fatbin(byte_span bytes) {
  std::uint32_t first = 0;
  if (bytes.size() < 16) return false;
  std::memcpy(&first, bytes.data(), 4);
  return first == magic;
}

result<std::vector<fatbin_image>> read_fatbins(byte_span bytes, const std::string& name, std::uint64_t base) {
  std::vector<fatbin_image> images;
  const auto damaged = [&](const std::string& what, std::uint64_t at) {
    return diagnostic{
        what, {.file = name, .byte = base + at}, "the fatbin is truncated or damaged. Compile the fatbin again"};
  };
  std::uint64_t at = 0, total = 0;
  std::uint32_t fatbin = 0;
  while (at + 16 <= bytes.size()) {
    if (!is_fatbin(bytes.subspan(at))) {
      at += 8;  // fatbins are padded to 8 bytes; other bytes between fatbins are also skipped
      continue;
    }
    byte_reader header(bytes, at + 4);
    header.skip(2);
    const std::uint64_t header_bytes = header.u16(), body = header.u64();
    if (header_bytes < 16 || !inside(bytes, at + header_bytes, body))
      return damaged("a fatbin reaches past the end of the file", at);
    const std::uint64_t end = at + header_bytes + body;
    at += header_bytes;
    while (at + 64 <= end) {
      byte_reader r(bytes.first(end), at);
      const entry e = read_entry(r);
      if (e.header_bytes < 64 || !inside(bytes.first(end), at, e.header_bytes) ||
          !inside(bytes.first(end), at + e.header_bytes, e.payload_bytes))
        return damaged("an image reaches past the end of the fatbin", at);
      if (e.kind == 1 || e.kind == 2) {
        auto plain = decompress(e, bytes.subspan(at + e.header_bytes, e.payload_bytes),
                                std::min(most_image_bytes, most_total_bytes - std::min(most_total_bytes, total)));
        if (!plain) return damaged(plain.error().message, at);
        total += plain->size();
        fatbin_image image{e.kind == 1 ? image_kind::ptx : image_kind::elf,
                           e.sm,
                           (e.flags & flag_arch_specific) != 0,
                           {},
                           std::move(*plain),
                           fatbin};
        if (e.name_bytes != 0 && inside(bytes.first(end), at + e.name_offset, e.name_bytes))
          image.name.assign(reinterpret_cast<const char*>(bytes.data()) + at + e.name_offset, e.name_bytes);
        images.push_back(std::move(image));
      }
      at += e.header_bytes + e.payload_bytes;
    }
    at = (end + 7) / 8 * 8;
    ++fatbin;
  }
  return images;
}

}  // namespace bankwise::cubin
