// Allocations of device memory, and the lookup of addresses.
#include "emulate/memory/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/memory/memory_uses.hpp"

namespace bankwise::emulate {

namespace {

constexpr std::uint64_t gap = 1u << 20;  // bytes between allocations; accesses to these bytes reveal wrong indices
constexpr std::uint64_t unit = 16;       // width of the widest access of a lane; a multiple of all other widths
constexpr std::uint64_t beside_bytes = 4096, host_page_bytes = 4096;
constexpr std::size_t most_freed = 4096;  // number of freed regions that are remembered
constexpr std::uint64_t near_zero = 65536, far = std::uint64_t{1} << 40;

std::uint64_t align_up(std::uint64_t n, std::uint64_t a) { return (n + a - 1) / a * a; }

}  // namespace

std::uint64_t device_heap::allocate(std::uint64_t bytes) {
  memory_uses::note_heap();
  const std::lock_guard lock(*mutex_);
  if (bytes > most_device_bytes) return 0;
  const std::uint64_t size = align_up(std::max(bytes, unit), unit);
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const auto [address, room] = *it;
    if (room < size) continue;
    free_.erase(it);
    if (room > size) free_.emplace(address + size, room - size);
    used_[address] = {size, bytes};
    return address;
  }
  return 0;
}

bool device_heap::release(std::uint64_t address) {
  memory_uses::note_heap();
  const std::lock_guard lock(*mutex_);
  const auto found = used_.find(address);
  if (found == used_.end()) return false;
  std::uint64_t bytes = found->second.room;
  used_.erase(found);
  auto after = free_.upper_bound(address);
  if (after != free_.end() && after->first == address + bytes) {
    bytes += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == address) {
      before->second += bytes;
      return true;
    }
  }
  free_.emplace(address, bytes);
  return true;
}

device_heap::block device_heap::last_at(std::uint64_t address) const {
  const std::lock_guard lock(*mutex_);
  const auto after = used_.upper_bound(address);
  if (after == used_.begin()) return {};
  const auto& [begin, what] = *std::prev(after);
  return {begin, what.bytes};
}

result<done> device_memory::make_heap() {
  if (heap_address_ != 0) return done{};
  const auto at = allocate(heap_bytes, "the heap of device malloc");
  if (!at) return at.error();
  heap_address_ = *at;
  heap_.grow(*at, heap_bytes);
  if (written != nullptr) written->follow(*at, heap_bytes);
  return done{};
}

result<std::uint64_t> device_memory::place_constants(const void* program, std::span<const std::byte> bank) {
  if (bank.empty()) return std::uint64_t{0};
  const auto [entry, is_new] = constants_.try_emplace({program, bank.size()}, 0);
  if (is_new) {
    const auto placed = allocate(bank.size(), "__constant__ variables");
    if (!placed) return placed.error();
    entry->second = *placed;
  }
  std::memcpy(bytes_at(entry->second, bank.size()), bank.data(), bank.size());
  return entry->second;
}

result<done> device_memory::place_parameters(std::span<const std::byte> bank) {
  if (!parameters_.empty() && std::equal(parameters_.begin(), parameters_.end(), bank.begin(), bank.end()))
    return done{};
  if (!parameters_.empty()) release(parameter_base);
  parameters_.assign(bank.begin(), bank.end());
  return attach(parameter_base, parameters_.size(), parameters_.data(), "the kernel's parameters");
}

result<std::uint64_t> device_memory::grid_workspace() {
  constexpr std::uint64_t bytes = 256;
  if (workspace_ == 0) {
    const auto at = allocate(bytes, "the workspace of grid.sync()");
    if (!at) return at.error();
    workspace_ = *at;
  }
  std::memset(this->bytes_at(workspace_, bytes), 0, bytes);
  return workspace_;
}

result<done> device_memory::add(std::uint64_t address, std::uint64_t bytes, std::string name,
                                std::vector<std::uint64_t> made_at) {
  if (bytes > most_device_bytes || total_ + bytes > most_device_bytes)
    return diagnostic{formatted("{}: {} bytes are more than the {} bytes that a launch can use", name, grouped(bytes),
                                grouped(most_device_bytes))};
  // calloc is used, because untouched pages then cost nothing. The size is rounded up to whole units. So no access is
  // only partly inside the allocation (beside()).
  auto* data = static_cast<std::byte*>(std::calloc(1, align_up(std::max<std::uint64_t>(bytes, 1), unit)));
  if (data == nullptr) return diagnostic{formatted("{}: not enough memory for {} bytes", name, grouped(bytes))};
  insert({address, bytes, data, std::move(name), false, std::move(made_at), {}}, {data, std::free});
  total_ += bytes;
  return done{};
}

