#include "experiments/bench.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/kernel.h"
#include "alder/theory.h"

#include "base/threads.h"
#include "experiments/digits.h"

namespace alder {
namespace {

constexpr std::size_t kNoGroup = ~std::size_t{0};

// The first eigenvalues one by one, later ones ever further apart.
std::vector<std::size_t> spectrum_indices(std::size_t count) {
  std::vector<std::size_t> indices;
  for (std::size_t index = 1; index <= count; index = std::max(index + 1, index * 21 / 20)) indices.push_back(index);
  return indices;
}

Json spectrum_of(const Dataset& data, std::uint64_t seed, double sigma, std::uint64_t rows) {
  std::vector<std::size_t> order = permutation(data.size(), seed);
  order.resize(std::min<std::size_t>(order.size(), rows));
  const std::vector<double> eigenvalues = kernel_spectrum(Dataset::read(*stream(data, order)), Kernel::gaussian(sigma));
  Json json;
  json["rows"] = eigenvalues.size();
  json["index"] = spectrum_indices(eigenvalues.size());
  for (const std::size_t index : spectrum_indices(eigenvalues.size())) {
    json["eigenvalue"].push_back(with_digits(eigenvalues[index - 1], 4));
  }
  return json;
}

// What follows when the best settings of a group are known.
std::size_t final_jobs(const Group& group) {
  return group.permutations - group.tune + (group.curve ? 1 : 0);
}

// A measure of a data set that is not read yet: the bytes of a file, or what they would be.
double size_of(const DataSpec& data, const std::string& path) {
  constexpr double kBytesPerRow = 20.0;
  return data.file.empty() ? kBytesPerRow * static_cast<double>(data.rows)
                           : static_cast<double>(std::filesystem::file_size(path));
}

}  // namespace

Bench::Bench(Suite suite, std::string folder, Results& results)
    : suite_(std::move(suite)), folder_(std::move(folder)), results_(results) {
  for (const DataSpec& data : suite_.data) {
    const auto path = data.file.empty() ? std::optional<std::string>("") : find_file(data, folder_);
    is_there_.push_back(path.has_value());
    paths_.push_back(path.value_or(""));
    sizes_.push_back(path ? size_of(data, *path) : 0.0);
    loaded_.push_back(std::make_unique<Loaded>());
  }
}

bool Bench::run(unsigned threads, const Stop& stop, const std::function<void(const BenchStatus&)>& watch) {
  {
    const std::lock_guard lock(mutex_);
    begin();
    const std::size_t useful = std::max<std::size_t>(1, waiting_.size() + later_);
    threads_ = static_cast<unsigned>(std::clamp<std::size_t>(threads, 1, useful));
  }
  Threads workers(threads_, [this, &stop] { work(stop); });
  {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return error_ || (queue_.empty() && busy_ == 0); };
    while (!stop() && !changed_.wait_for(lock, std::chrono::milliseconds(200), is_over)) {
      const BenchStatus now = status();
      lock.unlock();
      watch(now);
      lock.lock();
    }
  }
  workers.join();
  if (error_) std::rethrow_exception(error_);
  if (stop()) return false;
  collect();
  return true;
}

void Bench::begin() {
  for (Group& group : groups_of(suite_)) {
    if (is_there_[group.data]) groups_.push_back({.group = std::move(group)});
  }
  for (const GroupState& state : groups_) later_ += final_jobs(state.group);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group group = groups_[g].group;
    groups_[g].mistakes.assign(group.candidates.size(), 0);
    groups_[g].open = group.candidates.size() * group.tune;
    for (const Json& settings : group.candidates) {
      for (std::uint64_t p = 0; p < group.tune; ++p) submit(g, run_line("run", group, settings, suite_.seed + p));
    }
  }
  for (std::size_t d = 0; d < suite_.data.size(); ++d) {
    for (const double sigma : suite_.spectrum.sigmas) {
      if (!is_there_[d]) continue;
      submit(kNoGroup, {{"kind", "spectrum"}, {"data", suite_.data[d].name}, {"sigma", sigma}, {"seed", suite_.seed}});
    }
  }
}

Json Bench::run_line(const char* kind, const Group& group, const Json& settings, std::uint64_t seed) const {
  return {{"kind", kind},
          {"data", suite_.data[group.data].name},
          {"learner", group.learner},
          {"settings", settings},
          {"seed", seed}};
}

