#include "expr/pattern_table.hpp"

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

result<pattern_table> pattern_table::open(std::string_view text, std::string name) {
  pattern_table t{csv_reader(text, std::move(name))};
  auto header = t.csv_.next();
  if (!header) return header.error();
  const std::string columns_hint =
      "the first line must name the columns: op,mask,a0,...,a31 (source_stride for cp.async)";
  if (!*header) return t.csv_.error("the table is empty", columns_hint);
  t.address_.fill(-1);
  t.source_.fill(-1);
  for (std::size_t i = 0; i < (*header)->size(); ++i) {
    const std::string_view c = (**header)[i].text;
    t.columns_.emplace_back(c);
    const int index = static_cast<int>(i);
    if (c == "op") t.op_ = index;
    if (c == "mask") t.mask_ = index;
    if (c == "source_stride") t.source_stride_ = index;
    if (c.size() >= 2 && (c[0] == 'a' || c[0] == 's'))
      if (const auto lane = parse_u64(c.substr(1)); lane && *lane < 32)
        (c[0] == 'a' ? t.address_ : t.source_)[*lane] = index;
  }
  if (t.op_ < 0) return t.csv_.error("the table has no column 'op'", columns_hint);
  if (t.address_[0] < 0) return t.csv_.error("the table has no column 'a0'", columns_hint);
  return t;
}

result<std::optional<pattern>> pattern_table::next() {
  auto fields = csv_.next();
  if (!fields) return fields.error();
  if (!*fields) return std::optional<pattern>{};
  row_ = std::move(**fields);
  if (row_.size() != columns_.size())
    return csv_.error(formatted("this line has {} fields, but the header has {} fields", row_.size(), columns_.size()));
  const auto at = [&](int index) { return row_[static_cast<std::size_t>(index)]; };

  pattern p;
  const auto op = parse_operation(at(op_).text);
  if (!op) return csv_.error(at(op_), op.error().message, op.error().hint);
  p.op = *op;
  p.what.op = op->op;
  p.what.mask = full_mask;
  if (mask_ >= 0) {
    std::string digits(at(mask_).text);
    if (!digits.starts_with("0x")) digits.insert(0, "0x");
    const auto mask = parse_u64(digits);
    if (!mask || *mask > full_mask)
      return csv_.error(at(mask_), "this field is not a 32-bit mask", "write masks in hexadecimal, such as 0000ffff");
    p.what.mask = static_cast<u32>(*mask);
  }
  for (u32 lane = 0; lane < 32; ++lane) {
    const bool used = (lanes_used(p.what) >> lane & 1) != 0;
    const csv_field f = address_[lane] >= 0 ? at(address_[lane]) : csv_field{};
    if (f.text.empty()) {
      if (used) return csv_.error(formatted("lane {} is active but has no address", lane));
      continue;
    }
    const auto address = parse_u64(f.text);
    if (!address || *address > 0xffffffffu) {
      if (used) return csv_.error(f, formatted("'{}' is not a 32-bit byte address", f.text));
      continue;
    }
    p.what.address[lane] = static_cast<u32>(*address);
  }
  if (const u32 lane = first_misaligned_lane(p.what); lane < 32)
    return csv_.error(at(address_[lane]),
                      formatted("lane {}: the address is not a multiple of {}, the width of {}", lane,
                                p.what.op.width_bytes, p.op.spelling),
                      "the hardware faults on misaligned accesses");
  if (is_copy(p.op.op.kind)) {
    const csv_field stride = source_stride_ >= 0 ? at(source_stride_) : csv_field{};
    const auto apart = stride.text.empty() ? std::optional<std::uint64_t>(p.op.op.width_bytes) : parse_u64(stride.text);
    if (!apart || *apart % p.op.op.width_bytes != 0)
      return csv_.error(stride,
                        formatted("source_stride is not a multiple of the width of {} bytes", p.op.op.width_bytes));
    for (u32 lane = 0; lane < 32; ++lane) {
      p.from.address[lane] = lane * static_cast<u32>(*apart);
      const csv_field f = source_[lane] >= 0 ? at(source_[lane]) : csv_field{};
      if (f.text.empty()) continue;
      const auto from = parse_u64(f.text);
      if (!from || *from % p.op.op.width_bytes != 0)
        return csv_.error(f, formatted("'{}' is not a valid source address. A source address must be a multiple of {}",
                                       f.text, p.op.op.width_bytes));
      p.from.address[lane] = static_cast<u32>(*from);
    }
  }
  return std::optional{p};
}

std::optional<std::string_view> pattern_table::field(std::string_view column) const {
  for (std::size_t i = 0; i < columns_.size() && i < row_.size(); ++i)
    if (columns_[i] == column) return row_[i].text;
  return std::nullopt;
}

}  // namespace bankwise
