import {
  type Generation,
  type GenerationContent,
  type GenerationRecord,
  type StoredContent,
  type StoredRequest,
  UNKNOWN_GENERATION,
} from '@model-gateway/core';

import {
  CODING_SYSTEM,
  type SampleExchange,
  type SampleTask,
  SUPPORT,
  SUPPORT_SYSTEM,
  TASKS,
  WEBSITE,
  WEBSITE_SYSTEM,
} from './sample-texts.ts';

export const HOUR_MS = 3_600_000;
export const SAMPLE_DAYS = 21;

/** A made-up call, as a store is given it. */
export interface SampleCall {
  readonly record: GenerationRecord;
  readonly content: StoredContent;
}

/** Keys that made-up calls were made with. */
export const SAMPLE_KEYS = {
  support: { name: 'Sample: Support bot', app: 'support-bot/3.4 (node)' },
  website: { name: 'Sample: Website', app: 'OpenAI/Python 2.8.1' },
  coding: { name: 'Sample: Coding agents', app: 'opencode/1.2 (linux)' },
} as const;
export type SampleKey = keyof typeof SAMPLE_KEYS;

type Attempt = NonNullable<Generation['provider_responses']>[number];

/** How a model is used and what it does. Prices are nano-dollars a token. */
interface SampleModel {
  readonly id: string;
  readonly provider: string;
  /** Tried first, and overloaded now and then. */
  readonly before?: string;
  readonly share: number;
  readonly prices: { readonly input: number; readonly cached: number; readonly output: number };
  readonly latencyMs: number;
  readonly tokensPerSecond: number;
  readonly reasons?: true;
}

const price = (input: number, cached: number, output: number) => ({ input, cached, output });

const SONNET: SampleModel = {
  id: 'anthropic/claude-sonnet-5',
  provider: 'Anthropic',
  share: 6,
  prices: price(2000, 200, 10_000),
  latencyMs: 820,
  tokensPerSecond: 74,
};
const GPT: SampleModel = {
  id: 'openai/gpt-5.6-sol',
  provider: 'OpenAI',
  share: 4,
  prices: price(4000, 400, 20_000),
  latencyMs: 640,
  tokensPerSecond: 92,
};
const FLASH: SampleModel = {
  id: 'google/gemini-3.5-flash',
  provider: 'Google',
  share: 5,
  prices: price(1500, 150, 9000),
  latencyMs: 430,
  tokensPerSecond: 148,
};
const OSS: SampleModel = {
  id: 'openai/gpt-oss-120b',
  provider: 'Together',
  before: 'Groq',
  share: 4,
  prices: price(150, 150, 600),
  latencyMs: 240,
  tokensPerSecond: 205,
};
const DEEPSEEK: SampleModel = {
  id: 'deepseek/deepseek-v4-pro',
  provider: 'DeepSeek',
  share: 3,
  prices: price(660, 66, 1980),
  latencyMs: 950,
  tokensPerSecond: 48,
  reasons: true,
};
const KIMI: SampleModel = {
  id: 'moonshotai/kimi-k3',
  provider: 'Moonshot AI',
  before: 'Fireworks',
  share: 2,
  prices: price(3000, 300, 15_000),
  latencyMs: 700,
  tokensPerSecond: 66,
};
const MISTRAL: SampleModel = {
  id: 'mistralai/mistral-large-2512',
  provider: 'Mistral',
  share: 2,
  prices: price(500, 500, 1500),
  latencyMs: 380,
  tokensPerSecond: 110,
};

const MODELS_OF: Readonly<Record<SampleKey, readonly SampleModel[]>> = {
  support: [GPT, OSS, MISTRAL],
  website: [FLASH, OSS, MISTRAL],
  coding: [SONNET, DEEPSEEK, KIMI],
};

/** Numbers from 0 to 1 that are the same in every run. */
export function createDice(seed = 20_261): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

interface Making {
  readonly roll: () => number;
  readonly hashOf: (key: SampleKey) => string;
  readonly nextId: () => string;
}

/**
 * Three weeks of made-up calls that end before `endMs`, oldest first: bots at day, a website that sleeps at the weekend,
 * sessions of coding agents; providers that fail now and then, fallbacks, cancelled streams, cached prompts.
 */
