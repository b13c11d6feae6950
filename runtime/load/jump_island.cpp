#include "runtime/load/jump_island.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

// Saves the registers that may hold arguments, resolves the target, and jumps to the target as if the program had
// called it directly. The owner, the number of the jump and the return address are on the stack.
asm(R"(
  .pushsection .text
  .globl bankwise_ask
  .hidden bankwise_ask
  .type bankwise_ask, @function
  .p2align 4
bankwise_ask:
  .cfi_startproc
  .cfi_def_cfa_offset 24
  endbr64
  pushq %rax
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %r10
  .cfi_adjust_cfa_offset 64
  subq $136, %rsp
  .cfi_adjust_cfa_offset 136
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq 200(%rsp), %rdi
  movq 208(%rsp), %rsi
  call bankwise_answer
  movq %rax, %r11
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $136, %rsp
  .cfi_adjust_cfa_offset -136
  popq %r10
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rax
  .cfi_adjust_cfa_offset -64
  addq $16, %rsp
  .cfi_adjust_cfa_offset -16
  notrack jmp *%r11
  .cfi_endproc
  .size bankwise_ask, . - bankwise_ask
  .popsection
)");

extern "C" void bankwise_ask();

namespace bankwise::cuda {

namespace {

constexpr std::uint64_t reach = std::uint64_t{1} << 30;  // half the range of a signed 32-bit distance
constexpr std::uint64_t lowest_address = 1u << 16;       // Linux maps no memory below this address
constexpr std::uint64_t head_bytes = 64, jump_bytes = 32, ask_at = 16;
constexpr std::initializer_list<unsigned> endbr64 = {0xf3, 0x0f, 0x1e, 0xfa};
constexpr std::size_t near_jump_bytes = 5;

// The function that resolves the targets of an island's jumps, and the first argument of this function. Both are at the
// end of the island.
struct question {
  void* owner;
  ask_address ask;
};

std::uint64_t pages_for(std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}
std::uint64_t code_bytes(std::size_t count) { return pages_for(head_bytes + count * jump_bytes); }
// Returns the size of the table after the code, in whole pages. The table has the address of bankwise_ask, the target
// of each jump, and the question.
std::uint64_t table_bytes(std::size_t count) {
  return pages_for((count + 1) * sizeof(std::uint64_t) + sizeof(question));
}
std::uint64_t* table_of(const jump_island& island) {
  return reinterpret_cast<std::uint64_t*>(island.address + code_bytes(island.count));
}
std::uint64_t jump_at(const jump_island& island, std::size_t number) {
  return island.address + head_bytes + number * jump_bytes;
}

class code_writer {
 public:
  explicit code_writer(std::uint64_t address) : at_(reinterpret_cast<std::uint8_t*>(address)) {}
  code_writer& bytes(std::initializer_list<unsigned> values) {
    for (const unsigned v : values) *at_++ = static_cast<std::uint8_t>(v);
    return *this;
  }
  template <class T>
  code_writer& number(T value) {
    constexpr std::size_t bytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression): some T are pointers
    std::memcpy(at_, &value, bytes);
    at_ += bytes;
    return *this;
  }
  // Writes four bytes: the distance from their end to `address`.
  code_writer& distance(std::uint64_t address) {
    const std::int64_t d = static_cast<std::int64_t>(address) - static_cast<std::int64_t>(here() + 4);
    return number(static_cast<std::int32_t>(d));
  }
  std::uint64_t here() const { return reinterpret_cast<std::uint64_t>(at_); }

