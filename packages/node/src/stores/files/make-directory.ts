import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { errorCode } from './file-system.ts';

/**
 * Makes a directory and its missing parents, and returns the first that it made; undefined when it existed. Rejects
 * with the system's error. Node's own `recursive` never ends below a file system without directories (`/proc`).
 */
export async function makeDirectory(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    const code = errorCode(error);
    // A link without a target exists for `mkdir` and not for `stat`; the caller gets the error of `stat`.
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return undefined;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    const madeAbove = await makeDirectory(dirname(path), mode);
    // The parent existed before, so the error has another cause.
    if (madeAbove === undefined) throw error;
    await mkdir(path, { mode });
    return madeAbove;
  }
}
