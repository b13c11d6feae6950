#include "emulate/launch/listeners.hpp"

#include <algorithm>

namespace bankwise::emulate {

listener_list::listener_list(const std::vector<listener*>& all) {
  for (listener* l : all) {
    if (l == nullptr) continue;
    all_.push_back(l);
    if (auto* const passing = dynamic_cast<passing_listener*>(l); passing != nullptr) passing_.push_back(passing);
    add_listener(l);
  }
}

void listener_list::add_listener(listener* l) {
  const wanted_events wanted = l->wants();
  blocks_.add_listener(l);
  if (wanted.accesses) {
    accesses_.add_listener(l);
    repeats_ = repeats_ == ~0u || repeats_ == wanted.repeats ? wanted.repeats : 0;
  }
  if (wanted.asynchronous) asynchronous_.add_listener(l);
  if (wanted.order) order_.add_listener(l);
  if (wanted.instructions) instructions_.add_listener(l);
  if (wanted.block_ends) block_ends_.add_listener(l);
  if (wanted.global) global_.add_listener(l);
  if (wanted.copied) copied_.add_listener(l);
  if (wanted.misuses) misuses_.add_listener(l);
  if (wanted.warps) warps_.add_listener(l);
}

bool listener_list::drop_finished() {
  bool changed = false;
  for (const passing_listener* l : passing_) {
    const bool had_enough = std::erase(left_out_, l) != 0, has_enough = l->has_enough();
    if (has_enough) left_out_.push_back(l);
    changed |= has_enough != had_enough;
  }
  if (changed) divide();
  return changed;
}

void listener_list::add(listener& l) {
  all_.push_back(&l);
  add_listener(&l);
}

void listener_list::remove(const listener& l) {
  std::erase(all_, &l);
  divide();
}

// Divides the listeners into groups again.
void listener_list::divide() {
  for (group* g : {&blocks_, &accesses_, &asynchronous_, &order_, &instructions_, &block_ends_, &global_, &copied_,
                   &misuses_, &warps_})
    g->clear();
  repeats_ = ~0u;
  for (listener* l : all_)
    if (std::find(left_out_.begin(), left_out_.end(), l) == left_out_.end()) add_listener(l);
}

void listener_list::group::on_block(std::uint64_t block) {
  for (listener* l : all_) l->on_block(block);
}

void listener_list::group::on_block_end(std::uint64_t times) {
  for (listener* l : all_) l->on_block_end(times);
}

void listener_list::group::on_alike(const std::array<std::uint32_t, 3>& blocks) {
  for (listener* l : all_) l->on_alike(blocks);
}

void listener_list::group::on_access(const shared_access& a) {
  for (listener* l : all_) l->on_access(a);
}

void listener_list::group::on_repeats(const shared_access& a, std::uint64_t times) {
  for (listener* l : all_) l->on_repeats(a, times);
}

void listener_list::group::on_async(const async_event& e) {
  for (listener* l : all_) l->on_async(e);
}

void listener_list::group::on_swap(const shared_access& a, std::uint32_t stored) {
  for (listener* l : all_) l->on_swap(a, stored);
}

void listener_list::group::on_order(const ordering& o) {
  for (listener* l : all_) l->on_order(o);
}

void listener_list::group::on_global(const global_access_event& a) {
  for (listener* l : all_) l->on_global(a);
}
void listener_list::group::on_texture(const texture_access_event& a) {
  for (listener* l : all_) l->on_texture(a);
}

void listener_list::group::on_copied(const copied_bytes& b) {
  for (listener* l : all_) l->on_copied(b);
}

void listener_list::group::on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t lanes) {
  for (listener* l : all_) l->on_instructions(pc, count, lanes);
}

void listener_list::group::on_misuse(const misuse& u) {
  for (listener* l : all_) l->on_misuse(u);
}

void listener_list::group::on_sleep(std::uint64_t pc, std::uint32_t nanoseconds) {
  for (listener* l : all_) l->on_sleep(pc, nanoseconds);
}

void listener_list::group::on_warp(std::uint32_t warp) {
  for (listener* l : all_) l->on_warp(warp);
}

}  // namespace bankwise::emulate