export function createSampleCalls(endMs: number, hashOf: (key: SampleKey) => string): SampleCall[] {
  const roll = createDice();
  let count = 0;
  const nextId = (): string => `gen-sample-${String((count += 1)).padStart(5, '0')}`;
  const making: Making = { roll, hashOf, nextId };
  const calls: SampleCall[] = [];
  for (let atMs = endMs - SAMPLE_DAYS * 24 * HOUR_MS; atMs < endMs - 60_000; atMs += HOUR_MS / 2) {
    const singles = Math.round(loadAt(atMs) * (0.6 + roll() * 0.8));
    for (let at = 0; at < singles; at += 1) calls.push(toSingle(making, atMs + roll() * (HOUR_MS / 2)));
    if (roll() < 0.16 && loadAt(atMs) > 1) calls.push(...toSession(making, atMs + roll() * HOUR_MS));
  }
  return calls
    .filter(({ record }) => Date.parse(record.generation.created_at) + 60_000 < endMs)
    .toSorted((a, b) => a.record.generation.created_at.localeCompare(b.record.generation.created_at));
}

/** Calls in half an hour: few at night, half of it at weekends, a little more each week. */
function loadAt(ms: number): number {
  const date = new Date(ms);
  const hour = date.getHours() + date.getMinutes() / 60;
  const byDay = Math.max(0, Math.sin(((hour - 6) / 16) * Math.PI));
  return (0.5 + 6 * byDay) * (date.getDay() % 6 === 0 ? 0.45 : 1);
}

function choose<Item>(items: readonly Item[], dice: number): Item {
  const item = items[Math.min(items.length - 1, Math.floor(dice * items.length))];
  if (item === undefined) throw new Error('There is nothing to choose from');
  return item;
}

function chooseModel(models: readonly SampleModel[], dice: number): SampleModel {
  let left = dice * models.reduce((sum, { share }) => sum + share, 0);
  return models.find(({ share }) => (left -= share) < 0) ?? choose(models, dice);
}

interface CallFacts {
  readonly key: SampleKey;
  readonly model: SampleModel;
  readonly createdMs: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly session?: string;
}

function toSingle(making: Making, createdMs: number): SampleCall {
  const { roll } = making;
  const key: SampleKey = roll() < 0.6 ? 'support' : 'website';
  const model = chooseModel(MODELS_OF[key], roll());
  const { prompt, completion } = choose<SampleExchange>(key === 'support' ? SUPPORT : WEBSITE, roll());
  const messages = [
    { role: 'system', content: key === 'support' ? SUPPORT_SYSTEM : WEBSITE_SYSTEM },
    { role: 'user', content: prompt },
  ];
  const input = Math.round(420 + roll() ** 3 * 6000);
  const cached = roll() < 0.4 ? Math.round(input * (0.4 + roll() * 0.4)) : 0;
  const output = Math.round(completion.length / 4 + roll() * 40);
  return toCall(making, { key, model, createdMs, input, cached, output }, messages, { completion });
}

/** The calls of a task: each sends all that was said before, most of which the provider has cached. */
function toSession(making: Making, startMs: number): SampleCall[] {
  const { roll } = making;
  const task = choose<SampleTask>(TASKS, roll());
  const model = chooseModel(MODELS_OF.coding, roll());
  const session = `opencode-${Math.floor(startMs / 1000).toString(36)}`;
  const messages: object[] = [
    { role: 'system', content: CODING_SYSTEM },
    { role: 'user', content: task.ask },
  ];
  const calls: SampleCall[] = [];
  let createdMs = startMs;
  let input = Math.round(3800 + roll() * 2500);
  let cached = 0;
  const add = (said: Said): void => {
    const output = Math.round(90 + roll() * 260);
    calls.push(toCall(making, { key: 'coding', model, createdMs, input, cached, output, session }, messages, said));
    cached = Math.round(input * 0.97);
    input += output + Math.round(300 + roll() * 2600);
    createdMs += 4000 + roll() * 22_000;
  };
  for (const [at, step] of task.steps.entries()) {
    const id = `call_${session.slice(9)}_${at + 1}`;
    const call = { id, type: 'function' as const, function: { name: step.tool, arguments: JSON.stringify(step.args) } };
    add({ completion: step.says, toolCalls: [call] });
    messages.push(
      { role: 'assistant', content: step.says, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: step.result },
    );
  }
  add({ completion: task.end });
  return calls;
}

interface Said {
  readonly completion: string;
  readonly toolCalls?: NonNullable<GenerationContent['output']['tool_calls']>;
}

