import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { errorCode } from './file-system.ts';

/** Makes a directory and its parents; returns the first made, if any. Node's `recursive` never ends below `/proc`. */
export async function makeDirectory(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    const code = errorCode(error);
    // A link that leads nowhere is there for `mkdir` and not for `stat`; the caller learns the latter.
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return undefined;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    const madeAbove = await makeDirectory(dirname(path), mode);
    // The parent was there all along, so it is not for want of it that this one cannot be made.
    if (madeAbove === undefined) throw error;
    await mkdir(path, { mode });
    return madeAbove;
  }
}
