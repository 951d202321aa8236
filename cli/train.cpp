#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/evaluate.h"
#include "alder/pomdr.h"
#include "alder/stream.h"

#include "progress.h"
#include "summary.h"
#include "verbs.h"

namespace alder::cli {
namespace {

struct Options {
  std::string data;
  std::string kernel = "gaussian";
  std::optional<double> sigma;
  std::optional<double> gamma;
  int degree = 3;
  double coef0 = 1.0;
  std::string horizon = "auto";
  std::string b0 = "auto";
  std::string trace;
  bool json = false;
  bool quiet = false;
  PomdrOptions pomdr;
};

// A radial kernel takes its width as σ or as γ; without either, σ = 1.
Kernel make_kernel(const Options& options) {
  if (options.kernel == "linear") return Kernel::linear();
  if (options.kernel == "polynomial") {
    if (options.sigma) throw Error("the polynomial kernel has no sigma; expected --gamma");
    return Kernel::polynomial(options.degree, options.gamma.value_or(1.0), options.coef0);
  }
  const bool gaussian = options.kernel == "gaussian";
  if (options.gamma) return gaussian ? Kernel::gaussian_gamma(*options.gamma) : Kernel::laplacian_gamma(*options.gamma);
  const double sigma = options.sigma.value_or(1.0);
  return gaussian ? Kernel::gaussian(sigma) : Kernel::laplacian(sigma);
}

// The CSV file of --trace: one line a round.
class Trace {
 public:
  explicit Trace(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "w")) {
    if (file_ == nullptr) fail();
    write("round,label,score,lambda,size,norm\n");
  }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace() {
    if (file_ != nullptr) std::fclose(file_);
  }

  void after_round(const Report& report, const Example& example, double score) {
    write(fmt::format("{},{},{},{},{},{}\n", report.rounds, example.label, score, report.learning_rate, report.support,
                      report.norm));
  }
  // A full disk shows here at the latest.
  void close() {
    std::FILE* file = std::exchange(file_, nullptr);
    if (std::fclose(file) != 0) fail();
  }

 private:
  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
  }
  [[noreturn]] void fail() const { throw Error(fmt::format("{}: {}", path_, std::strerror(errno))); }

  std::string path_;
  std::FILE* file_;
};

void train(Options options) {
  options.pomdr.kernel = make_kernel(options);
  if (options.horizon != "auto") options.pomdr.horizon = std::stoull(options.horizon);
  if (options.b0 != "auto") options.pomdr.b0 = std::stoull(options.b0);
  const auto learner = make_pomdr(options.pomdr);
  const auto stream = open_libsvm(options.data);
  std::optional<Trace> trace;
  if (!options.trace.empty()) trace.emplace(options.trace);
  std::optional<ProgressTable> table;
  if (!options.quiet) table.emplace();

  const Outcome outcome = evaluate(*stream, *learner, [&](const Example& example, double score) {
    if (trace) trace->after_round(learner->report(), example, score);
    if (table) table->after_round(*learner, example, score);
  });
  if (trace) trace->close();
  if (outcome.report.rounds == 0) throw Error(fmt::format("{}: no rows in it; expected at least one", options.data));
  if (!options.quiet) print_summary(options.pomdr, outcome);
  if (options.json) print_json(options.pomdr, outcome);
}

}  // namespace

Action add_train(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  PomdrOptions& pomdr = options->pomdr;
  const CLI::Validator number_or_auto(
      [](const std::string& text) {
        const bool digits =
            !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string::npos;
        return digits || text == "auto" ? std::string() : fmt::format("{} is neither a whole number nor auto", text);
      },
      "N|auto");
  const std::map<std::string, Precision> precisions = {{"float", Precision::kFloat}, {"double", Precision::kDouble}};

  verb.add_option("DATA", options->data, "LIBSVM file, plain, gz, zst or xz; - for standard input")->required();
  verb.add_option("--kernel", options->kernel, "the kernel")
      ->check(CLI::IsMember({"gaussian", "laplacian", "polynomial", "linear"}))
      ->capture_default_str();
  auto* sigma = verb.add_option("--sigma", options->sigma, "width: gaussian exp(-d^2/2s^2), laplacian exp(-d/s) [1]");
  verb.add_option("--gamma", options->gamma, "instead: gaussian exp(-g d^2), laplacian exp(-g d)")->excludes(sigma);
  verb.add_option("--degree", options->degree, "of the polynomial kernel")->capture_default_str();
  verb.add_option("--coef0", options->coef0, "of the polynomial kernel")->capture_default_str();
  verb.add_option("--budget", pomdr.budget, "B: reaching it halves the support set")->capture_default_str();
  verb.add_option("--radius", pomdr.radius, "U: the largest norm of the hypothesis")->capture_default_str();
  verb.add_option("--window", pomdr.window, "M: recent rows in the optimistic gradient")->capture_default_str();
  verb.add_option("--horizon", options->horizon, "T: rows to come; auto: unknown")
      ->check(number_or_auto)
      ->capture_default_str();
  verb.add_option("--zeta", pomdr.zeta, "exponent of the ALD threshold ald*T^-zeta")->capture_default_str();
  verb.add_option("--ald", pomdr.ald, "constant of the ALD threshold")->capture_default_str();
  verb.add_option("--b0", options->b0, "B0: support size that ends phase 1; auto: 15 ln T")
      ->check(number_or_auto)
      ->capture_default_str();
  verb.add_option("--factor", pomdr.factor, "c: of the learning rate after a removal")->capture_default_str();
  verb.add_option("--precision", pomdr.precision, "float or double [float]")
      ->transform(CLI::CheckedTransformer(precisions, CLI::ignore_case))
      ->type_name("TEXT");
  verb.add_option("--trace", options->trace, "write round,label,score,lambda,size,norm to this CSV file");
  verb.add_flag("--json", options->json, "print the result as one JSON object");
  verb.add_flag("--quiet", options->quiet, "no progress, no summary");
  return [options] { train(*options); };
}

}  // namespace alder::cli
