import type { GenerationContent } from '@model-gateway/core';
import { createJsonFileStore } from '@model-gateway/node';

import { toContent, toRecord } from '../../test/support/stores/generation-records.ts';
import { createDraws } from './draws.ts';
import { createVariedCalls } from './varied-calls.ts';

/** Just below what is kept by default. */
const DAYS = 29.5;
const DAY_MS = 24 * 60 * 60 * 1000;
const AT_ONCE = 1000;
const MESSAGES = 2500;
const MESSAGE_CHARS = 4000;
/** By how much, in days, calls come together at the busy time of a day. */
const RHYTHM = 0.1;
/** Share of the calls whose prompt is stored. */
const WITH_PROMPT = 0.7;

/** Generations whose prompt has 10 MB. */
export const LARGE = {
  /** The prompt is one message, of lines as in a log. */
  oneText: 'gen-bench-large-text',
  /** The prompt has as many messages as a long run of an agent. */
  manyMessages: 'gen-bench-large-messages',
} as const;

/**
 * Fills a data directory with this many calls of the last month, all of them different and most in the busy half of each
 * day; the last two are the large ones.
 */
export async function storeUiGenerations(dir: string, count: number): Promise<void> {
  const endMs = Date.now();
  const startedAt = (index: number): number => {
    const day = (index / count) * DAYS;
    return endMs - (DAYS - day - RHYTHM * Math.sin(2 * Math.PI * day)) * DAY_MS;
  };
  let nowMs = startedAt(0);
  const store = await createJsonFileStore({ dir, now: () => nowMs });
  const draws = createDraws();
  const toCall = createVariedCalls(draws);
  const small = count - Object.keys(LARGE).length;
  for (let first = 0; first < small; first += AT_ONCE) {
    nowMs = startedAt(first);
    const batch = Array.from({ length: Math.min(AT_ONCE, small - first) }, async (_, i) => {
      const content = draws.chance(WITH_PROMPT) ? toContent(toPrompt(first + i, draws.below(40))) : null;
      await store.generations.append(toCall(first + i, startedAt(first + i)), content);
    });
    await Promise.all(batch);
  }
  nowMs = endMs;
  const generation = { created_at: new Date(nowMs).toISOString(), generation_time: 90_000 };
  await store.generations.append(toRecord(LARGE.oneText, { generation }), toLargeContent([toText(MESSAGES)]));
  const messages = Array.from({ length: MESSAGES }, (_, at) => toText(1, at));
  await store.generations.append(toRecord(LARGE.manyMessages, { generation }), toLargeContent(messages));
  await store.close();
}

const toPrompt = (index: number, phrases: number): string =>
  `${index}, ${'and what of the other one? '.repeat(phrases)}`;

function toLargeContent(texts: readonly string[]): GenerationContent {
  return {
    input: { messages: texts.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })) },
    output: { completion: 'Read.', reasoning: null },
    error: null,
  };
}

/** Makes a text of this many pieces of prose, with a line end after every 80 characters. */
function toText(pieces: number, seed = 0): string {
  const line = (at: number): string => `${seed} ${at} ${'so it "went" on, '.repeat(5)}`.slice(0, 79).padEnd(79, '.');
  const lines = (MESSAGE_CHARS / 80) * pieces;
  return `${Array.from({ length: lines }, (_, at) => line(at)).join('\n')}\n`;
}
