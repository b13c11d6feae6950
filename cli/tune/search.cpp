#include "cli/tune/search.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/progress_line.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/system/start_thread.hpp"
#include "base/text.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/tune/variant.hpp"
#include "cli/tune/variant_run.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;
using tune::outcome;
using tune::tuned_row;

namespace {

// Calls `work` for each index, several at a time, until a stop signal arrives.
void for_all(const std::vector<std::size_t>& indices, unsigned jobs, const char* what,
             const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::size_t ended = 0;
  progress_line progress(what);
  std::mutex of_progress;
  const auto loop = [&] {
    for (std::size_t i = next++; i < indices.size() && stop_signal().load() == 0; i = next++) {
      work(indices[i]);
      const std::lock_guard lock(of_progress);
      progress.update(++ended, indices.size());
    }
  };
  std::vector<std::jthread> others;
  for (unsigned n = 1; n < std::min<std::size_t>(jobs, indices.size()) && start_thread(others, loop); ++n) {
  }
  loop();
}

// The most blocks that a run executes at the same time.
#define SWITCH(...)
#define NUMBER(type, name, least, most, ...) [[maybe_unused]] constexpr type most_##name##_of_run = most;
#define SECONDS(...)
#define TEXT(...)
#include "model/run_options.def"

class tune_search {
 public:
  tune_search(const tune_request& r, const tune_cache& cache, std::string scratch)
      : r_(r), cache_(cache), scratch_(std::move(scratch)), made_(r.all.configurations.size()) {
    all_threads_ = std::clamp(std::thread::hardware_concurrency(), 1U, most_threads_of_run);
    threads_ = std::max(1U, all_threads_ / r.jobs);
  }

  tune::tuned run() {
    tune::tuned t{r_.subject, r_.all.names, {}, r_.key, "no", r_.all.configurations.size(), r_.part, {}};
    for (const asked_gpu& g : r_.gpus) t.gpus.push_back(g.title);
    std::vector<std::size_t> ours;
    for (std::size_t i = 0; i < made_.size(); ++i)
      if (r_.part.has(i)) ours.push_back(i);
    make_all(ours);
    rows_.resize(made_.size());
    const bool compares = compares_results();
    if (compares) {
      t.compared = r_.is_program ? "output" : "buffers";
      find_first();
    }
    std::erase_if(ours, [&](std::size_t i) { return rows_[i].has_value(); });
    for_all(ours, r_.jobs, "predicted", [&](std::size_t i) {
      rows_[i] = row_of(i, compares);
      if (i != first_) remove_files(i);
    });
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (r_.part.has(i) && rows_[i]) t.rows.push_back(std::move(*rows_[i]));
    return t;
  }

 private:
  // Whether there are results to compare: the output of a program, or buffers with out:.
  bool compares_results() const {
    if (!r_.compares || r_.is_program) return r_.compares;
    const auto list = argument_words(r_, r_.all.configurations[0]);
    return list && !result_places(*list).empty();
  }

  std::string folder_of(std::size_t index, const char* what) const {
    const std::string folder = formatted("{}/{}{}", scratch_, what, index);
    std::error_code ec;
    fs::create_directories(folder, ec);
    return folder;
  }

  // Removes the files of a configuration, because thousands of them need much space.
  void remove_files(std::size_t index) const {
    std::error_code ec;
    fs::remove_all(formatted("{}/run{}", scratch_, index), ec);
    if (cache_.is_on()) fs::remove_all(formatted("{}/made{}", scratch_, index), ec);
  }

