import { createHash } from 'node:crypto';

import { toColumnText } from '../connection/column-text.ts';

/** Texts of this length fit an index together with others of a row, in any language. */
const MAX_BYTES = 400;
const KEPT_CHARS = 100;

/**
 * A fact as a column can hold it, and as queries ask for it: without NUL, which PostgreSQL refuses, and short enough for
 * an index. What is cut keeps a hash, so that no two texts become one.
 */
export function toFactText(text: string): string {
  const plain = toColumnText(text);
  if (plain.length <= MAX_BYTES / 4 || Buffer.byteLength(plain) <= MAX_BYTES) return plain;
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  return `${toColumnText(plain.slice(0, KEPT_CHARS))}…${hash}`;
}
