// Tests memory and events that two processes share. One process forks before it calls CUDA, and gets handles through a
// pipe. The expected error codes come from a CUDA 13.0 driver.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "runtime/cudart/entries.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/memory/sharing.hpp"

namespace bankwise::cuda {
namespace {

extern "C" {}

constexpr int posix_file = 1;

// Runs `other` in a separate process, which reads what `say` writes. The exit status is the number of failed
// expectations in this process.
void with_other_process(const std::function<void(int socket)>& other, const std::function<void(int socket)>& self) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::close(ends[0]);
    other(ends[1]);
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
  }
  ::close(ends[1]);
  self(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  ::close(ends[0]);
  EXPECT_EQ(status, 0);
}
template <class T>
void put(int to, const T& value) {
  ASSERT_EQ(::write(to, &value, sizeof value), static_cast<ssize_t>(sizeof value));
}
template <class T>
T get(int from) {
  T value{};
  EXPECT_EQ(::read(from, &value, sizeof value), static_cast<ssize_t>(sizeof value));
  return value;
}
void put_file(int to, int file) {
  char byte = 0, space[CMSG_SPACE(sizeof file)] = {};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(head), &file, sizeof file);
  ASSERT_EQ(::sendmsg(to, &message, 0), 1);
}
int get_file(int from) {
  int file = -1;
  char byte = 0, space[CMSG_SPACE(sizeof file)] = {};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  EXPECT_EQ(::recvmsg(from, &message, 0), 1);
  std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
  return file;
}
int at(void* device, std::size_t n) {
  int value = -1;
  EXPECT_EQ(cudaMemcpy(&value, static_cast<int*>(device) + n, sizeof value, by_address), cudaSuccess);
  return value;
}
void set(void* device, std::size_t n, int value) {
  EXPECT_EQ(cudaMemcpy(static_cast<int*>(device) + n, &value, sizeof value, by_address), cudaSuccess);
}
void* as_pointer(int file) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(file)); }

TEST(Sharing, GivesMemoryAndEventsToAnotherProcess) {
  constexpr std::size_t ints = 5000;
  with_other_process(
      [](int socket) {
        const auto memory = get<shared_handle>(socket), signal = get<shared_handle>(socket);
        void *there = nullptr, *again = nullptr;
        ASSERT_EQ(cudaIpcOpenMemHandle(&there, memory, 0), cudaErrorInvalidValue);
        ASSERT_EQ(cudaIpcOpenMemHandle(&there, memory, 1), cudaSuccess);
        EXPECT_EQ(cudaIpcOpenMemHandle(&again, memory, 1), cudaSuccess);
        EXPECT_EQ(again, there);
        event* e = nullptr;
        ASSERT_EQ(cudaIpcOpenEventHandle(&e, signal), cudaSuccess);
        EXPECT_EQ(cudaEventSynchronize(e), cudaSuccess);
        EXPECT_EQ(at(there, ints - 1), 42);
        set(there, 0, 7);
        EXPECT_EQ(cudaFree(there), cudaErrorInvalidValue);
        EXPECT_EQ(cudaIpcCloseMemHandle(again), cudaSuccess);
        EXPECT_EQ(cudaIpcCloseMemHandle(there), cudaSuccess);
        EXPECT_EQ(cudaIpcCloseMemHandle(there), cudaErrorInvalidValue);
        put(socket, 1);
      },
      [](int socket) {
        void* here = nullptr;
        ASSERT_EQ(cudaMalloc(&here, ints * sizeof(int)), cudaSuccess);
        set(here, ints - 1, 42);  // written before the memory is shared
        shared_handle memory{}, signal{};
        ASSERT_EQ(cudaIpcGetMemHandle(&memory, static_cast<int*>(here) + 100), cudaSuccess);
        event* e = nullptr;
        ASSERT_EQ(cudaEventCreateWithFlags(&e, 2 | 4), cudaSuccess);
        ASSERT_EQ(cudaIpcGetEventHandle(&signal, e), cudaSuccess);
        put(socket, memory);
        put(socket, signal);
        get<int>(socket);
        EXPECT_EQ(at(here, 0), 7);
        EXPECT_EQ(cudaFree(here), cudaSuccess);
      });
}

