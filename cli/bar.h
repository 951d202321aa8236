#pragma once

#include <string>

namespace alder::cli {

/// A progress bar on standard error, if that is a terminal that can show one; otherwise nothing is drawn.
class Bar {
 public:
  Bar() = default;
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;
  ~Bar() { clear(); }

  /// Whether the terminal can show it: a bar moves the cursor, which files and dumb terminals do not understand.
  [[nodiscard]] static bool can_draw();
  /// `done` is from 0 to 1; `text` stands behind the bar.
  void draw(double done, const std::string& text);
  /// Takes it away; for the end, and before other messages.
  void clear();

 private:
  bool shown_ = false;
};

/// A duration in words: "5 s", "3 min 20 s", "2 h 05 min".
std::string in_words(double seconds);

}  // namespace alder::cli
