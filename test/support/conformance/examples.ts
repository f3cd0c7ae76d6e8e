import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import OpenAI from 'openai';
import { expect, onTestFinished } from 'vitest';

import { failureOf } from '../async/failure-of.ts';
import { readAll } from '../async/read-all.ts';
import { startScriptedUpstream } from '../upstreams/scripted-upstream.ts';

export const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));
const KEY = 'sk-gw-v1-example';

/**
 * Expects of an example that it serves the API beside a page of its own, and ends when told. It imports the packages as
 * installed, so this needs a build.
 *
 * @param path Below `examples`, or the whole path of an application that was made of one.
 */
export async function checkExample(path: string): Promise<void> {
  const upstream = await startScriptedUpstream();
  onTestFinished(upstream.close);
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
}

/** Starts an example on a free port; resolves with the process and the address that it prints. */
async function startExample(path: string, baseUrl: string): Promise<{ child: ChildProcess; apiUrl: string }> {
  const child = spawn(process.execPath, [resolve(EXAMPLES, path)], {
    env: { PORT: '0', OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'sk-example-upstream', GATEWAY_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const apiUrl = /^listening on (\S+)$/.exec(line)?.[1];
    if (apiUrl !== undefined) return { child, apiUrl };
  }
  throw new Error(`${path} ended without listening`);
}
