import { randomUUID } from 'node:crypto';
import { close, openSync, readSync, unlinkSync, write } from 'node:fs';
import { join } from 'node:path';

import type { Scratch } from '@model-gateway/core';

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
