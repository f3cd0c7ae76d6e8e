import { createHash, createHmac, hash, randomFillSync, randomUUID } from 'node:crypto';
import { close, openSync, readSync, unlinkSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Platform, Scratch } from '@model-gateway/core';

import { monotonicNow, nextTurn, setUnrefTimer } from './node-timers.ts';

/** One call for this many random bytes costs little more than one for sixteen. */
const POOL_BYTES = 4096;

/** Half the cost of a hash object; older runtimes, among them the desktop's test runtime, have only the latter. */
const oneShotHash: Platform['sha256'] =
  typeof hash === 'function'
    ? (text) => hash('sha256', text)
    : (text) => createHash('sha256').update(text).digest('hex');

interface NodePlatformOptions {
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

interface Piece {
  readonly at: number;
  readonly length: number;
  /** Null once it is in the file. */
  bytes: Uint8Array | null;
}

/**
 * Opens a scratch in a file that no other user can open and that is removed when the process ends, however it ends.
 * Where there can be no file, or it cannot grow, the bytes stay in memory.
 */
export function openScratchFile(dir: string): Scratch {
  const pieces: Piece[] = [];
  let file = openUnlinked(dir);
  let end = 0;
  let writing = 0;
  let isClosed = false;

  /** Not while something is being written: the number may be another file's by then. */
  const closeWhenIdle = (): void => {
    if (!isClosed || writing > 0 || file === null) return;
    close(file, () => undefined);
    file = null;
  };

  return {
    append(bytes) {
      const piece: Piece = { at: end, length: bytes.length, bytes };
      pieces.push(piece);
      end += bytes.length;
      if (file === null) return;
      writing += 1;
      write(file, bytes, 0, bytes.length, piece.at, (error, written) => {
        writing -= 1;
        if (error === null && written === bytes.length) piece.bytes = null;
        closeWhenIdle();
      });
    },
    *read() {
      for (const piece of pieces.slice()) yield piece.bytes ?? readPiece(file, piece);
    },
    close() {
      isClosed = true;
      pieces.length = 0;
      closeWhenIdle();
    },
  };
}

function openUnlinked(dir: string): number | null {
  const path = join(dir, `.scratch-${randomUUID()}`);
  try {
    const file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return file;
  } catch {
    return null;
  }
}

function readPiece(file: number | null, { at, length }: Piece): Uint8Array {
  const bytes = new Uint8Array(length);
  const count = file === null ? 0 : readSync(file, bytes, 0, length, at);
  if (count !== length) throw new Error(`A scratch file is shorter than what was written to it: ${count} of ${length}`);
  return bytes;
}
