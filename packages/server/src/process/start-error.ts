/** A start that failed for a reason outside the program. Its message says what to do, so no stack is shown. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full; free some space or choose a directory on another disk',
  EDQUOT: 'the disk is full; free some space or choose a directory on another disk',
};

/** Says why a file could not be read or written, with the code of the system: `it is a folder [EISDIR]`. */
export function describeFileError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const reason = REASONS[code];
  return reason === undefined ? message : `${reason} [${code}]`;
}
