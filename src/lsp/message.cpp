#include "lsp/message.hpp"

#include "base/format.hpp"
#include "lsp/document.hpp"

namespace bankwise::lsp {

namespace {

// Whether brackets outside of strings are nested too deeply. The functions that read and write JSON recurse at each
// level, so the stack limits the depth.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most_depth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

bool is_id(const json& id) { return id.is_string() || id.is_number_integer(); }

}  // namespace

parsed_message parse_message(std::string_view text) {
  if (is_too_deep(text)) return {{}, error_to(nullptr, fault::parse_error, "the JSON is nested too deeply")};
  json j = json::parse(text.begin(), text.end(), nullptr, false);
  if (j.is_discarded()) return {{}, error_to(nullptr, fault::parse_error, "the message is not valid JSON in UTF-8")};
  if (!j.is_object()) return {{}, error_to(nullptr, fault::invalid_request, "the message must be one object")};
  message m;
  if (const json* id = member(&j, "id"); id != nullptr && is_id(*id)) m.id = *id;
  const bool has_id = j.contains("id");
  if (const std::string* version = text_of(member(&j, "jsonrpc")); version == nullptr || *version != "2.0")
    return {{}, error_to(m.id, fault::invalid_request, "expected \"jsonrpc\": \"2.0\"")};
  if (!j.contains("method")) {
    // An answer to a request of the server. No reply is needed.
    if (has_id && (j.contains("result") || j.contains("error"))) return {std::move(m), {}};
    return {{}, error_to(m.id, fault::invalid_request, "expected a method")};
  }
  const std::string* method = text_of(member(&j, "method"));
  if (method == nullptr || method->empty())
    return {{}, error_to(m.id, fault::invalid_request, "the method must be a string")};
  if (has_id && m.id.is_null())
    return {{}, error_to(nullptr, fault::invalid_request, "the id must be an integer or a string")};
  m.method = *method;
  if (const auto params = j.find("params"); params != j.end()) {
    if (!params->is_structured() && !params->is_null())
      return {{}, error_to(m.id, fault::invalid_request, "params must be an object or a list")};
    m.params = std::move(*params);
  }
  return {std::move(m), {}};
}

json answer_to(const json& id, json result) { return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}; }
json error_to(const json& id, fault code, const std::string& text) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", text}}}};
}
json notification(std::string_view method, json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}
json request(std::uint64_t id, std::string_view method, json params) {
  json r = notification(method, std::move(params));
  r["id"] = formatted("bankwise-{}", id);
  return r;
}

std::string as_text(const json& message) { return message.dump(-1, ' ', false, json::error_handler_t::replace); }

const json* member(const json* of, const char* key) {
  if (of == nullptr || !of->is_object()) return nullptr;
  const auto at = of->find(key);
  return at == of->end() ? nullptr : &*at;
}

const json* member_at(const json& params, std::initializer_list<const char*> keys) {
  const json* j = &params;
  for (const char* key : keys) j = member(j, key);
  return j;
}
const std::string* text_of(const json* value) {
  return value == nullptr ? nullptr : value->get_ptr<const std::string*>();
}
std::optional<std::uint32_t> number_of(const json* value) {
  if (value == nullptr || !value->is_number_integer() ||
      (!value->is_number_unsigned() && value->get<std::int64_t>() < 0))
    return std::nullopt;
  const auto n = value->get<std::uint64_t>();
  return n <= most_position ? std::optional(static_cast<std::uint32_t>(n)) : std::nullopt;
}
bool is_true(const json* value) { return value != nullptr && value->is_boolean() && value->get<bool>(); }

}  // namespace bankwise::lsp
