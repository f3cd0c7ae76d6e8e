import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { errorCode } from './file-system.ts';

/**
 * Makes a directory and those above it, and tells the first that it made; undefined when it was there. Rejects with
 * the system's error. Node's own `recursive` tries for ever below a file system that takes no directories (`/proc`).
 */
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
