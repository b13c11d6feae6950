// Tests reading messages from a stream in pieces of any size, invalid messages, and cancelled requests.
#include "lsp/framing.hpp"

#include <gtest/gtest.h>

#include "lsp/inbox.hpp"

namespace bankwise::lsp {
namespace {

TEST(Framing, MessagesComeInAnyPieces) {
  const std::string stream = framed("{}") + "Content-Type: x\r\ncontent-length:  4 \r\n\r\nnull" + framed("");
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    frame_reader reader;
    std::vector<std::string> found;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      reader.feed(std::string_view(stream).substr(at, piece));
      while (const auto f = reader.next()) {
        EXPECT_EQ(f->what, frame::kind::message);
        found.push_back(f->text);
      }
    }
    EXPECT_EQ(found, (std::vector<std::string>{"{}", "null", ""})) << piece;
  }
}

TEST(Framing, OneThatIsTooLargeIsPassedOver) {
  frame_reader reader;
  const std::size_t n = most_message_bytes + 5;
  reader.feed("Content-Length: " + std::to_string(n) + "\r\n\r\nabc");
  ASSERT_EQ(reader.next()->what, frame::kind::too_large);
  EXPECT_EQ(reader.next(), std::nullopt);
  reader.feed(std::string(n - 3, 'x') + framed("{}"));
  EXPECT_EQ(reader.next()->text, "{}");
}

TEST(Framing, BehindABrokenHeaderIsNothing) {
  for (const std::string header :
       {"\r\n\r\n", "hello\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n", "Content-Length: 0x1\r\n\r\n", "Content-Length:\r\n\r\n"}) {
    frame_reader reader;
    reader.feed(header + framed("{}"));
    ASSERT_EQ(reader.next()->what, frame::kind::broken) << header;
    EXPECT_EQ(reader.next(), std::nullopt);
  }
  frame_reader reader;
  reader.feed(std::string(most_header_bytes + 1, 'x'));
  EXPECT_EQ(reader.next()->what, frame::kind::broken);
}

frame message_of(const std::string& text) { return {frame::kind::message, text}; }

TEST(Inbox, ARequestIsTakenBackWhileItWaits) {
  inbox in;
  in.put(message_of(R"({"jsonrpc":"2.0","id":1,"method":"a"})"));
  in.put(message_of(R"({"jsonrpc":"2.0","id":"1","method":"b"})"));
  in.put(message_of(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"1"}})"));
  in.put(message_of(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}})"));
  EXPECT_FALSE(in.take()->cancelled);
  EXPECT_TRUE(in.take()->cancelled);
  // A message that has left the queue cannot be cancelled, because the server may already have the message.
  EXPECT_EQ(in.take()->what->method, "$/cancelRequest");
  EXPECT_TRUE(in.is_empty());
}

TEST(Message, WhatIsNoneIsAnsweredAsJsonRpcHasIt) {
  const auto code = [](std::string_view text) {
    const parsed_message m = parse_message(text);
    return m.what ? 0 : m.answer["error"]["code"].get<int>();
  };
  EXPECT_EQ(code("{"), -32700);
  EXPECT_EQ(code(std::string(1 << 20, '[')), -32700);
  EXPECT_EQ(code("\"\xff\""), -32700);
  EXPECT_EQ(code("[]"), -32600);
  EXPECT_EQ(code(R"({"id":1,"method":"a"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":null,"method":"a"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1.5,"method":"a"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"a","params":"b"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"a"})"), 0);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"result":null})"), 0);  // an answer
  // If the message has an id, the answer has the same id.
  EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","id":9,"method":7})").answer["id"], 9);
  EXPECT_EQ(number_of(nullptr), std::nullopt);
  for (const json& none : {json(-1), json(1.0), json("1"), json(2147483648u)})
    EXPECT_EQ(number_of(&none), std::nullopt);
}

}  // namespace
}  // namespace bankwise::lsp
