#include "io/foreign.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "alder/error.h"

namespace alder {
namespace {

using namespace std::string_view_literals;

struct Foreign {
  std::string_view magic;
  std::string_view what;
  std::string_view advice;  // with {} for the name of the file
};

constexpr std::string_view kZipAdvice =
    "unpack it, as by `unzip -p {} | alder train -`. An .xlsx or .ods file is such an archive too: export its sheet as "
    "CSV";
constexpr std::string_view kArrowAdvice = "convert it to CSV, as by pandas.read_feather(...).to_csv(...) in Python";
constexpr std::string_view kUtf16Advice = "save it as UTF-8, as by `iconv -f UTF-16 -t UTF-8 {}`";

// A magic number that begins like another comes before it if it is longer.
constexpr std::array kForeign = {
    Foreign{"PK\x03\x04"sv, "a zip archive", kZipAdvice},
    Foreign{"PK\x05\x06"sv, "an empty zip archive", kZipAdvice},
    Foreign{"PAR1"sv, "a Parquet file", "read it in Python by alder.stream_parquet, or convert it to CSV"},
    Foreign{"ARROW1"sv, "an Arrow or Feather file", kArrowAdvice},
    Foreign{"FEA1"sv, "a Feather file", kArrowAdvice},
    Foreign{"SQLite format 3\0"sv, "an SQLite database",
            "export a table as CSV, as by `sqlite3 -header -csv {} 'SELECT * FROM table'`"},
    Foreign{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file", "convert the table in it to CSV"},
    Foreign{"%PDF-"sv, "a PDF document", "get its data as CSV"},
    Foreign{"\x93NUMPY"sv, "a NumPy array",
            "give the array to an estimator in Python, or write it by numpy.savetxt(..., delimiter=',')"},
    Foreign{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an Office document, such as .xls", "export its sheet as CSV"},
    Foreign{"\xff\xfe\0\0"sv, "UTF-32 text", "save it as UTF-8, as by `iconv -f UTF-32 -t UTF-8 {}`"},
    Foreign{"\xff\xfe"sv, "UTF-16 text", kUtf16Advice},
    Foreign{"\xfe\xff"sv, "UTF-16 text", kUtf16Advice},
};
static_assert(std::all_of(kForeign.begin(), kForeign.end(),
                          [](const Foreign& known) { return known.magic.size() <= kForeignHead; }));

}  // namespace

bool may_be_foreign(std::string_view head) {
  return std::any_of(kForeign.begin(), kForeign.end(), [&](const Foreign& known) {
    return head.size() < known.magic.size() && known.magic.starts_with(head);
  });
}

void expect_no_foreign(std::string_view head, const std::string& name) {
  const auto* const found = std::find_if(kForeign.begin(), kForeign.end(),
                                         [&](const Foreign& known) { return head.starts_with(known.magic); });
  if (found == kForeign.end()) return;
  const std::string file = name == "standard input" ? "FILE" : name;
  throw Error(Error::Kind::kFormat, fmt::format("{}: this is {}; expected text such as CSV, JSON lines or LIBSVM: {}",
                                                name, found->what, fmt::format(fmt::runtime(found->advice), file)));
}

}  // namespace alder
