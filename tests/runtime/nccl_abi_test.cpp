// If NVIDIA's header is installed, compares our declarations of NCCL's functions with the header. The compiler makes
// most of the comparisons.
#include <gtest/gtest.h>
#include <nccl.h>

#include <string>

#include "runtime/same_signature.hpp"
#include "support/files.hpp"

#if NCCL_VERSION_CODE < 22809

TEST(NcclAbi, HeaderIsOlder) {
  GTEST_SKIP() << "NCCL's header is older than 2.28.9, and our declarations are from 2.28.9";
}

#else

struct unique_id {
  char bytes[128];
};
struct nccl_communicator;
struct nccl_config;
struct nccl_window;
struct nccl_simulation;
struct stream;

PAIR(unique_id, ncclUniqueId)
HANDLE(nccl_communicator, ncclComm)
HANDLE(nccl_config, ncclConfig_t)
HANDLE(nccl_window, ncclWindow_vidmem)
HANDLE(nccl_simulation, ncclSimInfo_t)
HANDLE(stream, CUstream_st)

namespace {

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define TYPED(type, name, parameters, ...) \
  using name##_ours = type parameters;     \
  static_assert(bankwise::test::same<name##_ours, decltype(::name)>::value, #name);
#define ENTRY(name, parameters, ...) TYPED(int, name, parameters)
#include "runtime/management/nccl_entries.def"
#undef TYPED
#undef ENTRY

TEST(NcclAbi, NamesAreExported) {
  const std::string names =
      "\n" + bankwise::test::read_text(bankwise::test::source_path("runtime/management/exports_nccl.txt"));
  for (const std::string name : {
#define TYPED(type, name, ...) #name,
#define ENTRY(name, ...) #name,
#include "runtime/management/nccl_entries.def"
       })
    for (const char* before : {"\n", "\np"})
      EXPECT_NE(names.find(before + name + "\n"), std::string::npos) << before << name;
}

}  // namespace
#endif
