import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, onTestFinished, test } from 'vitest';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const LIMIT_MS = 120_000;

/** Runs a folder's suite and resolves with what Jest said, and whether it was content. */
async function runJest(jest: string, folder: string, ...nodeFlags: string[]) {
  const { PATH = '', HOME = '' } = process.env;
  // Nothing else of this environment, so that no key gets in.
  const options = { cwd: folder, env: { PATH, HOME, NO_COLOR: '1', CI: 'true' }, timeout: LIMIT_MS };
  const program = join(HERE, 'node_modules', jest, 'bin', 'jest.js');
  // Two processes for the test files, whatever the machine, as both have to learn of the gateway.
  const args = [...nodeFlags, program, '--no-cache', '--maxWorkers', '2'];
  try {
    return { isPassed: true, output: (await promisify(execFile)(process.execPath, args, options)).stderr };
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    return { isPassed: false, output: stdout + stderr };
  }
}

/** Copies the CommonJS example with files of its own, below the root, so that it finds the same packages. */
function copyExample(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(HERE, 'copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(EXAMPLES, 'jest-fixtures'), folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe.each(['jest-29', 'jest-30'])('%s', { timeout: LIMIT_MS }, (jest) => {
  test('runs the CommonJS example against one gateway, and ends by itself', async () => {
    const { isPassed, output } = await runJest(jest, join(EXAMPLES, 'jest-fixtures'));
    expect(output).toMatch(/Tests: +2 passed, 2 total/);
    expect(output).not.toContain('did not exit');
    expect(isPassed).toBe(true);
  });

  test('runs the example of ES modules, with a gateway for each test', async () => {
    const { isPassed, output } = await runJest(jest, join(EXAMPLES, 'jest-esm'), '--experimental-vm-modules');
    expect(output).toMatch(/Tests: +2 passed, 2 total/);
    expect(output).not.toContain('did not exit');
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
