// Checks the operands of instructions: random values replace all registers except those that the instruction names.
#include "emulate/decode/operand_check.hpp"

#include <string>

#include "base/format.hpp"
#include "sass/operand/operands.hpp"
#include "sass/print/print.hpp"

namespace bankwise::emulate {

namespace {

struct held {
  std::array<lane_row, sass::register_zero> vector;
  std::array<std::uint32_t, 256> uniform;
  std::array<std::uint32_t, 8> predicates;
  std::uint32_t uniform_predicates;
  std::array<lane_row, barrier_registers> barriers;
  std::array<lane_row, 2> call;
};

held take(const warp& w) {
  held h;
  for (unsigned r = 0; r < sass::register_zero; ++r) h.vector[r] = w.registers[r];
  h.uniform = w.uniform;
  h.predicates = w.predicates;
  h.uniform_predicates = w.uniform_predicates;
  for (unsigned b = 0; b < barrier_registers; ++b) std::memcpy(h.barriers[b].at, w.convergence[b], sizeof(row));
  for (unsigned k = 0; k < 2; ++k) h.call[k] = w.registers[rpc_row + k];
  return h;
}
void put(warp& w, const held& h) {
  for (unsigned r = 0; r < sass::register_zero; ++r) w.registers[r] = h.vector[r];
  w.uniform = h.uniform;
  w.predicates = h.predicates;
  w.uniform_predicates = h.uniform_predicates;
  for (unsigned b = 0; b < barrier_registers; ++b) std::memcpy(w.convergence[b], h.barriers[b].at, sizeof(row));
  for (unsigned k = 0; k < 2; ++k) w.registers[rpc_row + k] = h.call[k];
}

constexpr std::uint32_t nonsense(unsigned n) { return 0x9e3779b9u * (n + 1) ^ 0x5bd1e995u; }

// The state that the instruction sees. The instruction's operands have their real values. All other registers have
// random values.
held hide(const held& real, const sass::register_set& reads, bool hides_barriers) {
  held h = real;
  for (unsigned r = 0; r < sass::register_zero; ++r)
    if (!reads.vector[r])
      for (std::uint32_t& lane : h.vector[r].at) lane = nonsense(r);
  for (unsigned r = 0; r < sass::uniform_register_zero; ++r)
    if (!reads.uniform[r]) h.uniform[r] = nonsense(r + 1000);
  for (unsigned p = 0; p < sass::predicate_true; ++p) {
    if (!reads.predicates[p]) h.predicates[p] = nonsense(p + 2000);
    if (!reads.uniform_predicates[p]) h.uniform_predicates ^= 1u << p;
  }
  for (unsigned b = 0; b < barrier_registers && hides_barriers; ++b)
    if (!reads.barriers[b])
      for (std::uint32_t& lane : h.barriers[b].at) lane = nonsense(b + 3000);
  for (unsigned k = 0; k < 2; ++k)
    if (!reads.call[k])
      for (std::uint32_t& lane : h.call[k].at) lane = nonsense(k + 4000);
  return h;
}

// Whether instructions with this opcode change barriers that they do not name. This happens if lanes end, wait or
// yield.
bool changes_barriers(sass::opcode op) {
  const sass::flow f = sass::traits_of(op).flow;
  return f == sass::flow::meets || f == sass::flow::ends || op == sass::opcode::BREAK;
}

class comparison {
 public:
  comparison(const held& real, const held& seen, const held& after, const sass::reads_and_writes& named,
             std::uint32_t mask, bool must_write)
      : real_(real), seen_(seen), after_(after), named_(named), mask_(mask), must_write_(must_write) {}