// A line that several groups want is made once.
void Bench::submit(std::size_t group, Json line) {
  const std::string key = key_of(line);
  if (const auto known = results_.find(key)) {
    ++done_;
    finished(group, *known);
    return;
  }
  const auto [place, is_new] = waiting_.try_emplace(key);
  place->second.push_back(group);
  if (!is_new) return;
  const auto named = [&line](const DataSpec& data) { return data.name == line["data"]; };
  const auto data = std::find_if(suite_.data.begin(), suite_.data.end(), named) - suite_.data.begin();
  queue_.push_back({std::move(line), static_cast<std::size_t>(data)});
  changed_.notify_one();
}

// A whole number of a line, which may have been read from a file that was edited.
std::uint64_t Bench::count_of(const Json& line, const char* name) const {
  if (!line.contains(name) || !line[name].is_number_unsigned()) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: a line of kind {} has no {}; expected the results of a bench, or no such file",
                            results_.path(), line.value("kind", Json()).dump(), name));
  }
  return line[name].get<std::uint64_t>();
}

void Bench::finished(std::size_t group, const Json& line) {
  if (group == kNoGroup) return;
  GroupState& state = groups_[group];
  if (line.contains("seconds")) {
    costs_.note(suite_.data[state.group.data].name, state.group.learner, sizes_[state.group.data],
                line["seconds"].is_number() ? line["seconds"].get<double>() : 0.0);
  }
  if (!state.is_final) {
    const auto& candidates = state.group.candidates;
    const auto found = std::find(candidates.begin(), candidates.end(), line["settings"]);
    state.mistakes[static_cast<std::size_t>(found - candidates.begin())] += count_of(line, "mistakes");
    state.rounds = std::max<std::uint64_t>(1, count_of(line, "rounds"));
  }
  if (--state.open > 0) return;
  if (state.is_final) return;
  choose(group);
  start_final(group);
}

// The fewest mistakes in all; the first of those on a tie.
void Bench::choose(std::size_t group) {
  GroupState& state = groups_[group];
  const auto least = std::min_element(state.mistakes.begin(), state.mistakes.end());
  state.winner = static_cast<std::size_t>(least - state.mistakes.begin());
  latest_ = state.group.data;
  const double rate = static_cast<double>(*least) / static_cast<double>(state.group.tune * state.rounds);
  const auto [place, is_new] = best_so_far_.try_emplace(latest_, rate, state.group.learner);
  if (!is_new && rate < place->second.first) place->second = {rate, state.group.learner};
}

void Bench::start_final(std::size_t g) {
  GroupState& state = groups_[g];
  state.is_final = true;
  const Group group = state.group;
  const Json settings = group.candidates[state.winner];
  state.open = final_jobs(group);
  later_ -= state.open;
  for (std::uint64_t p = group.tune; p < group.permutations; ++p) {
    submit(g, run_line("run", group, settings, suite_.seed + p));
  }
  if (group.curve) submit(g, run_line("curve", group, settings, suite_.seed));
}

BenchStatus Bench::status() const {
  BenchStatus status;
  status.done = done_;
  status.total = done_ + waiting_.size() + later_;
  const auto cost = [this](std::size_t data, const std::string& learner) {
    return costs_.expected(suite_.data[data].name, learner, sizes_[data]);
  };
  for (const Job& job : queue_) status.seconds_left += cost(job.data, job.line.value("learner", ""));
  for (const GroupState& state : groups_) {
    if (state.is_final) continue;
    status.seconds_left += static_cast<double>(final_jobs(state.group)) * cost(state.group.data, state.group.learner);
  }
  status.seconds_left /= threads_;
  const auto best = best_so_far_.find(latest_);
  if (best != best_so_far_.end()) {
    status.best =
        fmt::format("{}: {} {:.2f}%", suite_.data[latest_].name, best->second.second, 100.0 * best->second.first);
  }
  return status;
}

