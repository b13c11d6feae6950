#include "timing/trace/accel_sim_trace.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <filesystem>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "sass/instruction.hpp"
#include "sass/isa.hpp"
#include "sass/print/print.hpp"

namespace bankwise::timing {

namespace {

constexpr std::size_t most_sources = 4;
constexpr unsigned zero_register = 255;
constexpr std::uint64_t shared_window = 0x7f00'0000'0000, local_window = 0x7f10'0000'0000;

// Instructions for bulk copies and tensor copies. Their addresses have a form that releases 1.x of the simulator do not
// read.
constexpr std::string_view not_traced[] = {"UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG", "UBLKCP", "UBLKPF", "UBLKRED"};

// Reads the number of a register: "R4", "RZ", "R12.reuse", "-R5", "|R6|". Returns nothing if the word is not a per-lane
// register.
std::optional<unsigned> register_in(std::string_view word) {
  while (!word.empty() && std::string_view("-|!~+(").find(word.front()) != std::string_view::npos)
    word.remove_prefix(1);
  if (!word.starts_with('R')) return std::nullopt;
  if (word.starts_with("RZ")) return zero_register;
  std::size_t n = 1;
  while (n < word.size() && std::isdigit(static_cast<unsigned char>(word[n])) != 0) ++n;
  if (n == 1) return std::nullopt;
  return static_cast<unsigned>(parse_u64(word.substr(1, n - 1)).value_or(zero_register));
}

// Splits the operands of an instruction at commas. Commas in brackets do not separate operands.
std::vector<std::string> operands_in(std::string_view text) {
  std::vector<std::string> list;
  std::string one;
  int depth = 0;
  for (const char c : text) {
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (c == ',' && depth == 0) {
      list.emplace_back(trim(one));
      one.clear();
    } else {
      one += c;
    }
  }
  if (!trim(one).empty()) list.emplace_back(trim(one));
  return list;
}

// Returns the bytes of an access in the same way as the simulator, from the opcode: 16 for "LDG.E.128", 1 for
// "LDG.E.U8", 4 for "LDS".
unsigned width_in(std::string_view opcode) {
  for (std::string_view part : split(opcode, '.')) {
    if (part.starts_with('U')) part.remove_prefix(1);
    if (!part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return static_cast<unsigned>(parse_u64(part).value_or(32) / 8);
  }
  return 4;
}

bool makes_accesses(std::string_view opcode) {
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  constexpr std::string_view names[] = {"LD",  "LDG",  "LDL",  "LDS",   "LDSM",  "ST",  "STG",   "STL",
                                        "STS", "STSM", "ATOM", "ATOMG", "ATOMS", "RED", "LDGSTS"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}
bool is_generic(std::string_view opcode) {
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  return name == "LD" || name == "ST" || name == "ATOM";
}

// Returns the first address and the stride if all lanes have the same stride. Otherwise, returns all addresses.
std::string addresses_text(std::uint32_t mask, const std::array<std::uint64_t, 32>& address) {
  const int first = std::countr_zero(mask), last = 31 - std::countl_zero(mask);
  const bool is_whole = std::popcount(mask) == last - first + 1;
  const std::int64_t stride =
      last > first ? static_cast<std::int64_t>(address[first + 1]) - static_cast<std::int64_t>(address[first]) : 0;
  bool is_even = is_whole && last > first && stride >= INT32_MIN && stride <= INT32_MAX;
  for (int i = first; is_even && i < last; ++i)
    is_even = static_cast<std::int64_t>(address[i + 1]) - static_cast<std::int64_t>(address[i]) == stride;
  if (is_even) return "1 0x" + hex(address[first]) + " " + std::to_string(stride) + " ";
  std::string text = "0 ";
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    text += "0x" + hex(address[std::countr_zero(rest)]) + " ";
  return text;
}

std::string line_text(std::uint64_t pc, std::uint32_t mask, const accel_sim_instruction& i,
                      const std::array<std::uint64_t, 32>* address) {
  std::string text = hex(pc, 4) + " " + hex(mask, 8) + " ";
  text += i.destination ? formatted("1 R{} ", *i.destination) : std::string("0 ");
  text += i.opcode + " " + std::to_string(i.sources.size()) + " ";
  for (const unsigned r : i.sources) text += "R" + std::to_string(r) + " ";
  text += address == nullptr ? std::string("0 ") : std::to_string(i.width_bytes) + " " + addresses_text(mask, *address);
  return text + std::to_string(i.immediate) + " \n";
}

std::string triple_text(const std::array<std::uint32_t, 3>& t, char between = ',') {
  return std::to_string(t[0]) + between + std::to_string(t[1]) + between + std::to_string(t[2]);
}

std::string head_text(const emulate::launch& l, unsigned number) {
  return formatted(
      "-kernel name = {}\n-kernel id = {}\n-grid dim = ({})\n-block dim = ({})\n-shmem = {}\n-nregs = {}\n"
      "-binary version = {}\n-cuda stream id = 0\n-shmem base_addr = 0x{}\n-local mem base_addr = 0x{}\n"
      "-nvbit version = none\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n"
      "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
      "[adrrescompress?] [mem_addresses] immediate\n\n",
      l.kernel->mangled, number, triple_text(l.grid), triple_text(l.block),
      l.kernel->static_shared_bytes + l.dynamic_shared_bytes, l.kernel->registers, l.program->sm,
      hex(shared_window, 16), hex(local_window, 16));
}

}  // namespace

accel_sim_instruction accel_sim_instruction_of(std::string text) {
  accel_sim_instruction i;
  std::string_view rest = trim(text);
  if (rest.ends_with(';')) rest = trim(rest.substr(0, rest.size() - 1));
  if (rest.starts_with('@')) {
    i.is_guarded = true;
    rest = trim(rest.substr(std::min(rest.find(' '), rest.size())));
  }
  const std::size_t end = rest.find(' ');
  i.opcode = std::string(rest.substr(0, end));
  i.accesses = makes_accesses(i.opcode);
  i.width_bytes = width_in(i.opcode);
  const std::vector<std::string> operands =
      operands_in(end == std::string_view::npos ? std::string_view() : rest.substr(end));
  for (std::size_t n = 0; n < operands.size(); ++n) {
    const std::string& o = operands[n];
    const auto add_source = [&](const std::optional<unsigned>& r) {
      if (r && i.sources.size() < most_sources) i.sources.push_back(*r);
    };
    if (const auto r = register_in(o)) {
      if (n == 0)
        i.destination = r;
      else
        add_source(r);
      continue;
    }
    // In [R2.64+0x10] and desc[UR4][R2.64], the last brackets contain the per-lane register.
    if (const std::size_t open = o.rfind('['); open != std::string::npos && !o.starts_with("c[")) {
      std::string_view inner = std::string_view(o).substr(open + 1);
      add_source(register_in(inner));
      continue;
    }
    if (o.starts_with("0x"))
      if (const auto value = parse_u64(o)) i.immediate = *value;
  }
  return i;
}

accel_sim_recorder::accel_sim_recorder(const emulate::launch& l, std::FILE* to) : launch_(l), to_(to) {}

const accel_sim_instruction& accel_sim_recorder::instruction_at(std::uint64_t pc) {
  const auto [it, is_new] = instructions_.try_emplace(pc);
  if (!is_new) return it->second;
  const auto n = launch_.program->section_at(pc);
  if (!n) return it->second;
  const cubin::code_section& in = launch_.program->sections[*n];
  const std::uint64_t offset = pc - in.address;
  it->second = accel_sim_instruction_of(
      sass::to_text(sass::load_instruction(in.bytes.data() + offset, sass::isa_of(launch_.program->sm)), offset));
  const std::string_view name = std::string_view(it->second.opcode).substr(0, it->second.opcode.find('.'));
  if (refused_.empty() && std::find(std::begin(not_traced), std::end(not_traced), name) != std::end(not_traced))
    refused_ = it->second.opcode;
  return it->second;
}

// Returns the access to which an event belongs. A generic access causes an event for each kind of memory that its lanes
// access.
accel_sim_recorder::access& accel_sim_recorder::access_at(std::uint64_t pc) {
  if (!pending_.empty() && pending_.back().pc == pc && is_generic(instruction_at(pc).opcode)) return pending_.back();
  access& a = pending_.emplace_back();
  a.pc = pc;
  return a;
}

void accel_sim_recorder::on_access(const emulate::shared_access& a) {
  const accel_sim_instruction& i = instruction_at(a.pc);
  if (i.opcode.starts_with("LDGSTS")) return;  // on_global() records the addresses
  access& to = access_at(a.pc);
  const std::uint64_t base = is_generic(i.opcode) ? shared_window : 0;
  for (std::uint32_t rest = a.what.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    to.address[lane] = base + a.what.address[lane];
  }
  to.mask |= a.what.mask;
}

void accel_sim_recorder::on_global(const emulate::global_access_event& a) {
  access& to = access_at(a.pc);
  const std::uint64_t base = is_local(a.kind) && is_generic(instruction_at(a.pc).opcode) ? local_window : 0;
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    to.address[lane] = base + a.address[lane];
  }
  to.mask |= a.mask;
}

void accel_sim_recorder::on_async(const emulate::async_event& e) { instruction_at(e.pc); }

void accel_sim_recorder::on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t lanes) {
  if (block_ == nullptr || count == 0) return;
  block_->warps[warp_].push_back({pc, count, lanes, std::move(pending_)});
  pending_.clear();
}

accel_sim_recorder::warp_text accel_sim_recorder::text_of(const std::vector<run>& runs) {
  // Lanes that execute a later instruction have not exited.
  std::vector<std::uint32_t> later(runs.size() + 1, 0);
  for (std::size_t n = runs.size(); n-- > 0;) later[n] = later[n + 1] | runs[n].lanes;
  warp_text text;
  const auto add = [&](std::uint64_t pc, std::uint32_t mask, const accel_sim_instruction& i,
                       const std::array<std::uint64_t, 32>* address) {
    if (mask == 0) return;
    const auto n = launch_.program->section_at(pc);
    const cubin::code_section& in = launch_.program->sections[n.value_or(launch_.kernel->section)];
    const std::uint64_t begin = in.address + (n == launch_.kernel->section ? launch_.kernel->offset : 0);
    text.lines += line_text(pc - begin, mask, i, address);
    ++text.count;
  };
  for (std::size_t n = 0; n < runs.size(); ++n) {
    const run& r = runs[n];
    std::size_t next = 0;
    for (std::uint64_t k = 0; k < r.count; ++k) {
      const std::uint64_t pc = r.pc + k * sass::instruction_bytes;
      const accel_sim_instruction& i = instruction_at(pc);
      if (i.opcode == "EXIT" || i.opcode.starts_with("EXIT.")) {
        add(pc, k + 1 < r.count ? 0 : r.lanes & ~later[n + 1], i, nullptr);
        continue;
      }
      bool any = false;
      for (; next < r.accesses.size() && r.accesses[next].pc == pc; ++next) {
        any = true;
        add(pc, r.accesses[next].mask, i, &r.accesses[next].address);
      }
      // Omits instructions without active lanes, as the simulator's own tracer does.
      if (!any && !i.accesses) add(pc, r.lanes, i, nullptr);
    }
  }
  return text;
}

void accel_sim_recorder::on_block_end(std::uint64_t) {
  if (block_ == nullptr) return;
  const auto it = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& b) { return &b.second == block_; });
  if (it == blocks_.end()) return;
  const std::uint64_t n = it->first;
  const auto& [x, y, z] = launch_.grid;
  std::string text = formatted("\n#BEGIN_TB\n\nthread block = {},{},{}\n", n % x, n / x % y, n / x / y);
  const std::uint32_t warps = (launch_.block[0] * launch_.block[1] * launch_.block[2] + 31) / 32;
  for (std::uint32_t w = 0; w < warps; ++w) {
    const warp_text one = text_of(it->second.warps[w]);
    text += formatted("\nwarp = {}\ninsts = {}\n{}", w, one.count, one.lines);
  }
  write(text + "\n#END_TB\n");
  blocks_.erase(it);
  block_ = nullptr;
}

