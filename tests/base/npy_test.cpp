// Tests the reader of NumPy's files: it accepts the output of numpy.save and refuses all other files.
#include "base/npy.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

// Makes a NumPy file with this header.
std::string file(const std::string& header, const std::string& data) {
  std::string text = header;
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(text.size()) + '\0' + text + data;
}

TEST(Npy, WhatNumpyWritesIsRead) {
  const std::string f =
      file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", std::string("abcdefghijklmnopqrstuvwx"));
  ASSERT_TRUE(is_npy(bytes_of(f)));
  const auto a = read_npy(bytes_of(f), "a.npy");
  ASSERT_TRUE(a) << to_text(a.error());
  EXPECT_EQ(a->type, "f4");
  EXPECT_EQ(a->shape, (std::vector<std::uint64_t>{2, 3}));
  ASSERT_EQ(a->data.size(), 24u);
  EXPECT_EQ(static_cast<char>(a->data[0]), 'a');
}

TEST(Npy, WhatIsWrittenIsRead) {
  for (const char* type : {"u1", "i4", "f8"}) {
    const std::string header = npy_header(type, 4);
    EXPECT_EQ(header.size() % 64, 0u);
    const auto a = read_npy(bytes_of(header + std::string(32, 'x')), "a.npy");
    ASSERT_TRUE(a) << to_text(a.error());
    EXPECT_EQ(a->type, type);
    EXPECT_EQ(a->shape, std::vector<std::uint64_t>{4});
  }
}

TEST(Npy, OthersAreRefused) {
  const auto message = [](const std::string& f) { return read_npy(bytes_of(f), "a.npy").error().message; };
  EXPECT_EQ(message("PK"), "a.npy: this is not a .npy file");
  EXPECT_EQ(message(std::string("\x93NUMPY\x01\0\xff\xff", 10)), "a.npy: the header of the .npy file is damaged");
  EXPECT_EQ(message(file("{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", "1234")),
            "a.npy: the elements of the file have the type '>i4', which is big-endian");
  EXPECT_EQ(message(file("{'descr': '<i4', 'fortran_order': True, 'shape': (1,), }", "1234")),
            "a.npy: the array is in Fortran order");
  EXPECT_EQ(message(file("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", "1234")),
            "a.npy: the file has fewer numbers than the shape (2,) in its header needs");
  EXPECT_EQ(message(file("{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", "")),
            "a.npy: the shape (99999999999, 99999999999) in the file's header is not possible");
}

}  // namespace
}  // namespace bankwise
