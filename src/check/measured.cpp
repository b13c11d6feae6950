#include "check/measured.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_set>

#include "base/csv.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace bankwise::check {

namespace {

constexpr std::size_t most_rows = std::size_t{1} << 22;
constexpr std::size_t most_columns = 20'000;
// Limit of the number of earlier launches of the same kernel with which a launch is compared.
constexpr std::size_t most_compared = 64;
constexpr std::uint64_t most_counted = std::uint64_t{1} << 56;

enum column {
  kernel,
  grid,
  block,
  launch,
  pc,
  sass,
  place,
  line_number,
  executed,
  lanes,
  wavefronts,
  ideal,
  sectors,
  sectors_ideal,
  tag_requests,
  space,
  columns
};

// The names of a column: in our tables, on ncu's source page, and as a metric of ncu.
struct column_name {
  column what;
  std::string_view name;
};
constexpr column_name column_names[] = {
    {kernel, "kernel"},
    {kernel, "Kernel Name"},
    {grid, "grid"},
    {grid, "Grid Size"},
    {block, "block"},
    {block, "Block Size"},
    {launch, "launch"},
    {launch, "ID"},
    {pc, "pc"},
    {pc, "Address"},
    {sass, "sass"},
    {place, "source"},
    {line_number, "Line No"},
    {executed, "executed"},
    {executed, "Instructions Executed"},
    {executed, "inst_executed"},
    {lanes, "lanes"},
    {lanes, "Thread Instructions Executed"},
    {lanes, "thread_inst_executed"},
    {wavefronts, "wavefronts"},
    {wavefronts, "L1 Wavefronts Shared"},
    {wavefronts, "memory_l1_wavefronts_shared"},
    {ideal, "ideal"},
    {ideal, "L1 Wavefronts Shared Ideal"},
    {ideal, "memory_l1_wavefronts_shared_ideal"},
    {sectors, "sectors"},
    {sectors, "L2 Theoretical Sectors Global"},
    {sectors, "memory_l2_theoretical_sectors_global"},
    {sectors_ideal, "sectors_ideal"},
    {sectors_ideal, "L2 Theoretical Sectors Global Ideal"},
    {sectors_ideal, "memory_l2_theoretical_sectors_global_ideal"},
    {tag_requests, "tag_requests"},
    {tag_requests, "L1 Tag Requests Global"},
    {tag_requests, "memory_l1_tag_requests_global"},
    {space, "space"},
};

// Whether a metric is a launch's counter about shared memory. The metric must be a sum. It must not be computed from
// other metrics.
bool is_shared_metric(std::string_view name) {
  if (name == elapsed_cycles_metric) return true;
  if (name.find('.') != std::string_view::npos && name.substr(name.find('.')) != ".sum") return false;
  return name.find("mem_shared") != std::string_view::npos || name.starts_with("memory_l1_wavefronts_shared") ||
         name.starts_with("smsp__inst_executed_op_shared") || name.starts_with("smsp__sass_inst_executed_op_shared") ||
         name.find("wavefronts_shared") != std::string_view::npos;
}

// Whether a metric is a launch's counter about global memory.
bool is_global_metric(std::string_view name) {
  if (name.find('.') != std::string_view::npos && name.substr(name.find('.')) != ".sum") return false;
  for (const std::string_view known :
       {"memory_l2_theoretical_sectors_global", "derived__memory_l2_theoretical_sectors_global",
        "memory_l1_tag_requests_global", "l1tex__t_sectors_pipe_lsu_mem_global_op",
        "l1tex__t_requests_pipe_lsu_mem_global_op", "l1tex__t_requests_pipe_tex", "l1tex__t_sectors_pipe_tex",
        "l1tex__t_set_accesses_pipe_tex"})
    if (name.starts_with(known)) return true;
  return false;
}
bool is_known_metric(std::string_view name) { return is_shared_metric(name) || is_global_metric(name); }

// Reads a count: "1,234", "1234.00", "1.234.567", "12 {3}". Returns nothing if the text is not a count.
std::optional<std::uint64_t> number_in(std::string_view text) {
  text = trim(text);
  if (const std::size_t after = text.find_first_of(" {(;"); after != std::string_view::npos && after != 0)
    text = text.substr(0, after);
  std::string digits;
  for (const char c : text)
    if (c != ',') digits += c;
  const std::size_t dot = digits.find('.');
  if (dot != std::string::npos) {
    const std::string rest = digits.substr(dot + 1);
    const bool zeros = rest.find_first_not_of('0') == std::string::npos && rest.size() != 3;
    // Three digits must follow each point in a number whose digits are grouped by points.
    if (zeros)
      digits.resize(dot);
    else
      for (const std::string_view group : split(rest, '.'))
        if (group.size() != 3) return std::nullopt;
    digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
  }
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const auto value = parse_u64(digits);
  return value && *value <= most_counted ? value : std::nullopt;
}
bool is_nothing(std::string_view text) {
  text = trim(text);
  return text.empty() || text == "-" || text == "n/a" || text == "N/A";
}

// Reads a size: "(8, 8, 1)" or "8x8x1".
std::optional<std::array<std::uint32_t, 3>> size_of(std::string_view text) {
  std::array<std::uint32_t, 3> size{1, 1, 1};
  std::size_t n = 0;
  std::string digits;
  for (const char c : formatted("{} ", text)) {
    if (c >= '0' && c <= '9') {
      digits += c;
      continue;
    }
    if (digits.empty()) continue;
    const auto value = parse_u64(digits);
    if (n == 3 || !value || *value > 0xffffffff) return std::nullopt;
    size[n++] = static_cast<std::uint32_t>(*value);
    digits.clear();
  }
  return n == 0 ? std::nullopt : std::optional(size);
}

std::string file_of(std::string_view path) { return std::string(path.substr(path.find_last_of("/\\") + 1)); }

std::string name_of_cell(std::string_view s) { return printable(s.substr(0, 2000)); }

class measured_reader {
 public:
  measured_reader(std::string_view text, const std::string& name) : csv_(text, name), name_(name) {}

