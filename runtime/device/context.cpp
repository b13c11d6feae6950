#include "runtime/device/context.hpp"

#include <algorithm>
#include <vector>

#include "runtime/device/per_thread.hpp"
#include "runtime/device/state.hpp"

namespace bankwise::cuda {

namespace {

std::vector<context*>& current_stack() {
  static auto* const all = new per_thread<std::vector<context*>>;
  return all->get();
}

}  // namespace

context* current_context() { return current_stack().empty() ? nullptr : current_stack().back(); }
void push_context(context* c) { current_stack().push_back(c); }

context* pop_context() {
  std::vector<context*>& all = current_stack();
  if (all.empty()) return nullptr;
  context* c = all.back();
  all.pop_back();
  return c;
}

void set_context(context* c) {
  std::vector<context*>& all = current_stack();
  if (!all.empty()) all.pop_back();
  if (c != nullptr) all.push_back(c);
}

void drop_from_stack(context* c) { std::erase(current_stack(), c); }

void use_primary_context(state& s) {
  std::vector<context*>& all = current_stack();
  if (all.empty()) all.push_back(&s.primary);
  s.primary.in_use |= all.back() == &s.primary;
}

context* make_context(state& s, unsigned flags) {
  auto made = std::make_unique<context>();
  made->flags = flags;
  made->id = s.next_id++;
  s.contexts.push_back(std::move(made));
  return s.contexts.back().get();
}

bool is_context(const state& s, const context* c) {
  return c == &s.primary ||
         std::any_of(s.contexts.begin(), s.contexts.end(), [&](const auto& owned) { return owned.get() == c; });
}

}  // namespace bankwise::cuda