bool device_memory::same_bytes(const device_memory& other) const {
  return std::equal(regions_.begin(), regions_.end(), other.regions_.begin(), other.regions_.end(),
                    [](const region& a, const region& b) {
                      return a.address == b.address && a.bytes == b.bytes && std::memcmp(a.data, b.data, a.bytes) == 0;
                    });
}

void device_memory::insert(region r, storage owned) {
  const auto place_at = std::upper_bound(regions_.begin(), regions_.end(), r.address,
                                         [](std::uint64_t a, const region& other) { return a < other.address; });
  storage_.insert(storage_.begin() + (place_at - regions_.begin()), std::move(owned));
  regions_.insert(place_at, std::move(r));
}

result<done> device_memory::attach(std::uint64_t address, std::uint64_t bytes, std::byte* data, std::string name,
                                   std::vector<std::uint64_t> made_at, bool in_device_pages) {
  const auto overlaps = [&](const region& r) { return address < r.address + r.bytes && r.address < address + bytes; };
  if (address + bytes < address || std::any_of(regions_.begin(), regions_.end(), overlaps))
    return diagnostic{formatted("{}: another allocation already uses these addresses", name)};
  insert({address, bytes, data, std::move(name), in_device_pages, std::move(made_at), {}}, {nullptr, std::free});
  return done{};
}

bool device_memory::release(std::uint64_t address, std::vector<std::uint64_t> freed_at) {
  const auto it = std::lower_bound(regions_.begin(), regions_.end(), address,
                                   [](const region& r, std::uint64_t a) { return r.address < a; });
  if (it == regions_.end() || it->address != address) return false;
  const auto owned = storage_.begin() + (it - regions_.begin());
  if (*owned != nullptr) total_ -= it->bytes;
  if (written != nullptr) written->forget(address);
  storage_.erase(owned);
  if (freed_.size() == most_freed) freed_.pop_front();
  freed_.push_back(std::move(*it));
  freed_.back().data = nullptr;
  freed_.back().freed_at = std::move(freed_at);
  regions_.erase(it);
  return true;
}

result<std::uint64_t> device_memory::allocate(std::uint64_t bytes, std::string name,
                                              std::vector<std::uint64_t> made_at) {
  // As with cudaMalloc, an allocation larger than half a page has its own pages.
  const std::uint64_t step = bytes > page_bytes / 2 ? page_bytes : gap, address = align_up(next_, step);
  if (const auto added = add(address, bytes, std::move(name), std::move(made_at)); !added) return added.error();
  next_ = align_up(address + bytes + gap, step);
  return address;
}

result<done> device_memory::place(std::uint64_t address, std::uint64_t bytes, std::string name) {
  return add(address, bytes, std::move(name), {});
}

const region* device_memory::holding(const std::byte* at) const {
  const auto found = std::find_if(regions_.begin(), regions_.end(), [&](const region& r) {
    return std::less_equal<>{}(r.data, at) && std::less<>{}(at, r.data + r.bytes);
  });
  return found == regions_.end() ? nullptr : &*found;
}

const region* device_memory::find(std::uint64_t address) const {
  const std::size_t i = last_at(address);
  if (i == regions_.size() || address - regions_[i].address >= regions_[i].bytes) return nullptr;
  memory_uses::note(regions_[i]);
  return &regions_[i];
}

const region* device_memory::find_freed(std::uint64_t address) const {
  const auto it = std::find_if(freed_.rbegin(), freed_.rend(), [&](const region& r) { return r.address == address; });
  return it == freed_.rend() ? nullptr : &*it;
}

std::byte* device_memory::bytes_at(std::uint64_t address, std::uint64_t count) const {
  const region* r = find(address);
  if (r == nullptr) return nullptr;
  std::byte* const data = r->data + (address - r->address);
  // Regions that are adjacent on the device and on the host count as one region. Such regions come from memory that was
  // mapped in several parts.
  const region* const end = regions_.data() + regions_.size();
  std::uint64_t there = r->bytes - (address - r->address);
  for (; there < count && r + 1 != end && r[1].address == r->address + r->bytes && r[1].data == r->data + r->bytes;
       ++r) {
    there += r[1].bytes;
    memory_uses::note(r[1]);
  }
  return count <= there ? data : nullptr;
}

