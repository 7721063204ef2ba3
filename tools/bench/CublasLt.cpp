//===-- CublasLt.cpp - cuBLASLt, loaded at run time -----------------------===//

#include "tools/bench/CublasLt.h"
#include "runtime/lib/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>

namespace fs = std::filesystem;
using tilert::detail::join;

namespace tilebench {
namespace {

// The newest first: block scales need 12.9.
constexpr const char *fileNames[] = {"libcublasLt.so.13", "libcublasLt.so.12"};

void addFolder(std::vector<std::string> &files, const fs::path &folder) {
  std::error_code ignored;
  for (const char *name : fileNames)
    if (fs::exists(folder / name, ignored))
      files.push_back((folder / name).string());
}

/// CUDA toolkits: where the environment says, and where they are by default.
void addToolkits(std::vector<std::string> &files) {
  std::vector<fs::path> roots;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = std::getenv(variable))
      roots.push_back(root);
  std::vector<fs::path> installed;
  std::error_code ignored;
  for (const auto &entry : fs::directory_iterator("/usr/local", ignored))
    if (entry.path().filename().string().rfind("cuda", 0) == 0)
      installed.push_back(entry.path());
  std::sort(installed.rbegin(), installed.rend());
  roots.insert(roots.end(), installed.begin(), installed.end());
  for (const fs::path &root : roots)
    for (const char *folder : {"lib64", "lib", "targets/x86_64-linux/lib"})
      addFolder(files, root / folder);
  addFolder(files, "/usr/lib/x86_64-linux-gnu");
}

/// The wheels that torch brings with it, of the python3 on the PATH.
void addPythonPackages(std::vector<std::string> &files) {
  // NOLINTNEXTLINE(bugprone-command-processor): a text that is fixed.
  FILE *pipe = popen("python3 -c 'import sys; print(\"\\n\".join(sys.path))' "
                     "2>/dev/null",
                     "r");
  if (!pipe)
    return;
  std::string text;
  char part[4096];
  while (size_t bytes = fread(part, 1, sizeof part, pipe))
    text.append(part, bytes);
  pclose(pipe);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    fs::path folder = text.substr(begin, end - begin);
    begin = end + 1;
    if (folder.empty())
      continue;
    addFolder(files, folder / "nvidia/cu13/lib");
    addFolder(files, folder / "nvidia/cublas/lib");
  }
}

} // namespace

std::vector<std::string> listCublasLtFiles(const std::string &chosen) {
  std::vector<std::string> files;
  std::error_code ignored;
  if (!chosen.empty()) {
    if (!fs::is_directory(chosen, ignored))
      return {chosen};
    addFolder(files, chosen);
    return files;
  }
  // By name alone: LD_LIBRARY_PATH and what ldconfig knows.
  files.assign(std::begin(fileNames), std::end(fileNames));
  addToolkits(files);
  addPythonPackages(files);
  return files;
}

CublasLt::CublasLt(const std::string &chosen) {
  std::string reasons;
  std::vector<std::string> files = listCublasLtFiles(chosen);
  for (const std::string &file : files)
    if (load(file, reasons))
      return;
  if (files.empty())
    reasons = join("\n  ", chosen, " holds neither ", fileNames[0], " nor ",
                   fileNames[1]);
  throw std::runtime_error(
      join("cannot load cuBLASLt:", reasons,
           "\nname it with --cublaslt=PATH, or measure without it by "
           "--no-cublaslt"));
}

bool CublasLt::load(const std::string &path, std::string &reasons) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    reasons += join("\n  ", dlerror());
    return false;
  }
  std::string missing;
#define X(name, result, ...)                                                   \
  name = reinterpret_cast<result (*)(__VA_ARGS__)>(dlsym(library, #name));     \
  if (!name)                                                                   \
    missing = #name;
  TILEBENCH_CUBLASLT(X)
#undef X
  if (!missing.empty()) {
    reasons += join("\n  ", path, ": there is no ", missing, " in it");
    dlclose(library);
    return false;
  }
  Dl_info info;
  auto *address = reinterpret_cast<void *>(cublasLtMatmul);
  loadedPath = dladdr(address, &info) && info.dli_fname ? info.dli_fname : path;
  return true;
}

std::string CublasLt::version() const {
  // major * 10000 + minor * 100 + patch since 12; 11 had major * 10000, too.
  size_t number = cublasLtGetVersion();
  return join(number / 10000, '.', number / 100 % 100, '.', number % 100);
}

void CublasLt::check(int status, const char *call) const {
  if (status == 0)
    return;
  const char *name = cublasLtGetStatusName(status);
  throw std::runtime_error(
      join(call, " failed: ", name ? name : "a status without a name", " (",
           status, ")"));
}

} // namespace tilebench
