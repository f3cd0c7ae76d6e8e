import { createHash, createHmac, randomFillSync } from 'node:crypto';

import type { Platform } from '@model-gateway/core';

/** One call for this many random bytes costs little more than one for sixteen. */
const POOL_BYTES = 4096;

/** The platform of Node.js: synchronous hashing, pooled randomness, timers that do not keep the process alive. */
export function createNodePlatform(): Platform {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
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
    monotonicNow: () => performance.now(),
    setTimer(callback, delayMs) {
      const timer = setTimeout(callback, delayMs).unref();
      return () => clearTimeout(timer);
    },
  };
}
