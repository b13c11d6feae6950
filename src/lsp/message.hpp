// A message of JSON-RPC 2.0: a request, a notification, or an answer to a request of the server. This file also creates
// the messages of the server.
//
//     {"jsonrpc": "2.0", "id": 1, "method": "shutdown"}
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bankwise::lsp {

using json = nlohmann::json;

enum class fault : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  server_not_initialized = -32002,
  request_cancelled = -32800,
};

inline constexpr int most_depth = 64;

struct message {       // NOLINT(bugprone-exception-escape): moving json does not throw
  json id;             // id of the request; null for a notification
  std::string method;  // name of the method; empty for an answer
  json params;         // an object, a list or null

  bool is_request() const { return !id.is_null() && !method.empty(); }
};

// Parses a message. If the text is not a message, `answer` is the error to send.
struct parsed_message {
  std::optional<message> what;
  json answer;
};
parsed_message parse_message(std::string_view text);

json answer_to(const json& id, json result);
json error_to(const json& id, fault code, const std::string& text);
json notification(std::string_view method, json params);
json request(std::uint64_t id, std::string_view method, json params);

// Returns the text of a message. Replaces invalid UTF-8.
std::string as_text(const json& message);

// --- values in `params`; these functions return nothing if the value is missing or has another type

const json* member(const json* of, const char* key);
// Follows a list of nested keys, and returns the member, or null.
const json* member_at(const json& params, std::initializer_list<const char*> keys);
const std::string* text_of(const json* value);
std::optional<std::uint32_t> number_of(const json* value);  // a number from 0 to 2^31 - 1
bool is_true(const json* value);

}  // namespace bankwise::lsp
