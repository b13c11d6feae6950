// Tests NCCL with one rank, as torch.distributed calls it.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/cudart/entries.hpp"

struct unique_id {
  char bytes[128];
};
struct nccl_communicator;
struct nccl_config;
struct nccl_window;
using bankwise::cuda::stream;
extern "C" {
#define TYPED(type, name, parameters, ...) \
  type name parameters;                    \
  type p##name parameters;
#define ENTRY(name, parameters, ...) TYPED(int, name, parameters)
#include "runtime/management/nccl_entries.def"
}

namespace {

using namespace bankwise::cuda;
constexpr int f32 = 7, i64 = 4, invalid_argument = 4, invalid_usage = 5;

class Nccl : public testing::Test {
 protected:
  void SetUp() override {
    unique_id unique{};
    ASSERT_EQ(ncclGetUniqueId(&unique), 0);
    ASSERT_EQ(ncclCommInitRank(&with, 1, unique, 0), 0);
    ASSERT_EQ(cudaMalloc(&a, 16), 0);
    ASSERT_EQ(cudaMalloc(&b, 16), 0);
    const float numbers[4] = {1, 2, 3, 4};
    ASSERT_EQ(cudaMemcpy(a, numbers, 16, host_to_device), 0);
    ASSERT_EQ(cudaMemset(b, 0, 16), 0);
  }
  void TearDown() override { EXPECT_EQ(ncclCommDestroy(with), 0); }
  std::vector<float> result() {
    std::vector<float> r(4);
    EXPECT_EQ(cudaMemcpy(r.data(), b, 16, device_to_host), 0);
    return r;
  }
  nccl_communicator* with = nullptr;
  void *a = nullptr, *b = nullptr;
  const std::vector<float> same{1, 2, 3, 4};
};

TEST_F(Nccl, CollectivesWithOneselfAreCopies) {
  for (const int operation : {0, 1, 2, 3, 4}) {
    ASSERT_EQ(ncclAllReduce(a, b, 4, f32, operation, with, nullptr), 0);
    EXPECT_EQ(result(), same);
    ASSERT_EQ(cudaMemset(b, 0, 16), 0);
  }
  ASSERT_EQ(pncclBroadcast(a, b, 4, f32, 0, with, nullptr), 0);
  EXPECT_EQ(result(), same);
  ASSERT_EQ(cudaMemset(b, 0, 16), 0);
  ASSERT_EQ(ncclAllGather(a, b, 2, i64, with, nullptr), 0);
  EXPECT_EQ(result(), same);
}

TEST_F(Nccl, MultipliesFirst) {
  int operation = 0;
  float by = 3;
  ASSERT_EQ(ncclRedOpCreatePreMulSum(&operation, &by, f32, 1, with), 0);
  ASSERT_EQ(ncclAllReduce(a, b, 4, f32, operation, with, nullptr), 0);
  EXPECT_EQ(result(), (std::vector<float>{3, 6, 9, 12}));
  EXPECT_EQ(ncclAllReduce(a, b, 4, i64, operation, with, nullptr), invalid_argument);  // made for f32
}

TEST_F(Nccl, SendsToItselfInAGroup) {
  ASSERT_EQ(ncclGroupStart(), 0);
  ASSERT_EQ(ncclRecv(b, 4, f32, 0, with, nullptr), 0);
  ASSERT_EQ(ncclSend(a, 4, f32, 0, with, nullptr), 0);
  EXPECT_EQ(result(), (std::vector<float>{0, 0, 0, 0}));
  ASSERT_EQ(ncclGroupEnd(), 0);
  EXPECT_EQ(result(), same);
  EXPECT_EQ(ncclSend(a, 4, f32, 0, with, nullptr), invalid_usage);  // a send must be in a group
  EXPECT_EQ(ncclGroupEnd(), invalid_usage);
}

TEST_F(Nccl, RefusesWhatItCannot) {
  nccl_communicator* other = nullptr;
  EXPECT_EQ(ncclCommInitRank(&other, 2, {}, 0), invalid_usage);
  EXPECT_EQ(ncclAllReduce(nullptr, b, 4, f32, 0, with, nullptr), invalid_argument);
  EXPECT_EQ(ncclAllReduce(a, b, 4, 99, 0, with, nullptr), invalid_argument);
  EXPECT_EQ(ncclAllReduce(a, b, 4, f32, 77, with, nullptr), invalid_argument);
  EXPECT_EQ(ncclAllReduce(a, b, 4, f32, 0, reinterpret_cast<nccl_communicator*>(&other), nullptr), invalid_argument);
  ASSERT_EQ(ncclCommSplit(with, 0, 0, &other, nullptr), 0);
  int ranks = 0, error = 1;
  EXPECT_EQ(ncclCommCount(other, &ranks), 0);
  EXPECT_EQ(ranks, 1);
  EXPECT_EQ(ncclCommGetAsyncError(other, &error), 0);
  EXPECT_EQ(error, 0);
  EXPECT_EQ(ncclCommDestroy(other), 0);
}

}  // namespace
