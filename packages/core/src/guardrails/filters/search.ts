import type { RE2JS, RE2Set } from 're2js';

import type { Steps } from '../../foundation/queues.ts';
import type { Span } from './filter.ts';

/** What this file uses of a compiled pattern, which the engine's types show and its documentation does not. */
interface Program {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

interface Instruction {
  readonly op: number;
  /** The next instruction. */
  readonly out: number;
  /** Of a fork the second way, of a condition the places that it holds at. */
  readonly arg: number;
  matchRune(rune: number): boolean;
}

const FORK = 1;
const FORK_AT_MATCH = 2;
const CAPTURE = 3;
const CONDITION = 4;
const MATCH = 6;
const NOTHING = 7;
const RUNE = 8;
const ONE_RUNE = 9;
const ANY_RUNE = 10;
const ANY_RUNE_OF_LINE = 11;

/** A pattern of the largest size takes some milliseconds for so many characters. */
const PAUSE_LENGTH = 256;
/** How often the characters of a text are read at most, and how many in any case. */
const MOST_READINGS = 16;
const LEAST_CHARACTERS = 16_000_000;
const NO_RUNE = -1;
const NEW_LINE = 10;

/**
 * Finds what the engine's `find` does from match to match, in steps: it follows all ways through the program at once,
 * character by character, and can stop at each. Slower than the engine, so only for patterns whose matches may have any
 * length: others are searched in windows. Throws `RangeError` where nearly each search from match to match reads to the
 * end of the text, as `a.*b|a` does: that takes the square of the length.
 */
export function* findInSteps(text: string, expression: RE2JS): Steps<readonly Span[]> {
  const program = expression.re2().prog as Program;
  const spans: Span[] = [];
  let now = createThreads(program);
  let next = createThreads(program);
  let start = 0;
  let untilPause = PAUSE_LENGTH;
  let allowed = text.length * MOST_READINGS + LEAST_CHARACTERS;
  while (start <= text.length) {
    let match: Span | null = null;
    now.clear();
    for (let at = start; ;) {
      if (match === null) now.add(program.start, at, conditionsAt(text, at));
      else if (now.size() === 0) break;
      const rune = text.codePointAt(at) ?? NO_RUNE;
      const after = at + (rune > 0xffff ? 2 : 1);
      next.clear();
      match = now.step(rune, at, { next, conditions: conditionsAt(text, after) }) ?? match;
      if (rune === NO_RUNE) break;
      at = after;
      [now, next] = [next, now];
      untilPause -= 1;
      if (untilPause > 0) continue;
      untilPause = PAUSE_LENGTH;
      allowed -= PAUSE_LENGTH;
      if (allowed < 0) throw new RangeError('a pattern reads a text too often; limit its repetitions');
      yield;
    }
    if (match === null) break;
    const { end } = match;
    if (end > match.start) spans.push(match);
    start = end > match.start ? end : end + unitsAt(text, end);
  }
  return spans;
}

/** The number of UTF-16 units of the character at a place. */
export const unitsAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** The place behind a character, for those who go on there. */
interface Following {
  readonly next: Threads;
  readonly conditions: number;
}

/** Ways through a program that are at one place of the text, those that a match prefers first. */
interface Threads {
  size(): number;
  clear(): void;
  /** Goes on from an instruction to all that read a character or end a match. `start` is where the match begins. */
  add(instruction: number, start: number, conditions: number): void;
  /** Reads a character. Returns the match that ends before it, if there is one. */
  step(rune: number, at: number, following: Following): Span | null;
}

function createThreads({ inst }: Program): Threads {
  const ways = new Int32Array(inst.length);
  const starts = new Int32Array(inst.length);
  /** The round in which an instruction was reached: the first way there is the preferred one. */
  const reached = new Int32Array(inst.length);
  const pending: number[] = [];
  let round = 1;
  let size = 0;
  return {
    size: () => size,
    clear() {
      size = 0;
      round += 1;
    },
    add(instruction, start, conditions) {
      pending.push(instruction);
      for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
        if (reached[at] === round) continue;
        reached[at] = round;
        const { op, out, arg } = inst[at] as Instruction;
        if (op === FORK || op === FORK_AT_MATCH) pending.push(arg, out);
        else if (op === CAPTURE || op === NOTHING) pending.push(out);
        else if (op === CONDITION) {
          if ((arg & ~conditions) === 0) pending.push(out);
        } else if (op === MATCH || (op >= RUNE && op <= ANY_RUNE_OF_LINE)) {
          ways[size] = at;
          starts[size] = start;
          size += 1;
        }
      }
    },
    step(rune, at, { next, conditions }) {
      for (let i = 0; i < size; i += 1) {
        const instruction = inst[ways[i] as number] as Instruction;
        const start = starts[i] as number;
        // What follows in the list is preferred less.
        if (instruction.op === MATCH) return { start, end: at };
        if (rune !== NO_RUNE && reads(instruction, rune)) next.add(instruction.out, start, conditions);
      }
      return null;
    },
  };
}

