#include "timing/parameter_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "base/csv.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace bankwise::timing {

namespace {

constexpr std::string_view header = "parameter,value,unit,evidence,source";
constexpr const char* expected = "pass a CSV file of parameters that bankwise probe wrote";
constexpr std::size_t most_parameter_bytes = std::size_t{1} << 20, most_source = 400;

// The parameters that may be 0. All other parameters are divisors or sizes.
constexpr std::string_view may_be_zero[] = {"warm_caches",     "oldest_first",      "warp_gap",      "refill_delay",
                                            "branch_redirect", "yield_latency",     "code_cold_gap", "l2_request",
                                            "dram_queue",      "launch_cycles",     "block_gap",     "code_cold_turn",
                                            "send_part",       "access_clocks",     "word_clocks",   "dram_mixed",
                                            "load_saved",      "dram_queue_linear", "bulk_shared"};
// The limits of parameters. Parameters that are sizes of lists have their own limit, because memory is allocated for
// the lists.
constexpr double most_of_list = 1 << 20, most_of_all = 1e12, least_of_all = 1e-3;
constexpr std::string_view lists[] = {"multiprocessors", "code_lines_l0", "code_lines_l1", "memory_queue",
                                      "update_slices"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string number_text(double value) {
  char buffer[32];
  const auto [end, wrong] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6);
  return std::string(buffer, wrong == std::errc() ? end : buffer);
}

// Writes large numbers with all digits, because 4e+07 is hard to read.
std::string value_text(double value) {
  return std::abs(value) >= 1e5 && std::abs(value) < 1e15 ? std::to_string(std::llround(value)) : number_text(value);
}

}  // namespace

std::optional<std::string> refused(const parameter_row& r, double value) {
  if (is_one_of(r.name, lists) && !(value >= 1 && value <= most_of_list))
    return formatted("{} must be from 1 to {}", r.name, grouped(static_cast<std::uint64_t>(most_of_list)));
  const double least = is_one_of(r.name, may_be_zero) ? 0 : least_of_all;
  if (!(value >= least && value <= most_of_all))
    return formatted("{} must be {} and at most 1e12", r.name, least == 0 ? "0 or more" : "at least 0.001");
  return std::nullopt;
}

const parameter_row* find_parameter(std::string_view name) {
  const auto rows = parameter_rows();
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const parameter_row& r) { return r.name == name; });
  return at == rows.end() ? nullptr : &*at;
}

std::string_view name_of(parameter_evidence e) {
  switch (e) {
    case parameter_evidence::measured: return "measured";
    case parameter_evidence::published: return "published";
    case parameter_evidence::assumed: break;
  }
  return "assumed";
}

gpu_parameters parameter_file::parameters() const {
  gpu_parameters p;
  for (const file_parameter& r : rows) p.*r.row->value = r.value;
  return p;
}

std::string to_csv(const parameter_file& f) {
  std::string text = formatted("{}\n", header);
  text += formatted("gpu,{},,,\nsm,{},,,\n", csv_text(f.gpu), f.sm);
  text +=
      formatted("running_clock,{},GHz,measured,the GPU's clock during the measurement\n", value_text(f.running_clock));
  if (f.driver != 0) text += formatted("driver,{},,,\n", f.driver);
  if (!f.version.empty()) text += formatted("bankwise,{},,,\n", csv_text(f.version));
  for (const file_parameter& r : f.rows)
    text += formatted("{},{},{},{},{}\n", r.row->name, value_text(r.value), csv_quote(r.row->unit), name_of(r.evidence),
                      csv_text(r.source));
  return text;
}