  // Compares the states before and after the instruction. Returns the state after the instruction, with the hidden
  // values restored.
  held run() {
    held h = real_;
    for (unsigned r = 0; r < sass::register_zero; ++r)
      lanes(h.vector[r], r, seen_.vector[r], after_.vector[r], named_.writes.vector[r], named_.reads.vector[r], "R");
    for (unsigned r = 0; r < sass::uniform_register_zero; ++r)
      word(h.uniform[r], r, seen_.uniform[r], after_.uniform[r], named_.writes.uniform[r], "UR");
    for (unsigned p = 0; p < sass::predicate_true; ++p) {
      const std::uint32_t changed = after_.predicates[p] ^ seen_.predicates[p];
      const std::uint32_t allowed = named_.writes.predicates[p] ? mask_ : 0;
      if ((changed & ~allowed) != 0) note("P", p, "changes");
      h.predicates[p] = (real_.predicates[p] & ~allowed) | (after_.predicates[p] & allowed);
      const std::uint32_t bit = 1u << p;
      if (named_.writes.uniform_predicates[p])
        h.uniform_predicates = (h.uniform_predicates & ~bit) | (after_.uniform_predicates & bit);
      else if (((after_.uniform_predicates ^ seen_.uniform_predicates) & bit) != 0)
        note("UP", p, "changes");
    }
    return h;
  }
  void barriers(held& h, bool checks) {
    for (unsigned b = 0; b < barrier_registers; ++b)
      if (checks)
        lanes(h.barriers[b], b, seen_.barriers[b], after_.barriers[b], named_.writes.barriers[b], true, "B");
      else
        h.barriers[b] = after_.barriers[b];
    for (unsigned k = 0; k < 2; ++k)
      lanes(h.call[k], k, seen_.call[k], after_.call[k], named_.writes.call[k], true, "Rpc half ");
  }
  const std::string& problem() const { return problem_; }

 private:
  void lanes(lane_row& to, unsigned n, const lane_row& seen, const lane_row& after, bool written, bool read,
             const char* file) {
    for (unsigned i = 0; i < 32; ++i) {
      const bool may = written && (mask_ >> i & 1) != 0;
      if (!may && after.at[i] != seen.at[i]) note(file, n, "changes");
      if (may) to.at[i] = after.at[i];
      if (may && must_write_ && !read && after.at[i] == seen.at[i]) note(file, n, "leaves alone");
    }
  }
  void word(std::uint32_t& to, unsigned n, std::uint32_t seen, std::uint32_t after, bool written, const char* file) {
    if (written)
      to = after;
    else if (after != seen)
      note(file, n, "changes");
  }
  void note(const char* file, unsigned n, const char* what) {
    if (problem_.empty()) problem_ = formatted("{} {}{}", what, file, n);
  }

  const held &real_, &seen_, &after_;
  const sass::reads_and_writes& named_;
  std::uint32_t mask_;
  bool must_write_;
  std::string problem_;
};

}  // namespace

step run_with_operands_checked(worker& m, const micro_op& u, std::uint32_t mask) {
  // Only the first executions of each instruction are checked.
  constexpr unsigned most = 64;
  if (m.section->checks[u.index].fetch_add(1) >= most) return u.checked(m, u, mask);
  const sass::instruction i = m.section->instruction_at(u.index);
  const sass::reads_and_writes named = sass::reads_and_writes_of(i);
  warp& w = *m.w;
  const std::uint64_t pc = m.pc_of(u);
  const bool moves_barriers = changes_barriers(u.op);
  const held real = take(w), seen = hide(real, named.reads, !moves_barriers);
  put(w, seen);
  const step s = u.checked(m, u, mask);
  const held after = take(w);
  const std::uint32_t lanes = u.uniform_guard && mask != 0 ? ~0u : mask;
  comparison c(real, seen, after, named, lanes, s == step::next);
  held left = c.run();
  c.barriers(left, !moves_barriers);
  put(w, left);
  if (s == step::fault || c.problem().empty()) return s;
  return m.fail(
      formatted("the table of instructions does not contain all operands of {} {}", sass::to_text(i, pc), c.problem()));
}

}  // namespace bankwise::emulate
