import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import OpenAI from 'openai';
import { afterEach, expect, test } from 'vitest';

import { failureOf } from '../support/async/failure-of.ts';
import { readAll } from '../support/async/read-all.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';

// They import the packages as installed, so this needs a build; `npm test` makes one first.
const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const KEY = 'sk-gw-v1-example';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts an example on a free port; resolves with the process and the address that it prints. */
async function startExample(path: string, baseUrl: string): Promise<{ child: ChildProcess; apiUrl: string }> {
  const child = spawn(process.execPath, [EXAMPLES + path], {
    env: { PORT: '0', OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'sk-example-upstream', GATEWAY_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const apiUrl = /^listening on (\S+)$/.exec(line)?.[1];
    if (apiUrl !== undefined) return { child, apiUrl };
  }
  throw new Error(`${path} ended without listening`);
}

test.each(['express-app/server.mjs', 'express-app/server.cjs', 'fetch-host/server.mjs'])(
  'the example %s serves its own page beside the API, streamed and not, and ends when told',
  async (path) => {
    const upstream = await startScriptedUpstream();
    const { child, apiUrl } = await startExample(path, upstream.baseUrl);
    const client = new OpenAI({ apiKey: KEY, baseURL: apiUrl, maxRetries: 0 });
    const request = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Hello!' }] };

    const whole = await client.chat.completions.create(request);
    const chunks = await readAll(await client.chat.completions.create({ ...request, stream: true }));
    const unknown = client.withOptions({ apiKey: 'sk-gw-v1-unknown' });
    expect(whole.choices[0]?.message.content).toContain('Hello there');
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toContain('Hello there');
    expect(await failureOf(unknown.chat.completions.create(request))).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(upstream.calls.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 2 }, () => 'Bearer sk-example-upstream'),
    );
    expect(await (await fetch(new URL('/', apiUrl))).text()).toBe('My own page');
    expect((await fetch(new URL('/elsewhere', apiUrl))).status).toBe(404);

    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    await upstream.close();
  },
  20_000,
);
