// Loads the machine code of a file for an architecture.
#include "cubin/load.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "cubin/architectures.hpp"
#include "cubin/elf_image.hpp"
#include "cubin/fatbin.hpp"
#include "cubin/image_choice.hpp"
#include "cubin/load_cubin.hpp"

namespace bankwise::cubin {

namespace {

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
      const std::uint32_t before = images.empty() ? 0 : images.back().fatbin + 1;
      for (fatbin_image& i : *some) i.fatbin += before;
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
  const std::string wanted = formatted("sm_{}", sm == 0 ? architecture_for(images) : sm);
  return {formatted("{} has no machine code for {}", name, sm == 0 ? "any architecture" : wanted),
          {.file = name},
          formatted("the file contains {}. Compile with nvcc -arch={}{}", image_list(images), wanted,
                    any ? formatted(", or choose one of these architectures with {}", worded(setting::arch))
                        : ", which generates machine code, instead of -arch=compute_...")};
}

// Returns the machine code of each fatbin that the GPU runs.
std::vector<const fatbin_image*> images_to_run(const std::vector<fatbin_image>& images, std::uint32_t sm) {
  std::vector<const fatbin_image*> all;
  for (const auto& group : by_fatbin(images))
    if (const fatbin_image* const best = image_for(group, sm); best != nullptr && best->kind == image_kind::elf)
      for (const fatbin_image* const i : group)
        if (i->kind == image_kind::elf && i->sm == best->sm && i->arch_specific == best->arch_specific)
          all.push_back(i);
  return all;
}

// Loads the machine code that the GPU runs. Several translation units may have code for it. A unit with kernels is
// preferred.
result<program> load_from_fatbins(const std::vector<fatbin_image>& images, const std::string& name, std::uint32_t sm,
                                  const address_bases& bases) {
  const std::vector<const fatbin_image*> chosen = images_to_run(images, sm == 0 ? architecture_for(images) : sm);
  if (chosen.empty()) return no_code_for(images, name, sm);
  if (chosen.size() == 1) return load_cubin(chosen.front()->bytes, name, bases);
  result<program> with_kernels = diagnostic{formatted("{} has no kernels", name), {.file = name}};
  for (const fatbin_image* i : chosen) {
    auto p = load_cubin(i->bytes, name, bases);
    if (!p) return p;
    if (p->kernels.empty()) continue;
    if (with_kernels)
      return diagnostic{formatted("{} contains kernels from several translation units", name),
                        {.file = name},
                        "compile one of the translation units with nvcc -cubin, and run the cubin"};
    with_kernels = std::move(p);
  }
  return with_kernels;
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
    if (p && sm != 0 && fit_of({.kind = image_kind::elf, .sm = p->sm}, sm) == image_fit::none)
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
  for (const fatbin_image* const i : images_to_run(*images, sm)) {
    auto p = load_cubin(i->bytes, name);
    // The image may be an object for the device linker. If so, the same file contains the linked image.
    if (p)
      all.push_back(std::move(*p));
    else if (!why_not)
      why_not = p.error();
  }
  if (all.empty()) return why_not ? *why_not : no_code_for(*images, name, sm);
  return all;
}

std::uint32_t device_for(byte_span bytes, const std::string& name) {
  const auto elf = read_elf(bytes, name);
  const auto images = elf ? images_of(*elf, name) : result<std::vector<fatbin_image>>(elf.error());
  const std::uint32_t sm = architecture_for(images ? *images : std::vector<fatbin_image>());
  return is_executed(sm) ? sm : architecture_for({});
}

bool has_ptx(byte_span bytes, const std::string& name, std::uint32_t sm) {
  const auto elf = read_elf(bytes, name);
  if (!elf) return false;
  const auto images = images_of(*elf, name);
  return images && std::any_of(images->begin(), images->end(),
                               [&](const fatbin_image& i) { return fit_of(i, sm) == image_fit::compiled; });
}

}  // namespace bankwise::cubin
