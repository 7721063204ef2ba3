//===-- Text.h - Builds messages from pieces -------------------*- C++ -*-===//

#ifndef TILERT_LIB_TEXT_H
#define TILERT_LIB_TEXT_H

#include <concepts>
#include <string>
#include <string_view>

namespace tilert::detail {

inline void appendText(std::string &text, std::string_view piece) {
  text += piece;
}
inline void appendText(std::string &text, char piece) { text += piece; }
template <std::integral Number>
void appendText(std::string &text, Number number) {
  text += std::to_string(number);
}

/// Joins strings, characters and integers.
template <typename... Pieces> std::string join(const Pieces &...pieces) {
  std::string text;
  (appendText(text, pieces), ...);
  return text;
}

/// "'name'", as messages quote source.
inline std::string quote(std::string_view name) {
  return join('\'', name, '\'');
}

/// "0x7f00", for addresses.
std::string toHex(unsigned long long number);

} // namespace tilert::detail

#endif // TILERT_LIB_TEXT_H
