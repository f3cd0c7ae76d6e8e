import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Generation, GenerationContent } from '@model-gateway/core';
import { createDemo } from '@model-gateway/fixtures';

import {
  createDice,
  HOUR_MS,
  NOTHING_KNOWN,
  SAMPLE_DAYS,
  SAMPLE_KEYS,
  type SampleCall,
  type SampleKey,
} from './sample-calls.ts';
import { DOCUMENTS, PICTURES, QUESTIONS, SENTENCES, TRANSCRIPTS } from './sample-texts.ts';

/** What made-up calls have made: pictures by their prompts, and a voice, as addresses that contain their bytes. */
export interface SampleMedia {
  readonly pictures: ReadonlyMap<string, string>;
  readonly voice: string;
}

/** Reads the media from the demo's fixtures, and has the demo's model draw the pictures. */
export async function makeSampleMedia(fixturesDir: string): Promise<SampleMedia> {
  const voice = await readFile(join(fixturesDir, 'demo', 'audio', 'synthetic-alba-mp3', 'response.bin'));
  const demo = (await createDemo({ dir: fixturesDir, speed: 'instant' })).providers.find(({ slug }) => slug === 'demo');
  const pictures = new Map<string, string>();
  for (const prompt of PICTURES) {
    const made = await demo?.image?.({
      generationId: 'gen-sample',
      providerModel: 'demo-image',
      preferences: undefined,
      order: {
        prompt,
        count: 1,
        frame: { pixels: { width: 384, height: 384 } },
        references: [],
        mask: undefined,
        previews: 0,
        options: {},
      },
      signal: AbortSignal.timeout(10_000),
      timeoutMs: 10_000,
      pause: () => Promise.resolve(),
    });
    const base64 = made?.images[0]?.base64;
    if (base64 !== undefined) pictures.set(prompt, `data:image/png;base64,${base64}`);
  }
  return { pictures, voice: `data:audio/mpeg;base64,${voice.toString('base64')}` };
}

/** A call of one kind, but for its time. */
interface KindCall {
  readonly kind: Generation['api_type'];
  readonly key: SampleKey;
  readonly model: string;
  readonly provider: string;
  readonly tookMs: number;
  readonly costNanoUsd: number;
  /** Null for kinds that count none. */
  readonly tokens: number | null;
  readonly media?: number;
  readonly input: { readonly prompt: string };
  readonly output: GenerationContent['output'];
}

type MakeCall = (roll: () => number, media: SampleMedia) => KindCall;

const NOTHING_MADE = { completion: null, reasoning: null } as const;

const choose = <Item>(items: readonly [Item, ...Item[]], dice: number): Item =>
  items[Math.floor(dice * items.length)] ?? items[0];

const toTokens = (text: string): number => Math.ceil(text.length / 4);