void Bench::work(const Stop& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait_for(lock, std::chrono::milliseconds(200), [this] { return !queue_.empty() || busy_ == 0 || error_; });
    if (stop() || error_ || (queue_.empty() && busy_ == 0)) break;
    if (queue_.empty()) continue;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    ++busy_;
    lock.unlock();
    bool done = false;
    std::exception_ptr error;
    try {
      const std::string key = key_of(job.line);
      const Dataset& data = rows_of(job.data);
      try {
        done = fulfil(job, data, stop);
      } catch (const Error& failure) {
        throw failure.with_message(fmt::format(
            "data set {}, {} {} (seed {}): {}", suite_.data[job.data].name, job.line.value("learner", "spectrum"),
            as_flags(job.line.value("settings", Json::object())), job.line["seed"].dump(), failure.what()));
      }
      if (done) results_.add(job.line);
      lock.lock();
      if (done) {
        ++done_;
        const std::vector<std::size_t> groups = std::move(waiting_.extract(key).mapped());
        for (const std::size_t group : groups) finished(group, job.line);
      }
    } catch (...) {
      error = std::current_exception();
      if (!lock.owns_lock()) lock.lock();
    }
    --busy_;
    if (error && !error_) error_ = error;
    changed_.notify_all();
  }
  changed_.notify_all();
}

// Does the work of a job and completes its line; false: it was stopped.
bool Bench::fulfil(Job& job, const Dataset& data, const Stop& stop) const {
  const auto seed = job.line["seed"].get<std::uint64_t>();
  const auto kind = job.line["kind"].get<std::string>();
  Json result;
  if (kind == "spectrum") {
    result = spectrum_of(data, seed, job.line["sigma"].get<double>(), suite_.spectrum.rows);
  } else {
    const bool probabilities = suite_.probabilities && kind == "run";
    Trial trial(data, permutation(data.size(), seed), job.line["learner"].get<std::string>(), job.line["settings"],
                seed, probabilities);
    if (kind == "curve") {
      result = curve_of(trial, data.size(), stop);
      if (result.is_null()) return false;
    } else {
      if (!trial.advance(data.size(), stop)) return false;
      result = outcome_of(trial);
      if (probabilities && seed == suite_.seed) result.update(matrices_of(trial));
    }
  }
  job.line.update(result);
  return true;
}

const Dataset& Bench::rows_of(std::size_t d) {
  Loaded& loaded = *loaded_[d];
  const std::lock_guard lock(loaded.mutex);
  if (loaded.is_there) return loaded.rows;
  const DataSpec& data = suite_.data[d];
  loaded.rows = load_data(data, paths_[d], suite_.seed);
  Json line = {{"kind", "data"}, {"data", data.name}};
  if (data.file.empty()) {
    line["generate"] = data.generate;
  } else {
    line["file"] = std::filesystem::path(paths_[d]).filename().string();
  }
  line["scale"] = data.scale;
  line["rows"] = loaded.rows.size();
  line["features"] = loaded.rows.features();
  line["checksum"] = checksum(loaded.rows);
  if (const auto earlier = results_.find(key_of(line))) {
    if (earlier->value("checksum", Json()) != line["checksum"]) {
      throw Error(Error::Kind::kFormat,
                  fmt::format("{}: data set {} has changed since; expected the same rows, or no such file",
                              results_.path(), data.name));
    }
  } else {
    results_.add(line);
  }
  loaded.is_there = true;
  return loaded.rows;
}

// Puts the results in order, and the best settings of every group together.
void Bench::collect() {
  std::vector<std::string> keys;
  std::set<std::string> added;
  const auto add = [this, &keys, &added](const Json& line) {
    const std::string key = key_of(line);
    if (results_.find(key) && added.insert(key).second) keys.push_back(key);
  };
  for (const DataSpec& data : suite_.data) add({{"kind", "data"}, {"data", data.name}});
  for (const GroupState& state : groups_) {
    const Group& group = state.group;
    for (const Json& settings : group.candidates) {
      for (std::uint64_t p = 0; p < group.permutations; ++p) add(run_line("run", group, settings, suite_.seed + p));
    }
    const Json& settings = group.candidates[state.winner];
    best_.push_back({suite_.data[group.data].name, group.learner, settings, {}});
    for (std::uint64_t p = 0; p < group.permutations; ++p) {
      best_.back().runs.push_back(*results_.find(key_of(run_line("run", group, settings, suite_.seed + p))));
    }
  }
  for (const GroupState& state : groups_) {
    if (state.group.curve) {
      add(run_line("curve", state.group, state.group.candidates[state.winner], suite_.seed));
    }
  }
  for (const DataSpec& data : suite_.data) {
    for (const double sigma : suite_.spectrum.sigmas) {
      add({{"kind", "spectrum"}, {"data", data.name}, {"sigma", sigma}, {"seed", suite_.seed}});
    }
  }
  results_.arrange(keys);
}

}  // namespace alder
