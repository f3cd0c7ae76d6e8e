import { createHash, createHmac, hash, randomFillSync } from 'node:crypto';
import { tmpdir } from 'node:os';

import type { Platform } from '@model-gateway/core';

import { nextTurn } from './next-turn.ts';
import { monotonicNow, setUnrefTimer } from './node-timers.ts';
import { openScratchFile } from './scratch-file.ts';

/** One call for this many random bytes costs little more than one for sixteen. */
const POOL_BYTES = 4096;

/** Half the cost of a hash object; older runtimes, among them the desktop's test runtime, have only the latter. */
const oneShotHash: Platform['sha256'] =
  typeof hash === 'function'
    ? (text) => hash('sha256', text)
    : (text) => createHash('sha256').update(text).digest('hex');

export interface NodePlatformOptions {
  /** Where long texts are put aside for as long as a call lasts. Default: the system's folder for temporary files. */
  readonly scratchDir?: string | undefined;
}

/** The platform of Node.js: synchronous hashing, pooled randomness, timers that do not keep the process alive. */
export function createNodePlatform({ scratchDir = tmpdir() }: NodePlatformOptions = {}): Platform {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    sha256: oneShotHash,
    hmacSha256: (secret, text) => createHmac('sha256', secret).update(text).digest('hex'),
    randomBytes(length) {
      if (length > POOL_BYTES) return randomFillSync(new Uint8Array(length));
      if (used + length > POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      used += length;
      return pool.slice(used - length, used);
    },
    now: () => Date.now(),
    monotonicNow,
    setTimer: setUnrefTimer,
    nextTurn,
    openScratch: () => openScratchFile(scratchDir),
  };
}
