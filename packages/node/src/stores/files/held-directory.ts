import { stat } from 'node:fs/promises';

import { type FileSystem, OPEN } from './file-system.ts';
import { UnusableDirectoryError } from './unusable-directory-error.ts';

/**
 * A file system that makes, renames and removes nothing once another directory has the path of the one that was taken,
 * or none: whoever moves a directory away and starts a gateway at its path would else have two in one. Files that are
 * open stay with their directory.
 */
export async function holdDirectory(files: FileSystem, directory: string): Promise<FileSystem> {
  const taken = await stat(directory);
  const check = async (): Promise<void> => {
    const found = await stat(directory).catch(() => undefined);
    if (found?.ino === taken.ino && found.dev === taken.dev) return;
    throw new UnusableDirectoryError(
      `The data directory ${directory} was moved or removed while it is in use; stop the gateway and start it again`,
    );
  };
  const checked =
    <Arguments extends unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      await check();
      return call(...given);
    };
  const make = checked(files.open);
  return {
    ...files,
    open: (path, flags) => (flags === OPEN.read ? files.open(path, flags) : make(path, flags)),
    rename: checked(files.rename),
    link: checked(files.link),
    unlink: checked(files.unlink),
  };
}
