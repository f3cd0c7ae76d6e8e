// Prints what replaying costs: `node scripts/measure-fixtures.ts`, after a build. It asserts nothing.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

import { createFixtureFetch, loadFixtures, startFixtureGateway } from '@model-gateway/fixtures';

const CASES = 10_000;
const CHUNKS = 500;
const REPLAYS = 1000;

const promptOf = (number: number): string =>
  `What is the answer to question ${number}? ${'Some context that prompts have. '.repeat(10)}`;
const messagesOf = (number: number) => [{ role: 'user', content: promptOf(number) }];

function writeCases(dir: string, count: number, stream: string): void {
  for (let number = 0; number < count; number++) {
    const folder = join(dir, 'acme', 'chat-completions', `synthetic-${number}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'request.json'), JSON.stringify({ model: 'one', messages: messagesOf(number) }));
    writeFileSync(
      join(folder, 'meta.json'),
      JSON.stringify({ synthetic: true, date: '2026-11-21', model: 'one', status: 200 }),
    );
    writeFileSync(join(folder, 'response.sse'), stream);
  }
}

function toStream(chunks: number): string {
  const toEvent = (delta: object, reason: string | null): string => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'one', choices };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  };
  const texts = Array.from({ length: chunks - 1 }, (_, index) => toEvent({ content: ` word${index}` }, null));
  return `${texts.join('')}${toEvent({}, 'stop')}data: [DONE]\n\n`;
}

const clock = async <Result>(what: string, work: () => Result | Promise<Result>): Promise<Result> => {
  const startedAt = performance.now();
  const result = await work();
  process.stdout.write(`${what}: ${(performance.now() - startedAt).toFixed(1)} ms\n`);
  return result;
};
const usedMb = (): number => {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1024 / 1024;
};

const dir = mkdtempSync(join(tmpdir(), 'measure-'));
try {
  const one = join(dir, 'one');
  writeCases(one, 1, toStream(CHUNKS));
  await clock('first start in a process, 1 case', async () => (await startFixtureGateway({ dir: one })).close());
  await clock('another start, 1 case', async () => (await startFixtureGateway({ dir: one })).close());

  const replay = await createFixtureFetch({ dir: one });
  const ask = async (number: number): Promise<string> => {
    const response = await replay.fetch(`${replay.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${replay.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/one', stream: true, messages: messagesOf(number) }),
    });
    return response.text();
  };
  const texts = await clock(`${REPLAYS} replays of a stream of ${CHUNKS} chunks through the gateway`, async () => {
    const all = new Set<string>();
    for (let count = 0; count < REPLAYS; count++) all.add((await ask(0)).replace(/"(id|created)":("[^"]*"|\d+)/g, ''));
    return all;
  });
  process.stdout.write(`  different texts among them: ${texts.size}\n`);
  await replay.close();

  const many = join(dir, 'many');
  writeCases(many, CASES, toStream(20));
  const before = usedMb();
  const fixtures = await clock(`reading ${CASES} cases`, () => loadFixtures(many));
  process.stdout.write(`  memory they take: ${(usedMb() - before).toFixed(0)} MB\n`);
  const gateway = await clock('a start with them', () => startFixtureGateway({ dir: many, fixtures }));
  const post = async (number: number): Promise<number> => {
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/one', stream: true, messages: messagesOf(number) }),
    });
    await response.text();
    return response.status;
  };
  await clock('the first request', () => post(CASES - 1));
  await clock('another request', () => post(CASES / 2));
  await clock('a miss, which compares all of them', () => post(CASES));
  await gateway.close();
} finally {
  rmSync(dir, { recursive: true });
}