  // Compiles once for configurations that differ only in their launch.
  void make_all(const std::vector<std::size_t>& ours) {
    std::map<std::vector<std::string>, std::size_t> first_with;
    std::vector<std::size_t> firsts;
    const auto flags_of = [&](std::size_t i) {
      const tune::configuration& c = r_.all.configurations[i];
      return !r_.build.empty() ? c.values : r_.is_compiled ? compiler_flags(r_, c) : std::vector<std::string>();
    };
    for (const std::size_t i : ours)
      if (first_with.try_emplace(flags_of(i), i).second) firsts.push_back(i);
    for_all(firsts, r_.jobs, "compiled", [&](std::size_t i) { make(i); });
    for (const std::size_t i : ours) made_[i] = made_[first_with.at(flags_of(i))];
    if (!r_.build.empty())
      for (std::size_t d = 0; d < r_.all.names.size(); ++d)
        if (stop_signal().load() == 0 && is_without_effect(ours, d))
          tell(
              formatted("the builds make the same program for all values of {}. A make that finds the program up to "
                        "date builds nothing: use make -B {}=${}",
                        r_.all.names[d], r_.all.names[d], r_.all.names[d]));
  }

  // Whether configurations that differ only in this dimension have the same program and the same arguments.
  bool is_without_effect(const std::vector<std::size_t>& ours, std::size_t dimension) const {
    if (std::find(r_.plain_names.begin(), r_.plain_names.end(), r_.all.names[dimension]) != r_.plain_names.end())
      return false;
    using key_and_words = std::pair<std::string, std::vector<std::string>>;
    std::map<std::vector<std::string>, key_and_words> seen;  // by the other values
    bool has_pair = false;
    for (const std::size_t i : ours) {
      if (!made_[i] || !made_[i]->reason.empty()) continue;
      const auto words = launch_words(r_, r_.all.configurations[i]);
      if (!words) continue;
      std::vector<std::string> others = r_.all.configurations[i].values;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(dimension));
      const key_and_words made{made_[i]->key, *words};
      const auto [at, is_new] = seen.try_emplace(std::move(others), made);
      if (is_new) continue;
      if (at->second != made) return false;
      has_pair = true;
    }
    return has_pair;
  }

  void make(std::size_t index) {
    if (!made_[index]) made_[index] = make_variant(r_, index, cache_, folder_of(index, "made"));
  }

  // Finds the first configuration that runs. The results of the others are compared with its results. It may belong to
  // another shard, so that all shards compare with the same one.
  void find_first() {
    for (std::size_t i = 0; i < made_.size() && stop_signal().load() == 0; ++i) {
      make(i);
      const std::string key = run_key(r_, i, *made_[i], r_.gpus[0]);
      std::optional<tuned_row> row = find_row(key);
      std::optional<variant_results> results;
      if (!row && made_[i]->reason.empty()) {
        // It runs alone, so it may use the cores of all jobs.
        variant_run run = run_variant(r_, i, *made_[i], r_.gpus[0], true, all_threads_, folder_of(i, "first"));
        row = keep(key, std::move(run.row));
        results = std::move(run.results);
      }
      rows_[i] = row_of(i, false, std::move(row));
      if (rows_[i]->is != outcome::ranked) continue;
      first_ = i;
      first_key_ = key;
      first_results_ = std::move(results);
      return;
    }
  }

  // Returns the results of the first configuration, or null if it fails now. They are computed when they are first
  // needed, because the cache may already know all comparisons.
  const variant_results* first_results() {
    const std::lock_guard lock(of_first_);
    if (!first_results_ && first_failure_.empty()) {
      variant_run run =
          run_variant(r_, *first_, *made_[*first_], r_.gpus[0], true, threads_, folder_of(*first_, "first"));
      if (run.row.is == outcome::ranked)
        first_results_ = std::move(run.results);
      else
        first_failure_ = formatted("its results cannot be compared, because the first configuration {} now: {}",
                                   tune::words_of(run.row.is), run.row.reason);
    }
    return first_results_ ? &*first_results_ : nullptr;
  }