  result<std::vector<measured_launch>> read() {
    for (std::size_t rows = 0;; ++rows) {
      const auto row = csv_.next();
      if (!row) return row.error();
      if (!*row) break;
      if (rows == most_rows) return csv_.error(formatted("the file has more than {} rows", grouped(most_rows)));
      if ((*row)->size() > most_columns)
        return csv_.error(
            formatted("the file has more than {} "
                      "columns",
                      grouped(most_columns)));
      if (auto wrong = take(**row)) return *wrong;
    }
    resolve_addresses();
    fold_launches();
    if (launches_.empty())
      return diagnostic{"this file has no counts of shared or global memory from Nsight Compute",
                        {.file = name_},
                        seen_.empty() ? "ncu --page source --csv and ncu --page raw --csv print these counts"
                                      : formatted("the file needs one of these sets of columns: {}. The columns of its "
                                                  "last table are {}",
                                                  needed(), seen_)};
    return std::move(launches_);
  }

 private:
  static std::string needed() {
    return "with --page source, \"L1 Wavefronts Shared\" or \"L2 Theoretical Sectors Global\", and \"Address\" or "
           "\"Line No\"; with --page raw, \"Kernel Name\" and counters of shared or global memory";
  }

  bool has(column c) const { return at_[c] != none; }
  static std::string_view field(const std::vector<csv_field>& row, std::size_t i) {
    return i < row.size() ? row[i].text : std::string_view();
  }
  std::string_view field(const std::vector<csv_field>& row, column c) const {
    return has(c) ? field(row, at_[c]) : std::string_view();
  }

  std::optional<diagnostic> take(const std::vector<csv_field>& row) {
    const std::string_view first = row[0].text;
    if (first.starts_with("==")) return std::nullopt;  // the line is a message of ncu
    if (row.size() >= 2 && first == "File Path") {
      file_ = file_of(row[1].text);
      header_ = false;
      return std::nullopt;
    }
    const bool is_pair = row.size() == 2 || (row.size() == 3 && row[2].text.empty());
    if (is_pair && (first == "Kernel Name" || first == "Function Name")) {
      function_ = name_of_cell(row[1].text);
      header_ = false;
      return std::nullopt;
    }
    if (is_header(row)) {
      read_header(row);
      return std::nullopt;
    }
    return header_ ? read_row(row) : std::nullopt;
  }

  // Whether the row contains at least two of our columns, and one of them is neither "block" nor "sectors". These two
  // words are not enough, because the row of units below a header can contain them.
  static bool is_header(const std::vector<csv_field>& row) {
    std::array<bool, columns> known{};
    for (const csv_field& f : row)
      for (const column_name& n : column_names) known[n.what] = known[n.what] || f.text == n.name;
    const auto names = std::count(known.begin(), known.end(), true);
    return names >= 2 && names > known[block] + known[sectors];
  }

