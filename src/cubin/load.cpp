// Loads the machine code of a file for an architecture. If the file has several images, selects an image with kernels.
#include "cubin/load.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "cubin/elf_image.hpp"
#include "cubin/fatbin.hpp"
#include "cubin/load_cubin.hpp"

namespace bankwise::cubin {

namespace {

constexpr std::uint32_t usual_sm = 90;  // the architecture whose rule is measured

std::string image_list(const std::vector<fatbin_image>& images) {
  std::string s;
  for (const fatbin_image& i : images)
    s += (s.empty() ? "" : ", ") + std::string(i.kind == image_kind::elf ? "sm_" : "PTX for sm_") +
         std::to_string(i.sm) + (i.arch_specific ? "a" : "");
  return s.empty() ? "nothing" : s;
}

result<std::vector<fatbin_image>> images_of(const elf_image& elf, const std::string& name) {
  std::vector<fatbin_image> images;
  for (const char* section : {".nv_fatbin", "__nv_relfatbin"})
    if (const elf_section* s = elf.find(section)) {
      auto some = read_fatbins(s->bytes, name, s->offset);
      if (!some) return some.error();
      std::move(some->begin(), some->end(), std::back_inserter(images));
    }
  if (images.empty())
    return diagnostic{formatted("{} contains no CUDA code", name),
                      {.file = name},
                      "the section .nv_fatbin of the file is missing or empty"};
  return images;
}

diagnostic no_code_for(const std::vector<fatbin_image>& images, const std::string& name, std::uint32_t sm) {
  const bool any =
      std::any_of(images.begin(), images.end(), [](const fatbin_image& i) { return i.kind == image_kind::elf; });
  const std::string wanted = formatted("sm_{}", sm == 0 ? usual_sm : sm);
  return {formatted("{} has no machine code for {}", name, sm == 0 ? "any architecture" : wanted),
          {.file = name},
          formatted("the file contains {}. Compile with nvcc -arch={}{}", image_list(images), wanted,
                    any ? formatted(", or choose one of these architectures with {}", worded(setting::arch))
                        : ", which generates machine code, instead of -arch=compute_...")};
}

// Returns the architecture of which most images have machine code. Among equals, prefers the architecture whose rule is
// measured, and then the newest. Returns 0 if there is no machine code for a possible architecture.
template <class Possible>
std::uint32_t preferred_architecture(const std::vector<fatbin_image>& images, Possible is_possible) {
  std::map<std::uint32_t, std::size_t> with_code;  // number of images by architecture
  for (const fatbin_image& i : images)
    if (i.kind == image_kind::elf && is_possible(i.sm)) ++with_code[i.sm];
  const auto best = std::max_element(with_code.begin(), with_code.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.second, a.first == usual_sm, a.first) < std::tuple(b.second, b.first == usual_sm, b.first);
  });
  return best != with_code.end() ? best->first : 0;
}

// Returns the image to load for an architecture, or for the preferred one if `sm` is 0. Among the images of one
// architecture, prefers code with its own features, such as sm_90a. Returns null if there is no image.
const fatbin_image* preferred_image(const std::vector<fatbin_image>& images, std::uint32_t sm) {
  if (sm == 0) sm = preferred_architecture(images, [](std::uint32_t) { return true; });
  const fatbin_image* best = nullptr;
  for (const fatbin_image& i : images)
    if (i.kind == image_kind::elf && i.sm == sm && (best == nullptr || (i.arch_specific && !best->arch_specific)))
      best = &i;
  return best;
}

