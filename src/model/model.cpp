#include "alder/model.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"

#include "archive/archive.h"
#include "io/whole_file.h"
#include "learners/core/registry.h"

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

Classes load_classes(const Archive& archive) {
  const auto classes = Archive::read<Json>(archive.settings(), "classes");
  return {Archive::read<std::string>(classes, "negative"), Archive::read<std::string>(classes, "positive")};
}

Model restore(const Archive& archive) {
  Model model;
  model.learner = restore_learner(archive);
  model.classes = load_classes(archive);
  model.features = Archive::read<std::uint64_t>(archive.settings(), "features");
  if (archive.settings().contains("scaling")) model.scaling = load_scaling(archive);
  return model;
}

// Errors of the content, with the path before them.
template <class Action>
auto naming(const std::string& path, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("{}: not a sound alder model: {}", path, error.what()));
  }
}

}  // namespace

std::string encode_model(const Model& model) {
  Archive archive;
  model.learner->save(archive);
  archive.settings()["classes"] = {{"negative", model.classes.negative}, {"positive", model.classes.positive}};
  archive.settings()["features"] = model.features;
  if (model.scaling) save(*model.scaling, archive);
  return archive.encode();
}

Model decode_model(std::string_view bytes) {
  try {
    return restore(Archive::decode(bytes));
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("not a sound alder model: {}", error.what()));
  }
}

void save_model(const Model& model, const std::string& path) {
  replace_file(path, naming(path, [&model] { return encode_model(model); }));
}

Model load_model(const std::string& path) {
  const std::string bytes = read_file(path);
  return naming(path, [&bytes] { return decode_model(bytes); });
}

std::string describe_model(const std::string& path) {
  const std::string bytes = read_file(path);
  return naming(path, [&] {
    const Archive archive = Archive::decode(bytes);
    const Report report = restore(archive).learner->report();  // refuses what cannot be used
    Json json;
    json["path"] = path;
    json["bytes"] = bytes.size();
    json["checksum"] = Archive::checksum(bytes);
    json["alder_version"] = archive.written_by();
    json["learner"] = archive.settings()["learner"];
    json["options"] = archive.settings()["options"];
    json["classes"] = archive.settings()["classes"];
    json["features"] = archive.settings()["features"];
    if (archive.settings()["learner"] == "hypothesis") json["hypothesis"] = archive.settings()["state"];
    json["scaling"] = archive.settings().value("scaling", Json());
    json["rounds"] = report.rounds;
    json["mistakes"] = report.mistakes;
    json["mistake_rate"] = report.mistake_rate();
    json["hinge_loss"] = report.hinge_loss;
    json["support_vectors"] = report.support;
    json["switch_round"] = report.switch_round ? Json(*report.switch_round) : Json();
    json["removals"] = report.removals;
    json["sum_delta"] = report.sum_delta ? Json(*report.sum_delta) : Json();
    json["norm"] = report.norm ? Json(*report.norm) : Json();
    json["learning_rate"] = report.learning_rate;
    json["chosen_sigma"] = report.sigma ? Json(*report.sigma) : Json();
    json["race"] = Json::parse(race_json(report.race));
    json["model_bytes"] = report.bytes;
    for (const auto& [name, size] : archive.sizes()) json["tensors"][name] = size;
    return json.dump(2);
  });
}

}  // namespace alder
