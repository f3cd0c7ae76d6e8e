import type { UnitPrices } from '../../catalog/prices.ts';
import type { CacheTtl } from '../../wire/cache-report.ts';
import type { Segment } from './prompt-segments.ts';
import { HOUR_MS } from './provider-rules.ts';

/** A prompt as far as its session remembers it: a few numbers a segment, no texts. */
export interface PromptShape {
  readonly kinds: readonly Segment['kind'][];
  readonly lengths: readonly number[];
  readonly hashes: readonly number[];
}

/** What can be marked at an endpoint, and what that costs. */
export interface MarkingEndpoint {
  /** How long a mark may keep a prompt there; empty where it takes no marks. */
  readonly ttls: readonly CacheTtl[];
  readonly prices: UnitPrices;
  /** Tokens below which nothing is cached. */
  readonly minimumTokens: number;
  readonly tokensPerCharacter: number;
}

/** Marks that are worth their price. */
export interface MarkPlan {
  readonly ttl: CacheTtl;
  /** Segments that end with a mark, rising: at most three, where providers take four. */
  readonly at: readonly number[];
}

/** A call within its session. */
export interface SessionStep {
  /** Segments that it has in common with the earlier call that it is most like. */
  readonly common: number;
  /** Segments of those up to the mark of that call: what may be read. */
  readonly cached: number;
  /** Nothing of that call was changed. */
  readonly isContinued: boolean;
  /** Calls in a row, this one included, that continued none. */
  readonly strays: number;
  /** Milliseconds between calls and those that they continue, the latest last. */
  readonly gapsMs: readonly number[];
  /** Call it with the marks that were set, so that the next call can read up to them. */
  noteMarks(plan: MarkPlan | null): void;
}

/** The calls of a session so far. */
export interface SessionPast {
  begin(shape: PromptShape, atMs: number): SessionStep;
}

interface Lane {
  shape: PromptShape;
  atMs: number;
  marked: number;
}

/** Conversations side by side in one session, such as those of an agent and its helpers. */
const MAX_LANES = 4;
const MAX_GAPS = 8;

/** Remembers the calls of one session. */
export function createSessionPast(): SessionPast {
  const lanes: Lane[] = [];
  const gapsMs: number[] = [];
  let strays = 0;
  return {
    begin(shape, atMs) {
      const near = findNearest(lanes, shape);
      const common = near === undefined ? 0 : commonSegments(near.shape, shape);
      const isContinued = near !== undefined && common === near.shape.hashes.length;
      const isSame = near !== undefined && lengthTo(shape, common) * 2 >= lengthTo(near.shape);
      strays = isContinued ? 0 : strays + 1;
      const cached = Math.min(common, near?.marked ?? 0);
      if (near !== undefined && (isSame || strays > 1)) gapsMs.push(Math.max(0, atMs - near.atMs));
      if (gapsMs.length > MAX_GAPS) gapsMs.shift();
      const lane: Lane = isSame ? near : { shape, atMs, marked: 0 };
      if (!isSame) lanes.push(lane);
      if (lanes.length > MAX_LANES) lanes.shift();
      Object.assign(lane, { shape, atMs, marked: 0 });
      const noteMarks = (plan: MarkPlan | null): void => void (lane.marked = (plan?.at.at(-1) ?? -1) + 1);
      return { common, cached, isContinued, strays, gapsMs: [...gapsMs], noteMarks };
    },
  };
}

function findNearest(lanes: readonly Lane[], shape: PromptShape): Lane | undefined {
  let nearest: Lane | undefined;
  let most = 0;
  for (const lane of lanes) {
    const common = commonSegments(lane.shape, shape);
    if (common === 0 || common < most) continue;
    nearest = lane;
    most = common;
  }
  return nearest;
}

function commonSegments(one: PromptShape, other: PromptShape): number {
  const most = Math.min(one.hashes.length, other.hashes.length);
  let common = 0;
  while (common < most && one.hashes[common] === other.hashes[common]) common += 1;
  return common;
}

/** Characters of the first segments of a prompt; of all by default. */
export function lengthTo({ lengths }: PromptShape, segments = lengths.length): number {
  let sum = 0;
  for (let at = 0; at < segments; at += 1) sum += lengths[at] ?? 0;
  return sum;
}

/**
 * Chooses where a prompt is marked and for how long; null where a mark would cost more than it saves, or nothing long
 * enough is stable. The end of the prompt is marked where calls of the session continue each other; where an earlier
 * part was changed, only what comes before it.
 */
