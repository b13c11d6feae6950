#include "spool.hpp"
#include "base/format.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cubin/launch_limits.hpp"

namespace bankwise::record {

namespace {

constexpr std::size_t counts_bytes = sizeof(config_counts) * (most_configs + 1);
constexpr int most_programs = 1000;  // largest number of programs that exec may start in one process
constexpr std::size_t most_failures = 1000;

template <class T>
void put(std::string& s, const T& value) {
  s.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put_text(std::string& s, const std::string& text) {
  put(s, static_cast<std::uint32_t>(text.size()));
  s += text;
}

std::string take_text(byte_reader& r) {
  const std::uint32_t bytes = r.u32();
  const byte_span s = r.take(bytes);
  return {reinterpret_cast<const char*>(s.data()), s.size()};
}
template <std::size_t N>
std::array<std::uint32_t, N> take_words(byte_reader& r) {
  std::array<std::uint32_t, N> words{};
  for (std::uint32_t& w : words) w = r.u32();
  return words;
}
access take_addresses(byte_reader& r, u32 mask) {
  access a{{}, mask, {}};
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    const u32 address = r.u32();
    a.address[lane] = (mask >> lane & 1) != 0 ? address : 0;
  }
  return a;
}

// Limit of each count of a launch. It ensures that sums over launches do not overflow.
constexpr std::uint64_t most_in_a_spool = std::uint64_t{1} << 40;
bool is_possible(const table_record& t) {
  std::uint64_t all = 0;
  const auto add = [&](std::uint64_t n) {
    if (n > most_in_a_spool || all > most_in_a_spool) return false;
    all += n;
    return true;
  };
  for (const seen_pattern& p : t.patterns)
    if (!add(p.count)) return false;
  for (const other& o : t.others) {
    const auto of = [&](figure f) { return o.sum[static_cast<u32>(f)]; };
    const std::uint64_t wavefronts = of(figure::wavefronts);
    for (const std::uint64_t n : o.sum)
      if (!add(n)) return false;
    if (!add(o.executed) || of(figure::ideal) > wavefronts || of(figure::reachable) > wavefronts ||
        of(figure::layout_floor) > wavefronts)
      return false;
  }
  return t.lost <= most_in_a_spool;
}
bool is_possible(const config_record& c) {
  if (cubin::first_beyond({c.grid, c.block}, {}) != cubin::launch_limit::none) return false;
  return std::none_of(c.mangled.begin(), c.mangled.end(), [](char x) { return x >= 0 && x <= ' '; });
}

table_record read_table(byte_reader& r) {
  table_record t;
  t.config = r.u32();
  t.skip_blocks = r.u32();
  t.dynamic_shared_bytes = r.u32();
  const std::uint32_t patterns = r.u32(), others = r.u32(), examples = r.u32(), strays = r.u32();
  t.strays_seen = r.u32();
  t.examples_seen = r.u32();
  r.u32();
  t.lost = r.u64();
  for (std::uint32_t i = 0; i < patterns && !r.failed(); ++i) {
    seen_pattern p;
    p.pc = r.u32();
    const u32 mask = r.u32();
    p.count = r.u64();
    p.first = take_addresses(r, mask);
    p.source = take_words<lanes_per_warp>(r);
    t.patterns.push_back(p);
  }
  for (std::uint32_t i = 0; i < others && !r.failed(); ++i) {
    other o{};
    const byte_span s = r.take(sizeof o);
    if (s.size() == sizeof o) std::memcpy(&o, s.data(), sizeof o);
    t.others.push_back(o);
  }
  for (std::uint32_t i = 0; i < examples && !r.failed(); ++i) {
    seen_example e;
    e.pc = r.u32();
    const u32 mask = r.u32();
    e.what = take_addresses(r, mask);
    t.examples.push_back(e);
  }
  for (std::uint32_t i = 0; i < strays && !r.failed(); ++i) {
    seen_pattern p;
    p.pc = r.u32();
    const u32 mask = r.u32();
    p.count = 1;
    p.first = take_addresses(r, mask);
    p.source = take_words<lanes_per_warp>(r);
    t.patterns.push_back(p);
  }
  return t;
}

// While this object exists, a write beyond the file size limit fails. Otherwise, such a write would end the program
// with a signal.
class no_size_signal {
 public:
  no_size_signal() {
    sigemptyset(&only_);
    sigaddset(&only_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  no_size_signal(const no_size_signal&) = delete;
  no_size_signal& operator=(const no_size_signal&) = delete;
  ~no_size_signal() {
    const timespec now{};
    while (::sigtimedwait(&only_, nullptr, &now) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t only_{}, before_{};
};

}  // namespace

std::string table_payload(std::uint32_t config, const launch_table& t) {
  std::uint32_t patterns = 0, others = 0;
  std::string body;
  body.reserve(std::size_t{1} << 18);  // enough for a kernel of some hundred instructions
  const u32 room = std::min(t.head.last_pattern, most_patterns - 1) + 1;
  for (u32 i = 0; i < room; ++i) {
    const pattern& p = t.patterns[i];
    if (p.pc == free_pc) continue;
    u64 count = 0;
    for (u32 s = 0; s < shards; ++s) count += t.counts[s * room + i];
    // If a fault ended the kernel, this pattern may be incomplete.
    if (count == 0 || p.mask == not_ready) continue;
    ++patterns;
    put(body, p.pc);
    put(body, p.mask);
    put(body, count);
    put(body, p.address);
    put(body, t.sources[i]);
  }
  for (const other& o : t.others) {
    if (t.head.others == 0) break;  // this part of the table was not read from the device, because nothing is in it
    if (o.pc == 0) continue;
    ++others;
    put(body, o);
  }
  const std::uint32_t examples = std::min(t.head.examples, most_examples),
                      strays = std::min(t.head.strays, most_strays);
  for (u32 i = 0; i < examples; ++i) put(body, t.examples[i]);
  for (u32 i = 0; i < strays; ++i) put(body, t.strays[i]);
  std::string head;
  for (const std::uint32_t n : {config, t.head.skip_blocks, t.head.dynamic_shared_bytes, patterns, others, examples,
                                strays, t.head.strays, t.head.examples, 0u})
    put(head, n);
  put(head, t.head.lost);
  return head + body;
}

spool_writer::~spool_writer() {
  if (counts_ != nullptr) ::munmap(counts_, counts_bytes);
  if (file_ >= 0 && is_ours()) ::close(file_);
}

result<done> spool_writer::open(const std::string& path) {
  const auto failed = [&](const std::string& what, int error) {
    return diagnostic{formatted("{} {}: {}", what, path_, std::strerror(error))};
  };
  const no_size_signal quiet;
  path_ = path;
  for (int n = 1; n < most_programs; ++n) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (file_ >= 0 || errno != EEXIST) break;
    path_ = formatted("{}.{}", path, n);
  }
  if (file_ < 0) return failed("cannot make", errno);
  struct stat what {};
  if (::fstat(file_, &what) != 0) return failed("cannot read the size of", errno);
  device_ = what.st_dev;
  inode_ = what.st_ino;
  if (::write(file_, spool_magic, sizeof spool_magic) != sizeof spool_magic) return failed("cannot write", errno);
  const int counts = ::open(formatted("{}.counts", path_).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (counts < 0) return failed("cannot make the counts of", errno);
  // Reserves space on the disk. Otherwise, a signal would end the program if the disk were full at the first write to a
  // page.
  int error = ::posix_fallocate(counts, 0, counts_bytes);
  if (error == 0) {
    void* const at = ::mmap(nullptr, counts_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, counts, 0);
    if (at != MAP_FAILED)
      counts_ = static_cast<config_counts*>(at);
    else
      error = errno;
  }
  ::close(counts);
  if (counts_ == nullptr) return failed("cannot map the counts of", error);
  return done{};
}

// Whether our file is still open. A program may close files that it did not open, and its next file gets the same
// number.
bool spool_writer::is_ours() const {
  struct stat what {};
  return ::fstat(file_, &what) == 0 && what.st_dev == device_ && what.st_ino == inode_;
}

bool spool_writer::write(record_kind kind, const std::string& head, const void* tail, std::size_t bytes) {
  if (file_ < 0) return false;
  if (!is_full_ && !is_ours()) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    is_full_ = file_ < 0 || !is_ours();
  }
  const auto give_up = [&] {
    is_full_ = true;
    if (counts_ != nullptr) ++counts_[most_configs].failed;
    return false;
  };
  if (is_full_) return give_up();
  const no_size_signal quiet;
  record_header h{kind, 0, head.size() + bytes};
  iovec parts[3] = {{&h, sizeof h}, {const_cast<char*>(head.data()), head.size()}, {const_cast<void*>(tail), bytes}};
  std::size_t at = 0;
  while (at < 3) {
    const ssize_t n = ::writev(file_, parts + at, static_cast<int>(3 - at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return give_up();  // the disk is full, so the last record is incomplete
    auto left = static_cast<std::size_t>(n);
    while (at < 3 && left >= parts[at].iov_len) left -= parts[at++].iov_len;
    if (at < 3) {
      parts[at].iov_base = static_cast<char*>(parts[at].iov_base) + left;
      parts[at].iov_len -= left;
    }
  }
  return true;
}

void spool_writer::process(std::uint32_t pid, const std::string& program, const std::string& host,
                           const std::string& rank) {
  std::string s;
  put(s, pid);
  for (const std::string* text : {&program, &host, &rank}) put_text(s, *text);
  write(record_kind::process, s);
}

void spool_writer::module(std::uint32_t id, const void* cubin, std::size_t bytes) {
  std::string s;
  put(s, id);
  write(record_kind::module, s, cubin, bytes);
}

void spool_writer::function(const function_record& f) {
  std::string s;
  put(s, f.module);
  put(s, f.pc);
  put(s, f.bytes);
  put_text(s, f.mangled);
  write(record_kind::function, s);
}

void spool_writer::config(std::uint32_t id, const config_record& c) {
  std::string s;
  put(s, id);
  put(s, c.module);
  put(s, c.device);
  put(s, c.grid);
  put(s, c.block);
  put(s, c.cluster);
  put_text(s, c.mangled);
  write(record_kind::config, s);
}

bool spool_writer::table(std::uint32_t config, const launch_table& t) {
  return write(record_kind::table, table_payload(config, t));
}

bool spool_writer::failure(const std::string& text) { return write(record_kind::failure, text); }

result<spool> read_spool(byte_span bytes, byte_span counts, const std::string& name) {
  byte_reader r(bytes);
  const byte_span magic = r.take(sizeof spool_magic);
  if (r.failed() || std::memcmp(magic.data(), spool_magic, sizeof spool_magic) != 0)
    return diagnostic{formatted("{} was not written by a recorded process", name), {.file = name}};
  spool s;
  while (!r.at_end()) {
    const std::size_t begin = r.at();
    const auto damaged = [&](const std::string& what) {
      location where{.file = name};
      where.byte = begin;
      return diagnostic{formatted("damaged: {}", what), where};
    };
    const std::uint32_t kind = r.u32();
    r.u32();
    const std::uint64_t size = r.u64();
    const byte_span payload = r.take(size);
    if (r.failed()) {
      s.is_cut = true;
      break;
    }
    byte_reader p(payload);
    switch (static_cast<record_kind>(kind)) {
      case record_kind::process:
        s.pid = p.u32();
        s.program = take_text(p);
        s.host = take_text(p);
        s.rank = take_text(p);
        break;
      case record_kind::module: {
        const std::uint32_t id = p.u32();
        const byte_span rest = p.take(payload.size() - std::min<std::size_t>(payload.size(), p.at()));
        s.modules[id].assign(reinterpret_cast<const char*>(rest.data()), rest.size());
        break;
      }
      case record_kind::function: {
        function_record f;
        f.module = p.u32();
        f.pc = p.u64();
        f.bytes = p.u64();
        f.mangled = take_text(p);
        s.functions.push_back(std::move(f));
        break;
      }
      case record_kind::config: {
        config_record c;
        if (p.u32() != s.configs.size() || s.configs.size() >= most_configs)
          return damaged("the kernels in the recording are not in order");
        c.module = p.u32();
        c.device = p.u32();
        c.grid = take_words<3>(p);
        c.block = take_words<3>(p);
        c.cluster = take_words<3>(p);
        c.mangled = take_text(p);
        if (!p.failed() && !is_possible(c)) return damaged("a grid, block or name in the recording is not possible");
        s.configs.push_back(std::move(c));
        break;
      }
      case record_kind::table: {
        table_record t = read_table(p);
        if (!p.failed() && t.config >= s.configs.size())
          return damaged("a launch in the recording names an unknown kernel");
        if (!p.failed() && !is_possible(t)) return damaged("impossible counts");
        s.tables.push_back(std::move(t));
        break;
      }
      case record_kind::failure:
        if (s.failures.size() < most_failures)
          s.failures.emplace_back(reinterpret_cast<const char*>(payload.data()), payload.size());
        break;
      default: return damaged(formatted("the kind {} of a record is unknown", kind));
    }
    if (p.failed()) return damaged("a record is shorter than its contents");
  }
  s.counts.resize(s.configs.size());
  const std::size_t there = std::min(counts.size() / sizeof(config_counts), s.counts.size());
  if (there != 0) std::memcpy(s.counts.data(), counts.data(), there * sizeof(config_counts));
  if (counts.size() >= counts_bytes) {
    config_counts last{};
    std::memcpy(&last, counts.data() + sizeof last * most_configs, sizeof last);
    s.unwritten = last.failed;
  }
  return s;
}

}  // namespace bankwise::record
