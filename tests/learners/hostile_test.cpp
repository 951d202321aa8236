// Model files with a right checksum and wrong content: an Error, or a learner that still works.
#include <cmath>
#include <limits>
#include <string_view>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "support/any_learner.h"
#include "support/class_rows.h"
#include "support/dense.h"
#include "support/learning.h"
#include "support/sanitized.h"
#include "support/test_name.h"

namespace alder {
namespace {

using testing::learn_one;

using Json = nlohmann::ordered_json;

constexpr const char* kPrecisions[] = {"float", "double"};

template <class T>
void copy(const Archive& from, const std::string& name, Archive& to) {
  try {
    to.put(name, from.get<T>(name));
  } catch (const Error&) {  // it is of another type
  }
}

// ALDER without a kernel: after 200 rounds its race is on, or over. Six candidates make many tensors, so all else is
// small.
constexpr const char* kRacing = "alder_racing";
constexpr const char* kRaced = "alder_raced";

std::unique_ptr<Learner> small_learner(const std::string& name, const std::string& precision) {
  if (name != kRacing && name != kRaced) return testing::small_learner(name, precision);
  Json options = {{"budget", 3}, {"precision", precision}};
  if (name == kRaced) options["race"] = 60;
  return make_learner("alder", options.dump());
}

// What the name of a learner ends with that has met three classes.
constexpr std::string_view kOfThree = "_of_three";

bool is_of_three(const std::string& name) {
  return name.ends_with(kOfThree);
}

std::vector<std::string> names() {
  std::vector<std::string> all = learner_names();
  all.insert(all.end(), {kRacing, kRaced});
  for (const std::string& name : learner_names()) all.push_back(name + std::string(kOfThree));
  return all;
}

// The learner after the given number of rows.
std::unique_ptr<Learner> taught(const std::string& name, const std::string& precision, std::size_t rounds,
                                const testing::LabelledVectors& stream) {
  const std::string kind = is_of_three(name) ? name.substr(0, name.size() - kOfThree.size()) : name;
  std::unique_ptr<Learner> learner = small_learner(kind, precision);
  for (std::size_t t = 0; t < rounds; ++t) {
    const Row row = Row::dense(stream.rows[t]);
    const double target = is_of_three(name) ? static_cast<double>(t % 3) : testing::target_of(stream.labels[t]);
    testing::learn_next(learner, {std::span(&row, 1), std::span(&target, 1)});
  }
  return learner;
}

// The archive but for one tensor.
Archive without(const Archive& archive, const std::string& left_out) {
  Archive rest;
  rest.settings() = archive.settings();
  for (const auto& tensor : archive.sizes()) {
    if (tensor.first == left_out) continue;
    copy<float>(archive, tensor.first, rest);
    copy<double>(archive, tensor.first, rest);
    copy<std::uint32_t>(archive, tensor.first, rest);
    copy<std::uint64_t>(archive, tensor.first, rest);
  }
  return rest;
}

// The archive with one tensor changed by `change`, if that is of the type T.
template <class T, class Change>
bool changed(Archive& archive, const std::string& name, const Change& change) {
  std::vector<T> numbers;
  try {
    numbers = archive.get<T>(name);
  } catch (const Error&) {
    return false;
  }
  change(numbers);
  archive.put(name, numbers);
  return true;
}

class Hostile : public ::testing::TestWithParam<std::string> {
 protected:
  // The outcomes of restoring an archive: refused, or a learner that works, whose model can be read again.
  bool is_refused(const Archive& archive) {
    std::unique_ptr<Learner> learner;
    try {
      learner = restore_learner(Archive::decode(archive.encode()));
    } catch (const Error&) {
      return true;
    }
    for (std::size_t t = 0; t < (GetParam() == kRacing ? 4 : 40); ++t) {
      double score = 0.0;
      try {
        score = learn_one(*learner, Row::dense(stream_.rows[t]), stream_.labels[t]);
      } catch (const Error&) {  // a row that its kernel cannot take
      }
      EXPECT_TRUE(std::isfinite(score)) << changed_ << ": the score of round " << t;
    }
    for (const double score : testing::scores_of(*learner, Row::dense(stream_.rows[0]))) {
      EXPECT_TRUE(std::isfinite(score)) << changed_;
    }
    try {
      (void)testing::restored(testing::encoded(*learner));
    } catch (const Error& error) {
      ADD_FAILURE() << changed_ << ": what it wrote cannot be read: " << error.what();
    }
    return false;
  }

  template <class T>
  void change_numbers(const Archive& sound, const std::string& name) {
    std::vector<T> values = {T{0},
                             T{1},
                             static_cast<T>(7),
                             std::numeric_limits<T>::max(),
                             static_cast<T>(-1),
                             std::numeric_limits<T>::quiet_NaN(),
                             std::numeric_limits<T>::infinity()};
    // Its 18 predictors have too many tensors; with sanitizers all have.
    if (std::is_floating_point_v<T> && GetParam() != kRacing && !testing::kSanitized) {
      for (const double value : {1e-30, 0.99, -0.99, 1e4, -1e9, 1e14, 1e29, 1e37, -1e99, 1e199}) {
        if (value <= static_cast<double>(std::numeric_limits<T>::max())) values.push_back(static_cast<T>(value));
      }
    }
    for (const T value : values) {
      changed_ = name + " to " + std::to_string(value);
      Archive all = sound;
      if (!changed<T>(all, name, [value](std::vector<T>& numbers) { numbers.assign(numbers.size(), value); })) return;
      is_refused(all);
      for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
        if (testing::kSanitized && ++places_ % 4 != 0) continue;
        Archive one = sound;
        changed<T>(one, name, [value, at](std::vector<T>& numbers) {
          if (!numbers.empty()) numbers[std::min(at, numbers.size() - 1)] = value;
        });
        is_refused(one);
      }
    }
  }

