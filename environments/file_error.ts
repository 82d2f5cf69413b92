/** Failures of file operations, the same words for every place. */
import { FileError, type FileErrorCode } from "../src/protocol/error.ts";

const REASONS: Record<FileErrorCode, string> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EEXIST: "already exists",
  EISDIR: "is a directory",
  ENOTDIR: "a part of the path is not a directory",
  ENOTEMPTY: "directory is not empty",
  ELOOP: "too many levels of symbolic links",
  ENOSPC: "no space left on the device",
  EROFS: "the file system is read-only",
  EINVAL: "not a regular file",
  EIO: "input or output failed",
};

export function isFileErrorCode(code: string): code is FileErrorCode {
  return Object.hasOwn(REASONS, code);
}

export function fileFailure(path: string, code: FileErrorCode): FileError {
  return new FileError(`${path}: ${REASONS[code]}`, { code, path });
}