std::size_t device_memory::last_at(std::uint64_t address) const {
  const auto after = std::upper_bound(regions_.begin(), regions_.end(), address,
                                      [](std::uint64_t a, const region& r) { return a < r.address; });
  return after == regions_.begin() ? regions_.size() : static_cast<std::size_t>(after - regions_.begin()) - 1;
}

// Memory that is shared with the host is mapped in smaller pages, see beside(). Managed memory is mapped in large pages.
// The memory before the first allocation belongs to the driver.
bool device_memory::is_mapped(std::uint64_t address) const {
  if (address < allocation_base && allocation_base - address <= page_bytes) return true;
  const std::uint64_t page = address / page_bytes * page_bytes;
  const std::size_t n = regions_.size(), before = last_at(page);
  const auto reaches = [&](std::size_t i) {
    const region& r = regions_[i];
    return (storage_[i] != nullptr || r.in_device_pages) && r.address < page + page_bytes && r.address + r.bytes > page;
  };
  if (before != n && reaches(before)) return true;
  for (std::size_t i = before == n ? 0 : before + 1; i < n && regions_[i].address < page + page_bytes; ++i)
    if (reaches(i)) return true;
  return false;
}

std::byte* device_memory::beside(std::uint64_t address, std::uint64_t count) {
  // A GPU maps memory that it shares with the host in pages of the host. An atomic on a byte accesses the word around it.
  if (const std::size_t i = last_at(address); i != regions_.size() && storage_[i] == nullptr) {
    const region& r = regions_[i];
    const bool is_of_host = reinterpret_cast<std::uintptr_t>(r.data) == r.address;
    const std::uint64_t offset = address - r.address, room = align_up(r.address + r.bytes, host_page_bytes) - r.address;
    if (is_of_host && count <= room && offset <= room - count) return r.data + offset;
  }
  if (!is_mapped(address)) return nullptr;
  if (const std::size_t i = last_at(address); i != regions_.size() && storage_[i] != nullptr) {
    const region& r = regions_[i];
    if (address - r.address + count <= align_up(std::max<std::uint64_t>(r.bytes, 1), unit))
      return r.data + (address - r.address);
  }
  const std::lock_guard lock(beside_mutex_);
  auto& bytes = beside_[address / beside_bytes * beside_bytes];
  if (bytes == nullptr) bytes = std::make_unique<std::byte[]>(beside_bytes);
  return bytes.get() + address % beside_bytes;
}

device_memory::neighbour device_memory::nearest(std::uint64_t address) const {
  neighbour best{.distance = ~std::uint64_t{0}};
  const auto consider = [&](const region& r, bool freed) {
    const std::uint64_t end = r.address + r.bytes;
    const std::uint64_t d = address < r.address ? r.address - address : address >= end ? address - end + 1 : 0;
    if (d < best.distance) best = {&r, d, address < r.address, freed};
  };
  for (const region& r : regions_) consider(r, false);
  for (const region& r : freed_) consider(r, true);
  return best;
}

std::string device_memory::describe_nearest(std::uint64_t address) const {
  const neighbour best = nearest(address);
  if (best.what == nullptr) return "the program has allocated no memory";
  if (address < near_zero) return "a null pointer, or an index from a null pointer";
  if (best.distance > far) return "an address far from every allocation";
  const std::string what = formatted("{} ({} bytes at 0x{}{}", best.what->name, grouped(best.what->bytes),
                                     hex(best.what->address), best.is_freed ? ", freed)" : ")");
  if (best.distance == 0 && best.is_freed)
    return formatted("{} bytes after the start of {}, which was freed", grouped(address - best.what->address), what);
  if (best.distance == 0) return formatted("the access starts inside {} but ends outside", what);
  if (best.is_before) return formatted("{} bytes before {}", grouped(best.distance), what);
  return best.distance == 1 ? formatted("right after the end of {}", what)
                            : formatted("{} bytes past the end of {}", grouped(best.distance - 1), what);
}

std::vector<std::string> device_memory::history_of_nearest(std::uint64_t address) const {
  const neighbour best = nearest(address);
  if (best.what == nullptr || address < near_zero || best.distance > far || !name_calls) return {};
  std::vector<std::string> lines = name_calls("allocated in ", best.what->made_at);
  for (std::string& line : name_calls("freed in ", best.what->freed_at)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace bankwise::emulate
