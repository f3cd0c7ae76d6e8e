import type { Generation, GenerationContent } from '@model-gateway/core';
import { createJsonFileStore } from '@model-gateway/node';

import { toKey, toRecord } from '../stores/generation-records.ts';
import { hashOf, KEYS, type KeyName } from './showcase-people.ts';

const HOUR_MS = 3_600_000;
const DAYS = 2;

type Attempt = NonNullable<Generation['provider_responses']>[number];

/** How a model is used and what it does: dollars for a token in and out, milliseconds, tokens a second. */
interface UsedModel {
  readonly id: string;
  readonly provider: string;
  /** Called first in vain, now and then. */
  readonly before?: string;
  readonly key: KeyName;
  readonly share: number;
  readonly prices: readonly [input: number, output: number];
  readonly latencyMs: number;
  readonly speed: number;
}

const MODELS: readonly UsedModel[] = [
  ['anthropic/claude-sonnet-5', 'Anthropic', 'coding', 26, [2e-6, 10e-6], 820, 74] as const,
  ['openai/gpt-5.6-sol', 'OpenAI', 'support', 20, [4e-6, 20e-6], 640, 92] as const,
  ['google/gemini-3.5-flash', 'Google', 'website', 18, [1.5e-6, 9e-6], 430, 148] as const,
  ['openai/gpt-oss-120b', 'Together', 'support', 14, [0.15e-6, 0.6e-6], 240, 205, 'Groq'] as const,
  ['deepseek/deepseek-v4-pro', 'DeepSeek', 'coding', 11, [0.66e-6, 1.98e-6], 950, 48] as const,
  ['moonshotai/kimi-k3', 'Moonshot AI', 'coding', 7, [3e-6, 15e-6], 700, 66, 'Fireworks'] as const,
  ['mistralai/mistral-large-2512', 'Mistral', 'website', 4, [0.5e-6, 1.5e-6], 380, 110] as const,
].map(([id, provider, key, share, prices, latencyMs, speed, before]) => ({
  id,
  provider,
  key,
  share,
  prices,
  latencyMs,
  speed,
  ...(before !== undefined && { before }),
}));

const NAMES: Readonly<Record<KeyName, string>> = {
  support: 'Support bot',
  website: 'Website',
  coding: 'Coding agents',
};

/** In the workspace that every gateway begins with. */
const KEY_FACTS = {
  label: 'sk-gw-v1-sho...789',
  limitUsd: 50,
  limitReset: 'monthly',
  workspaceId: '00000000-0000-4000-8000-000000000000',
} as const;

const APPS: Readonly<Record<KeyName, string>> = {
  support: 'support-bot/3.4 (node)',
  website: 'OpenAI/Python 2.8.1',
  coding: 'opencode/1.2 (linux)',
};

const PROMPTS: Readonly<Record<KeyName, readonly string[]>> = {
  support: [
    'My order 48213 has not arrived, what can I do?',
    'Summarize this ticket for the night shift.',
    'Which plan includes single sign-on?',
    'Translate the reply to the customer into Portuguese.',
  ],
  website: [
    'Write alt texts for the six pictures of the spring catalogue.',
    'Turn these release notes into three sentences.',
    'Suggest a title for a post about rate limits.',
  ],
  coding: [
    'Why does the retry test fail only on Windows?',
    'Rename the option everywhere and update the docs.',
    'Review this diff for races.',
    'Write a migration that adds an index without a lock.',
  ],
};