 private:
  std::uint8_t* at_;
};

void write_code(const jump_island& island, const question* asked) {
  std::memset(reinterpret_cast<void*>(island.address), 0xcc, code_bytes(island.count));
  const auto table = reinterpret_cast<std::uint64_t>(table_of(island));
  // Writes: push `asked`; jmp bankwise_ask.
  code_writer(island.address)
      .bytes(endbr64)
      .bytes({0x49, 0xbb})
      .number(asked)
      .bytes({0x41, 0x53, 0xff, 0x25})
      .distance(table);
  for (std::size_t i = 0; i < island.count; ++i) {
    const std::uint64_t at = jump_at(island, i);
    code_writer(at).bytes(endbr64).bytes({0x3e, 0xff, 0x25}).distance(table + (i + 1) * sizeof table);  // notrack jmp
    code_writer(at + ask_at)
        .bytes(endbr64)
        .bytes({0x68})
        .number(static_cast<std::int32_t>(i))
        .bytes({0xe9})
        .distance(island.address);
  }
}

// Returns free address ranges near the code. Ranges below the code come first, because the heap is above it. On each
// side, the nearest range comes first.
std::vector<std::uint64_t> candidates(const mapping& near, const std::vector<mapping>& taken, std::uint64_t bytes) {
  std::vector<std::uint64_t> below, above;
  std::uint64_t free_from = lowest_address;
  const auto gap = [&](std::uint64_t first, std::uint64_t last) {
    if (last < first || last - first < bytes) return;
    if (last <= near.first && near.last - (last - bytes) < reach) below.push_back(last - bytes);
    if (first >= near.last && first + bytes - near.first < reach) above.push_back(first);
  };
  for (const mapping& m : taken) {
    gap(free_from, m.first);
    free_from = std::max(free_from, m.last);
  }
  gap(free_from, free_from + bytes);
  std::reverse(below.begin(), below.end());
  below.insert(below.end(), above.begin(), above.end());
  return below;
}

}  // namespace

extern "C" __attribute__((visibility("hidden"))) void* bankwise_answer(const question* q, std::size_t number) noexcept {
  return q->ask(q->owner, number);
}

jump_island make_jump_island(const mapping& near, const std::vector<mapping>& taken, std::size_t count, void* owner,
                             ask_address ask) {
  jump_island island{0, count, owner};
  const std::uint64_t bytes = code_bytes(count) + table_bytes(count);
  for (const std::uint64_t at : candidates(near, taken, bytes)) {
    void* const wanted = reinterpret_cast<void*>(at);
    void* const got =
        ::mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == wanted) {
      island.address = at;
      break;
    }
    if (got != MAP_FAILED) ::munmap(got, bytes);  // an old kernel may ignore the flag and choose another address
  }
  if (island.address == 0) return island;
  auto* const asked = reinterpret_cast<question*>(table_of(island) + count + 1);
  *asked = {owner, ask};
  write_code(island, asked);
  table_of(island)[0] = reinterpret_cast<std::uint64_t>(&bankwise_ask);
  forget_addresses(island);
  if (::mprotect(reinterpret_cast<void*>(island.address), code_bytes(count), PROT_READ | PROT_EXEC) != 0) {
    ::munmap(reinterpret_cast<void*>(island.address), bytes);
    island.address = 0;
  }
  return island;
}

void settle(const jump_island& island, std::size_t number, const void* address) {
  __atomic_store_n(table_of(island) + number + 1, reinterpret_cast<std::uint64_t>(address), __ATOMIC_RELEASE);
}

void forget_addresses(const jump_island& island) {
  for (std::size_t i = 0; i < island.count; ++i) table_of(island)[i + 1] = jump_at(island, i) + ask_at;
}

std::vector<std::byte> jump_to_island(const jump_island& island, std::size_t number, std::uint64_t address,
                                      byte_span code) {
  const bool has_endbr =
      code.size() >= endbr64.size() && std::equal(endbr64.begin(), endbr64.end(), code.begin(),
                                                  [](unsigned b, std::byte c) { return std::byte(b) == c; });
  const std::size_t kept = has_endbr ? endbr64.size() : 0;
  if (code.size() < kept + near_jump_bytes) return {};
  std::vector<std::byte> bytes(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(kept));
  const std::int64_t distance =
      static_cast<std::int64_t>(jump_at(island, number)) - static_cast<std::int64_t>(address + kept + near_jump_bytes);
  const auto near = static_cast<std::int32_t>(distance);
  bytes.push_back(std::byte{0xe9});
  for (unsigned shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::byte>(static_cast<std::uint32_t>(near) >> shift));
  return bytes;
}

bool reaches(const jump_island& island, const mapping& from) {
  const std::uint64_t first = std::min(island.address, from.first),
                      last = std::max(island.address + code_bytes(island.count) + table_bytes(island.count), from.last);
  return last - first < reach;
}

}  // namespace bankwise::cuda
