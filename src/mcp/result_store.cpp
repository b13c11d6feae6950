#include "mcp/result_store.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/format.hpp"

namespace bankwise::mcp {

namespace {

// Returns the value at a JSON pointer, or null. nlohmann's pointers throw.
const json* value_at(const json& whole, std::string_view pointer) {
  const json* value = &whole;
  while (!pointer.empty()) {
    if (pointer[0] != '/') return nullptr;
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    std::string name;
    for (std::size_t i = 1; i < end; ++i) {
      const bool is_escape = pointer[i] == '~' && i + 1 < end && (pointer[i + 1] == '0' || pointer[i + 1] == '1');
      name += !is_escape ? pointer[i] : pointer[i + 1] == '0' ? '~' : '/';
      i += is_escape ? 1 : 0;
    }
    pointer.remove_prefix(end);
    if (value->is_object()) {
      const auto member = value->find(name);
      if (member == value->end()) return nullptr;
      value = &*member;
    } else {
      std::size_t n = 0;
      const auto [last, error] = std::from_chars(name.data(), name.data() + name.size(), n);
      if (!value->is_array() || error != std::errc() || last != name.data() + name.size() || n >= value->size())
        return nullptr;
      value = &(*value)[n];
    }
  }
  return value;
}

}  // namespace

result_store::result_store(std::string folder, std::function<void(const std::string& file)> remove)
    : folder_(std::move(folder)), remove_(std::move(remove)) {}

std::string result_store::next(entry e) {
  e.handle = formatted("r{}", ++made_);
  entries_.push_back(std::move(e));
  if (entries_.size() > most_results) {
    if (!entries_.front().file.empty()) remove_(entries_.front().file);
    entries_.pop_front();
  }
  return entries_.back().handle;
}

std::string result_store::add_file() { return next({{}, formatted("{}/r{}.json", folder_, made_ + 1), {}}); }
std::string result_store::add(json value) { return next({{}, {}, std::move(value)}); }

const result_store::entry* result_store::find(const std::string& handle) const {
  const auto e =
      std::find_if(entries_.begin(), entries_.end(), [&](const entry& each) { return each.handle == handle; });
  return e == entries_.end() ? nullptr : &*e;
}

std::string result_store::file_of(const std::string& handle) const {
  const entry* e = find(handle);
  return e == nullptr ? std::string() : e->file;
}

bool result_store::is_handle(const std::string& word) {
  return word.size() > 1 && word.size() < 20 && word[0] == 'r' &&
         word.find_first_not_of("0123456789", 1) == std::string::npos;
}

result<json> result_store::part_of(const std::string& handle, const std::string& at, std::uint64_t from,
                                   const std::function<std::optional<json>(const std::string& file)>& read) const {
  const entry* e = find(handle);
  if (e == nullptr)
    return diagnostic{formatted("there is no result {}", shortened(handle)),
                      {},
                      formatted("the server keeps the last {} results. Make the call again", most_results)};
  std::optional<json> of_file;
  if (!e->file.empty() && !(of_file = read(e->file))) return diagnostic{formatted("result {} has no report", handle)};
  const json& whole = of_file ? *of_file : e->value;
  const json* value = value_at(whole, at);
  if (value == nullptr)
    return diagnostic{
        formatted("result {} has nothing at {}", handle, shortened(at)), {}, "take the text of a key \"more\""};
  if (from == 0) return folded(*value, most_result_bytes, at);
  if (from >= extent_of(*value))
    return diagnostic{formatted("result {} has nothing at {} from {}", handle, shortened(at), from)};
  return folded_from(*value, from, most_result_bytes, at);
}

}  // namespace bankwise::mcp
