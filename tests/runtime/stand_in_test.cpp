// Tests which libraries the stand-ins replace. Tests what bankwise reads from library files: the soname, the versions
// and the needed names.
#include "runtime/load/stand_in.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace bankwise::cuda {
namespace {

TEST(StandIn, IsToldByTheNameOfTheFile) {
  for (const char* driver :
       {"libcuda.so.1", "libcuda.so", "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06", "./libcuda.so.1"})
    EXPECT_EQ(stand_in_of(driver), "libcuda.so.1") << driver;
  for (const char* of_12 : {"libcudart.so.12", "/a/nvidia/cuda_runtime/lib/libcudart.so.12", "../libcudart.so.12.9.79",
                            "/torch/lib/libcudart-9335f6a2.so.12", "libcudart-d0da41ae.so.12.1.105"})
    EXPECT_EQ(stand_in_of(of_12), "libcudart.so.12") << of_12;
  EXPECT_EQ(stand_in_of("/usr/local/cuda/lib64/libcudart.so.13.0.96"), "libcudart.so.13");
  EXPECT_EQ(stand_in_of("/torch/lib/../../nvidia/cublas/lib/libcublas.so.12"), "libcublas.so.12");
  EXPECT_EQ(stand_in_of("libcublasLt-b6d14a74.so.13.1.0.3"), "libcublasLt.so.13");
  EXPECT_EQ(stand_in_of("/torch/lib/../../nvidia/cudnn/lib/libcudnn.so.9"), "libcudnn.so.9");
  EXPECT_EQ(stand_in_of("libcudnn_graph.so.9.19.0"), "libcudnn_graph.so.9");
  EXPECT_EQ(stand_in_of("libcudnn.so.8"), "");
  EXPECT_EQ(stand_in_of("libcublas.so.11"), "");
  EXPECT_EQ(stand_in_of("libcusolver.so.12.0.4.66"), "libcusolver.so.12");
  EXPECT_EQ(stand_in_of("/torch/lib/../../nvidia/nccl/lib/libnccl.so.2"), "libnccl.so.2");
  EXPECT_EQ(stand_in_of("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.65.06"), "libnvidia-ml.so.1");
  EXPECT_EQ(stand_in_of("libnppc.so.13"), "");
  for (const char* other : {"",
                            "/",
                            "libcudart.so",
                            "libcudart-d0da41ae.so",
                            "libcudart.so.11.0",
                            "libcudart-d0da41ae.so.11.0",
                            "libcudart.so.1",
                            "libcudart.so.120",
                            "libcudart.so.14",
                            "libcudart.so.",
                            "libcudart.so.12a",
                            "libcudart.so12",
                            "libcudart_static.so.12",
                            "libcudart-static.so.12",
                            "libcudart-12.so.12",
                            "libcudadebugger.so.1",
                            "libcudart.a",
                            "libcuda.soup",
                            "cudart.so.12",
                            "libcuda.so.1/x",
                            "/libcudart.so.12/libm.so.6",
                            "libcudart12.so.12",
                            "libnvcuda.so.1",
                            "libcuda-.so.1"})
    EXPECT_EQ(stand_in_of(other), "") << other;
}

TEST(StandIn, AsksTheFileOfARuntimeWithoutVersion) {
  EXPECT_TRUE(is_without_version("/usr/local/cuda/lib64/libcudart.so"));
  EXPECT_TRUE(is_without_version("libcudart-d0da41ae.so"));
  EXPECT_TRUE(is_without_version("/a/libcublasLt.so"));
  for (const char* other : {"libcudart.so.13", "libcudart_static.so", "libcuda.so", "libm.so", ""})
    EXPECT_FALSE(is_without_version(other)) << other;
}

template <class T>
void append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

constexpr std::uint64_t loaded_at = 0x10000;  // the address of the file's first byte

// Makes a library with one segment: a header, a dynamic section, the needed versions, and names.
std::string make_library() {
  std::string names(1, '\0');
  const auto name = [&](const char* text) {
    const auto at = names.size();
    names += text + std::string(1, '\0');
    return static_cast<std::uint32_t>(at);
  };
  const std::uint32_t own = name("libcudart.so.13"), first = name("libm.so.6"),
                      second = name("libcudart-0123abcd.so.12"), third = name("libc.so.6");
  const std::uint64_t dynamic_at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr),
                      versions_at = dynamic_at + 7 * sizeof(Elf64_Dyn),
                      names_at = versions_at + 2 * sizeof(Elf64_Verneed), size = names_at + names.size();
  Elf64_Ehdr head{};
  std::copy_n(ELFMAG, SELFMAG, head.e_ident);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_type = ET_DYN;
  head.e_phoff = sizeof head;
  head.e_phentsize = sizeof(Elf64_Phdr);
  head.e_phnum = 2;
  std::string file;
  append(file, head);
  append(file, Elf64_Phdr{PT_LOAD, PF_R, 0, loaded_at, loaded_at, size, size, 1});
  append(file, Elf64_Phdr{PT_DYNAMIC, PF_R, dynamic_at, loaded_at + dynamic_at, 0, 7 * sizeof(Elf64_Dyn), 0, 1});
  const auto entry = [&](std::int64_t tag, std::uint64_t value) { append(file, Elf64_Dyn{tag, {value}}); };
  entry(DT_NEEDED, first);
  entry(DT_NEEDED, second);
  entry(DT_SONAME, own);
  entry(DT_STRTAB, loaded_at + names_at);
  entry(DT_VERNEED, loaded_at + versions_at);
  entry(DT_VERNEEDNUM, 2);
  entry(DT_NULL, 0);
  append(file, Elf64_Verneed{1, 0, second, 0, sizeof(Elf64_Verneed)});
  append(file, Elf64_Verneed{1, 0, third, 0, 0});
  return file + names;
}

