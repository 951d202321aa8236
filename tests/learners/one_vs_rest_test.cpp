// A learner of two classes that goes on as one for each.
#include "learners/core/one_vs_rest.h"

#include <functional>

#include <gtest/gtest.h>

#include "alder/batch.h"
#include "alder/error.h"
#include "alder/model.h"

#include "support/any_learner.h"
#include "support/class_rows.h"
#include "support/test_name.h"
#include "support/throws.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;
using testing::ClassRows;
using testing::encoded;
using testing::learn_each;
using testing::learn_next;
using testing::message_of;
using testing::options_of;
using testing::restored;
using testing::small_learner;

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const LearnerInfo& info : learner_infos()) {
    if (info.traits.many_classes == LearnerTraits::ManyClasses::kOneVsRest) names.push_back(info.name);
  }
  return names;
}

class OneVsRestOf : public ::testing::TestWithParam<std::string> {};

// Those of the first two classes from the beginning, those of the others from their first row on.
TEST_P(OneVsRestOf, ClassesIsALearnerOfTwoForEach) {
  const ClassRows data(1, 260, 5, 3, 30);
  auto all = small_learner(GetParam(), "float");
  const Json options = Json::parse(all->options());
  std::vector<std::unique_ptr<Learner>> apart;
  for (std::size_t t = 0; t < data.size(); ++t) {
    const auto scores = learn_next(all, data.from(t, 1));
    while (static_cast<double>(apart.size()) <= std::max(1.0, data.targets[t])) {
      Json its_options = options;
      if (apart.size() >= 2 && options.contains("seed")) its_options["seed"] = 5 + apart.size();
      apart.push_back(make_learner(GetParam(), its_options.dump()));
    }
    std::vector<double> expected;
    for (std::size_t c = 0; c < apart.size(); ++c) {
      const bool is_it = data.targets[t] == static_cast<double>(c);
      const double target = c == 0 ? (is_it ? 0.0 : 1.0) : (is_it ? 1.0 : 0.0);
      double score = 0.0;
      apart[c]->learn({std::span(data.rows).subspan(t, 1), std::span(&target, 1)}, std::span(&score, 1));
      expected.push_back(c == 0 ? 0.0 - score / 2 : score / 2);
    }
    if (scores.size() == 1) {
      ASSERT_EQ(scores[0], 2 * expected[1]) << t;
    } else {
      expected.resize(scores.size());  // without that of a class that is new
      ASSERT_EQ(scores, expected) << t;
    }
  }
  ASSERT_EQ(apart.size(), 5U);
  const auto& members = dynamic_cast<const OneVsRest&>(*all);
  Report sum;
  for (std::size_t c = 0; c < apart.size(); ++c) {
    EXPECT_EQ(encoded(members.member(c)), encoded(*apart[c])) << c;
    sum.support += apart[c]->report().support;
    sum.bytes += members.member(c).report().bytes;
  }
  const Report report = all->report();
  EXPECT_EQ(report.support, sum.support);
  EXPECT_GT(report.bytes, sum.bytes);
  EXPECT_LT(report.bytes, sum.bytes + 1000);
  EXPECT_EQ(report.rounds, data.size());
  EXPECT_EQ(Json::parse(all->options()), options);
  EXPECT_EQ(all->takes_weights(), apart[0]->takes_weights());
}

TEST_P(OneVsRestOf, TwoClassesIsTheLearnerItself) {
  const ClassRows data(2, 120, 2);
  const LearnerKind& kind = *find_kind(GetParam());
  auto plain = small_learner(GetParam(), "double");
  std::unique_ptr<Learner> wrapped = std::make_unique<OneVsRest>(kind, small_learner(GetParam(), "double"));
  for (std::size_t t = 0; t < data.size(); ++t) {
    ASSERT_EQ(learn_next(wrapped, data.from(t, 1)), learn_next(plain, data.from(t, 1)));
    ASSERT_TRUE(encoded(*wrapped) == encoded(*plain));
  }
  EXPECT_EQ(testing::scores_of(*wrapped, data.rows[3]), testing::scores_of(*plain, data.rows[3]));
  EXPECT_EQ(wrapped->options(), plain->options());
  EXPECT_EQ(wrapped->report().support, plain->report().support);
  EXPECT_EQ(wrapped->report().norm, plain->report().norm);
}

// What is wrong with the archive of a learner of four classes once `change` has changed it.
std::string refused(const std::string& name, const std::function<void(Archive&)>& change) {
  auto learner = small_learner(name, "float");
  learn_each(learner, ClassRows(3, 90, 4).all());
  Archive archive;
  learner->save(archive);
  EXPECT_NO_THROW((void)restore_learner(archive));
  change(archive);
  return message_of([&] { (void)restore_learner(archive); });
}