namespace {

// Reads the header. Returns an error if the header is invalid.
result<done> read_header(const csv_reader& csv, const std::vector<csv_field>& fields) {
  std::string names;
  for (const csv_field& one : fields) names += (names.empty() ? "" : ",") + std::string(one.text);
  if (names != header) return csv.error("the file does not contain the parameters of a GPU", expected);
  return done{};
}

// Whether a row describes the GPU. If not, the row is a parameter of the model.
bool is_of_gpu(std::string_view name) {
  return name == "gpu" || name == "sm" || name == "running_clock" || name == "driver" || name == "bankwise";
}

result<double> read_value(const csv_reader& csv, const csv_field& field) {
  const auto value = number_in(field.text);
  if (!value) return csv.error(field, "not a number", "expected a number such as 264.5");
  return *value;
}

result<done> read_gpu_row(const csv_reader& csv, const std::vector<csv_field>& fields, parameter_file& to) {
  const std::string_view name = fields[0].text;
  if (name == "gpu") {
    constexpr std::size_t most_of_name = 200;
    if (fields[1].text.size() > most_of_name || !is_printable(fields[1].text))
      return csv.error(fields[1], "not the name of a GPU",
                       formatted("a name has at most {} bytes and no control characters", most_of_name));
    to.gpu = fields[1].text;
    return done{};
  }
  if (name == "bankwise") {
    // Not the four numbers of an address, which nobody wants to send.
    constexpr std::size_t most_of_version = 11;
    if (fields[1].text.size() > most_of_version ||
        fields[1].text.find_first_not_of("0123456789.") != std::string_view::npos ||
        std::count(fields[1].text.begin(), fields[1].text.end(), '.') != 2)
      return csv.error(fields[1], "not a version of bankwise", "expected a version such as 0.1.0");
    to.version = fields[1].text;
    return done{};
  }
  const auto value = read_value(csv, fields[1]);
  if (!value) return value.error();
  if (name == "driver") {
    if (!(*value >= 0 && *value <= 99999) || *value != std::floor(*value))
      return csv.error(fields[1], "driver must be a whole number from 0 to 99999");
    to.driver = static_cast<unsigned>(*value);
    return done{};
  }
  if (!(*value >= 0 && *value <= 999)) return csv.error(fields[1], formatted("{} must be from 0 to 999", name));
  if (name == "sm")
    to.sm = static_cast<std::uint32_t>(*value);
  else
    to.running_clock = *value;
  return done{};
}

std::optional<parameter_evidence> evidence_of(std::string_view text) {
  for (const auto e : {parameter_evidence::measured, parameter_evidence::published, parameter_evidence::assumed})
    if (text == name_of(e)) return e;
  return std::nullopt;
}

result<file_parameter> read_parameter(const csv_reader& csv, const std::vector<csv_field>& fields) {
  file_parameter p;
  p.row = find_parameter(fields[0].text);
  if (p.row == nullptr) {
    std::vector<std::string> known;
    for (const parameter_row& r : parameter_rows()) known.emplace_back(r.name);
    const std::vector<std::string> near = nearest(fields[0].text, known, 1);
    return csv.error(fields[0], "unknown parameter", near.empty() ? expected : formatted("did you mean {}?", near[0]));
  }
  const auto value = read_value(csv, fields[1]);
  if (!value) return value.error();
  if (const auto wrong = refused(*p.row, *value)) return csv.error(fields[1], *wrong);
  p.value = *value;
  const auto evidence = evidence_of(fields[3].text);
  if (!evidence)
    return csv.error(fields[3], "the evidence of this parameter is not valid",
                     "write 'measured', 'published' or 'assumed'");
  p.evidence = *evidence;
  p.source = fields[4].text.substr(0, most_source);
  return p;
}

}  // namespace

result<parameter_file> read_parameter_file(const std::string& text, const std::string& file) {
  if (text.size() > most_parameter_bytes)
    return diagnostic{"the file is too large for the parameters of a GPU", {.file = file}, expected};
  csv_reader csv(text, file);
  parameter_file f;
  for (bool first = true;; first = false) {
    const auto line = csv.next();
    if (!line) return line.error();
    if (!*line) break;
    const std::vector<csv_field>& fields = **line;
    if (first) {
      if (const auto ok = read_header(csv, fields); !ok) return ok.error();
      continue;
    }
    if (fields.size() != 5)
      return csv.error(formatted("the line has {} columns instead of 5", fields.size()), expected);
    if (is_of_gpu(fields[0].text)) {
      if (const auto ok = read_gpu_row(csv, fields, f); !ok) return ok.error();
      continue;
    }
    auto p = read_parameter(csv, fields);
    if (!p) return p.error();
    if (std::any_of(f.rows.begin(), f.rows.end(), [&](const file_parameter& other) { return other.row == p->row; }))
      return csv.error(fields[0], "this parameter is in the file twice");
    f.rows.push_back(std::move(*p));
  }
  if (f.rows.empty() || f.gpu.empty())
    return diagnostic{"the file has no parameters of a GPU", {.file = file}, expected};
  return f;
}

}  // namespace bankwise::timing
