#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"

#include "archive/archive.h"
#include "io/whole_file.h"
#include "learners/core/registry.h"
#include "model/encoding_file.h"
#include "model/pipeline.h"
#include "model/report_json.h"
#include "model/version1.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

void save(const Scaling& scaling, Archive& archive) {
  archive.settings()["scaling"] = std::string(scaling.name());
  archive.put("scaling.features", scaling.features());
  archive.put("scaling.offsets", scaling.offsets());
  archive.put("scaling.divisors", scaling.divisors());
}

Scaling load_scaling(const Archive& archive) {
  return {Scaling::kind_named(Archive::read<std::string>(archive.settings(), "scaling")),
          archive.get<FeatureIndex>("scaling.features"), archive.get<double>("scaling.offsets"),
          archive.get<double>("scaling.divisors")};
}

void save(const Counts& counts, Archive& archive) {
  archive.set("earlier", "rows", counts.rows);
  archive.set("earlier", "mistakes", counts.mistakes);
  archive.set("earlier", "hinge_loss", counts.hinge_loss);
}

Counts load_counts(const Archive& archive) {
  constexpr std::uint64_t kMostRows = std::uint64_t{1} << 62U;
  constexpr double kMostLoss = 1e300;  // to which losses can be added
  const Counts counts = {archive.setting<std::uint64_t>("earlier", "rows"),
                         archive.setting<std::uint64_t>("earlier", "mistakes"),
                         archive.setting<double>("earlier", "hinge_loss")};
  if (counts.rows > kMostRows || counts.mistakes > counts.rows ||
      !(counts.hinge_loss >= 0.0 && counts.hinge_loss <= kMostLoss)) {
    throw_bad_archive("its counters contradict each other");
  }
  return counts;
}

void save(const ClassWeights& weights, Archive& archive) {
  Json factors = Json::object();
  for (const auto& [name, factor] : weights.factors) factors[name] = factor;
  archive.settings()["class_weights"] = {{"balanced", weights.balanced}, {"factors", factors}};
}

ClassWeights load_class_weights(const Archive& archive) {
  ClassWeights weights;
  weights.balanced = archive.setting<bool>("class_weights", "balanced");
  const Json factors = archive.object("class_weights").value("factors", Json());
  if (!factors.is_object()) throw_bad_archive("its class weights are no object");
  for (const auto& [name, factor] : factors.items()) {
    if (!factor.is_number() || !(factor.get<double>() >= 0.0 && factor.get<double>() <= kMostWeight))
      throw_bad_archive("a class weight is out of range");
    weights.factors[name] = factor.get<double>();
  }
  return weights;
}

// Metrics as they are once classes are loaded in the order in which they are saved.
Metrics renumbered(const Metrics& metrics, const ClassTable& classes) {
  const std::vector<std::uint32_t> shown = classes.shown();
  std::vector<std::uint32_t> ids(shown.size());
  for (std::size_t place = 0; place < shown.size(); ++place) ids[shown[place]] = static_cast<std::uint32_t>(place);
  Metrics out = metrics;
  if (!std::is_sorted(ids.begin(), ids.end())) out.renumber(ids);
  return out;
}

// What only models of classes have, or only models of numbers; an Error for what the other kind has.
void expect_parts(const Archive& archive, bool is_of_numbers) {
  const std::string task = archive.settings().value("task", "classification");
  if (task != (is_of_numbers ? "regression" : "classification"))
    throw_bad_archive("its task is not the one of its learner");
  const auto has_setting = [&archive](const char* name) { return archive.settings().contains(name); };
  const auto has_tensors = [&archive](const std::string& prefix) {
    const auto sizes = archive.sizes();
    const auto found = sizes.lower_bound(prefix);
    return found != sizes.end() && found->first.starts_with(prefix);
  };
  if (!is_of_numbers) {
    if (has_setting("quantiles") || has_tensors("quantiles.")) throw_bad_archive("it has classes and quantiles");
    return;
  }
  for (const char* name : {"classes", "classes_are_ordered", "threshold", "class_weights", "earlier"}) {
    if (has_setting(name)) throw_bad_archive(fmt::format("it predicts numbers, but has {}", name));
  }
  if (has_tensors("calibration.")) throw_bad_archive("it predicts numbers, but has probabilities");
}

// Errors of the content, with the path before them.
template <class Action>
auto naming(const std::string& path, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw error.with_message(fmt::format("{}: {}", path, error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw Error(Error::Kind::kFormat, fmt::format("{}: not a sound alder model: {}", path, error.what()));
  }
}

}  // namespace

void Model::Pipeline::load_threshold(const Archive& archive) {
  if (!archive.settings().contains("threshold")) return;
  threshold = Archive::read<double>(archive.settings(), "threshold");
  if (!(*threshold >= 0.0 && *threshold <= 1.0) || !calibration) throw_bad_archive("its threshold is no probability");
}

std::string Model::encode() const {
  const Pipeline& p = *pipeline_;
  Archive archive;
  p.learner->save(archive);
  if (p.is_of_numbers()) {
    archive.settings()["task"] = "regression";
    p.quantiles->save(archive);
  } else {
    p.classes.save(archive);
  }
  archive.settings()["features"] = p.features;
  if (p.encoding != nullptr) save_encoding(*p.encoding, p.features, archive);
  if (p.is_zero_based) archive.settings()["zero_based"] = true;
  if (p.scaling) alder::save(*p.scaling, archive);
  if (p.calibration) p.calibration->save(archive);
  if (p.threshold) archive.settings()["threshold"] = *p.threshold;
  if (p.class_weights.are_given()) alder::save(p.class_weights, archive);
  renumbered(p.metrics, p.classes).save(archive);
  if (p.earlier.rows > 0) alder::save(p.earlier, archive);
  return archive.encode();
}

