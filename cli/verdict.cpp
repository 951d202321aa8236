#include "verdict.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace alder::cli {
namespace {

constexpr std::size_t kColumns = 100;
// What falls by less than this factor does not fall.
constexpr double kHardly = 10.0;
// A larger budget is worth its time if it saves more than this part of the mistakes.
constexpr double kWorthIt = 0.03;

std::string percent(double part) {
  return fmt::format("{:.1f}%", 100.0 * part);
}

// As many digits as tell r from 1.
std::string law_of(const Decay& decay) {
  if (decay.kind == Decay::Kind::kPolynomial) return fmt::format("i^-{:.2f}", decay.rate);
  const int digits = static_cast<int>(std::clamp(1.0 + std::ceil(-std::log10(1.0 - decay.rate)), 2.0, 8.0));
  return fmt::format("{:.{}f}^i", decay.rate, digits);
}

// "2.1e+08" for numbers too large to be counted.
std::string count_of(double number) {
  return number < 1e6 ? fmt::format("{:.0f}", std::floor(number)) : fmt::format("{:.1e}", number);
}

std::string of_labels(const Diagnosis& diagnosis, double imbalance) {
  std::string text = fmt::format("Before anything is learned, the kernel explains {} of the labels",
                                 percent(diagnosis.alignment.explained()));
  if (imbalance >= 0.01) text += fmt::format(" (a constant: {})", percent(imbalance));
  return text + ".";
}

std::string of_decay(const Diagnosis& diagnosis) {
  const std::vector<double>& values = diagnosis.eigenvalues.values;
  if (!diagnosis.fit) {
    return values.size() < 3 ? " There are too few eigenvalues to see how they fall." : " Its eigenvalues do not fall.";
  }
  const DecayFit& fit = *diagnosis.fit;
  const bool is_exponential = fit.better().decay.kind == Decay::Kind::kExponential;
  const FittedDecay& other = is_exponential ? fit.polynomial : fit.exponential;
  if (values[0] < kHardly * values[fit.used - 1]) {
    return fmt::format(" Its eigenvalues hardly fall, from {:.3g} to {:.3g} in {}: most rows are strangers to it.",
                       values[0], values[fit.used - 1], fit.used);
  }
  return fmt::format(" Its eigenvalues fall {}, like {} (R² {:.3f}; {} {:.3f}).",
                     is_exponential ? "exponentially" : "polynomially", law_of(fit.better().decay),
                     fit.better().explained, is_exponential ? "polynomially" : "exponentially", other.explained);
}

std::string of_support(const Diagnosis& diagnosis) {
  const Report& phase_one = diagnosis.phase_one;
  const auto rounds = static_cast<double>(diagnosis.run.rounds);
  std::string text;
  const bool is_promised = diagnosis.promised && *diagnosis.promised < rounds;
  if (is_promised) {
    text = fmt::format(" So phase 1 stores at most {} rows (Theorem 1)", count_of(*diagnosis.promised));
  } else {
    text = " So Theorem 1 promises nothing at this number of rows";
  }
  text += diagnosis.stays_in_phase_one()
              ? fmt::format("; {} needs {}.", is_promised ? "it" : "phase 1", phase_one.support)
              : fmt::format("; phase 1 was given up in round {} with {}.", *phase_one.count("switch_round"),
                            phase_one.support);
  const Report& run = diagnosis.run;
  const auto switch_round = run.count("switch_round");
  if (!switch_round) return text + " The learner stays in phase 1, where nothing is ever removed.";
  text += fmt::format(" As it is set, the learner leaves phase 1 in round {}, and its budget of {} is ", *switch_round,
                      diagnosis.budget);
  const std::uint64_t removals = run.removals();
  if (removals == 0) return text + "never full.";
  return text + fmt::format("full {} {}.", removals, removals == 1 ? "time" : "times");
}

std::string of_regret(const Diagnosis& diagnosis) {
  const auto rounds = static_cast<double>(diagnosis.run.rounds);
  const double by_alignment = diagnosis.alignment_bound() / rounds;
  const double by_delta = diagnosis.delta_bound() / rounds;
  std::string text = fmt::format(
      " Against the best function of norm {:g} in hindsight it loses at most {:.3g} a round by Theorem 2, {:.3g} by "
      "Corollary 1",
      diagnosis.radius, by_delta, by_alignment);
  if (std::min(by_alignment, by_delta) >= 1.0) text += ", which is no guarantee yet";
  return text + fmt::format(". It mispredicts {:.2f}%.", 100.0 * diagnosis.run.mistake_rate());
}

bool fewer_mistakes(const Diagnosis& a, const Diagnosis& b) {
  return a.run.mistakes < b.run.mistakes;
}

std::string of_width(const Diagnosis& chosen, const std::vector<Diagnosis>& diagnoses) {
  const std::string name = kernel_name(chosen.kernel);
  const double rate = 100.0 * chosen.run.mistake_rate();
  if (diagnoses.size() == 1) return fmt::format("{} makes {:.2f}% mistakes.", name, rate);
  const Diagnosis& fewest = *std::min_element(diagnoses.begin(), diagnoses.end(), fewer_mistakes);
  std::string text;
  if (fewest.run.mistakes == chosen.run.mistakes) {
    text = fmt::format("{} makes the fewest mistakes, {:.2f}%.", name, rate);
  } else {
    text = fmt::format("{} makes {:.2f}% mistakes, as few as {} ({:.2f}%) but for chance, and stores fewer rows.", name,
                       rate, kernel_name(fewest.kernel), 100.0 * fewest.run.mistake_rate());
  }
  const auto explains_less = [](const Diagnosis& a, const Diagnosis& b) {
    return a.alignment.explained() < b.alignment.explained();
  };
  const Diagnosis& most = *std::max_element(diagnoses.begin(), diagnoses.end(), explains_less);
  if (&most == &chosen) return text + " It also explains the most of the labels.";
  return text + fmt::format(
                    " {} explains more of the labels, but that bounds only what is lost against the kernel's best "
                    "function.",
                    kernel_name(most.kernel));
}

std::string of_budget(const Diagnosis& diagnosis, const TrialReport* chosen) {
  if (chosen == &diagnosis.phase_one) {
    return fmt::format(
        " {} rows are all that phase 1 needs: with a --b0 above that it never ends, nothing is removed, and {} "
        "mistakes "
        "become {}.",
        diagnosis.phase_one.support, diagnosis.run.mistakes, diagnosis.phase_one.mistakes);
  }
  if (diagnosis.run.removals() == 0) {
    return fmt::format(" The budget of {} is never full: {} rows are stored, and a larger one would change nothing.",
                       diagnosis.budget, diagnosis.run.support);
  }
  const double balanced = std::sqrt(static_cast<double>(diagnosis.run.rounds) * diagnosis.alignment.alignment);
  return fmt::format(
      " Phase 1 ends, so the budget counts: {} mistakes with {} rows, {} with {}, which is {}worth four times the "
      "time. "
      "(Corollary 1 would have sqrt(T A_T) = {} rows.)",
      diagnosis.run.mistakes, diagnosis.budget, diagnosis.larger->mistakes, 4 * diagnosis.budget,
      chosen == &diagnosis.run ? "not " : "", count_of(balanced));
}

}  // namespace

