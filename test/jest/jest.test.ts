import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, onTestFinished, test } from 'vitest';

import { makeFixturesFrom } from '../../packages/server/src/commands/fixtures-from.ts';
import { CANARY_MANAGEMENT_KEY, startWithCalls } from '../support/gateways/called-gateway.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const LIMIT_MS = 120_000;

interface JestFlags {
  readonly nodeFlags?: readonly string[];
  readonly flags?: readonly string[];
}

/** Runs a folder's suite and resolves with what Jest said, and whether it was content. */
async function runJest(jest: string, folder: string, { nodeFlags = [], flags = [] }: JestFlags = {}) {
  const { PATH = '', HOME = '' } = process.env;
  // Nothing else of this environment, so that no key gets in.
  const options = { cwd: folder, env: { PATH, HOME, NO_COLOR: '1', CI: 'true' }, timeout: LIMIT_MS };
  const program = join(HERE, 'node_modules', jest, 'bin', 'jest.js');
  // Two processes for the test files, whatever the machine, as both have to learn of the gateway.
  const args = [...nodeFlags, program, '--no-cache', '--maxWorkers', '2', ...flags];
  try {
    return { isPassed: true, output: (await promisify(execFile)(process.execPath, args, options)).stderr };
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    return { isPassed: false, output: stdout + stderr };
  }
}

/** Copies an example with files of its own, below the root, so that it finds the same packages. */
function copyExample(files: Readonly<Record<string, string>>, example = 'jest-fixtures'): string {
  const folder = mkdtempSync(join(HERE, 'copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(EXAMPLES, example), folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** In the process of the gateway, where fake timers are in the place of all that Jest can replace. */
const FAKING = `
  import { fileURLToPath } from 'node:url';
  import { createGatewayPerTest } from '@model-gateway/fixtures';
  import { createAssistant } from './assistant.js';

  const { jest } = import.meta;
  const dir = fileURLToPath(new URL('fixtures', import.meta.url));
  const withGateway = createGatewayPerTest({ dir });
  afterEach(() => void jest.useRealTimers());

  async function expectToServe(gateway) {
    const assistant = createAssistant(gateway);
    for (let call = 0; call < 2; call++)
      expect(await assistant.summarise('The ship was late because of the fog.')).toMatch(/./);
    expect((await Array.fromAsync(assistant.tell('a lighthouse'))).length).toBeGreaterThan(5);
  }

  test('faked before the start', async () => {
    jest.useFakeTimers();
    await withGateway(expectToServe);
    await withGateway(expectToServe);
  });
  test('faked between the start and the calls, and real again', () => withGateway(async (gateway) => {
    jest.useFakeTimers();
    await expectToServe(gateway);
    jest.useRealTimers();
    await expectToServe(gateway);
  }));
  test('real afterwards', () => withGateway(expectToServe));
`;

describe.each(['jest-29', 'jest-30'])('%s', { timeout: LIMIT_MS }, (jest) => {
  test('runs the CommonJS example against one gateway, and ends by itself', async () => {
    const { isPassed, output } = await runJest(jest, join(EXAMPLES, 'jest-fixtures'));
    expect(output).toMatch(/Tests: +2 passed, 2 total/);
    expect(output).not.toContain('did not exit');
    expect(isPassed).toBe(true);
  });

  test('runs the example of ES modules, with a gateway for each test', async () => {
    const { isPassed, output } = await runJest(jest, join(EXAMPLES, 'jest-esm'), {
      nodeFlags: ['--experimental-vm-modules'],
    });
    expect(output).toMatch(/Tests: +2 passed, 2 total/);
    expect(output).not.toContain('did not exit');
    expect(isPassed).toBe(true);
  });

  test.each([
    ['in tests', 'export default { transform: {} };'],
    ['before anything is loaded', 'export default { transform: {}, fakeTimers: { enableGlobally: true } };'],
  ])('has a gateway in its process that serves while timers are faked %s', async (_name, config) => {
    const folder = copyExample({ 'assistant.test.js': FAKING, 'jest.config.js': config }, 'jest-esm');
    const { isPassed, output } = await runJest(jest, folder, { nodeFlags: ['--experimental-vm-modules'] });
    expect(output).toMatch(/Tests: +3 passed, 3 total/);
    expect(isPassed).toBe(true);
  });

  const MISSING = `
    const { createAssistant } = require('./assistant');
    test('asks for what no case has', async () => {
      const { MODEL_GATEWAY_URL: baseUrl, MODEL_GATEWAY_API_KEY: apiKey } = process.env;
      await expect(createAssistant({ baseUrl, apiKey }).summarise('Fog.')).rejects.toThrow('404');
    });
  `;

  test('fails a CommonJS run that sent a request without a fixture, and shows what differs', async () => {
    const { isPassed, output } = await runJest(jest, copyExample({ 'assistant.test.js': MISSING }));
    expect(output).toMatch(/Tests: +2 passed, 2 total/);
    expect(output).toContain('nearest: openai/chat-completions/synthetic-summary');
    expect(output).toContain('got "Summarise in five words: Fog."');
    expect(isPassed).toBe(false);
  });

  test('runs a suite that was made of stored calls, which fails where another status is expected', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jest-suite-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    symlinkSync(NODE_MODULES, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{}');
    const gateway = { api: await startWithCalls(), key: CANARY_MANAGEMENT_KEY };
    const about = { where: undefined, last: 50, force: false, dir: join(folder, 'cases'), suite: 'jest' } as const;
    await makeFixturesFrom({ ...about, ...gateway });
    const start = () => runJest(jest, folder, { flags: ['--testMatch', '**/cases.test.cjs'] });
    expect(await start()).toMatchObject({ isPassed: true, output: expect.stringMatching(/Tests: +5 passed, 5 total/) });
    const suite = join(folder, 'cases.test.cjs');
    writeFileSync(suite, readFileSync(suite, 'utf8').replace('response.status, status', '$& + 1'));
    expect(await start()).toMatchObject({
      isPassed: false,
      output: expect.stringMatching(/Tests: +5 failed, 5 total/),
    });
  });

  test('takes options from a setup file of its own', async () => {
    const folder = copyExample({
      'assistant.test.js': MISSING,
      'jest.config.js': `module.exports = {
        globalSetup: './gateway-setup.js',
        globalTeardown: '@model-gateway/fixtures/jest-teardown',
      };`,
      'gateway-setup.js': `
        const { createGatewaySetup } = require('@model-gateway/fixtures/jest');
        module.exports = createGatewaySetup({ dir: __dirname + '/fixtures', allowMisses: true });
      `,
    });
    const { isPassed, output } = await runJest(jest, folder);
    expect(output).toMatch(/Tests: +2 passed, 2 total/);
    expect(isPassed).toBe(true);
  });
});