  template <class T>
  void resize_numbers(const Archive& sound, const std::string& name) {
    for (const int by : {-1, 1, 16}) {
      Archive archive = sound;
      const std::size_t size = archive.sizes().at(name);
      if (by < 0 && size == 0) continue;
      const auto new_size = static_cast<std::size_t>(static_cast<int>(size) + by);
      const bool is_right =
          changed<T>(archive, name, [new_size](std::vector<T>& numbers) { numbers.resize(new_size); });
      // FOGD may have met any features.
      const bool is_free = GetParam().starts_with("fogd") && name == "features";
      EXPECT_TRUE(!is_right || is_free || is_refused(archive)) << name << " by " << by;
    }
  }

  std::string changed_;     // what, to which value
  std::size_t places_ = 0;  // single numbers that were to be changed
  testing::LabelledVectors stream_ = testing::random_stream(1, 200, 4);
};

TEST_P(Hostile, ContentIsRefusedOrHarmless) {
  for (const char* precision : kPrecisions) {
    if (testing::kSanitized && precision != kPrecisions[0]) continue;
    for (const std::size_t rounds : {0, 8, 200}) {
      if (is_of_three(GetParam()) && (rounds == 0 || precision != kPrecisions[0])) continue;  // as those of two
      const auto learner = taught(GetParam(), precision, rounds, stream_);
      Archive sound;
      learner->save(sound);
      EXPECT_FALSE(is_refused(sound));
      for (const auto& [name, size] : sound.sizes()) {
        // Of six candidates that are alike, two.
        if (GetParam() == kRacing && name > "candidate1" && name < "candidate5") continue;
        EXPECT_TRUE(is_refused(without(sound, name))) << name;
        resize_numbers<float>(sound, name);
        resize_numbers<double>(sound, name);
        resize_numbers<std::uint32_t>(sound, name);
        resize_numbers<std::uint64_t>(sound, name);
        change_numbers<float>(sound, name);
        change_numbers<double>(sound, name);
        change_numbers<std::uint32_t>(sound, name);
        change_numbers<std::uint64_t>(sound, name);
      }
    }
  }
}

TEST_P(Hostile, SettingsAreRefusedOrHarmless) {
  for (const char* precision : kPrecisions) {
    if (testing::kSanitized && precision != kPrecisions[0]) continue;
    for (const std::size_t rounds : {8, 200}) {
      const auto learner = taught(GetParam(), precision, rounds, stream_);
      Archive sound;
      learner->save(sound);
      const Json flat = sound.settings().flatten();
      for (const auto& [pointer, old] : flat.items()) {
        for (const Json& value : {Json(0), Json(-1), Json(1), Json(13), Json(1e308), Json(~std::uint64_t{0}),
                                  Json(std::uint64_t{1} << 53U), Json("text"), Json(true), Json(), Json::array()}) {
          Archive archive = sound;
          changed_ = pointer + " to " + value.dump();
          archive.settings()[Json::json_pointer(pointer)] = value;
          // A kernel has its width twice, and reads it once.
          const bool must_be_refused = (value.is_string() || value.is_array()) && pointer != "/options/kernel/sigma" &&
                                       value != sound.settings().at(Json::json_pointer(pointer));
          EXPECT_TRUE(is_refused(archive) || !must_be_refused) << pointer << " " << value;
        }
      }
      for (const char* part : {"learner", "state", "options", "one_vs_rest"}) {
        if (!sound.has_part(part)) continue;
        Archive archive = sound;
        archive.settings().erase(part);
        EXPECT_TRUE(is_refused(archive)) << part;
      }
    }
  }
}

TEST_P(Hostile, NumbersThatAreNotFiniteAreRefused) {
  for (const char* precision : kPrecisions) {
    const auto learner = taught(GetParam(), precision, 200, stream_);
    Archive sound;
    learner->save(sound);
    for (const auto& [name, size] : sound.sizes()) {
      if (size == 0) continue;
      for (const double value : {std::nan(""), HUGE_VAL}) {
        Archive archive = sound;
        const auto spoil = [value](auto& numbers) {
          numbers.back() = static_cast<std::decay_t<decltype(numbers[0])>>(value);
        };
        const bool is_float = changed<float>(archive, name, spoil);
        const bool is_real = changed<double>(archive, name, spoil) || is_float;
        EXPECT_TRUE(!is_real || is_refused(archive)) << name << " " << value;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Learners, Hostile, ::testing::ValuesIn(names()), testing::test_name);

}  // namespace
}  // namespace alder