TEST_P(OneVsRestOf, WrongFilesAreRefused) {
  const auto says = [](const std::function<void(Archive&)>& change, const std::string& text) {
    const std::string message = refused(GetParam(), change);
    EXPECT_EQ(message.find("not a sound alder model: "), 0U) << message;
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  const auto states = [](const std::function<void(Json&)>& change) {
    return [change](Archive& archive) { change(archive.settings()["one_vs_rest"]["states"]); };
  };
  const std::string no_list = "its members for classes are no list of at least 3";
  says([](Archive& archive) { archive.settings()["one_vs_rest"] = 3; }, "one_vs_rest");
  says([](Archive& archive) { archive.settings()["one_vs_rest"].erase("states"); }, no_list);
  says(states([](Json& list) { list = Json::object(); }), no_list);
  says(states([](Json& list) { list.erase(2), list.erase(2); }), no_list);
  says(states([](Json& list) { list[1] = 7; }), "state");
  says(states([](Json& list) { list[3].erase("rounds"); }), "rounds");
  says(states([](Json& list) { list[0]["rounds"] = 89U; }), "other rows than the others");
  says(states([](Json& list) { list[1]["rounds"] = 91U; }), "other rows than the others");
  says(states([](Json& list) { list[2]["rounds"] = 1000U; }), "other rows than the others");
  says(states([](Json& list) { list.push_back(list[2]); }), "is missing");
  says([](Archive& archive) { archive.settings()["learner"] = "fogd"; }, "which its learner does not need");
  says([](Archive& archive) { archive.settings().erase("options"); }, "options");
}

INSTANTIATE_TEST_SUITE_P(Learners, OneVsRestOf, ::testing::ValuesIn(names()), testing::test_name);

TEST(OneVsRest, IsForLearnersWithoutFunctionsOfClasses) {
  EXPECT_EQ(names(), (std::vector<std::string>{"pomdr", "ogd", "bogd", "bao2ks", "projectron", "projectron++",
                                               "pegasos", "perceptron"}));
  // A learner that the registry does not know keeps its two classes.
  auto learner = small_learner("pomdr", "float");
  const ClassRows data(4, 30, 2);
  Batch batch(*learner, {});
  std::unique_ptr<Learner> function = batch.chosen().hypothesis;
  make_room_for({data.rows[0], 2.0}, 1.0, function);
  EXPECT_EQ(function->name(), "hypothesis");
  EXPECT_EQ(function->most_classes(), 2U);
}

// One function is left of two classes. What is watched must not vanish when the model's learner becomes several.
TEST(BatchOfManyClasses, IsRefusedFromTheThirdClassOn) {
  using Choice = BatchOptions::Choice;
  ClassRows data(5, 300, 2);
  const std::string given = R"({"kernel": {"name": "gaussian", "sigma": 1.0}})";
  for (const std::string& options : {std::string("{}"), given}) {
    for (const std::size_t late : {10U, 100U, 299U}) {
      data.targets = ClassRows(5, 300, 2).targets;
      data.targets[late] = 2.0;
      for (const Choice choice : {Choice::kRandom, Choice::kLast, Choice::kAverage}) {
        Model model("pomdr", options);
        Batch batch(model.learner(), {choice, 1, data.size()});
        const auto learn_all = [&] {
          for (std::size_t t = 0; t < data.size(); ++t) {
            Predictions made;
            const Examples one = data.from(t, 1);
            model.learn(one, &made);
            batch.after(one, made);
          }
        };
        const std::string message =
            "there are more than two classes; expected two, since what pomdr leaves behind is one function";
        EXPECT_EQ(message_of(learn_all), message);
        EXPECT_EQ(message_of([&] { (void)batch.chosen(); }), message);
        EXPECT_EQ(model.learner().rounds(), late + 1);
        EXPECT_EQ(model.learner().outputs(), 3U);
      }
    }
  }
}

TEST(FirstRowsOfOneVsRest, KeepNoHypotheses) {
  auto learner = make_learner("pomdr", "{}");
  learn_each(learner, ClassRows(6, 20, 3).all());
  const std::string message = message_of([&] { (void)Batch(*learner, {BatchOptions::Choice::kLast}).chosen(); });
  EXPECT_NE(message.find("pomdr has met more than two classes; expected two"), std::string::npos) << message;
  learn_each(learner, ClassRows(6, 80, 3).all());
  EXPECT_EQ(message_of([&] { (void)Batch(*learner, {BatchOptions::Choice::kAverage, 1, 1}).chosen(); }), message);
  EXPECT_EQ(encoded(*restored(encoded(*learner))), encoded(*learner));
}

}  // namespace
}  // namespace alder