std::string kernel_name(const Kernel& kernel) {
  if (kernel.kind() == Kernel::Kind::kPolynomial) return fmt::format("degree {}", kernel.degree());
  return kernel.is_radial() ? fmt::format("sigma {:g}", kernel.sigma()) : kernel.name();
}

std::string verdict(const Diagnosis& diagnosis, double imbalance) {
  return of_labels(diagnosis, imbalance) + of_decay(diagnosis) + of_support(diagnosis) + of_regret(diagnosis);
}

Recommendation recommend(const std::vector<Diagnosis>& diagnoses) {
  // The width, all with the same budget: as good as the best are those whose number of mistakes differs by less than
  // its own spread; the one of them that stores the fewest rows.
  const auto fewest =
      static_cast<double>(std::min_element(diagnoses.begin(), diagnoses.end(), fewer_mistakes)->run.mistakes);
  const Diagnosis* chosen = nullptr;
  for (const Diagnosis& diagnosis : diagnoses) {
    if (static_cast<double>(diagnosis.run.mistakes) > fewest + std::sqrt(fewest)) continue;
    const auto rank = [](const Diagnosis& d) { return std::pair(d.run.support, d.run.mistakes); };
    if (chosen == nullptr || rank(diagnosis) < rank(*chosen)) chosen = &diagnosis;
  }
  // Then its budget.
  const auto is_worth_it = [chosen](const TrialReport& report) {
    return static_cast<double>(report.mistakes) < (1.0 - kWorthIt) * static_cast<double>(chosen->run.mistakes);
  };
  Recommendation best = {chosen, chosen->settings, chosen->run.mistakes, ""};
  const TrialReport* report = &chosen->run;
  if (chosen->run.count("switch_round") && chosen->stays_in_phase_one() && is_worth_it(chosen->phase_one)) {
    report = &chosen->phase_one;
    best.settings =
        phase_one_only(*chosen, report->support + 1);  // one more than it needs, so that phase 1 does not end
  } else if (chosen->larger && is_worth_it(*chosen->larger)) {
    report = &*chosen->larger;
    best.settings = with_larger_budget(*chosen);
  }
  best.mistakes = report->mistakes;
  best.reason = of_width(*chosen, diagnoses) + of_budget(*chosen, report);
  return best;
}