  void read_header(const std::vector<csv_field>& row) {
    end_table();
    at_.fill(none);
    metrics_.clear();
    number_ = metric_name_ = metric_value_ = none;
    std::string names;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string_view name = row[i].text;
      if (i < 40) names += (i == 0 ? "" : ", ") + printable(name.substr(0, 60));
      if (name == "#") number_ = i;
      if (name == "Metric Name") metric_name_ = i;
      if (name == "Metric Value") metric_value_ = i;
      for (const column_name& n : column_names)
        if (name == n.name && !has(n.what)) at_[n.what] = i;
      if (is_known_metric(name)) metrics_.push_back({std::string(name), i});
    }
    // If there is a column of addresses, there are several columns with the name "Source". The last of these columns
    // before the counts contains the machine code.
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i].text == "Source" && has(pc)) at_[sass] = i;
    seen_ = names + (row.size() > 40 ? ", ..." : "");
    const bool sites = (has(wavefronts) || has(sectors)) && (has(pc) || has(line_number) || number_ != none);
    const bool totals = has(kernel) && (!metrics_.empty() || (metric_name_ != none && metric_value_ != none));
    header_ = sites || totals;
    by_site_ = sites;
  }

  // Reads a count. The result is 0 if ncu shows no count.
  std::optional<diagnostic> read_count(const std::vector<csv_field>& row, column c, std::optional<std::uint64_t>& to) {
    if (!has(c)) return std::nullopt;
    const std::string_view text = field(row, c);
    to = is_nothing(text) ? 0 : number_in(text);
    if (to) return std::nullopt;
    return csv_.error(row[std::min(at_[c], row.size() - 1)],
                      formatted("'{}' is not a count", printable(text.substr(0, 40))));
  }

  measured_launch& launch_for(const std::vector<csv_field>& row) {
    const std::string name = has(kernel) ? name_of_cell(field(row, kernel)) : function_;
    const std::string id = formatted("{}\n{}\n{}", name, field(row, launch), field(row, grid));
    // On the source page, each table is a launch. An exception: if a function has several files, the tables for these
    // files are one launch.
    if (!open_ || open_id_ != id) {
      const bool same_function = !has(kernel) && !launches_.empty() && launches_.back().kernel == name &&
                                 !file_.empty() && !files_.empty() &&
                                 std::find(files_.begin(), files_.end(), file_) == files_.end();
      if (!same_function) {
        launches_.push_back({name, size_of(field(row, grid)), size_of(field(row, block)), {}, {}, csv_.line()});
        files_.clear();
      }
      files_.push_back(file_);
      open_id_ = id;
      open_ = true;
    }
    return launches_.back();
  }

  std::optional<diagnostic> read_row(const std::vector<csv_field>& row) {
    if (!by_site_) return read_totals(row);
    measured_row r;
    // Only our own tables have the column `space`.
    if (const auto of = field(row, space); of == "local" || of == "texture" || of == "surface") return std::nullopt;
    std::optional<std::uint64_t> counted, counted_sectors;
    for (const auto& [c, to] : {std::pair{executed, &r.executed},
                                {lanes, &r.lanes},
                                {wavefronts, &counted},
                                {ideal, &r.ideal},
                                {sectors, &counted_sectors},
                                {sectors_ideal, &r.sectors_ideal},
                                {tag_requests, &r.tag_requests}})
      if (auto wrong = read_count(row, c, *to)) return wrong;
    r.wavefronts = counted.value_or(0);
    r.sectors = counted_sectors.value_or(0);
    r.file = file_;
    if (const std::string_view source = field(row, place); !source.empty()) {
      const std::size_t colon = source.rfind(':');
      r.file = file_of(source.substr(0, colon));
      if (colon != std::string_view::npos) line_ = parse_u64(source.substr(colon + 1)).value_or(0);
    }
    if (const auto n = parse_u64(field(row, line_number)); n && *n <= 0xffffffff) line_ = *n;
    r.line = static_cast<std::uint32_t>(std::min<std::uint64_t>(line_, 0xffffffff));
    const std::string_view offset = field(row, pc);
    if (offset == "...") return std::nullopt;  // a gap between the instructions of a line
    measured_launch& l = launch_for(row);
    l.counts_wavefronts |= has(wavefronts);
    l.counts_sectors |= has(sectors);
    if (has(pc) && !is_nothing(offset)) {
      r.sass = name_of_cell(field(row, sass));
      // In our own tables, offsets are relative to the kernel's beginning. They stay unchanged, because the first
      // instruction of the kernel may be missing.
      if (!has(kernel))
        addresses_.push_back({launches_.size() - 1, l.rows.size(), std::string(offset)});
      else if (r.pc = parse_u64(offset); !r.pc)
        return csv_.error(row[at_[pc]], "expected the offset of an instruction in the kernel, such as 0x220");
    } else if (!has(pc) && !has(line_number)) {
      const auto n = number_in(field(row, number_));
      if (!n) return std::nullopt;
      addresses_.push_back({launches_.size() - 1, l.rows.size(), formatted("0x{}", hex(*n * 16))});
    } else if (!has(line_number)) {
      return std::nullopt;
    }
    l.rows.push_back(std::move(r));
    return std::nullopt;
  }

  std::optional<diagnostic> read_totals(const std::vector<csv_field>& row) {
    if (is_nothing(field(row, kernel))) return std::nullopt;  // the row contains units
    measured_launch& l = launch_for(row);
    const auto take_metric = [&](std::string_view metric, std::string_view value) {
      if (const auto n = number_in(value); n && is_known_metric(metric))
        l.metrics[printable(metric.substr(0, 200))] = *n;
    };
    for (const auto& [metric, i] : metrics_) take_metric(metric, field(row, i));
    if (metric_name_ != none && metric_value_ != none) take_metric(field(row, metric_name_), field(row, metric_value_));
    return std::nullopt;
  }

  void end_table() {
    open_ = false;
    line_ = 0;
  }

  // Converts addresses to offsets in the kernel. Removes the rows of source lines if the table contains instructions.
  void resolve_addresses() {
    for (std::size_t first = 0, last = 0; first < addresses_.size(); first = last) {
      measured_launch& l = launches_[addresses_[first].launch];
      while (last < addresses_.size() && addresses_[last].launch == addresses_[first].launch) ++last;
      const std::span<const address> list(&addresses_[first], last - first);
      bool as_hex = std::any_of(list.begin(), list.end(), [](const address& a) {
        return a.text.find_first_of("xabcdefABCDEF") != std::string::npos;
      });
      const auto value = [&](const address& a) {
        return parse_u64(as_hex && !a.text.starts_with("0x") ? formatted("0x{}", a.text) : a.text);
      };
      // Determines whether numbers are decimal, or hexadecimal without a prefix. The distance of instructions is 16
      // bytes.
      if (!as_hex && list.size() > 1) {
        const auto one = value(list[0]), two = value(list[1]);
        as_hex = !one || !two || *two - *one != 16;
      }
      std::uint64_t base = ~std::uint64_t{0};
      for (const address& a : list) base = std::min(base, value(a).value_or(base));
      for (const address& a : list)
        if (const auto v = value(a)) l.rows[a.row].pc = *v - base;
    }
    for (measured_launch& l : launches_) {
      if (std::none_of(l.rows.begin(), l.rows.end(), [](const measured_row& r) { return r.pc.has_value(); })) continue;
      // The page lists an instruction below every line to which it belongs, so an instruction may occur several times.
      std::unordered_set<std::uint64_t> seen;
      std::erase_if(l.rows, [&](const measured_row& r) { return !r.pc || !seen.insert(*r.pc).second; });
    }
  }

  // Removes launches without rows. Also removes launches that equal an earlier launch of their kernel.
  void fold_launches() {
    std::vector<measured_launch> all;
    std::map<std::string, std::vector<std::size_t>> by_kernel;
    for (measured_launch& l : launches_) {
      if (l.rows.empty() && l.metrics.empty()) continue;
      std::vector<std::size_t>& others = by_kernel[l.kernel];
      const bool known = std::any_of(others.begin(), others.end(), [&](std::size_t i) {
        return all[i].grid == l.grid && all[i].block == l.block && all[i].rows == l.rows && all[i].metrics == l.metrics;
      });
      if (known) continue;
      if (others.size() < most_compared) others.push_back(all.size());
      all.push_back(std::move(l));
    }
    launches_ = std::move(all);
  }

  static constexpr std::size_t none = ~std::size_t{0};

  csv_reader csv_;
  const std::string& name_;
  std::vector<measured_launch> launches_;
  // The state while a table is read.
  bool header_ = false, by_site_ = false, open_ = false;
  std::array<std::size_t, columns> at_{};
  std::size_t number_ = none, metric_name_ = none, metric_value_ = none;
  std::vector<std::pair<std::string, std::size_t>> metrics_;
  std::string function_, file_, seen_, open_id_;
  std::vector<std::string> files_;
  std::uint64_t line_ = 0;
  struct address {
    std::size_t launch, row;
    std::string text;
  };
  std::vector<address> addresses_;
};

}  // namespace

result<std::vector<measured_launch>> read_measured(std::string_view text, const std::string& name) {
  return measured_reader(text, name).read();
}

std::string bare_name(std::string_view kernel) {
  const std::string_view whole = kernel;
  // Searches outside of template arguments and parameters.
  for (const std::string_view unnamed : {"(anonymous namespace)::", "<unnamed>::"})
    if (const std::size_t at = kernel.find(unnamed); at != std::string_view::npos && kernel.find('(') >= at)
      kernel = kernel.substr(at + unnamed.size());
  // The name is the last word before the template arguments or the parameters.
  std::size_t end = kernel.find_first_of("<(");
  if (end == 0) end = std::string_view::npos;
  kernel = trim(kernel.substr(0, end));
  kernel = kernel.substr(kernel.find_last_of(" :") + 1);
  return std::string(kernel.empty() ? whole : kernel);
}

}  // namespace bankwise::check