void accel_sim_recorder::write(const std::string& text) {
  failed_ |= std::fwrite(text.data(), 1, text.size(), to_) != text.size();
}

result<accel_sim_folder> accel_sim_folder::open(const std::string& path) {
  std::error_code ec;
  std::filesystem::create_directories(path, ec);
  if (!std::filesystem::is_directory(path, ec))
    return diagnostic{formatted("{} accel-sim {}: the folder cannot be created", worded(setting::trace), path)};
  const std::string list = path + "/kernelslist.g";
  std::FILE* f = std::fopen(list.c_str(), "w");
  if (f == nullptr) return diagnostic{formatted("cannot write {}: {}", list, std::strerror(errno))};
  std::fclose(f);
  accel_sim_folder folder;
  folder.path_ = path;
  return folder;
}

result<accel_sim_folder::file> accel_sim_folder::begin(const emulate::launch& l) {
  file f;
  f.path = formatted("{}/kernel-{}.traceg", path_, ++kernels_);
  f.to = std::fopen(f.path.c_str(), "w");
  if (f.to == nullptr) return diagnostic{formatted("cannot write {}: {}", f.path, std::strerror(errno))};
  const std::string head = head_text(l, kernels_);
  std::fwrite(head.data(), 1, head.size(), f.to);
  return f;
}

