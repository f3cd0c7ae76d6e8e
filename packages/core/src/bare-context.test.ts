import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

import { build, type Rolldown } from 'vite';
import { expect, test } from 'vitest';

import { toEventPieces } from '../../../test/support/upstreams/chunkings.ts';

/** Everything the core may find in a runtime. What is of JavaScript itself is there anyway. */
const WEB_STANDARDS = {
  AbortController,
  AbortSignal,
  DOMException,
  Event,
  EventTarget,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  Headers,
  Request,
  Response,
  ReadableStream,
  crypto,
  performance,
  queueMicrotask,
  structuredClone,
  setTimeout,
  clearTimeout,
  Uint8Array,
  ArrayBuffer,
};

const sourceOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The core and all that it needs, as one script. */
async function bundleCore(): Promise<string> {
  const entry = '\0core-and-its-parts';
  const result = (await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id.endsWith('core-and-its-parts') ? entry : undefined),
        load: (id) =>
          id === entry
            ? ['./index.ts', './providers/openai/openai-provider.ts', './stores/memory-store.ts']
                .map((path) => `export * from ${JSON.stringify(sourceOf(path))};`)
                .join('\n')
            : undefined,
      },
    ],
    build: {
      write: false,
      minify: false,
      lib: { entry: 'core-and-its-parts', formats: ['iife'], name: 'core', fileName: () => 'core.js' },
    },
  })) as Rolldown.RolldownOutput[];
  const chunks = result.flatMap(({ output }) => output).filter((file) => file.type === 'chunk');
  expect(chunks).toHaveLength(1);
  return chunks[0]?.code ?? '';
}

const WHOLE = {
  choices: [{ message: { content: 'Héllo' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
};
const STREAM = toEventPieces([
  { choices: [{ index: 0, delta: { content: 'Hé' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: 'llo' }, finish_reason: 'stop' }] },
]);

/** An upstream that responds in the requested form: streamed or not. */
const upstream: typeof fetch = (_url, init) => {
  const isStream = (JSON.parse(init?.body as string) as { stream?: boolean }).stream === true;
  return Promise.resolve(
    isStream
      ? new Response(STREAM.join(''), { headers: { 'content-type': 'text/event-stream' } })
      : new Response(JSON.stringify(WHOLE), { headers: { 'content-type': 'application/json' } }),
  );
};

/** Run inside: sets up a gateway with what the core exports and nothing else. */
const SET_UP = `
  const platform = core.createWebPlatform();
  const transport = core.createFetchTransport({ fetch: upstream, platform });
  const gateway = core.createGateway({
    providers: [core.createOpenAiProvider({ slug: 'acme', baseUrl: 'https://acme.example/v1', transport })],
    models: [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'm' }] }],
    store: core.createMemoryStore(),
    bootstrapKeys: [{ key: 'sk-dev', kind: 'api', name: 'dev' }],
  });
  globalThis.handle = core.toFetchHandler(gateway, { expose: ["openapi"] });
`;

test('requires only JavaScript and web standards for calls, whole and streamed', async () => {
  const code = await bundleCore();
  expect(code).not.toMatch(/\brequire\(|from\s*["']node:|import\(["']node:|__vite-browser-external/);

  const context = vm.createContext({ ...WEB_STANDARDS, upstream }, { codeGeneration: { strings: false, wasm: false } });
  for (const name of ['process', 'Buffer', 'require', 'global', 'setImmediate', 'fetch', 'module']) {
    expect(vm.runInContext(`typeof ${name}`, context)).toBe('undefined');
  }
  vm.runInContext(`${code}\n${SET_UP}`, context);
  const handle = vm.runInContext('handle', context) as (request: Request) => Promise<Response>;

  const chat = (body: object): Promise<Response> =>
    handle(
      new Request('https://host.example/api/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer sk-dev', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'acme/chat', messages: [{ role: 'user', content: 'Hello' }], ...body }),
      }),
    );

  const whole = await chat({});
  expect(whole.status).toBe(200);
  expect(await whole.json()).toMatchObject({
    choices: [{ message: { content: 'Héllo' } }],
    usage: { total_tokens: 5 },
  });

  const streamed = await chat({ stream: true });
  expect(streamed.headers.get('content-type')).toContain('text/event-stream');
  const text = await streamed.text();
  expect([...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join('')).toBe('Héllo');
  expect(text).toMatch(/"usage":\{.*\}\n\ndata: \[DONE\]\n\n$/);

  const headers = { authorization: 'Bearer sk-dev' };
  const id = streamed.headers.get('x-generation-id');
  const record = await handle(new Request(`https://host.example/api/v1/generation?id=${id}`, { headers }));
  expect(await record.json()).toMatchObject({ data: { id, streamed: true, finish_reason: 'stop' } });
  expect((await handle(new Request('https://host.example/openapi.json'))).status).toBe(200);
  expect((await chat({ temperature: 9 })).status).toBe(400);
}, 30_000);

test('makes no signal, timer, random value or hash before the first request, as Workers forbid them outside of one', async () => {
  const code = await bundleCore();
  const made: string[] = [];
  const noted = <Value extends object>(name: string, value: Value): Value =>
    new Proxy(value, {
      construct: (target, words, derived) => (made.push(name), Reflect.construct(target as never, words, derived)),
      apply: (target, self, words) => (made.push(name), Reflect.apply(target as never, self, words)),
      get(target, member) {
        const found = Reflect.get(target, member) as unknown;
        return typeof found === 'function' && member !== 'prototype'
          ? noted(`${name}.${String(member)}`, found.bind(target) as object)
          : typeof found === 'object' && found !== null && name === 'crypto'
            ? noted(`${name}.${String(member)}`, found)
            : found;
      },
    });
  const trapped = { AbortController, AbortSignal, crypto, setTimeout, queueMicrotask };
  const sandbox = vm.createContext({
    ...WEB_STANDARDS,
    ...Object.fromEntries(Object.entries(trapped).map(([name, value]) => [name, noted(name, value)])),
    upstream,
  });
  vm.runInContext('Math.random = () => { throw new Error("Math.random"); }', sandbox);
  vm.runInContext(`${code}\n${SET_UP}`, sandbox);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(made).toEqual([]);

  const handle = vm.runInContext('handle', sandbox) as (request: Request) => Promise<Response>;
  const headers = { authorization: 'Bearer sk-dev' };
  expect((await handle(new Request('https://host.example/api/v1/models', { headers }))).status).toBe(200);
  expect(made).toContain('crypto.subtle.digest');
}, 30_000);