export function planMarks(shape: PromptShape, step: SessionStep, endpoint: MarkingEndpoint): MarkPlan | null {
  const all = shape.hashes.length;
  const isFirst = step.strays === 1;
  const end = step.isContinued || isFirst ? all : step.common;
  const fits = (segments: number): boolean =>
    segments > 0 && lengthTo(shape, segments) * endpoint.tokensPerCharacter >= endpoint.minimumTokens;
  if (!fits(end)) return null;
  const ttl = chooseTtl(shape, step, end, endpoint);
  if (ttl === null) return null;
  // Other conversations with the same tools and system text read up to the first of these, this one up to the second.
  const front = shape.kinds.findLastIndex((kind) => kind !== 'messages') + 1;
  const ends = [Math.min(front, end), step.cached, end].filter(fits);
  return { ttl, at: [...new Set(ends)].toSorted((a, b) => a - b).map((segments) => segments - 1) };
}

const TTL_MS: Readonly<Record<CacheTtl, number>> = { '5m': 5 * 60_000, '1h': HOUR_MS };

/** How long a mark keeps a prompt, in milliseconds. */
export const msOfTtl = (ttl: CacheTtl): number => TTL_MS[ttl];

/** The price of writing with such a mark; undefined where it is not known. */
export const writePriceOf = (prices: UnitPrices, ttl: CacheTtl): bigint | undefined =>
  ttl === '5m' ? prices.input_cache_write : prices.input_cache_write_1h;

/** A prompt that has not been continued yet is taken to grow by a tenth with each call. */
const GROWTH = 10;

/**
 * The time that makes a call like this one cheapest at the gaps that were measured; before any was, the shortest. Null
 * where none is cheaper than no mark, or a price is not known.
 */
function chooseTtl(
  shape: PromptShape,
  step: SessionStep,
  end: number,
  { ttls, prices }: MarkingEndpoint,
): CacheTtl | null {
  const { prompt, input_cache_read: read } = prices;
  if (prompt === undefined || read === undefined) return null;
  const known = ttls.filter((ttl) => writePriceOf(prices, ttl) !== undefined);
  const total = BigInt(lengthTo(shape, end));
  const gaps = step.gapsMs;
  if (gaps.length === 0) return known.includes('5m') ? '5m' : null;
  const grown = BigInt(grownOf(shape, step, end));
  const kept = total - grown;
  let best: CacheTtl | null = null;
  let least = BigInt(gaps.length) * prompt * total;
  for (const ttl of known) {
    const write = writePriceOf(prices, ttl) as bigint;
    const hits = BigInt(gaps.filter((gapMs) => gapMs <= msOfTtl(ttl)).length);
    const misses = BigInt(gaps.length) - hits;
    const cost = hits * (read * kept + write * grown) + misses * write * total;
    if (cost >= least) continue;
    best = ttl;
    least = cost;
  }
  return best;
}

/** Characters before the last mark that are new with each call. */
function grownOf(shape: PromptShape, step: SessionStep, end: number): number {
  if (end < shape.hashes.length) return 0;
  const grown = lengthTo(shape, end) - lengthTo(shape, step.common);
  return step.isContinued && grown > 0 ? grown : Math.round(lengthTo(shape, end) / GROWTH);
}

/** The numbers of a prompt that its session remembers. */
export const toShape = (segments: readonly Segment[]): PromptShape => ({
  kinds: segments.map(({ kind }) => kind),
  lengths: segments.map(({ text }) => text.length),
  hashes: segments.map(({ kind, text }) => hashText(text, kind.length)),
});

/** 53 bits of a text: enough to tell the few prompts of one session apart. */
function hashText(text: string, seed: number): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

/** Sessions that a process remembers: those that were called last. */
const MAX_SESSIONS = 2000;

/** The pasts of sessions, by a key that names the caller too. */
export interface SessionPasts {
  of(key: string): SessionPast;
}

/** Keeps the pasts of the sessions that were called last. They live in memory: after a start all gaps are unknown. */
export function createSessionPasts(): SessionPasts {
  const pasts = new Map<string, SessionPast>();
  return {
    of(key) {
      const past = pasts.get(key) ?? createSessionPast();
      // Again at the end, so that the first is the one that rested longest.
      pasts.delete(key);
      pasts.set(key, past);
      const [oldest] = pasts.keys();
      if (pasts.size > MAX_SESSIONS && oldest !== undefined) pasts.delete(oldest);
      return past;
    },
  };
}
