import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { DEMO_KEY, listen } from '@model-gateway/node';
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';

import { endProcess } from '../../../../test/support/test-run/end-process.ts';
import { compose } from '../serve/compose.ts';
import { planStart } from '../serve/plan-start.ts';
import { openDemoEngine, toBindingPlaces } from './demo-engine.ts';
import { makeModel } from './make-model.ts';
import { type EngineCommand, findEngine, HOW_TO_GET_ENGINE, startEngine } from './run-engine.ts';
import { toHalf } from './write-gguf.ts';

const FIXTURES = fileURLToPath(new URL('../../../../fixtures', import.meta.url));

/** A program in the place of llama.cpp, with its flags and its API. */
const PROGRAM = `#!${process.execPath}
const { createServer } = require('node:http');
const { readFileSync } = require('node:fs');
const flag = (name) => process.argv[process.argv.indexOf(name) + 1];
if (readFileSync(flag('--model')).toString('latin1', 0, 4) !== 'GGUF') throw new Error('no GGUF');
const chunk = (choice, more) => 'data: ' + JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1,
  model: flag('--alias'), choices: [{ index: 0, finish_reason: null, delta: {}, ...choice }], ...more }) + '\\n\\n';
createServer((request, response) => {
  if (request.url === '/health') return response.end('{"status":"ok","pid":' + process.pid + '}');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ delta: { role: 'assistant', content: 'The gateway' } }));
  response.write(chunk({ delta: { content: ' answers.' } }));
  const usage = { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 };
  response.end(chunk({ finish_reason: 'stop' }, { usage }) + 'data: [DONE]\\n\\n');
}).listen(Number(flag('--port')), flag('--host'));
`;

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-engine-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder for the path with this program as `llama-server`. */
function install(program = PROGRAM): EngineCommand {
  const folder = makeFolder();
  writeFileSync(join(folder, 'llama-server'), program);
  chmodSync(join(folder, 'llama-server'), 0o755);
  const command = findEngine({ PATH: `/nowhere:${folder}` }, []);
  if (command === undefined) throw new Error('not found');
  return command;
}

function createLines() {
  const lines: string[] = [];
  const write = (message: string, facts?: object): void => void lines.push(`${message} ${JSON.stringify(facts)}`);
  return { lines, logger: { info: write, warn: write, error: write } };
}

const isListening = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );

test('the demo’s second model streams what llama-server says, with the tokens that it counts', async () => {
  const { lines, logger } = createLines();
  const engine = await openDemoEngine(logger, install());
  onTestFinished(() => engine?.close());
  expect(lines).toEqual([expect.stringContaining('second model answers from llama.cpp')]);
  const { config } = planStart(
    { config: undefined, dataDir: makeFolder(), host: undefined, port: 0, fixtures: undefined, demo: true, real: true },
    {},
  );
  const store = createMemoryStore();
  const { gateway, closeAfterwards } = await compose({
    config,
    store,
    logger,
    extraKeys: [],
    demoFixturesDir: FIXTURES,
    demoEngine: engine,
  });
  const listener = await listen(gateway, { port: 0, logger });
  onTestFinished(async () => {
    await gateway.close();
    await listener.close();
    for (const part of closeAfterwards) await part.close();
  });
  const client = new OpenAI({ apiKey: DEMO_KEY, baseURL: `${listener.url}/api/v1`, maxRetries: 0 });
  const [, second] = (await client.models.list()).data;
  expect(second).toMatchObject({ id: 'demo/reasoner', name: 'Demo: Real engine', context_length: 4096 });
  const stream = await client.chat.completions.create({
    model: 'demo/reasoner',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
  });
  const texts: string[] = [];
  let usage: object | null | undefined;
  for await (const chunk of stream) {
    const text = chunk.choices[0]?.delta.content;
    if (text) texts.push(text);
    usage = chunk.usage ?? usage;
  }
  expect(texts).toEqual(['The gateway', ' answers.']);
  expect(usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 4 });
  const first = await client.chat.completions.create({
    model: 'demo/chat',
    messages: [{ role: 'user', content: 'Hello!' }],
  });
  expect(first.choices[0]?.message.content).not.toContain('The gateway');
});

test('without llama.cpp the demo says what to install, and starts without it', async () => {
  expect(findEngine({ PATH: '/nowhere' }, [`${makeFolder()}/package.json`])).toBeUndefined();
  const { lines, logger } = createLines();
  const broken = install('#!/bin/sh\necho cannot load the model >&2\nexit 3\n');
  expect(await openDemoEngine(logger, broken)).toBeUndefined();
  expect(lines).toEqual([
    expect.stringMatching(/^the demo answers from recordings alone, because llama.cpp did not start/),
  ]);
});

test('the binding of npm is found where the command that is printed installs it, out of the project of the folder', () => {
  const [, folder = ''] =
    /npm install --prefix (\S+) --omit=optional @fugood\/llama\.node /.exec(HOW_TO_GET_ENGINE) ?? [];
  const cwd = makeFolder();
  const installed = join(cwd, folder, 'node_modules/@fugood/llama.node');
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'package.json'), '{"main":"index.js"}');
  writeFileSync(join(installed, 'index.js'), '');
  expect(findEngine({ PATH: '/nowhere' }, toBindingPlaces(cwd))).toMatchObject({
    isBinding: true,
    args: [expect.stringContaining('binding-server'), join(cwd, folder, 'module.js')],
  });
});

test('the engine ends when it is closed, with its model', async () => {
  let model = '';
  const engine = await startEngine(install(), {
    writeModel: (path) => void makeModel('A gateway is a door.', (model = path)),
    places: 1,
  });
  expect(readFileSync(model).length).toBeGreaterThan(1_000_000);
  await engine.close();
  expect(await isListening(engine.url)).toBe(false);
  expect(() => readFileSync(model)).toThrow('ENOENT');
});

test.skipIf(process.platform === 'win32')('the engine ends with a process that is killed', async () => {
  const module = new URL('run-engine.ts', import.meta.url).href;
  const script = `
    import { writeFileSync } from 'node:fs';
    import { startEngine } from ${JSON.stringify(module)};
    const writeModel = (path) => writeFileSync(path, 'GGUF');
    console.log((await startEngine(${JSON.stringify(install())}, { writeModel, places: 1 })).url);
    setInterval(() => {}, 1000);`;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => endProcess(starter));
  const [line] = (await once(starter.stdout.setEncoding('utf8'), 'data')) as [string];
  expect(await isListening(line.trim())).toBe(true);
  await endProcess(starter);
  await expect.poll(() => isListening(line.trim())).toBe(false);
});

test('halves are those of IEEE 754', () => {
  const numbers = [0, 1, -1, -13.815, 0.333, 1000.5, -65_504, 1e-9];
  const asRead = new Float16Array(Uint16Array.from(numbers, toHalf).buffer);
  expect([...asRead].map(Math.abs)).toEqual([...Float16Array.from(numbers)].map(Math.abs));
});
