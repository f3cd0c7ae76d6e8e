import type { Steps } from '../../foundation/queues.ts';
import type { Span } from './filter.ts';
import { findInWindows, type WindowedPattern } from './find-in-windows.ts';

/** A piece of a run of base64: a run may have any length. */
const piece: WindowedPattern = { pattern: /[a-z0-9+/_-]{1,2048}/gi, reach: 2048 };
const MIN_RUN_LENGTH = 20;
/** Characters that are decoded at a time: whole groups of four. */
const STEP_LENGTH = 32_768;

const order =
  /\b(?:ignore|disregard|forget|bypass|override|reveal)\b[\s\S]{0,80}\b(?:system|prompts?|instructions?|rules|previous|above|safety)\b/gi;
/** More characters than an order has. */
const LONGEST_ORDER = 128;

/** Whether a text has an order of those that are hidden by an encoding. */
export function isOrder(text: string): boolean {
  order.lastIndex = 0;
  return order.test(text);
}

/** Adds the runs of base64 that say an order. */
export function* findEncoded(text: string, atOnce: number, spans: Span[]): Steps<void> {
  const runs: { start: number; end: number }[] = [];
  yield* findInWindows(text, piece, atOnce, (found, start) => {
    const end = start + found.length;
    const last = runs.at(-1);
    if (last?.end === start) last.end = end;
    else if (last !== undefined && last.end - last.start < MIN_RUN_LENGTH) runs[runs.length - 1] = { start, end };
    else runs.push({ start, end });
    return end;
  });
  for (const { start, end } of runs) {
    if (end - start < MIN_RUN_LENGTH || !(yield* saysOrder(text, start, end))) continue;
    spans.push({ start, end: end + (/^={0,2}/.exec(text.slice(end, end + 2))?.[0].length ?? 0) });
    yield;
  }
}

/** Decodes a run of base64 and looks for an order in it. */
function* saysOrder(text: string, start: number, end: number): Steps<boolean> {
  // Characters after the last whole group of four may belong to the following text, so they are cut off.
  const stop = end - ((end - start) % 4);
  let seen = '';
  for (let at = start; at < stop; at += STEP_LENGTH) {
    const next = Math.min(at + STEP_LENGTH, stop);
    const context = seen.slice(-LONGEST_ORDER);
    seen = context + decodeBase64(text.slice(at, next));
    if (hasOrder(seen, context !== '', next === stop)) return true;
    if (next < stop) yield;
  }
  return false;
}

/** Looks for an order; one that begins or ends where the text is cut may be a part of another word. */
function hasOrder(seen: string, isCutBefore: boolean, isEnd: boolean): boolean {
  order.lastIndex = isCutBefore ? 1 : 0;
  for (let match = order.exec(seen); match !== null; match = order.exec(seen)) {
    if (isEnd || order.lastIndex < seen.length) return true;
  }
  return false;
}

/** The bytes as characters. */
const decodeBase64 = (piece: string): string => atob(piece.replaceAll('-', '+').replaceAll('_', '/'));
