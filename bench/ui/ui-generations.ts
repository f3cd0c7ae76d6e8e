import type { GenerationContent } from '@model-gateway/core';
import { createJsonFileStore } from '@model-gateway/node';

import { toContent, toRecord } from '../../test/support/stores/generation-records.ts';

const DAYS = 20;
const DAY_MS = 24 * 60 * 60 * 1000;
const AT_ONCE = 1000;
const MODELS = 40;
const PROVIDERS = 8;
const MESSAGES = 2500;
const MESSAGE_CHARS = 4000;

/** Generations whose prompt has 10 MB. */
export const LARGE = {
  /** The prompt is one message, of lines as in a log. */
  oneText: 'gen-bench-large-text',
  /** The prompt has as many messages as a long run of an agent. */
  manyMessages: 'gen-bench-large-messages',
} as const;

/**
 * Fills a data directory with this many calls of every kind, all of them different; the last two are the large ones.
 */
export async function storeUiGenerations(dir: string, count: number): Promise<void> {
  const startMs = Date.now() - DAYS * DAY_MS;
  let nowMs = startMs;
  const store = await createJsonFileStore({ dir, now: () => nowMs });
  const append = (index: number): Promise<void> =>
    store.generations.append(toVaried(index, startMs + (index / count) * DAYS * DAY_MS), toContent(`${index}`));
  const small = count - Object.keys(LARGE).length;
  for (let first = 0; first < small; first += AT_ONCE) {
    nowMs = startMs + (first / count) * DAYS * DAY_MS;
    const batch = Array.from({ length: Math.min(AT_ONCE, small - first) }, (_, i) => append(first + i));
    await Promise.all(batch);
  }
  nowMs = Date.now();
  const generation = { created_at: new Date(nowMs).toISOString(), generation_time: 90_000 };
  await store.generations.append(toRecord(LARGE.oneText, { generation }), toLargeContent([toText(MESSAGES)]));
  const messages = Array.from({ length: MESSAGES }, (_, at) => toText(1, at));
  await store.generations.append(toRecord(LARGE.manyMessages, { generation }), toLargeContent(messages));
  await store.close();
}

function toVaried(index: number, createdMs: number): ReturnType<typeof toRecord> {
  const provider = `Provider ${(index * 7) % PROVIDERS}`;
  const latency = 120 + ((index * 37) % 1900);
  const isFailed = index % 23 === 0;
  const cost = ((index * 101) % 9973) / 1_000_000;
  return toRecord(`gen-bench-${String(index).padStart(20, '0')}`, {
    principalId: `key-${index % 20}`,
    costNanoUsd: Math.round(cost * 1e9),
    generation: {
      created_at: new Date(createdMs).toISOString(),
      model: `author-${index % 11}/model-${(index * 13) % MODELS}`,
      provider_name: isFailed ? null : provider,
      streamed: index % 3 !== 0,
      cancelled: index % 31 === 0,
      finish_reason: isFailed ? 'error' : index % 5 === 0 ? 'tool_calls' : 'stop',
      native_finish_reason: 'stop',
      request_id: `req-${index}`,
      upstream_id: `chatcmpl-${index}`,
      user_agent: 'OpenAI/JS 7.57.0',
      tokens_prompt: 90 + ((index * 17) % 12_000),
      tokens_completion: 5 + ((index * 29) % 4000),
      native_tokens_prompt: 90 + ((index * 17) % 12_000),
      native_tokens_completion: 5 + ((index * 29) % 4000),
      total_cost: cost,
      usage: cost,
      latency,
      generation_time: latency + ((index * 53) % 20_000),
      provider_responses: [{ endpoint_id: 'acme:chat-1', latency, provider_name: provider, status: 200 }],
    },
  });
}

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
