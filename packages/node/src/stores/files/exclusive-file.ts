import { constants, open as openWithCallback } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { errorCode, nodeFileSystem } from './file-system.ts';

const open = promisify(openWithCallback);

/** `O_EXLOCK` of macOS and the BSDs, and libuv's flag for Windows; neither is among Node's constants. */
const BSD_LOCK = 0x20 | (constants.O_NONBLOCK ?? 0);
const LOCK_FLAGS: Partial<Record<NodeJS.Platform, number>> = {
  darwin: BSD_LOCK,
  freebsd: BSD_LOCK,
  netbsd: BSD_LOCK,
  openbsd: BSD_LOCK,
  win32: 0x10000000,
};
const OWNER_ONLY = 0o600;
/** Programs that look at new files (virus scanners) hold them for a moment. */
const WINDOWS_ATTEMPTS = 5;
const WAIT_MS = 50;

/** Whether a system locks files as it opens them. */
export function canLockFiles(platform: NodeJS.Platform): boolean {
  return LOCK_FLAGS[platform] !== undefined;
}

/**
 * Opens the file `owner.lock` of a directory so that the system refuses to open it again: in other processes too, and by
 * whatever path. The kernel lets go of it with the process. The file stays. Undefined when another has it; rejects
 * where the system or the file system does not lock.
 */
export async function openExclusively(
  directory: string,
  platform: NodeJS.Platform,
): Promise<{ release(): Promise<void> } | undefined> {
  const path = join(directory, 'owner.lock');
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (LOCK_FLAGS[platform] ?? 0);
  const fd = await openUnlessLocked(path, flags, platform);
  if (fd === undefined) return undefined;
  // Where the flag does nothing, a second opening succeeds as the first has.
  const second = await openUnlessLocked(path, flags, platform, 1).catch(() => undefined);
  if (second === undefined) return { release: () => nodeFileSystem.close(fd) };
  await nodeFileSystem.close(second);
  await nodeFileSystem.close(fd);
  throw new Error('its file system locks no files');
}

async function openUnlessLocked(
  path: string,
  flags: number,
  platform: NodeJS.Platform,
  attempts = platform === 'win32' ? WINDOWS_ATTEMPTS : 1,
): Promise<number | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open(path, flags, OWNER_ONLY);
    } catch (error) {
      const code = errorCode(error);
      if (code !== 'EAGAIN' && code !== 'EBUSY') throw error;
      if (attempt >= attempts) return undefined;
      await delay(WAIT_MS);
    }
  }
}