Model Model::decode(std::string_view bytes) {
  try {
    Archive archive = Archive::decode(bytes);
    if (archive.version() == 1) upgrade_version1(archive);
    auto pipeline = std::make_unique<Pipeline>(restore_learner(archive));
    expect_parts(archive, pipeline->is_of_numbers());
    if (pipeline->is_of_numbers()) {
      pipeline->quantiles = TrackedQuantiles::load(archive);
    } else {
      pipeline->classes = ClassTable::load(archive);
    }
    pipeline->features = Archive::read<std::uint64_t>(archive.settings(), "features");
    if (archive.settings().contains("columns")) {
      pipeline->encoding = std::make_shared<const Encoding>(load_encoding(archive));
      if (pipeline->encoding->features() > pipeline->features)
        throw_bad_archive("it has values of rows it has not learned");
    }
    if (archive.settings().contains("zero_based"))
      pipeline->is_zero_based = Archive::read<bool>(archive.settings(), "zero_based");
    if (archive.settings().contains("scaling")) pipeline->scaling = load_scaling(archive);
    pipeline->calibration.reset();
    if (archive.sizes().count("calibration.theta") > 0) pipeline->calibration = Calibration::load(archive);
    pipeline->load_threshold(archive);
    if (archive.has_part("class_weights")) pipeline->class_weights = load_class_weights(archive);
    pipeline->metrics = Metrics::load(archive);
    if (archive.settings().contains("earlier")) pipeline->earlier = load_counts(archive);
    if (pipeline->metrics.task() != pipeline->learner->task() ||
        pipeline->metrics.rows() + pipeline->earlier.rows > pipeline->learner->rounds()) {
      throw_bad_archive("its metrics are of other rows than it has learned");
    }
    if (pipeline->quantiles && pipeline->quantiles->targets() > pipeline->learner->rounds())
      throw_bad_archive("its quantiles are of other rows than it has learned");
    return Model(std::move(pipeline));
  } catch (const nlohmann::json::exception& error) {
    throw Error(Error::Kind::kFormat, fmt::format("not a sound alder model: {}", error.what()));
  }
}

void Model::save(const std::string& path) const {
  replace_file(path, naming(path, [this] { return encode(); }));
}

Model Model::load(const std::string& path) {
  const std::string bytes = read_file(path);
  return naming(path, [&bytes] { return decode(bytes); });
}

std::string describe_model(const std::string& path) {
  const std::string bytes = read_file(path);
  return naming(path, [&] {
    const Model model = Model::decode(bytes);  // refuses what cannot be used
    const Archive archive = Archive::decode(bytes);
    const Archive now = Archive::decode(model.encode());
    const Json& settings = now.settings();
    Json json;
    json["path"] = path;
    json["bytes"] = bytes.size();
    json["checksum"] = Archive::checksum(bytes);
    json["format_version"] = archive.version();
    json["alder_version"] = archive.written_by();
    json["learner"] = settings["learner"];
    json["options"] = settings["options"];
    const bool is_of_numbers = model.task() == Task::kRegression;
    json["task"] = is_of_numbers ? "numbers" : "classes";
    if (!is_of_numbers) {
      json["classes"] = settings["classes"];
      json["positive"] = model.positive();
      json["probabilities"] = model.has_probabilities();
      json["threshold"] = settings.value("threshold", Json());
      json["class_weights"] = settings.value("class_weights", Json());
    }
    json["features"] = model.features();
    json["columns"] = Json::array();
    if (const Encoding* const encoding = model.encoding().get(); encoding != nullptr) {
      for (std::size_t i = 0; i < encoding->columns().size(); ++i) {
        const Column& column = encoding->columns()[i];
        json["columns"].push_back({{"name", encoding->column_name(i)},
                                   {"kind", column_kind_name(column.kind)},
                                   {"values", encoding->count_values(i)}});
        if (!column.reason.empty()) json["columns"].back()["reason"] = column.reason;
      }
      json["label_column"] = encoding->label_name.empty() ? Json() : Json(encoding->label_name);
    }
    if (settings["learner"] == "hypothesis") {
      json["hypothesis"] = settings["state"];
      json["hypothesis"].erase("rounds");
    }
    json["scaling"] = settings.value("scaling", Json());
    if (settings.contains("first_rows")) json["first_rows"] = settings["first_rows"];
    json.update(is_of_numbers ? model_json(model.metrics(), model.learner().report())
                              : model_json(model.counts(), model.learner().report()));
    json["importances"] = Json::array();
    for (const FeatureShare& one : model.learner().importances()) {  // features counted from 1, as LIBSVM files do
      json["importances"].push_back({{"feature", std::uint64_t{one.feature} + 1}, {"share", one.share}});
      if (model.encoding() != nullptr || model.is_zero_based())
        json["importances"].back()["name"] = model.feature_name(one.feature);
    }
    for (const auto& [name, size] : archive.sizes()) json["tensors"][name] = size;
    return json.dump(2);
  });
}

}  // namespace alder