result<done> accel_sim_folder::end(file f, const accel_sim_recorder& r) {
  const bool failed = std::fclose(f.to) != 0 || r.failed_to_write();
  if (failed) return diagnostic{formatted("cannot write {}: {}", f.path, std::strerror(errno))};
  if (!r.refused().empty()) {
    std::remove(f.path.c_str());
    return diagnostic{formatted("{} accel-sim: the kernel executes {}, which Accel-Sim's traces cannot contain",
                                worded(setting::trace), r.refused()),
                      {},
                      "trace a kernel without bulk copies and tensor copies"};
  }
  const std::string list = path_ + "/kernelslist.g", line = f.path.substr(f.path.rfind('/') + 1) + "\n";
  std::FILE* to = std::fopen(list.c_str(), "a");
  const bool written = to != nullptr && std::fwrite(line.data(), 1, line.size(), to) == line.size();
  if (to == nullptr || std::fclose(to) != 0 || !written)
    return diagnostic{formatted("cannot write {}: {}", list, std::strerror(errno))};
  return done{};
}

void run_for_accel_sim(emulate::launch& l) {
  l.threads = 1;
  l.use = emulate::instruction_use::interpret;
  l.counting = nullptr;
  l.racing = nullptr;
}

}  // namespace bankwise::timing