function toCall(
  { roll, hashOf, nextId }: Making,
  facts: CallFacts,
  messages: readonly object[],
  said: Said,
): SampleCall {
  const { key, model, createdMs, input } = facts;
  const { provider, before, prices } = model;
  const isFailed = facts.session === undefined && roll() < 0.018;
  const isCancelled = !isFailed && facts.session === undefined && roll() < 0.012;
  const isOverloaded = before !== undefined && roll() < 0.22;
  const cached = isFailed || prices.cached === prices.input ? 0 : facts.cached;
  const output = isFailed ? 0 : isCancelled ? Math.ceil(facts.output / 3) : facts.output;
  const latency = Math.round(model.latencyMs * (0.7 + roll() ** 2 * 1.6) + (isOverloaded ? 180 : 0));
  const speed = model.tokensPerSecond * (0.8 + roll() * 0.4);
  const costNanoUsd = isFailed ? 0 : (input - cached) * prices.input + cached * prices.cached + output * prices.output;
  const attempts: Attempt[] = [toAttempt(model, provider, latency)];
  if (isFailed) attempts[0] = { ...toAttempt(model, provider, latency), status: 429, error: limited(provider) };
  if (isOverloaded) attempts.unshift({ ...toAttempt(model, before, 180), status: 503, error: overloaded(before) });
  const hasTools = said.toolCalls !== undefined;
  const finish = isFailed ? 'error' : isCancelled ? null : hasTools ? 'tool_calls' : 'stop';
  const generation: Generation = {
    ...NOTHING_KNOWN,
    id: nextId(),
    created_at: new Date(createdMs).toISOString(),
    model: model.id,
    provider_name: isFailed ? null : provider,
    user_agent: SAMPLE_KEYS[key].app,
    session_id: facts.session ?? null,
    streamed: key !== 'website',
    cancelled: isCancelled,
    ...toFigures({
      finish,
      input,
      output,
      cached,
      reasoning: model.reasons === true ? Math.round(output * 0.4) : 0,
      costNanoUsd,
    }),
    cache_discount: cached === 0 ? null : (cached * (prices.input - prices.cached)) / 1e9,
    latency,
    generation_time: latency + Math.round((output / speed) * 1000),
    provider_responses: attempts,
  };
  const completion = isFailed
    ? null
    : isCancelled
      ? said.completion.slice(0, said.completion.length / 3)
      : said.completion;
  return {
    record: { principalId: hashOf(key), costNanoUsd, generation },
    content: {
      input: { messages: [...messages] },
      output: { completion, reasoning: null, ...(hasTools && !isFailed && { tool_calls: [...said.toolCalls] }) },
      error: isFailed ? toError(provider) : null,
      request: toRequest(generation, messages),
    },
  };
}

/** The request as the sample application sent it, and as it was sent on. */
function toRequest(
  { model, streamed, user_agent: agent, provider_responses: attempts }: Generation,
  messages: readonly object[],
): StoredRequest {
  const body = { model, messages: [...messages], ...(streamed === true && { stream: true }) };
  const sent = { ...body, model: model.slice(model.indexOf('/') + 1) };
  return {
    format: 'chat',
    body,
    headers: agent === null ? {} : { 'user-agent': agent },
    attempts: (attempts ?? []).map(({ endpoint_id: endpoint = '' }) => ({ endpoint, wire: 'openai', body: sent })),
  };
}

const toAttempt = ({ id }: SampleModel, provider: string, latency: number): Attempt => ({
  endpoint_id: `${provider}:${id}`,
  is_byok: false,
  latency,
  model_permaslug: id,
  provider_name: provider,
  status: 200,
});

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

const toError = (provider: string): GenerationContent['error'] => ({
  message: `${provider} is limiting the rate of requests`,
  status: 429,
  provider_name: provider,
  raw: null,
  previous_errors: [],
});

/** What a made-up call has in common with every other. */
export const NOTHING_KNOWN = {
  ...UNKNOWN_GENERATION,
  request_id: null,
  api_type: 'completions',
  workspace_id: '00000000-0000-4000-8000-000000000000',
  num_media_prompt: null,
  num_input_audio_prompt: null,
} as const;

interface Figures {
  readonly finish: string | null;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  readonly costNanoUsd: number;
}

/** How a made-up chat call ended, its tokens and its cost, as a record has them. */
export const toFigures = ({ finish, input, output, cached, reasoning, costNanoUsd }: Figures) => ({
  finish_reason: finish,
  native_finish_reason: finish,
  tokens_prompt: input,
  tokens_completion: output,
  native_tokens_prompt: input,
  native_tokens_completion: output,
  native_tokens_cached: cached,
  native_tokens_reasoning: reasoning,
  total_cost: costNanoUsd / 1e9,
  usage: costNanoUsd / 1e9,
});
