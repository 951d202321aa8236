// Bytes per second from text to rows: the readers alone, from memory, and whole inputs from a file.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include "alder/input.h"

#include "base/random.h"
#include "data/csv.h"
#include "data/libsvm.h"
#include "io/bytes.h"

namespace alder {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 24;

// Rows of 20 features with 6 digits, as most data sets come.
std::string text(Format format) {
  Random random(1);
  std::string out;
  while (out.size() < kBytes) {
    out += random.chance(0.5) ? "+1" : "-1";
    for (int j = 1; j <= 20; ++j) {
      out += format == Format::kCsv ? "," : fmt::format(" {}:", j);
      out += fmt::format("{:.6g}", random.normal());
    }
    out += '\n';
  }
  return out;
}

// Rows of about 40 of 120 features that are 0 or 1.
std::string indicators(Format format) {
  Random random(1);
  std::string out;
  while (out.size() < kBytes) {
    out += random.chance(0.5) ? "+1" : "-1";
    for (int j = 1; j <= 120; ++j) {
      const bool is_set = random.chance(1.0 / 3.0);
      if (format == Format::kCsv) {
        out += is_set ? ",1" : ",0";
      } else if (is_set) {
        out += fmt::format(" {}:1", j);
      }
    }
    out += '\n';
  }
  return out;
}

// A table of all kinds of columns: numbers, of which one in ten is missing, categories, a truth value, a date and a
// time.
std::string mixed(Format /*format*/) {
  Random random(1);
  std::string out = "label,id,age,wage,height,job,city,state,member,joined,seen,score,rate\n";
  for (int id = 1; out.size() < kBytes; ++id) {
    out += fmt::format("{},{},{},", random.chance(0.5) ? "yes" : "no", id, 18 + random.below(60));
    out += random.chance(0.1) ? std::string(",") : fmt::format("{:.2f},", 1000.0 + 100.0 * random.normal());
    out += fmt::format("{:.1f},job {},city number {},S{},{},", 170 + 10 * random.normal(), random.below(12),
                       random.below(300), random.below(50), random.chance(0.5) ? "true" : "false");
    out +=
        fmt::format("20{:02}-{:02}-{:02},2021-03-{:02} {:02}:{:02}:{:02},", random.below(24), 1 + random.below(12),
                    1 + random.below(28), 1 + random.below(28), random.below(24), random.below(60), random.below(60));
    out += fmt::format("{:.6g},{:.6g}\n", random.normal(), random.normal());
  }
  return out;
}

void count_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * static_cast<std::int64_t>(state.iterations()));
}

void parse(benchmark::State& state, Format format, std::string (*make)(Format)) {
  const std::string content = make(format);
  for (auto _ : state) {
    TableLayout layout({.label_column = "1"});
    const auto reader =
        format == Format::kCsv ? read_csv(memory_bytes(content), "f", layout) : read_libsvm(memory_bytes(content), "f");
    RawRow row;
    while (reader->next(row)) benchmark::DoNotOptimize(row);
  }
  count_bytes(state, content.size());
}

void input(benchmark::State& state, Format format, bool read_ahead) {
  const std::string content = text(format);
  const std::string path = std::filesystem::temp_directory_path() / fmt::format("alder-bench-{}", getpid());
  std::ofstream(path, std::ios::binary) << content;
  for (auto _ : state) {
    const auto stream =
        open_input({path}, {.label_column = format == Format::kCsv ? "1" : "", .read_ahead = read_ahead});
    Example example;
    while (stream->next(example)) benchmark::DoNotOptimize(example);
  }
  std::remove(path.c_str());
  count_bytes(state, content.size());
}

BENCHMARK_CAPTURE(parse, libsvm_numbers, Format::kLibsvm, text)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(parse, libsvm_indicators, Format::kLibsvm, indicators)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(parse, csv_numbers, Format::kCsv, text)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(parse, csv_indicators, Format::kCsv, indicators)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(parse, csv_mixed, Format::kCsv, mixed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(input, libsvm_on_demand, Format::kLibsvm, false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(input, libsvm_read_ahead, Format::kLibsvm, true)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(input, csv_on_demand, Format::kCsv, false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(input, csv_read_ahead, Format::kCsv, true)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace alder
