import type { Generation, GenerationRecord } from '@model-gateway/core';

import { toRecord } from '../../test/support/stores/generation-records.ts';
import type { Draws } from './draws.ts';

const MODELS = 40;
const PROVIDERS = 8;
const KEYS = 20;
const MEMBERS = 12;
const APPS = 25;
const USERS = 300;
/** A session has about this many calls, among those of a few others. */
const SESSION_CALLS = 24;
const OPEN_SESSIONS = 4;
/** Of a thousand calls. */
const PER_MILLE = { cancelled: 15, failed: 40, fellBack: 50 } as const;

type Attempts = NonNullable<Generation['provider_responses']>;

/** Makes calls that differ in all that lists, filters and charts show: a few models, keys and apps have most of them. */
export function createVariedCalls(draws: Draws): (index: number, createdMs: number) => GenerationRecord {
  return (index, createdMs) => {
    const key = draws.skewed(KEYS);
    const model = draws.skewed(MODELS);
    const provider = (model + draws.below(3)) % PROVIDERS;
    const ending = toEnding(draws.below(1000));
    const latency = 120 + draws.skewed(4000);
    const generationTime = latency + draws.skewed(40_000);
    const [tokensIn, tokensOut] = [20 + draws.skewed(60_000), 5 + draws.skewed(4000)];
    const cost = (tokensIn * (model + 1) + tokensOut * 4 * (model + 1)) / 10_000_000;
    const attempts = toAttempts(draws, { model, provider, latency, isFailed: ending.finish_reason === 'error' });
    return toRecord(`gen-${Math.floor(createdMs / 1000)}-${String(index).padStart(20, 'bench')}`, {
      principalId: `key-${key}`,
      userId: `member-${key % MEMBERS}`,
      costNanoUsd: Math.round(cost * 1e9),
      generation: {
        created_at: new Date(createdMs).toISOString(),
        model: toModel(model),
        provider_name: ending.finish_reason === 'error' ? null : `Provider ${provider}`,
        streamed: draws.chance(0.7),
        native_finish_reason: 'stop',
        ...ending,
        ...toLabels(draws, index),
        request_id: `req-${index}`,
        upstream_id: `chatcmpl-${index}`,
        tokens_prompt: tokensIn,
        tokens_completion: tokensOut,
        native_tokens_prompt: tokensIn,
        native_tokens_completion: tokensOut,
        total_cost: cost,
        usage: cost,
        latency,
        generation_time: generationTime,
        provider_responses: attempts,
      },
    });
  };
}

const toModel = (model: number): string => `author-${model % 11}/model-${model}`;

function toEnding(draw: number): Pick<Generation, 'cancelled' | 'finish_reason'> {
  if (draw < PER_MILLE.cancelled) return { cancelled: true, finish_reason: null };
  if (draw < PER_MILLE.cancelled + PER_MILLE.failed) return { cancelled: false, finish_reason: 'error' };
  const others = ['stop', 'stop', 'stop', 'tool_calls', 'length'] as const;
  return { cancelled: false, finish_reason: others[draw % others.length] ?? 'stop' };
}

function toLabels(draws: Draws, index: number): Partial<Generation> {
  const app = draws.skewed(APPS);
  const session = Math.floor(index / (SESSION_CALLS * OPEN_SESSIONS)) * OPEN_SESSIONS + draws.below(OPEN_SESSIONS);
  const address = `https://app-${app}.example/`;
  return {
    ...(draws.chance(0.8) && { origin: address, http_referer: address }),
    ...(draws.chance(0.7) && { session_id: `session-${session}` }),
    ...(draws.chance(0.5) && { external_user: `user-${draws.skewed(USERS)}` }),
    user_agent: app % 3 === 0 ? 'OpenAI/Python 1.99.0' : 'OpenAI/JS 7.57.0',
  };
}

function toAttempts(
  draws: Draws,
  call: { readonly model: number; readonly provider: number; readonly latency: number; readonly isFailed: boolean },
): Attempts {
  const { model, provider, latency, isFailed } = call;
  const toAttempt = (number: number, status: number): Attempts[number] => ({
    endpoint_id: `provider-${number}:${toModel(model)}`,
    latency,
    provider_name: `Provider ${number}`,
    status,
    ...(status !== 200 && { error: { code: status, message: 'Too many requests', error_type: 'rate_limit_exceeded' } }),
  });
  const last = toAttempt(provider, isFailed ? 429 : 200);
  return isFailed || draws.below(1000) < PER_MILLE.fellBack
    ? [toAttempt((provider + 1) % PROVIDERS, 429), last]
    : [last];
}
