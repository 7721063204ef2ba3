//===- PrintCalls.cpp - vprintf of a kernel -------------------------------===//
//
// Each conversion is cut out of the format and given to snprintf with an
// argument of the type that its letters ask for.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Load/PrintCalls.h"

#include "compiler/Emulator/Machine/Block.h"

#include <cstdio>
#include <cstring>
#include <mutex>

using namespace tilec;
using namespace tilec::emulator;

namespace {

/// Walks along the arguments.
class ArgumentReader {
public:
  explicit ArgumentReader(const uint8_t *arguments) : next(arguments) {}

  template <typename T> T take() {
    offset = (offset + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, next + offset, sizeof value);
    offset += sizeof value;
    return value;
  }

private:
  const uint8_t *next;
  size_t offset = 0;
};

} // namespace

template <typename T>
static std::string formatValue(const std::string &conversion, T value) {
  char text[512];
  // The conversion has been checked against the type of the value.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
  int length = snprintf(text, sizeof text, conversion.c_str(), value);
#pragma clang diagnostic pop
  return std::string(text,
                     std::min<size_t>(std::max(length, 0), sizeof text - 1));
}

std::optional<std::string> tilec::emulator::formatDeviceText(
    llvm::StringRef format, const uint8_t *arguments,
    llvm::function_ref<std::optional<llvm::StringRef>(uint64_t)> readString) {
  ArgumentReader reader(arguments);
  std::string text;
  while (!format.empty()) {
    size_t plain = std::min(format.find('%'), format.size());
    text += format.take_front(plain);
    format = format.drop_front(plain);
    if (format.empty())
      break;
    size_t flags = format.find_first_not_of("-+ #0123456789.", 1);
    if (flags == llvm::StringRef::npos)
      return std::nullopt;
    size_t letter = format.find_first_not_of("hlLjzt", flags);
    if (letter == llvm::StringRef::npos)
      return std::nullopt;
    llvm::StringRef length = format.slice(flags, letter);
    char kind = format[letter];
    std::string start = format.take_front(flags).str();
    format = format.drop_front(letter + 1);
    bool isWide =
        length.contains('l') || length == "j" || length == "z" || length == "t";
    switch (kind) {
    case '%':
      text += '%';
      break;
    case 'd':
    case 'i':
      text += formatValue(start + "lld", isWide ? reader.take<int64_t>()
                                                : reader.take<int32_t>());
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      text +=
          formatValue(start + "ll" + kind, isWide ? reader.take<uint64_t>()
                                                  : reader.take<uint32_t>());
      break;
    case 'c':
      text += formatValue(start + 'c', reader.take<int32_t>());
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      text += formatValue(start + kind, reader.take<double>());
      break;
    case 'p':
      text += formatValue(start + 'p',
                          reinterpret_cast<void *>(reader.take<uint64_t>()));
      break;
    case 's': {
      auto string = readString(reader.take<uint64_t>());
      if (!string)
        return std::nullopt;
      text += formatValue(start + 's', string->str().c_str());
      break;
    }
    default:
      return std::nullopt;
    }
  }
  return text;
}

/// The text at an address, which must end within its buffer.
static std::optional<llvm::StringRef> readText(const BufferTable &buffers,
                                               uint64_t address) {
  int index = buffers.find(address, 1);
  if (index < 0)
    return std::nullopt;
  const BufferRange &buffer = buffers[index];
  uint64_t most = buffer.base + buffer.bytes - address;
  auto *text = reinterpret_cast<const char *>(address);
  size_t length = strnlen(text, most);
  if (length == most)
    return std::nullopt;
  return llvm::StringRef(text, length);
}

int32_t tilec::emulator::printDeviceText(const Site *site, uint64_t format,
                                         const uint8_t *arguments) {
  static std::mutex mutex;
  Thread &thread = currentThread();
  const Launch &launch = thread.block->getLaunch();
  auto readString = [&](uint64_t address) {
    return readText(launch.buffers, address);
  };
  auto formatText = readString(format);
  std::optional<std::string> text;
  if (formatText)
    text = formatDeviceText(*formatText, arguments, readString);
  if (!text)
    thread.block->fail(thread, EmulationErrorKind::OutOfBounds, *site,
                       "vprintf: the format or a text it refers to cannot be "
                       "read");
  std::lock_guard<std::mutex> lock(mutex);
  const auto &print = launch.spec.options.print;
  if (print)
    print(*text);
  else
    fwrite(text->data(), 1, text->size(), stdout);
  return static_cast<int32_t>(text->size());
}