TEST(StandIn, FilesSayTheirNameAndWhatTheyNeed) {
  const std::string file = make_library();
  EXPECT_EQ(soname_of(bytes_of(file)), "libcudart.so.13");
  const auto needed = needed_names(bytes_of(file));
  ASSERT_EQ(needed.size(), 3u);
  EXPECT_EQ(needed[0].name, "libm.so.6");
  EXPECT_EQ(needed[1].name, "libcudart-0123abcd.so.12");
  EXPECT_EQ(needed[2].name, "libc.so.6");
  for (const needed_name& n : needed) EXPECT_EQ(file.substr(n.address - loaded_at, n.name.size()), n.name);
}

TEST(StandIn, AMissingOneIsGotAsTheOthersWere) {
  const auto says = [](std::string_view library, std::string_view folder, std::string_view words) {
    EXPECT_NE(how_to_get(library, folder).find(words), std::string::npos) << how_to_get(library, folder);
  };
  says("libcublas.so.13", "/home/me/bankwise/build/release/runtime/lib/", "scripts/setup math");
  says("libcublas.so.13", "/venv/lib/python3.11/site-packages/bankwise/program/lib/bankwise/injected/",
       "pip install 'bankwise[math]'");
  says("libcudnn_ops.so.9", "/usr/lib/x86_64-linux-gnu/bankwise/injected", "bankwise-cuda-math");
  // The stand-ins for NCCL and NVML are in the same package as the stand-in driver.
  says("libnccl.so.2", "/home/me/bankwise/build/release/runtime/lib/", "Run scripts/setup");
  says("libnvidia-ml.so.1", "/usr/lib/bankwise/injected/", "Install bankwise again");
}

TEST(StandIn, DamagedFilesSayLess) {
  const std::string whole = make_library();
  EXPECT_EQ(soname_of({}), "");
  EXPECT_EQ(soname_of(bytes_of("no library at all, whatever its file is called, but longer than a header")), "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_EQ(soname_of(bytes_of(cut)), "") << size;
    EXPECT_TRUE(needed_names(bytes_of(cut)).empty()) << size;
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = whole;
    for (int changes = 0; changes < 3; ++changes) damaged[random() % damaged.size()] = static_cast<char>(random());
    const std::string_view name = soname_of(bytes_of(damaged));
    EXPECT_TRUE(name.empty() ||
                (name.data() >= damaged.data() && name.data() + name.size() < damaged.data() + damaged.size()));
    for (const needed_name& n : needed_names(bytes_of(damaged))) EXPECT_LT(n.name.size(), damaged.size());
  }
}

}  // namespace
}  // namespace bankwise::cuda
