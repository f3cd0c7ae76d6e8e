import type { Logger } from '@model-gateway/core';

import { type DataDirectory, isOfAnyFile, toDirectoryError } from './data-directory.ts';
import { describeOwnershipFailure, DirectoryInUseError, type DirectoryOwner, ownDirectory } from './directory-owner.ts';
import { removeMadeFolders } from './undo-start.ts';
import { UnusableDirectoryError } from './unusable-directory-error.ts';

export interface TakingOptions {
  /** As the operator wrote it. */
  readonly dir: string;
  readonly logger?: Logger | undefined;
  /** Goes on, with a warning, where the system offers no way to keep a second process out. */
  readonly lockOptional?: boolean | undefined;
}

/**
 * Takes a directory for this process. Throws `DirectoryInUseError` where another has it, and one clear line where that
 * cannot be ensured. Undefined where that is optional.
 */
export async function takeDirectory(
  { dir, logger, lockOptional }: TakingOptions,
  directory: DataDirectory,
): Promise<DirectoryOwner | undefined> {
  try {
    return await ownDirectory(directory.path);
  } catch (error) {
    // Its owner may be about to use the folders that were made here.
    if (error instanceof DirectoryInUseError) throw error;
    const reason = describeOwnershipFailure(error);
    if (lockOptional === true && !isOfAnyFile(error)) {
      logger?.warn(reason, { directory: directory.path });
      return undefined;
    }
    await removeMadeFolders(directory.made);
    if (isOfAnyFile(error)) throw toDirectoryError(dir, error);
    throw new UnusableDirectoryError(
      `Cannot use the data directory ${dir}: ${reason}; put it on a local disk, ` +
        'or open the store with lockOptional to go on without',
      { cause: error },
    );
  }
}
