#include "runtime/memory/sharing.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "base/format.hpp"
#include "runtime/device/call_sites.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/memory/virtual_memory.hpp"

namespace bankwise::cuda {

namespace {

constexpr char memory_mark[8] = {'b', 'a', 'n', 'k', 'w', 'i', 's', 'e'};
constexpr char pool_mark[8] = {'b', 'a', 'n', 'k', 'p', 'o', 'o', 'l'};
constexpr int posix_file = 1;  // value of cudaMemHandleTypePosixFileDescriptor

struct contents {
  char mark[8];
  std::int32_t process, file;
  std::uint64_t offset, bytes;
};
static_assert(sizeof(contents) <= sizeof(shared_handle));

// From now on, other processes may read memory at any time, so operations are no longer deferred.
void share(state& s) {
  settle_all(s);
  s.shares = true;
}

std::byte* map_file(int file, std::uint64_t bytes, std::uint64_t offset) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

// Moves the contents of an allocation into a file, which is mapped at the same address.
error move_to_file(state& s, std::uint64_t address, allocation& a) {
  if (a.file >= 0) return cudaSuccess;
  const int file = make_shared_file(pages(a.bytes));
  std::byte* const host = file >= 0 ? map_file(file, pages(a.bytes), 0) : nullptr;
  if (host == nullptr) {
    if (file >= 0) ::close(file);
    return cudaErrorMemoryAllocation;
  }
  share(s);
  const emulate::region* r = s.memory.find(address);
  const std::vector<std::uint64_t> made_at = r->made_at;
  std::memcpy(host, r->data, a.bytes);
  s.memory.release(address);
  if (!s.memory.attach(address, a.bytes, host, "cudaMalloc memory", made_at)) return cudaErrorMemoryAllocation;
  a.file = file;
  a.host = host;
  return cudaSuccess;
}

error write_handle(shared_handle* handle, const contents& c) {
  *handle = {};
  std::memcpy(handle->bytes, &c, sizeof c);
  return cudaSuccess;
}
contents read_handle(const shared_handle& handle) {
  contents c;
  std::memcpy(&c, handle.bytes, sizeof c);
  return c;
}
bool has_mark(const contents& c, const char (&mark)[8]) { return std::memcmp(c.mark, mark, sizeof mark) == 0; }

error export_allocation(state& s, shared_handle* handle, std::uint64_t address) {
  const auto it = s.allocations.find(address);
  if (it == s.allocations.end() || it->second.kind != allocation_kind::device) return cudaErrorInvalidValue;
  if (const error e = move_to_file(s, address, it->second); e != cudaSuccess) return e;
  contents c{{}, static_cast<std::int32_t>(::getpid()), it->second.file, 0, it->second.bytes};
  std::memcpy(c.mark, memory_mark, sizeof c.mark);
  return write_handle(handle, c);
}

// Opens a file of shared memory that another process has open. Returns -1 if the file does not exist or does not match
// the handle.
int open_file_of(const contents& c, struct stat& now) {
  const std::string path = formatted("/proc/{}/fd/{}", c.process, c.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return -1;
  if (::fstat(file, &now) == 0 && S_ISREG(now.st_mode) && c.offset % 4096 == 0 && c.bytes != 0 &&
      c.bytes <= emulate::most_device_bytes && c.offset <= static_cast<std::uint64_t>(now.st_size) &&
      c.bytes <= static_cast<std::uint64_t>(now.st_size) - c.offset)
    return file;
  ::close(file);
  return -1;
}

error import(state& s, void** pointer, const contents& c, bool from_pool) {
  struct stat now {};
  const int file = open_file_of(c, now);
  if (file < 0) return cudaErrorInvalidValue;
  for (auto& [address, known] : s.imported)
    if (known.device_of_file == now.st_dev && known.file == now.st_ino && known.offset == c.offset) {
      ::close(file);
      ++known.opened;
      *pointer = pointer_to(address);
      return cudaSuccess;
    }
  std::byte* const host = map_file(file, pages(c.bytes), c.offset);
  ::close(file);  // the mapping stays valid without the descriptor
  if (host == nullptr) return cudaErrorMapBufferObjectFailed;
  std::uint64_t address = 0;
  error e = next_address(s, c.bytes, address);
  if (e == cudaSuccess && !s.memory.attach(address, c.bytes, host, "memory of another process", call_sites()))
    e = cudaErrorMemoryAllocation;
  if (e != cudaSuccess) {
    ::munmap(host, pages(c.bytes));
    return e;
  }
  share(s);
  s.imported[address] = {c.bytes, host, now.st_dev, now.st_ino, c.offset, 1, from_pool};
  *pointer = pointer_to(address);
  return cudaSuccess;
}

}  // namespace

int make_shared_file(std::uint64_t bytes) {
  const int file = ::memfd_create("bankwise", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  ::close(file);
  return -1;
}

error export_memory(state& s, shared_handle* handle, void* pointer) {
  const std::uint64_t address = allocation_of(s, pointer).first;
  return handle == nullptr || address == 0 ? cudaErrorInvalidValue : export_allocation(s, handle, address);
}

error import_memory(state& s, void** pointer, const shared_handle& handle, unsigned flags) {
  const contents c = read_handle(handle);
  constexpr unsigned lazy_peer_access = 1;
  if (pointer == nullptr || flags != lazy_peer_access || !has_mark(c, memory_mark)) return cudaErrorInvalidValue;
  // A process must use its own memory without a handle. NVIDIA's driver also refuses such a handle.
  if (c.process == ::getpid()) return cudaErrorDeviceUninitialized;
  return import(s, pointer, c, false);
}

error close_memory(state& s, void* pointer) {
  const auto it = s.imported.find(address_of(pointer));
  if (it == s.imported.end()) return cudaErrorInvalidValue;
  if (--it->second.opened != 0) return cudaSuccess;
  settle_all(s);
  s.memory.release(it->first, call_sites());
  ::munmap(it->second.host, pages(it->second.bytes));
  s.imported.erase(it);
  return cudaSuccess;
}

error export_pool(state&, void* handle, pool* p, int handle_type) {
  if (handle == nullptr || p == nullptr || handle_type != posix_file || (p->handle_types & posix_file) == 0)
    return cudaErrorInvalidValue;
  const int file = make_shared_file(sizeof pool_mark);
  if (file < 0 || ::pwrite(file, pool_mark, sizeof pool_mark, 0) != static_cast<ssize_t>(sizeof pool_mark))
    return cudaErrorOperatingSystem;
  std::memcpy(handle, &file, sizeof file);
  return cudaSuccess;
}

error import_pool(state&, pool** p, void* handle, int handle_type) {
  char mark[sizeof pool_mark] = {};
  const int file = static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
  if (p == nullptr || handle_type != posix_file || ::pread(file, mark, sizeof mark, 0) != sizeof mark ||
      std::memcmp(mark, pool_mark, sizeof mark) != 0)
    return cudaErrorInvalidValue;
  return make_pool(p, posix_file);
}

error export_pool_pointer(state& s, shared_handle* handle, void* pointer) {
  const auto [address, a] = allocation_of(s, pointer);
  if (handle == nullptr || a == nullptr || !a->of_shared_pool) return cudaErrorInvalidValue;
  return export_allocation(s, handle, address);
}

error import_pool_pointer(state& s, void** pointer, pool* p, const shared_handle* handle) {
  if (pointer == nullptr || p == nullptr || handle == nullptr) return cudaErrorInvalidValue;
  const contents c = read_handle(*handle);
  return has_mark(c, memory_mark) ? import(s, pointer, c, true) : cudaErrorInvalidValue;
}

error export_physical(state& s, void* handle, physical_memory* what, int handle_type) {
  if (handle == nullptr || !s.physical.contains(what) || handle_type != posix_file || !what->shareable)
    return cudaErrorInvalidValue;
  const int file = ::fcntl(what->file, F_DUPFD_CLOEXEC, 0);
  if (file < 0) return cudaErrorOperatingSystem;
  share(s);
  std::memcpy(handle, &file, sizeof file);
  return cudaSuccess;
}

error import_physical(state& s, physical_memory** made, void* handle, int handle_type) {
  const int given = static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
  struct stat now {};
  if (made == nullptr || handle_type != posix_file || ::fstat(given, &now) != 0 || !S_ISREG(now.st_mode) ||
      now.st_size == 0 || static_cast<std::uint64_t>(now.st_size) % mapping_granularity != 0)
    return cudaErrorInvalidValue;
  auto memory = std::make_unique<physical_memory>();
  memory->file = ::fcntl(given, F_DUPFD_CLOEXEC, 0);
  if (memory->file < 0) return cudaErrorOperatingSystem;
  memory->bytes = static_cast<std::uint64_t>(now.st_size);
  memory->shareable = true;
  share(s);
  *made = memory.get();
  s.physical[*made] = std::move(memory);
  return cudaSuccess;
}

}  // namespace bankwise::cuda
