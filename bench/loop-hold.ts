import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

import { createGateway } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createJsonFileStore, createNodePlatform, listen } from '@model-gateway/node';
import { createUndiciTransport } from '@model-gateway/node/undici';

import type { PeerCall, PeerResult } from './loop/peers.ts';
import { CUSTOM, HOSTILE, type MakeText, ORDINARY, REFUSED } from './loop/texts.ts';
import { type LoopHold, watchLoop } from './loop/watch-loop.ts';

/**
 * How long one request holds the event loop: the longest turn while bodies of several sizes go through a gateway, by
 * what they hold and what guards them (README.md). It asserts nothing.
 */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '0.1,1,2,10' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '2' },
  },
});
const SIZES_MB = values.sizes.split(',').map(Number);
const ROUNDS = Number(values.rounds);
const KEYS = { api: 'sk-bench-api', management: 'sk-bench-management' };
const BUILT_IN = ['email', 'phone', 'ssn', 'credit-card', 'ip-address', 'iban', 'secrets', 'regex-prompt-injection'];

const peers = new Worker(new URL('./loop/peers.ts', import.meta.url));
const nextMessage = <Value>(): Promise<Value> => new Promise((resolve) => peers.once('message', resolve));
const upstreamPort = await nextMessage<number>();

const folder = mkdtempSync(join(tmpdir(), 'loop-hold-'));
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const store = await createJsonFileStore({ dir: folder, logger });
const transport = createUndiciTransport();
const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`;
const gateway = createGateway({
  providers: [createOpenAiProvider({ slug: 'up', name: 'Up', baseUrl, apiKey: 'key', transport })],
  models: [
    {
      id: 'bench/model',
      endpoints: [{ provider: 'up', providerModel: 'up-model', pricing: { prompt: '0', completion: '0.000001' } }],
    },
  ],
  store,
  platform: createNodePlatform(),
  bootstrapKeys: [
    { key: KEYS.api, kind: 'api', name: 'api' },
    { key: KEYS.management, kind: 'management', name: 'management' },
  ],
});
const listener = await listen(gateway, { port: 0, bodyLimitBytes: 64 * 1024 * 1024 });

async function manage(path: string, body: object): Promise<{ key: string; data: { hash: string; id: string } }> {
  const response = await fetch(`${listener.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEYS.management}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { key: string; data: { hash: string; id: string } };
}

/** A key that a guardrail with these fields holds for. */
async function guardedKey(name: string, fields: object): Promise<string> {
  const { key, data } = await manage('/keys', { name });
  const guardrail = await manage('/guardrails', { name, ...fields });
  await manage(`/guardrails/${guardrail.data.id}/assignments/keys`, { key_hashes: [data.hash] });
  return key;
}

const builtIn = (action: string, direction: string): object => ({
  content_filter_builtins: BUILT_IN.filter((slug) => direction === 'input' || slug !== 'regex-prompt-injection').map(
    (slug) => ({ slug, action, direction }),
  ),
});
const blockKey = await guardedKey('block', builtIn('block', 'input'));
const redactKey = await guardedKey('redact', builtIn('redact', 'input'));
const outputKey = await guardedKey('output', builtIn('redact', 'output'));

interface Case {
  readonly name: string;
  readonly key: string;
  readonly make: MakeText;
  /** Without it the text is the one message of the request. */
  readonly toBody?: (text: string) => object;
  /** The text is the whole body, JSON or not. */
  readonly isBody?: boolean;
  readonly isCompletion?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const toMessages = (text: string): object => ({ messages: [{ role: 'user', content: text }] });
const { key: budgetKey } = await manage('/keys', { name: 'budget', limit: 1000 });
const shapes: readonly Case[] = [
  ...Object.entries(ORDINARY).map(([name, make]) => ({ name, key: KEYS.api, make })),
  { name: '2,000 messages', key: KEYS.api, make: ORDINARY.prose, toBody: toManyMessages },
  { name: '500 tools', key: KEYS.api, make: ORDINARY.prose, toBody: toManyTools },
  { name: 'escaped tool result', key: KEYS.api, make: ORDINARY.escaped, toBody: toToolResult },
  { name: 'an image', key: KEYS.api, make: ORDINARY.prose, toBody: toImage },
  { name: 'many values', key: KEYS.api, make: ORDINARY.prose, toBody: toManyValues },
];

function toImage(text: string): object {
  const url = `data:image/png;base64,${Buffer.from(text).toString('base64').slice(0, text.length)}`;
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url } },
  ];
  return { messages: [{ role: 'user', content }] };
}

