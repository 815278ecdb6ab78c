//===- AtomicFile.cpp - Output files, whole or not at all -----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Support/AtomicFile.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace mozart;

static absl::Status fileError(absl::string_view what, const std::string &path) {
  return absl::UnavailableError(
      absl::StrCat(what, " '", path, "': ", std::strerror(errno)));
}

static bool writeAll(FILE *file, absl::string_view contents) {
  return std::fwrite(contents.data(), 1, contents.size(), file) ==
         contents.size();
}

absl::Status mozart::writeFile(const std::string &path,
                               absl::string_view contents) {
  if (path == "-") {
    if (!writeAll(stdout, contents) || std::fflush(stdout) != 0)
      return fileError("cannot write", path);
    return absl::OkStatus();
  }
  // A device such as /dev/null is written in place: it cannot be renamed over.
  struct stat info;
  bool inPlace = stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  std::string target =
      inPlace ? path : absl::StrCat(path, ".", getpid(), ".partial");
  FILE *file = std::fopen(target.c_str(), "wb");
  if (!file)
    return fileError("cannot write", path);
  bool written = writeAll(file, contents);
  written &= std::fclose(file) == 0;
  if (written && (inPlace || std::rename(target.c_str(), path.c_str()) == 0))
    return absl::OkStatus();
  absl::Status status = fileError("cannot write", path);
  if (!inPlace)
    std::remove(target.c_str());
  return status;
}

absl::StatusOr<std::string> mozart::readFile(const std::string &path) {
  FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return fileError("cannot read", path);
  std::string contents;
  char block[1 << 16];
  size_t got;
  while ((got = std::fread(block, 1, sizeof(block), file)) > 0)
    contents.append(block, got);
  bool failed = std::ferror(file) != 0;
  absl::Status status =
      failed ? fileError("cannot read", path) : absl::OkStatus();
  std::fclose(file);
  if (!status.ok())
    return status;
  return contents;
}
