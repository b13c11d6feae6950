#include "support/predicted_factors.hpp"

#include <map>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "support/files.hpp"

namespace bankwise::test {

namespace {

struct compared_cycles {
  double measured = 0, predicted = 0;
};

std::map<std::string, compared_cycles> read_cycles() {
  std::map<std::string, compared_cycles> all;
  const std::string path = source_path("data/sm_90/predicted_times.csv"), text = read_text(path);
  csv_reader reader(text, path);
  if (!reader.next()) return all;  // the header
  for (auto row = reader.next(); row && *row; row = reader.next())
    if ((**row)[0].text.starts_with("fixes/"))
      all.try_emplace(std::string((**row)[3].text), compared_cycles{std::stod(std::string((**row)[7].text)),
                                                                    std::stod(std::string((**row)[8].text))});
  return all;
}

}  // namespace

std::string predicted_factors(const std::string& kernel, const std::string& before) {
  static const std::map<std::string, compared_cycles> cycles = read_cycles();
  const auto was = cycles.find(before), is = cycles.find(kernel);
  if (kernel == before || was == cycles.end() || is == cycles.end()) return " | ";
  return fixed(was->second.measured / is->second.measured, 2) + "x | " +
         fixed(was->second.predicted / is->second.predicted, 2) + "x";
}

}  // namespace bankwise::test