/** As many values as a body may have. */
function toManyValues(text: string): object {
  const count = Math.min(9000, Math.floor(text.length / 100));
  const part = { type: 'text', text: 'a b' };
  const messages = Array.from({ length: count }, () => ({ role: 'user', content: [part, part] }));
  return { messages };
}

function toManyMessages(text: string): object {
  const length = Math.ceil(text.length / 2000);
  const messages = Array.from({ length: 2000 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: text.slice(i * length, (i + 1) * length),
  }));
  return { messages };
}

function toManyTools(text: string): object {
  const length = Math.ceil(text.length / 500);
  const tools = Array.from({ length: 500 }, (_, i) => {
    const description = text.slice(i * length, (i + 1) * length);
    const properties = { a: { type: 'string' }, b: { type: 'number' } };
    const parameters = { type: 'object', properties };
    return { type: 'function', function: { name: `tool_${i}`, description, parameters } };
  });
  return { ...toMessages('Hello'), tools };
}

function toToolResult(text: string): object {
  const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } };
  return {
    messages: [
      { role: 'user', content: 'Read it' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: JSON.stringify({ text }) },
    ],
  };
}

const cases: Case[] = [
  ...shapes.map((one) => ({ ...one, name: `${one.name}, budget`, key: budgetKey })),
  ...shapes.map((one) => ({ ...one, name: `${one.name}, cached`, headers: { 'x-service-cache': 'true' } })),
  ...shapes.map((one) => ({ ...one, name: `${one.name}, plain` })),
  ...shapes.map((one) => ({ ...one, name: `${one.name}, block`, key: blockKey })),
  ...shapes.map((one) => ({ ...one, name: `${one.name}, redact`, key: redactKey })),
  ...Object.entries(REFUSED).map(([name, make]) => ({ name: `refused: ${name}`, key: KEYS.api, make, isBody: true })),
  ...Object.entries(HOSTILE).map(([name, make]) => ({ name: `${name}, redact`, key: redactKey, make })),
];
for (const [name, { pattern, action = 'block', text: make }] of Object.entries(CUSTOM)) {
  const key = await guardedKey(name, { content_filters: [{ pattern, action }] });
  cases.push({ name: `custom: ${name}`, key, make });
  const ofOutput = await guardedKey(name, { content_filters: [{ pattern, action: 'redact', direction: 'output' }] });
  cases.push({ name: `completion, custom: ${name}`, key: ofOutput, make, isCompletion: true });
}
for (const [name, make] of Object.entries({ ...ORDINARY, ...HOSTILE })) {
  cases.push({ name: `completion: ${name}`, key: outputKey, make, isCompletion: true });
}

async function measure(
  { key, make, toBody = toMessages, isBody = false, isCompletion = false, headers = {} }: Case,
  mb: number,
): Promise<LoopHold> {
  const text = make(mb * 1024 * 1024);
  const fields = isCompletion ? toMessages('Hello') : toBody(text);
  const body = isBody ? text : JSON.stringify({ model: 'bench/model', max_tokens: 100, ...fields });
  const call: PeerCall = {
    url: `${listener.url}/api/v1/chat/completions`,
    key,
    headers,
    body,
    completion: isCompletion ? text : 'Hello',
  };
  const stop = watchLoop();
  peers.postMessage(call);
  const { status, durationMs } = await nextMessage<PeerResult>();
  // The record is written after the response.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const hold = stop();
  process.stderr.write(`    ${status} after ${durationMs.toFixed(0)} ms\n`);
  return hold;
}

process.stdout.write(
  `| what | ${SIZES_MB.map((mb) => `${mb} MB`).join(' | ')} |\n| --- |${' --- |'.repeat(SIZES_MB.length)}\n`,
);
for (const one of cases.filter(({ name }) => name.includes(values.only))) {
  const figures: string[] = [];
  await measure(one, 0.02);
  for (const mb of SIZES_MB) {
    const holds: LoopHold[] = [];
    for (let round = 0; round < ROUNDS; round += 1) holds.push(await measure(one, mb));
    figures.push(`${Math.min(...holds.map(({ cpuMs }) => cpuMs)).toFixed(0)}`);
  }
  process.stdout.write(`| ${one.name} | ${figures.join(' | ')} |\n`);
}

await gateway.close();
await listener.close();
await transport.close();
await store.close();
await peers.terminate();
rmSync(folder, { recursive: true });
