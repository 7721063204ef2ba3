//===- OutputFile.cpp - Files that are whole or not there -----------------===//
#include "compiler/CodeGen/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
namespace fs = llvm::sys::fs;

static llvm::Error makeError(llvm::StringRef path, std::error_code error) {
  return llvm::createStringError("cannot write '" + path +
                                 "': " + error.message());
}

/// Writes all bytes and closes; a full disk may show only at the close.
static std::error_code writeAndClose(int descriptor, llvm::StringRef bytes) {
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << bytes;
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

/// A device such as /dev/null or a pipe is written as it is: renaming would
/// replace it by a file.
static llvm::Error writeInPlace(llvm::StringRef path, llvm::StringRef bytes) {
  int descriptor = -1;
  if (std::error_code error =
          fs::openFileForWrite(path, descriptor, fs::CD_OpenExisting))
    return makeError(path, error);
  if (std::error_code error = writeAndClose(descriptor, bytes))
    return makeError(path, error);
  return llvm::Error::success();
}

static llvm::Error writeStandardOutput(llvm::StringRef bytes) {
  llvm::raw_fd_ostream &stream = llvm::outs();
  stream << bytes;
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return error ? makeError("standard output", error) : llvm::Error::success();
}

llvm::Error tilec::writeFileAtomically(llvm::StringRef path,
                                       llvm::StringRef bytes) {
  if (path == "-")
    return writeStandardOutput(bytes);
  fs::file_status status;
  if (!fs::status(path, status) && fs::is_other(status))
    return writeInPlace(path, bytes);
  if (fs::is_directory(status))
    return makeError(path, std::make_error_code(std::errc::is_a_directory));

  // The rename is atomic only within one file system, hence the same folder.
  int descriptor = -1;
  llvm::SmallString<128> temporary;
  unsigned everyoneReadsOwnerWrites = fs::all_read | fs::owner_write;
  if (std::error_code error =
          fs::createUniqueFile(path + ".%%%%%%%%.tmp", descriptor, temporary,
                               fs::OF_None, everyoneReadsOwnerWrites))
    return makeError(path, error);
  std::error_code error = writeAndClose(descriptor, bytes);
  if (!error)
    error = fs::rename(temporary, path);
  if (!error)
    return llvm::Error::success();
  fs::remove(temporary);
  return makeError(path, error);
}

std::string tilec::hashSha256(llvm::StringRef bytes) {
  auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes));
  return "sha256:" + llvm::toHex(hash, /*LowerCase=*/true);
}
