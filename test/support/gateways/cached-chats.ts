import { createAnthropicProvider } from '@model-gateway/core/providers/anthropic';
import { createGoogleProvider } from '@model-gateway/core/providers/google';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createOpenAiResponsesProvider } from '@model-gateway/core/providers/openai-responses';

import type { CacheReport } from '../../../packages/core/src/wire/cache-report.ts';
import { createScriptedTransport, type ScriptedTransport } from '../upstreams/scripted-transport.ts';
import { JSON_TYPE, scripts } from './ask-wire.ts';
import { type CoreGateway, createCoreGateway, jsonOf, MANAGEMENT_KEY } from './core-gateway.ts';

/** Tokens that the scripted provider counts for the next call. */
interface Counts {
  prompt: number;
  read: number;
  written: number;
}

/** The wires that the doctor knows. */
export const NAMES = ['openai', 'anthropic', 'google', 'openai-responses'] as const;
export type Name = (typeof NAMES)[number];

const CREATE = {
  openai: createOpenAiProvider,
  anthropic: createAnthropicProvider,
  google: createGoogleProvider,
  'openai-responses': createOpenAiResponsesProvider,
} as const;

/** Writes the counts into a response as the wire has them. */
const WITH_COUNTS: Readonly<Record<Name, (whole: object, counts: Counts) => object>> = {
  openai: (whole, { prompt, read }) => ({
    ...whole,
    usage: {
      prompt_tokens: prompt,
      completion_tokens: 5,
      total_tokens: prompt + 5,
      prompt_tokens_details: { cached_tokens: read },
    },
  }),
  anthropic: (whole, { prompt, read, written }) => ({
    ...whole,
    usage: {
      input_tokens: prompt - read - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: 5,
    },
  }),
  google: (whole, { prompt, read }) => ({
    ...whole,
    usageMetadata: {
      promptTokenCount: prompt,
      cachedContentTokenCount: read,
      candidatesTokenCount: 5,
      totalTokenCount: prompt + 5,
    },
  }),
  'openai-responses': (whole, { prompt, read }) => ({
    ...whole,
    usage: {
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: read },
      output_tokens: 5,
      total_tokens: prompt + 5,
    },
  }),
};

/** Nano-dollars a token, so that the test's own arithmetic is in whole numbers. */
export const NANO = { prompt: 3000, read: 300, write: 3750, hour: 6000 };
const PRICING = {
  prompt: '0.000003',
  completion: '0.000015',
  input_cache_read: '0.0000003',
  input_cache_write: '0.00000375',
  input_cache_write_1h: '0.000006',
};

/** A gateway with one model at two providers of a wire. */
export function createDoctorGateway(name: Name): { core: CoreGateway; counts: Counts } {
  const script = scripts.find(([wire]) => wire === name)?.[1];
  if (script === undefined) throw new Error(`There is no script for ${name}`);
  const counts: Counts = { prompt: 0, read: 0, written: 0 };
  const transport: ScriptedTransport = createScriptedTransport((exchange) => {
    exchange.respond(200, JSON_TYPE);
    exchange.push(JSON.stringify(WITH_COUNTS[name](script.responses.text.whole, counts)));
    exchange.end();
  });
  const create = CREATE[name];
  const providers = ['acme', 'beta'].map((slug) =>
    create({ slug, name: slug, baseUrl: `https://${slug}.example/v1`, apiKey: 'key', transport }),
  );
  const endpoints = ['acme', 'beta'].map((provider) => ({ provider, providerModel: script.model, pricing: PRICING }));
  return { core: createCoreGateway(providers, { models: [{ id: 'test/model', endpoints }] }), counts };
}

/** A generator of numbers from 0 up to, not including, a limit; the same for the same seed. */
export function createDice(seed: number): (limit: number) => number {
  let state = seed * 2654435761 + 1;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const WORDS =
  'the river runs past old mills where grain was ground before roads came and trains took it all away'.split(' ');

/** A conversation that tests change in one place. */
export interface Chat {
  system: string;
  tools: { name: string; description: string }[];
  turns: string[];
  endpoint: 'acme' | 'beta';
  /** Index of the turn that has the mark; -1 for none. */
  mark: number;
  /** The caller's key of the cache, where the wire has one. */
  cacheKey?: string;
  /** How long the mark keeps the prompt; by default 5 minutes. */
  ttl?: '1h';
}

const say = (dice: (limit: number) => number, words: number): string =>
  Array.from({ length: words }, () => WORDS[dice(WORDS.length)]).join(' ');

/** A conversation of random words. */
export function createChat(dice: (limit: number) => number): Chat {
  const turns = Array.from({ length: 5 + 2 * dice(4) }, (_, at) => `${at}: ${say(dice, 10 + dice(40))}`);
  return {
    system: `You help. ${say(dice, 40)}`,
    tools: Array.from({ length: 2 + dice(4) }, (_, at) => ({ name: `tool_${at}`, description: say(dice, 8) })),
    turns,
    endpoint: 'acme',
    mark: turns.length - 1,
  };
}

/** The conversation with an answer and another question, which has the mark. */
export const continued = (chat: Chat, dice: (limit: number) => number): Chat => {
  const turns = [...chat.turns, `answer ${say(dice, 12)}`, `question ${say(dice, 12)}`];
  return { ...chat, turns, mark: turns.length - 1 };
};

/** The conversation as a request. */
export const bodyOf = (chat: Chat, name: Name): Record<string, unknown> => ({
  model: 'test/model',
  max_tokens: 64,
  session_id: 'session-1',
  provider: { order: [chat.endpoint], allow_fallbacks: false },
  ...(chat.cacheKey !== undefined && { prompt_cache_key: chat.cacheKey }),
  tools: chat.tools.map(({ name: called, description }) => ({
    type: 'function',
    function: { name: called, description, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  })),
  messages: [
    { role: 'system', content: chat.system },
    ...chat.turns.map((text, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content:
        name === 'anthropic' && at === chat.mark
          ? [{ type: 'text', text, cache_control: { type: 'ephemeral', ...(chat.ttl && { ttl: chat.ttl }) } }]
          : text,
    })),
  ],
});

/** Sends a chat; returns the id of its generation. Throws where the call is refused. */
export async function sendChat(core: CoreGateway, chat: Chat, name: Name): Promise<string> {
  const response = await core.chat(bodyOf(chat, name));
  if (response.status !== 200) throw new Error(`The call was refused with ${response.status}`);
  return response.headers['x-generation-id'] ?? '';
}

/** The doctor's report of a call. */
export async function reportOf(core: CoreGateway, id: string): Promise<CacheReport> {
  const response = await core.get(`/admin/v1/generations/${id}/cache`, MANAGEMENT_KEY);
  return (jsonOf(response) as { data: CacheReport }).data;
}