std::string table_of(const std::vector<Diagnosis>& diagnoses) {
  constexpr const char* kHead = "{:>10} {:>10} {:>8} {:>8}  {:<11} {:>9} {:>8} {:>8} {:>9}\n";
  std::string table =
      fmt::format(kHead, "", "labels", "", "sum of", "eigenvalues", "phase 1", "phase 1", "bound", "mistakes");
  table += fmt::format(kHead, diagnoses.front().kernel.is_radial() ? "sigma" : "kernel", "explained", "A_T/T",
                       "delta/T", "fall like", "promised", "needs", "a round", "of " + diagnosed_learner());
  for (const Diagnosis& diagnosis : diagnoses) {
    const auto rounds = static_cast<double>(diagnosis.run.rounds);
    const Kernel& kernel = diagnosis.kernel;
    const std::string width = kernel.is_radial() ? fmt::format("{:g}", kernel.sigma()) : kernel_name(kernel);
    const std::string promised =
        !diagnosis.promised || *diagnosis.promised >= rounds ? "nothing" : count_of(*diagnosis.promised);
    const std::string needed =
        fmt::format("{}{}", diagnosis.stays_in_phase_one() ? "" : ">= ", diagnosis.phase_one.support);
    const double bound = std::min(diagnosis.alignment_bound(), diagnosis.delta_bound()) / rounds;
    table += fmt::format("{:>10} {:>10} {:>8.4f} {:>8.4f}  {:<11} {:>9} {:>8} {:>8.3g} {:>8.2f}%\n", width,
                         percent(diagnosis.alignment.explained()), diagnosis.alignment.alignment / rounds,
                         diagnosis.run.number("sum_delta").value_or(0.0) / rounds,
                         diagnosis.fit ? law_of(diagnosis.fit->better().decay) : "not at all", promised, needed, bound,
                         100.0 * diagnosis.run.mistake_rate());
  }
  return table;
}

std::string wrapped(const std::string& paragraph, std::size_t indentation) {
  std::string lines;
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < paragraph.size();) {
    const std::size_t end = std::min(paragraph.size(), paragraph.find(' ', begin));
    const std::string word = paragraph.substr(begin, end - begin);
    const auto is_first_byte = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; };
    const auto width = static_cast<std::size_t>(std::count_if(word.begin(), word.end(), is_first_byte));
    if (column > 0 && indentation + column + 1 + width > kColumns) {
      lines += '\n';
      lines.append(indentation, ' ');
      column = 0;
    } else if (column > 0) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += width;
    begin = end + 1;
  }
  return lines;
}

}  // namespace alder::cli