TEST(Sharing, GivesPoolsAndMemoryWithoutAnAddress) {
  constexpr std::size_t bytes = std::size_t{2} << 20;
  const access_description all{{1, 0}, 3};
  const auto map = [&](physical_handle what) {
    device_pointer address = 0;
    EXPECT_EQ(cuMemAddressReserve(&address, bytes, 0, 0, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemMap(address, bytes, 0, what, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemSetAccess(address, bytes, &all, 1), CUDA_SUCCESS);
    return reinterpret_cast<void*>(address);
  };
  with_other_process(
      [&](int socket) {
        ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
        const int pool_file = get_file(socket), memory_file = get_file(socket);
        pool* p = nullptr;
        void* there = nullptr;
        ASSERT_EQ(cudaMemPoolImportFromShareableHandle(&p, as_pointer(pool_file), posix_file, 0), cudaSuccess);
        auto exported = get<shared_handle>(socket);
        ASSERT_EQ(cudaMemPoolImportPointer(&there, p, &exported), cudaSuccess);
        EXPECT_EQ(at(there, 3), 11);
        set(there, 4, 12);
        EXPECT_EQ(cudaFreeAsync(there, nullptr), cudaSuccess);
        physical_handle what = 0;
        ASSERT_EQ(cuMemImportFromShareableHandle(&what, as_pointer(memory_file), posix_file), CUDA_SUCCESS);
        void* const mapped = map(what);
        EXPECT_EQ(at(mapped, 5), 13);
        set(mapped, 6, 14);
        put(socket, 1);
      },
      [&](int socket) {
        pool_properties properties{};
        properties.allocation_type = 1;
        properties.handle_types = posix_file;
        properties.location = {1, 0};
        pool* p = nullptr;
        void* here = nullptr;
        int file = -1;
        ASSERT_EQ(cudaMemPoolCreate(&p, &properties), cudaSuccess);
        ASSERT_EQ(cudaMemPoolExportToShareableHandle(&file, p, posix_file, 0), cudaSuccess);
        put_file(socket, file);
        ASSERT_EQ(cudaMallocFromPoolAsync(&here, 1000, p, nullptr), cudaSuccess);
        set(here, 3, 11);
        shared_handle exported{};
        ASSERT_EQ(cudaMemPoolExportPointer(&exported, here), cudaSuccess);
        const allocation_properties kind{1, posix_file, {1, 0}, nullptr, 0, 0, 0, {}};
        physical_handle what = 0;
        ASSERT_EQ(cuMemCreate(&what, bytes, &kind, 0), CUDA_SUCCESS);
        void* const mapped = map(what);
        set(mapped, 5, 13);
        ASSERT_EQ(cuMemExportToShareableHandle(&file, what, posix_file, 0), CUDA_SUCCESS);
        put_file(socket, file);
        put(socket, exported);
        get<int>(socket);
        EXPECT_EQ(at(here, 4), 12);
        EXPECT_EQ(at(mapped, 6), 14);
      });
}

TEST(Sharing, RefusesWhatCannotBeShared) {
  void *device = nullptr, *managed = nullptr, *opened = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 1000), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 64, 1), cudaSuccess);
  shared_handle handle{}, broken{};
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, managed), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, &handle), cudaErrorInvalidValue);
  ASSERT_EQ(cudaIpcGetMemHandle(&handle, device), cudaSuccess);
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, handle, 1), cudaErrorDeviceUninitialized);  // its own
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, broken, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcCloseMemHandle(device), cudaErrorInvalidValue);
  event* e = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&e, 4), cudaErrorInvalidValue);  // with times
  ASSERT_EQ(cudaEventCreateWithFlags(&e, 0), cudaSuccess);
  EXPECT_EQ(cudaIpcGetEventHandle(&handle, e), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaMemPoolExportPointer(&handle, device), cudaErrorInvalidValue);  // this pool does not exist
}

// These handles have a valid form, but their objects do not exist.
TEST(Sharing, TakesNoStrangeHandle) {
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 1000), cudaSuccess);
  shared_handle handle{};
  ASSERT_EQ(cudaIpcGetMemHandle(&handle, device), cudaSuccess);
  for (std::size_t i = 8; i < 32; ++i) {
    shared_handle other = handle;
    other.bytes[8] = 1;  // the handle now belongs to process 1, or to no process
    other.bytes[i] = static_cast<char>(other.bytes[i] ^ 0x55);
    void* opened = nullptr;
    EXPECT_NE(cudaIpcOpenMemHandle(&opened, other, 1), cudaSuccess) << i;
  }
}

}  // namespace
}  // namespace bankwise::cuda