  // The row of a configuration, from the cache or from a run for each GPU. `known` is the row for the first GPU.
  tuned_row row_of(std::size_t index, bool compares, std::optional<tuned_row> known = {}) {
    tuned_row row;
    row.index = index;
    row.what = r_.all.configurations[index];
    const variant& v = *made_[index];
    if (!v.reason.empty()) {
      row.is = outcome::not_compiled;
      row.reason = v.reason;
      return row;
    }
    for (std::size_t g = 0; g < r_.gpus.size(); ++g) {
      tuned_row one = g == 0 && known                ? std::move(*known)
                      : g == 0 && compares && first_ ? compared_row(index)
                                                     : plain_row(index, r_.gpus[g]);
      if (one.is != outcome::ranked) {
        one.index = index;
        one.what = row.what;
        one.times.clear();
        return one;
      }
      std::vector<tune::gpu_time> times = std::move(row.times);
      times.insert(times.end(), one.times.begin(), one.times.end());
      if (g == 0) row = std::move(one);
      row.index = index;
      row.what = r_.all.configurations[index];
      row.times = std::move(times);
    }
    return row;
  }

  tuned_row plain_row(std::size_t index, const asked_gpu& gpu) {
    const std::string key = run_key(r_, index, *made_[index], gpu);
    if (auto row = find_row(key)) return *row;
    return keep(key, run_variant(r_, index, *made_[index], gpu, false, threads_, folder_of(index, "run")).row);
  }

  // The row for the first GPU, whose results are compared.
  tuned_row compared_row(std::size_t index) {
    const std::string key = run_key(r_, index, *made_[index], r_.gpus[0]);
    // Nothing is kept without the keys of both runs.
    const std::string compared =
        key.empty() || first_key_.empty()
            ? ""
            : content_key({"compare", key, first_key_, r_.given.value("tolerance").value_or("usual")});
    auto known = find_row(key);
    if (known && (known->is != outcome::ranked || key == first_key_)) return *known;
    if (const auto difference = known && !compared.empty() ? cache_.find(compared) : std::nullopt)
      return judged(*known, *difference);
    variant_run run = run_variant(r_, index, *made_[index], r_.gpus[0], true, threads_, folder_of(index, "run"));
    tuned_row row = keep(key, run.row);
    if (row.is != outcome::ranked || stop_signal().load() != 0) return row;
    const variant_results* const first = first_results();
    if (first == nullptr) {
      row.is = outcome::not_run;
      row.reason = first_failure_;
      return row;
    }
    const std::string difference = compare_results(*first, run.results, r_.tolerance);
    if (!compared.empty() && stop_signal().load() == 0) cache_.keep(compared, difference);
    return judged(std::move(row), difference);
  }

  static tuned_row judged(tuned_row row, const std::string& difference) {
    if (difference.empty()) return row;
    row.is = outcome::other_results;
    row.reason = difference;
    return row;
  }

  std::optional<tuned_row> find_row(const std::string& key) const {
    const auto text = key.empty() ? std::nullopt : cache_.find(key);
    return text ? read_row(*text) : std::nullopt;
  }
  // Keeps a row in the cache. A run that failed may succeed later, for example with more memory.
  tuned_row keep(const std::string& key, tuned_row row) const {
    if (!key.empty() && row.is == outcome::ranked && stop_signal().load() == 0) cache_.keep(key, text_of_row(row));
    return row;
  }

  const tune_request& r_;
  const tune_cache& cache_;
  const std::string scratch_;
  unsigned all_threads_ = 1, threads_ = 1;  // of a run that runs alone, and of each of several
  std::vector<std::optional<variant>> made_;
  std::vector<std::optional<tuned_row>> rows_;
  std::optional<std::size_t> first_;
  std::string first_key_;
  std::mutex of_first_;
  std::optional<variant_results> first_results_;
  std::string first_failure_;  // why the first configuration, whose row is known, has no results
};

}  // namespace

result<tune::tuned> search(const tune_request& r, const tune_cache& cache) {
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  tune::tuned t = tune_search(r, cache, scratch.path()).run();
  if (const auto signal = stop_signal().load(); signal != 0)
    return diagnostic{formatted("stopped by {}", signal_name(static_cast<int>(signal))),
                      {},
                      cache.is_on() ? "what was compiled and predicted is kept: the same command continues"
                                    : "nothing was kept, because there is no cache"};
  return t;
}

}  // namespace bankwise::cli
