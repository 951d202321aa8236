#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "alder/dataset.h"

#include "experiments/settings.h"

namespace alder {

/// Where the rows of a data set come from, and what belongs to them.
struct DataSpec {
  std::string name;
  std::string file;        // empty: made up
  std::string generate;    // the made-up stream's name
  std::uint64_t rows = 0;  // of a made-up stream
  std::string scale = "none";
  std::string source;              // where to get the file, for people
  Json settings = Json::object();  // for every learner that has such options
};

/// Learners and what to try of their options, on some of the data sets.
struct Experiment {
  std::vector<std::string> data;
  std::vector<std::string> learners;
  Json options = Json::object();    // values, and arrays of values to try
  std::uint64_t permutations = 10;  // of each data set, for the best settings
  std::uint64_t tune = 10;          // of these, how many all settings get
  bool curve = false;               // whether to note how the best settings do over the stream
};

/// Eigenvalues of kernel matrices to be computed.
struct SpectrumSpec {
  std::uint64_t rows = 0;  // 0: none
  std::vector<double> sigmas;
};

/// What a bench runs.
struct Suite {
  std::string name;
  std::uint64_t seed =
      1;  // of the first permutation, and of made-up streams; the next permutations have the next seeds
  std::vector<DataSpec> data;
  std::vector<Experiment> experiments;
  SpectrumSpec spectrum;
  bool probabilities = false;  // whether runs learn them, and note what they were worth
  Json json;                   // all of it, as it was given
};

/// One learner on one data set with all the settings that an experiment tries.
struct Group {
  std::size_t data = 0;  // which of the suite's
  std::string learner;
  std::vector<Json> candidates;
  std::uint64_t permutations = 0;
  std::uint64_t tune = 0;
  bool curve = false;
};

/// Reads a suite. Throws Error for what is missing, unknown or makes no sense, naming the place. Every learner is made
/// once with every one of its settings, so that a bench does not fail in its third hour.
Suite parse_suite(const std::string& text);

/// The experiments of a suite, taken apart; those of the first data set first.
std::vector<Group> groups_of(const Suite& suite);

/// The text of a suite: one that is built in, or a file. Throws Error if there is neither.
std::string suite_text(const std::string& name);
/// The text of a suite that is built in; empty if there is none of that name.
std::optional<std::string> builtin_suite(const std::string& name);
/// Their names.
std::vector<std::string> builtin_suite_names();

/// The file of a data set in `folder`: its name as it is, or with one of the endings that such files have. Empty if
/// there is none.
std::optional<std::string> find_file(const DataSpec& data, const std::string& folder);

/// The data sets of a suite whose files are not in `folder`.
std::vector<DataSpec> missing_data(const Suite& suite, const std::string& folder);

/// The rows of a data set, scaled; `path` is its file's, if it has one. Throws Error for what cannot be read and for an
/// empty file.
Dataset load_data(const DataSpec& data, const std::string& path, std::uint64_t seed);

/// A checksum of labels, features and values: data sets with the same one are the same.
std::string checksum(const Dataset& data);

}  // namespace alder