function reads(instruction: Instruction, rune: number): boolean {
  if (instruction.op === RUNE || instruction.op === ONE_RUNE) return instruction.matchRune(rune);
  return instruction.op === ANY_RUNE || rune !== NEW_LINE;
}

const isWord = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 95 || (unit >= 97 && unit <= 122);

/** The bits by which conditions name places: bounds of lines, of the text and of words. */
function conditionsAt(text: string, at: number): number {
  const before = at === 0 ? NO_RUNE : text.charCodeAt(at - 1);
  const behind = at >= text.length ? NO_RUNE : text.charCodeAt(at);
  return (
    (before === NO_RUNE || before === NEW_LINE ? 1 : 0) |
    (behind === NO_RUNE || behind === NEW_LINE ? 2 : 0) |
    (before === NO_RUNE ? 4 : 0) |
    (behind === NO_RUNE ? 8 : 0) |
    (isWord(before) === isWord(behind) ? 32 : 16)
  );
}

/** The engine's automaton at one place of a text. */
interface State {
  readonly isMatch: boolean;
  readonly matchIDs: readonly number[];
  /** The state behind each class of characters, as far as it is known. */
  readonly next: readonly (State | null)[] | null;
}

/** What this file uses of the automaton, which the engine's types show and its documentation does not. */
interface Automaton {
  readonly failed: boolean;
  readonly latin1Class: Int32Array;
  readonly numClasses: number;
  runeClass(rune: number): number;
  start(input: { context(): number; step(): number }, position: number): State | null;
  stepOrReset(
    state: State,
    cls: number,
    rune: number,
    anchor: number,
    position: number,
    progress: object,
  ): State | null;
}

const UNANCHORED = 0;
const END_OF_TEXT = -1;
const MAX_LATIN1 = 0xff;
/** All flags of a place: the text begins here. */
const BEGINNING = { context: () => -1, step: () => 0 };
/** So many characters take less than 5 ms, even while the automaton is still being built. */
const STEP_LENGTH = 4096;

/**
 * Does in steps what `match` of the set does at once: the automaton is kept from step to step. Returns null where its
 * states take too much memory, and `match` would have to change to an engine that cannot pause.
 */
export function* searchInSteps(set: RE2Set, text: string): Steps<readonly number[] | null> {
  const automaton = set.dfa as Automaton;
  let state = automaton.failed ? null : automaton.start(BEGINNING, 0);
  const found = new Set<number>();
  const progress = { resetPos: -1 };
  let at = 0;
  while (at < text.length && state !== null) {
    for (const stop = Math.min(at + STEP_LENGTH, text.length); at < stop && state !== null;) {
      const rune: number = text.codePointAt(at) ?? 0;
      const cls = rune <= MAX_LATIN1 ? (automaton.latin1Class[rune] as number) : automaton.runeClass(rune);
      state = state.next?.[cls] ?? automaton.stepOrReset(state, cls, rune, UNANCHORED, at, progress);
      if (state?.isMatch === true) for (const id of state.matchIDs) found.add(id);
      at += rune > 0xffff ? 2 : 1;
    }
    yield;
  }
  if (state !== null) {
    state = automaton.stepOrReset(state, automaton.numClasses, END_OF_TEXT, UNANCHORED, at, progress);
  }
  if (state === null) return null;
  if (state.isMatch) for (const id of state.matchIDs) found.add(id);
  return [...found].toSorted((a, b) => a - b);
}

/** A pattern for the platform's engine, with a flag `g`, and what a search in windows has to know about it. */
export interface WindowedPattern {
  readonly pattern: RegExp;
  /** The most characters from the beginning of a match to the last one that it depends on. */
  readonly reach: number;
}

/** The most characters before a match that it depends on. */
const LOOK_BEHIND = 64;
/** A pattern takes some microseconds a character on text that was made for it. */
const WINDOW_LENGTH = 2048;

/**
 * Calls `onMatch` with each match, in order, which returns where the search goes on: behind the match, at the earliest
 * at its second character. A text longer than `atOnce` is searched in windows, with the same matches, and a step each.
 */
export function* findInWindows(
  text: string,
  { pattern, reach }: WindowedPattern,
  atOnce: number,
  onMatch: (found: string, start: number) => number,
): Steps<void> {
  const length = text.length <= atOnce ? text.length : Math.max(WINDOW_LENGTH, reach);
  let next = 0;
  for (let start = 0; start < text.length; start += length) {
    const end = start + length;
    if (next >= end) continue;
    next = Math.max(next, start);
    const left = Math.max(0, next - LOOK_BEHIND);
    const seen = length === text.length ? text : text.slice(left, end + reach);
    pattern.lastIndex = next - left;
    for (let match = pattern.exec(seen); match !== null; match = pattern.exec(seen)) {
      const at = left + match.index;
      if (at >= end) break;
      next = onMatch(match[0], at);
      if (next >= end) break;
      pattern.lastIndex = next - left;
    }
    if (end < text.length) yield;
  }
}