/** The kinds, with how many calls of each a day has. */
const KINDS: readonly { readonly perDay: number; readonly make: MakeCall }[] = [
  {
    perDay: 6,
    make(roll) {
      const input = [choose(QUESTIONS, roll()), choose(DOCUMENTS, roll())];
      const tokens = toTokens(input.join(''));
      return {
        ...OPENAI,
        kind: 'embeddings',
        key: 'support',
        model: 'openai/text-embedding-3-small',
        tookMs: 90 + roll() * 120,
        costNanoUsd: tokens * 20,
        tokens,
        input: { prompt: JSON.stringify(input) },
        output: NOTHING_MADE,
      };
    },
  },
  {
    perDay: 5,
    make(roll) {
      const query = choose(QUESTIONS, roll());
      const order = DOCUMENTS.map((_, index) => ({ index, relevance_score: Number((roll() * 0.9).toFixed(3)) }));
      order.sort((a, b) => b.relevance_score - a.relevance_score);
      return {
        kind: 'rerank',
        key: 'support',
        model: 'cohere/rerank-v4.0-fast',
        provider: 'Cohere',
        tookMs: 140 + roll() * 160,
        costNanoUsd: 2_000_000,
        tokens: null,
        input: { prompt: JSON.stringify({ query, documents: DOCUMENTS }) },
        output: { completion: JSON.stringify(order), reasoning: null },
      };
    },
  },
  {
    perDay: 4,
    make(roll) {
      const prompt = choose(QUESTIONS, roll());
      const score = (): number => Number((roll() * 0.02).toFixed(4));
      const category_scores = {
        harassment: score(),
        hate: score(),
        'self-harm': score(),
        sexual: score(),
        violence: score(),
      };
      const categories = Object.fromEntries(Object.keys(category_scores).map((name) => [name, false]));
      return {
        ...OPENAI,
        kind: 'moderation',
        key: 'website',
        model: 'openai/omni-moderation-latest',
        tookMs: 110 + roll() * 90,
        costNanoUsd: 0,
        tokens: toTokens(prompt),
        input: { prompt },
        output: { completion: JSON.stringify([{ flagged: false, categories, category_scores }]), reasoning: null },
      };
    },
  },
  {
    perDay: 0.4,
    make(roll, { pictures }) {
      const prompt = choose(PICTURES, roll());
      const url = pictures.get(prompt);
      return {
        ...OPENAI,
        kind: 'image',
        key: 'website',
        model: 'openai/gpt-image-1',
        tookMs: 9000 + roll() * 8000,
        costNanoUsd: 42_000_000,
        tokens: toTokens(prompt),
        media: 1,
        input: { prompt },
        output: { ...NOTHING_MADE, ...(url !== undefined && { media: [{ type: 'image', frame: null, url }] }) },
      };
    },
  },
  {
    perDay: 0.4,
    make(roll, { voice }) {
      const prompt = choose(SENTENCES, roll());
      return {
        ...OPENAI,
        kind: 'speech',
        key: 'website',
        model: 'openai/gpt-4o-mini-tts',
        tookMs: 700 + roll() * 900,
        costNanoUsd: prompt.length * 12_000,
        tokens: null,
        input: { prompt },
        output: { ...NOTHING_MADE, media: [{ type: 'audio', frame: null, url: voice }] },
      };
    },
  },
  {
    perDay: 1,
    make(roll) {
      const segments = choose(TRANSCRIPTS, roll());
      const seconds = segments.at(-1)?.end ?? 0;
      return {
        ...OPENAI,
        kind: 'transcription',
        key: 'support',
        model: 'openai/whisper-1',
        tookMs: 900 + roll() * 1400,
        costNanoUsd: Math.round(seconds * 100_000),
        tokens: null,
        input: { prompt: `[audio: mp3, ${Math.round(seconds * 6000)} bytes]` },
        output: { completion: segments.map(({ text }) => text).join(' '), reasoning: null, segments: [...segments] },
      };
    },
  },
];

const OPENAI = { provider: 'OpenAI' } as const;

/** Three weeks of made-up calls of every kind but chats and videos, oldest first. */
export function createSampleKinds(endMs: number, hashOf: (key: SampleKey) => string, media: SampleMedia): SampleCall[] {
  const roll = createDice(41);
  const made = KINDS.flatMap(({ perDay, make }) =>
    Array.from({ length: Math.round(perDay * SAMPLE_DAYS) }, () => ({
      call: make(roll, media),
      createdMs: endMs - HOUR_MS / 4 - roll() * (SAMPLE_DAYS * 24 - 1) * HOUR_MS,
    })),
  );
  return made
    .toSorted((a, b) => a.createdMs - b.createdMs)
    .map(({ call, createdMs }, at) =>
      toCall(call, `gen-sample-kind-${String(at + 1).padStart(4, '0')}`, createdMs, hashOf),
    );
}

function toCall(call: KindCall, id: string, createdMs: number, hashOf: (key: SampleKey) => string): SampleCall {
  const { kind, key, model, provider, tookMs, costNanoUsd, tokens, media } = call;
  const took = Math.round(tookMs);
  const generation: Generation = {
    ...NOTHING_KNOWN,
    id,
    created_at: new Date(createdMs).toISOString(),
    model,
    provider_name: provider,
    api_type: kind,
    user_agent: SAMPLE_KEYS[key].app,
    streamed: kind === 'speech',
    cancelled: false,
    finish_reason: 'stop',
    native_finish_reason: null,
    tokens_prompt: tokens,
    tokens_completion: tokens === null ? null : 0,
    native_tokens_prompt: tokens,
    native_tokens_completion: tokens === null ? null : 0,
    native_tokens_cached: null,
    native_tokens_reasoning: null,
    num_media_completion: media ?? null,
    total_cost: costNanoUsd / 1e9,
    usage: costNanoUsd / 1e9,
    cache_discount: null,
    latency: took,
    generation_time: took,
    provider_responses: [
      {
        endpoint_id: `${provider}:${model}`,
        is_byok: false,
        latency: took,
        model_permaslug: model,
        provider_name: provider,
        status: 200,
      },
    ],
  };
  return {
    record: { principalId: hashOf(key), costNanoUsd, generation },
    content: { input: call.input, output: call.output, error: null },
  };
}
