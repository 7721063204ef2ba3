//===-- Module.cpp - Loads artifacts --------------------------------------===//

#include "Module.h"
#include "Sha256.h"
#include "Text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tilert::detail {
namespace {

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

Status fileError(const std::string &path, const char *call, int error) {
  return Status(error == ENOENT ? TILERT_NOT_FOUND : TILERT_IO_ERROR,
                join(path, ": ", std::strerror(error)))
      .inCall(call);
}

Status readFile(const std::string &path, std::string &bytes) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"),
                                              std::fclose);
  if (!file)
    return fileError(path, "fopen", errno);
  char buffer[1 << 16];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, file.get()))
    bytes.append(buffer, count);
  // A folder opens, but does not read.
  if (std::ferror(file.get()))
    return fileError(path, "fread", errno);
  return {};
}

Status checkCubin(const Manifest &manifest, std::string_view cubin,
                  const std::string &title) {
  if (manifest.cubinHash.empty())
    return {TILERT_INVALID_MANIFEST, join(title, ": /hashes/cubin: missing")};
  std::string hash = hashSha256(cubin);
  if (hash == manifest.cubinHash)
    return {};
  return {TILERT_HASH_MISMATCH,
          join(title, ": the cubin of ", cubin.size(), " bytes has sha256 ",
               hash, ", but the manifest belongs to ", manifest.cubinHash)};
}

/// Gives the kernels of a manifest their places in the module.
void adoptKernels(tilert_module &module,
                  std::vector<std::unique_ptr<KernelInfo>> &infos,
                  std::vector<std::unique_ptr<tilert_kernel>> &kernels) {
  for (std::unique_ptr<KernelInfo> &info : infos) {
    auto kernel = std::make_unique<tilert_kernel>();
    kernel->info = std::move(info);
    kernel->module = &module;
    kernel->firstFunction = module.functionCount;
    module.functionCount += kernel->info->variants.size();
    kernels.push_back(std::move(kernel));
  }
  infos.clear();
}

Status makeModule(std::string_view manifest, const std::string &title,
                  std::unique_ptr<tilert_module> &module) {
  module = std::make_unique<tilert_module>();
  TILERT_RETURN_IF_ERROR(readManifest(manifest, title, module->manifest));
  adoptKernels(*module, module->manifest.kernels, module->kernels);
  adoptKernels(*module, module->manifest.helpers, module->helpers);
  return {};
}

/// "gemm.json" from "gemm.cubin".
std::string manifestPathOf(const std::string &cubinPath) {
  return cubinPath.substr(0, cubinPath.size() - std::strlen(".cubin")) +
         ".json";
}

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash + 1);
}

Status loadModule(const std::string &path,
                  std::unique_ptr<tilert_module> &module) {
  bool isCubin = endsWith(path, ".cubin");
  if (!isCubin && !endsWith(path, ".json"))
    return {TILERT_INVALID_ARGUMENT,
            join(quote(path), " ends neither in .json nor in .cubin")};
  std::string manifestPath = isCubin ? manifestPathOf(path) : path;
  std::string title = "manifest " + manifestPath;
  std::string manifest;
  TILERT_RETURN_IF_ERROR(readFile(manifestPath, manifest));
  TILERT_RETURN_IF_ERROR(makeModule(manifest, title, module));
  if (!isCubin && module->manifest.cubinName.empty())
    return {TILERT_INVALID_MANIFEST, title + ": /module: names no cubin"};
  std::string cubinPath =
      isCubin ? path : folderOf(path) + module->manifest.cubinName;
  TILERT_RETURN_IF_ERROR(readFile(cubinPath, module->cubin));
  return checkCubin(module->manifest, module->cubin, title);
}

} // namespace
} // namespace tilert::detail

using namespace tilert::detail;

const tilert_kernel *tilert_module::find(std::string_view name) const {
  for (const auto *list : {&kernels, &helpers})
    for (const auto &kernel : *list)
      if (kernel->info->name == name)
        return kernel.get();
  return nullptr;
}

tilert_code tilert_module_load(const char *path, tilert_module **result,
                               tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(path, "path"));
    TILERT_RETURN_IF_ERROR(requireNonNull(result, "module"));
    *result = nullptr;
    std::unique_ptr<tilert_module> module;
    TILERT_RETURN_IF_ERROR(loadModule(path, module));
    *result = module.release();
    return {};
  });
}

tilert_code tilert_module_load_memory(const char *manifest,
                                      size_t manifestBytes, const void *cubin,
                                      size_t cubinBytes, tilert_module **result,
                                      tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(manifest, "manifest"));
    TILERT_RETURN_IF_ERROR(requireNonNull(cubin, "cubin"));
    TILERT_RETURN_IF_ERROR(requireNonNull(result, "module"));
    *result = nullptr;
    std::unique_ptr<tilert_module> module;
    TILERT_RETURN_IF_ERROR(
        makeModule({manifest, manifestBytes}, "manifest", module));
    module->cubin.assign(static_cast<const char *>(cubin), cubinBytes);
    TILERT_RETURN_IF_ERROR(
        checkCubin(module->manifest, module->cubin, "manifest"));
    *result = module.release();
    return {};
  });
}

tilert_code tilert_module_from_manifest(const char *manifest,
                                        size_t manifestBytes,
                                        tilert_module **result,
                                        tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(manifest, "manifest"));
    TILERT_RETURN_IF_ERROR(requireNonNull(result, "module"));
    *result = nullptr;
    std::unique_ptr<tilert_module> module;
    TILERT_RETURN_IF_ERROR(
        makeModule({manifest, manifestBytes}, "manifest", module));
    *result = module.release();
    return {};
  });
}

void tilert_module_destroy(tilert_module *module) { delete module; }

const char *tilert_module_target(const tilert_module *module) {
  return module ? module->manifest.targetName.c_str() : "";
}

size_t tilert_module_kernel_count(const tilert_module *module) {
  return module ? module->kernels.size() : 0;
}

const tilert_kernel *tilert_module_kernel(const tilert_module *module,
                                          size_t index) {
  return index < tilert_module_kernel_count(module)
             ? module->kernels[index].get()
             : nullptr;
}

tilert_code tilert_kernel_get(const tilert_module *module, const char *name,
                              const tilert_kernel **kernel,
                              tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(module, "module"));
    TILERT_RETURN_IF_ERROR(requireNonNull(kernel, "kernel"));
    *kernel = nullptr;
    if (name)
      *kernel = module->find(name);
    else if (module->kernels.size() == 1)
      *kernel = module->kernels.front().get();
    if (*kernel)
      return {};
    std::string names;
    for (const auto &candidate : module->kernels)
      names += join(names.empty() ? "" : ", ", candidate->info->name);
    if (!name)
      return {TILERT_INVALID_ARGUMENT,
              join("the module has ", module->kernels.size(),
                   " kernels, name one of: ", names)};
    return {TILERT_NOT_FOUND,
            join("there is no kernel ", quote(name), ", only: ", names)};
  });
}