result<program> load_from_fatbins(const std::vector<fatbin_image>& images, const std::string& name, std::uint32_t sm,
                                  const address_bases& bases) {
  const fatbin_image* const best = preferred_image(images, sm);
  if (best == nullptr) return no_code_for(images, name, sm);
  // Several translation units may have images for the same architecture. An image with kernels is preferred.
  const auto same = std::count_if(images.begin(), images.end(), [&](const fatbin_image& i) {
    return i.kind == image_kind::elf && i.sm == best->sm && i.arch_specific == best->arch_specific;
  });
  if (same == 1) return load_cubin(best->bytes, name, bases);
  result<program> chosen = diagnostic{formatted("{} has no kernels", name), {.file = name}};
  for (const fatbin_image& i : images) {
    if (i.kind != image_kind::elf || i.sm != best->sm || i.arch_specific != best->arch_specific) continue;
    auto p = load_cubin(i.bytes, name, bases);
    if (!p) return p;
    if (p->kernels.empty()) continue;
    if (chosen)
      return diagnostic{formatted("{} contains kernels from several translation units", name),
                        {.file = name},
                        "compile one of the translation units with nvcc -cubin, and run the cubin"};
    chosen = std::move(p);
  }
  return chosen;
}

}  // namespace

result<program> load(byte_span bytes, const std::string& name, std::uint32_t sm, const address_bases& bases) {
  if (is_fatbin(bytes)) {
    const auto images = read_fatbins(bytes, name);
    if (!images) return images.error();
    return load_from_fatbins(*images, name, sm, bases);
  }
  if (!is_elf(bytes))
    return diagnostic{formatted("{} is not a cubin, a fatbin or a program that contains one", name),
                      {.file = name},
                      "bankwise run accepts .cu, .ptx, .cubin and .fatbin files"};
  const auto elf = read_elf(bytes, name);
  if (!elf) return elf.error();
  if (elf->machine == machine_cuda) {
    auto p = load_cubin(bytes, name, bases);
    if (p && sm != 0 && p->sm != sm)
      return diagnostic{formatted("{} is compiled for sm_{}, not sm_{}", name, p->sm, sm),
                        {.file = name},
                        formatted("compile the code with nvcc -arch=sm_{}", sm)};
    return p;
  }
  const auto images = images_of(*elf, name);
  if (!images) return images.error();
  return load_from_fatbins(*images, name, sm, bases);
}

result<std::vector<program>> load_all(byte_span bytes, const std::string& name, std::uint32_t sm) {
  const auto elf = read_elf(bytes, name);
  if (!elf) return elf.error();
  const auto images = images_of(*elf, name);
  if (!images) return images.error();
  std::vector<program> all;
  std::optional<diagnostic> why_not;
  for (const fatbin_image& i : *images) {
    if (i.kind != image_kind::elf || i.sm != sm) continue;
    auto p = load_cubin(i.bytes, name);
    // The image may be an object for the device linker. If so, the same file contains the linked image.
    if (p)
      all.push_back(std::move(*p));
    else if (!why_not)
      why_not = p.error();
  }
  if (all.empty()) return why_not ? *why_not : no_code_for(*images, name, sm);
  return all;
}

std::uint32_t device_for(const std::vector<fatbin_image>& images, bool (*is_possible)(std::uint32_t sm)) {
  if (const std::uint32_t sm = preferred_architecture(images, is_possible); sm != 0) return sm;
  std::uint32_t newest_ptx = usual_sm;
  for (const fatbin_image& i : images)
    if (i.kind == image_kind::ptx && is_possible(i.sm)) newest_ptx = std::max(newest_ptx, i.sm);
  return newest_ptx;
}

std::uint32_t device_for(byte_span bytes, const std::string& name, bool (*is_possible)(std::uint32_t sm)) {
  const auto elf = read_elf(bytes, name);
  if (!elf) return usual_sm;
  const auto images = images_of(*elf, name);
  return images ? device_for(*images, is_possible) : usual_sm;
}

bool has_ptx(byte_span bytes, const std::string& name, std::uint32_t sm) {
  const auto elf = read_elf(bytes, name);
  if (!elf) return false;
  const auto images = images_of(*elf, name);
  return images && std::any_of(images->begin(), images->end(),
                               [&](const fatbin_image& i) { return i.kind == image_kind::ptx && i.sm <= sm; });
}

}  // namespace bankwise::cubin