/** Numbers from 0 to 1 that are the same in every run. */
function createDice(): () => number {
  let state = 20_261;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Calls in half an hour: few at night, most in the afternoon. */
const callsAt = (hour: number): number => 3 + Math.round(22 * Math.max(0, Math.sin(((hour - 5) / 17) * Math.PI)));

/**
 * Fills a data directory with two days of a small company before `endMs`, as a gateway would have recorded them: three
 * keys, seven models, providers that are overloaded now and then, sessions of an agent.
 */
export async function fillShowcase(dir: string, endMs: number): Promise<void> {
  const roll = createDice();
  let id = 0;
  for (let day = DAYS; day > 0; day -= 1) {
    const firstMs = endMs - day * 24 * HOUR_MS;
    let nowMs = firstMs;
    // Opened for each day: this clock would be days ahead before a store has opened the files of a new one.
    const store = await createJsonFileStore({ dir, now: () => nowMs, trustsClock: true });
    if (day === DAYS)
      for (const [key, name] of Object.entries(NAMES) as [KeyName, string][])
        await store.keys.insert(toKey(hashOf(KEYS[key]), { ...KEY_FACTS, name }));
    for (let half = 0; half < 48; half += 1) {
      nowMs = firstMs + (half * HOUR_MS) / 2;
      // The day before was a little quieter.
      const count = Math.round(callsAt(new Date(nowMs).getHours()) * (day === 1 ? 1 : 0.8) * (0.75 + roll() / 2));
      for (let call = 0; call < count; call += 1) {
        id += 1;
        const createdMs = nowMs + (call / count) * (HOUR_MS / 2);
        const { record, content } = toCall(id, createdMs, roll);
        await store.generations.append(record, content);
      }
    }
    await store.close();
  }
}

function chooseModel(dice: number): UsedModel {
  let left = dice * MODELS.reduce((sum, { share }) => sum + share, 0);
  for (const model of MODELS) {
    left -= model.share;
    if (left < 0) return model;
  }
  throw new Error('The shares end before the dice');
}

function toCall(id: number, createdMs: number, roll: () => number) {
  const model = chooseModel(roll());
  const { provider, key, prices, before } = model;
  const isFailed = roll() < 0.018;
  const isOverloaded = before !== undefined && roll() < 0.25;
  const input = Math.round(300 + roll() ** 3 * 9000);
  const output = isFailed ? 0 : Math.round(60 + roll() ** 2 * 900);
  const latency = Math.round(model.latencyMs * (0.7 + roll() * 0.8) + (isOverloaded ? 180 : 0));
  const cost = isFailed ? 0 : input * prices[0] + output * prices[1];
  const speed = model.speed * (0.85 + roll() * 0.3);
  const attempt = (name: string, waited: number): Attempt => ({
    endpoint_id: `${name}:${model.id}`,
    is_byok: false,
    latency: waited,
    model_permaslug: model.id,
    provider_name: name,
    status: 200,
  });
  const attempts: Attempt[] = [attempt(provider, latency)];
  if (isFailed) attempts[0] = { ...attempt(provider, latency), status: 429, error: limited(provider) };
  if (isOverloaded) attempts.unshift({ ...attempt(before, 180), status: 503, error: overloaded(before) });
  const prompts = PROMPTS[key];
  const prompt = prompts[Math.floor(roll() * prompts.length)] ?? '';
  const record = toRecord(`gen-showcase-${String(id).padStart(5, '0')}`, {
    principalId: hashOf(KEYS[key]),
    costNanoUsd: Math.round(cost * 1e9),
    generation: {
      created_at: new Date(createdMs).toISOString(),
      model: model.id,
      provider_name: isFailed ? null : provider,
      finish_reason: isFailed ? 'error' : 'stop',
      user_agent: APPS[key],
      session_id: key === 'coding' ? `opencode-${Math.floor(createdMs / HOUR_MS) % 1000}` : null,
      tokens_prompt: input,
      tokens_completion: output,
      total_cost: cost,
      usage: cost,
      latency,
      generation_time: latency + Math.round((output / speed) * 1000),
      provider_responses: attempts,
    },
  });
  const content = {
    input: { messages: [{ role: 'user', content: prompt }] },
    output: { completion: isFailed ? '' : 'Done.', reasoning: null },
    error: null,
  } as GenerationContent;
  return { record, content };
}

const limited = (name: string): Attempt['error'] & object => ({
  code: 429,
  error_type: 'rate_limit_exceeded',
  message: `${name} is limiting the rate of requests`,
});

const overloaded = (name: string): Attempt['error'] & object => ({
  code: 503,
  error_type: 'provider_overloaded',
  message: `${name} is overloaded`,
});
