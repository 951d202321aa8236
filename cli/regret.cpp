#include "experiments/regret.h"

#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/registry.h"
#include "alder/scaling.h"

#include "choices.h"
#include "files.h"
#include "input_flags.h"
#include "learner_flags.h"
#include "limited.h"
#include "message.h"
#include "output.h"
#include "signals.h"
#include "summary.h"
#include "verbs.h"

namespace alder::cli {
namespace {

// The one that theorems are about.
std::string bounded_learner() {
  return learners_with(&LearnerTraits::has_bounds).front();
}

// Why it is compared.
std::string comparing_reason(const LearnerFlags& learner) {
  if (learner.is_named()) return "named by --learner";
  if (!learner_info(default_learner()).finds_width()) return "the bounds are proved for it";
  return fmt::format(
      "the bounds are proved for it; {}, the default of `alder train`, has no fixed kernel unless --sigma is given",
      default_learner());
}

struct RegretFlags {
  InputFlags input;
  LearnerFlags learner{bounded_learner()};
  RegretOptions regret;
  double ball = 0.0;  // 0: the learner's
  bool theorem = false;
  bool shuffle = false;
  std::uint64_t seed = 1;
  std::uint64_t limit = 0;
  std::string scale = "none";
  bool quiet = false;
  bool json = false;
};

// The settings for which Theorem 2 is proved.
const Json& theorem_settings() {
  static const Json settings = {{"zeta", 1.0}, {"ald", 1.0}, {"factor", 1.0}};
  return settings;
}

void check(const RegretFlags& flags) {
  if (flags.theorem) {
    if (!learner_info(flags.learner.learner()).traits.has_bounds) {
      throw UsageError(
          fmt::format("--theorem is of {}; {} has no theorem here", bounded_learner(), flags.learner.learner()));
    }
    for (const std::string& name : flags.learner.given()) {
      if (theorem_settings().contains(name)) {
        throw UsageError(fmt::format("--{} is part of --theorem; expected one of both", name));
      }
    }
  }
  if (flags.regret.most == 0) throw UsageError("--most is 0; expected at least 1");
  if (learner_info(flags.learner.learner()).find("kernel") == nullptr) {
    throw UsageError(
        fmt::format("{} has no kernel, so there is no ball of functions to compare it with", flags.learner.learner()));
  }
  if (flags.learner.chooses_width()) {
    throw UsageError(
        fmt::format("{} chooses its kernel while it learns, so there is no ball of functions to compare it with; "
                    "expected --sigma or --gamma, which fix it",
                    flags.learner.learner()));
  }
}

std::unique_ptr<Learner> make(const RegretFlags& flags, double width, std::uint64_t rows) {
  Json options = Json::parse(flags.learner.options_with_width(width, rows, flags.seed));
  if (flags.theorem) options.update(theorem_settings());
  return make_learner(flags.learner.learner(), options.dump());
}

// The rows in the order in which they are learned; none if a signal came.
Dataset read_rows(const RegretFlags& flags, Input& input) {
  Limited limited(input, flags.limit > 0 ? flags.limit : ~std::uint64_t{0});
  Dataset data = Dataset::read(limited);
  if (Signals::caught() != 0) return {};
  if (data.size() == 0)
    throw Error(Error::Kind::kFormat, fmt::format("{}: no rows in it; expected at least one", flags.input.name()));
  flags.input.expect_theory(data, flags.input.order_classes(data, input));
  if (flags.scale != "none") data.scale(Scaling::fit(Scaling::kind_named(flags.scale), data));
  if (flags.shuffle) data = Dataset::read(*stream(data, permutation(data.size(), flags.seed)));
  return data;
}

std::string or_blank(const std::optional<double>& number) {
  return number ? fmt::format("{:.1f}", *number) : "";
}

void print_head(const RegretRun& run) {
  say("{:>9} {:>11} {:>11} {:>9} {:>10} {:>8}", "", "learner's", "best in", "", "", "regret");
  if (run.has_bounds) say(" {:>11} {:>11}", "theorem 2", "corollary 1");
  say("\n{:>9} {:>11} {:>11} {:>9} {:>10} {:>8}", "rows", "loss", "hindsight", "±", "regret", "a row");
  if (run.has_bounds) say(" {:>11} {:>11}", "allows", "allows");
  say("\n");
}

void print_point(const RegretRun& run, const RegretPoint& point) {
  const auto regret = point.regret();
  say("{:>9} {:>11.1f} {:>11} {:>9} {:>10} {:>8}", point.rounds, point.loss, or_blank(point.best),
      point.best ? fmt::format("{:.2f}", *point.best - point.certain) : "", or_blank(regret),
      regret ? fmt::format("{:.4f}", *regret / static_cast<double>(point.rounds)) : "");
  if (run.has_bounds) {
    say(" {:>11} {:>11}", or_blank(point.delta_bound), or_blank(point.alignment_bound));
  }
  say("\n");
}

// How the regret grew with the last doubling of the rows.
std::string growth(const RegretRun& run) {
  const RegretPoint* whole = nullptr;
  for (const RegretPoint& point : run.points) {
    if (point.regret() && (point.rounds & (point.rounds - 1)) == 0) whole = &point;
  }
  if (whole == nullptr || whole == run.points.data()) return "";
  const double last = *whole->regret();
  const double before = *(whole - 1)->regret();
  if (!(before > 0.0 && last > 0.0)) return "";
  return fmt::format("; the doubling to {} rows multiplied it by {:.2f} (sqrt T: 1.41, T: 2)", whole->rounds,
                     last / before);
}

void print_verdict(const RegretFlags& flags, const RegretRun& run) {
  const RegretPoint* last = nullptr;
  for (const RegretPoint& point : run.points) {
    if (point.regret()) last = &point;
  }
  if (last == nullptr) return;
  const double regret = *last->regret();
  say("\n{} lost {:.1f} {} than the best function with a norm of at most {:g}, {:.4f} a row{}.\n",
      flags.learner.learner(), std::fabs(regret), regret >= 0.0 ? "more" : "less", run.radius,
      std::fabs(regret) / static_cast<double>(last->rounds), growth(run));
  if (last->rounds != run.points.back().rounds) {
    say("Beyond {} rows the best function was not looked for; --most N looks further.\n", last->rounds);
  }
  if (!run.has_bounds) {
    say("There is no bound here for {}; {} has one.\n", flags.learner.learner(), bounded_learner());
  } else if (run.as_proved) {
    say("Theorem 2 allows {:.1f}: {:.0f}% of it was used.\n", *last->delta_bound,
        100.0 * std::max(0.0, regret) / *last->delta_bound);
  } else {
    say("The bounds are proved for other settings than these, so they may be exceeded; --theorem takes those.\n");
  }
}

void print_json(const RegretFlags& flags, const RegretRun& run, const Learner& learner) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json json;
  json["learner"] = flags.learner.learner();
  json["learner_reason"] = comparing_reason(flags.learner);
  json["options"] = Json::parse(learner.options());
  json["radius"] = run.radius;
  json["tolerance"] = flags.regret.tolerance;
  json["seed"] = flags.seed;
  json["as_proved"] = run.as_proved;
  json["regret"] = Json::array();
  for (const RegretPoint& point : run.points) {
    Json entry;
    entry["rows"] = point.rounds;
    entry["loss"] = point.loss;
    entry["best_loss"] = or_null(point.best);
    entry["best_loss_at_least"] = point.best ? Json(point.certain) : Json();
    entry["best_norm"] = point.best ? Json(point.norm) : Json();
    entry["best_support_vectors"] = point.best ? Json(point.support) : Json();
    entry["regret"] = or_null(point.regret());
    entry["sum_delta"] = or_null(point.sum_delta);
    entry["delta_bound"] = or_null(point.delta_bound);
    entry["alignment"] = or_null(point.alignment);
    entry["alignment_bound"] = or_null(point.alignment_bound);
    entry["support_vectors"] = point.support_set;
    entry["removals"] = point.removals;
    entry["seconds"] = point.seconds;
    json["regret"].push_back(entry);
  }
  Output output("-");
  output.write(json.dump(2) + "\n");
  output.close();
}

int regret(RegretFlags& flags) {
  flags.input.expect_classes("the regret is");
  check(flags);
  Model first(make(flags, 1.0, 1));  // wrong options show before anything is read
  if (flags.ball != 0.0) flags.regret.radius = flags.ball;
  if (flags.json) check_standard_output(flags.input.paths);
  InputOptions input_options = flags.input.input_options();
  flags.input.find_task(input_options);
  if (flags.scale == "none") input_options.precision = precision_of(first);
  const auto input = open_input(flags.input.paths, input_options);
  const Signals signals(input.get());
  input->peek(1);
  flags.input.expect_classes(*input, "the regret is");
  const Dataset data = read_rows(flags, *input);
  report_reading(*input);
  if (data.size() == 0) return Signals::exit_status();
  std::vector<Row> first_rows;
  const Examples looked_at = data.examples(0, kRowsForWidth, first_rows);
  const double width = flags.learner.needs_width() ? automatic_width(looked_at.rows) : 0.0;
  Model model(make(flags, width, data.size()));
  const Learner& learner = model.learner();
  if (!flags.quiet) {
    say("comparing {}: {}\n", flags.learner.learner(), comparing_reason(flags.learner));
    say("{}, {}\n", flags.learner.learner(), describe_kernel(Json::parse(learner.options())));
  }
  flags.regret.stop = [] { return Signals::caught() != 0; };
  const RegretRun run = measure_regret(data, model, flags.regret, [&flags](const RegretRun& so_far) {
    if (flags.quiet) return;
    if (so_far.points.size() == 1) print_head(so_far);
    print_point(so_far, so_far.points.back());
  });
  if (!flags.quiet) print_verdict(flags, run);
  if (flags.json) print_json(flags, run, learner);
  return Signals::exit_status();
}

}  // namespace

Action add_regret(Flags& verb) {
  auto flags = std::make_shared<RegretFlags>();
  flags->input.add_to(verb, true);
  flags->input.add_task_to(verb);
  flags->learner.add_to(verb);
  verb.flag("--theorem", flags->theorem, bounded_learner() + " as Theorem 2 wants it: zeta 1, ald 1, factor 1");
  verb.number("--ball", flags->ball, "largest norm of the best function; the learner's radius, else 25")
      .of("X")
      .positive();
  verb.number("--tolerance", flags->regret.tolerance, "how far its loss may be from the least, as a part of it")
      .of("X")
      .positive()
      .shows_default();
  verb.count("--most", flags->regret.most, "search among at most N rows");
  verb.flag("--shuffle", flags->shuffle, "learn the rows in a random order");
  verb.count("--seed", flags->seed, "seed of the shuffle and of randomised learners");
  verb.count("--limit", flags->limit, "read at most N rows; 0: all");
  verb.text("--scale", flags->scale, "none, minmax or standard: scale the features")
      .one_of({"none", "minmax", "standard"})
      .shows_default();
  verb.count("--jobs", flags->regret.threads, "number of threads; 0: one for each core");
  verb.flag("--quiet", flags->quiet, "only errors");
  verb.flag("--json", flags->json, "print the result as one JSON object");
  verb.footer(
      "The regret is what the learner lost, each row predicted before it was learned, more than the best function\n"
      "that knew all rows from the start. The losses are hinge losses. ± is how uncertain the best loss is.");
  return [flags] { return regret(*flags); };
}

}  // namespace alder::cli
