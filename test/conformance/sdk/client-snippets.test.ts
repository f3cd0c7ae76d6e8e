import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { type Client, CLIENTS, type Connection, type Language } from '@model-gateway/clients';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type Conformance, openConformance } from '../../support/conformance/start-conformance.ts';
import { TEST_KEY } from '../../support/gateways/test-gateway.ts';

const run = promisify(execFile);
const TEXT = 'Hello there, how are you? ☕ 你好';
/** Below the packages that the programs import. */
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url));

const canRun = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const PYTHON_PACKAGES: Readonly<Record<string, string>> = {
  'openai-python': 'openai',
  'langchain-python': 'langchain_openai',
};

/** Why a client's program cannot be run here; undefined where it can. */
function findLack({ id }: Client): string | undefined {
  if (id === 'curl') return canRun('curl', '--version') && canRun('bash', '--version') ? undefined : 'no curl or bash';
  const name = PYTHON_PACKAGES[id];
  if (name !== undefined) return canRun('python3', '-c', `import ${name}`) ? undefined : `no Python package ${name}`;
  return id === 'langchain-js' ? 'no package @langchain/openai' : undefined;
}

function snippetOf(client: Client, language: Language, connection: Connection): string {
  const step = client.steps.find((candidate) => candidate.type === 'snippet' && candidate.language === language);
  return step?.type === 'snippet' ? step.toText(connection) : '';
}

const PROGRAMS = CLIENTS.filter(({ kind }) => kind === 'library' || kind === 'terminal');

describe('what tools are told, run as it is', () => {
  let conformance: Conformance;
  let folder: string;
  let connection: Connection;
  beforeAll(async () => {
    conformance = await openConformance('node');
    await mkdir(CACHE, { recursive: true });
    folder = await mkdtemp(join(CACHE, 'snippets-'));
    const model = { id: 'test/text', contextTokens: 8192, outputTokens: 1024, readsImages: false, callsTools: true };
    connection = { baseUrl: conformance.apiUrl, apiKey: TEST_KEY, model };
  });
  afterAll(async () => {
    await conformance.close();
    await rm(folder, { recursive: true });
  });

  for (const client of PROGRAMS) {
    const lack = findLack(client);
    test.skipIf(lack !== undefined)(
      `${client.name} gets a completion${lack === undefined ? '' : `, skipped: ${lack}`}`,
      async () => {
        const env = { ...process.env, GATEWAY_API_KEY: TEST_KEY };
        if (client.id === 'curl') {
          const { stdout } = await run('bash', ['-c', snippetOf(client, 'bash', connection)], { env });
          expect(JSON.parse(stdout)).toMatchObject({ choices: [{ message: { content: TEXT } }] });
          return;
        }
        const language = client.id in PYTHON_PACKAGES ? 'python' : 'javascript';
        const file = join(folder, `${client.id}.${language === 'python' ? 'py' : 'mjs'}`);
        await writeFile(file, snippetOf(client, language, connection));
        const { stdout } = await run(language === 'python' ? 'python3' : process.execPath, [file], { env });
        expect(stdout.trim()).toBe(TEXT);
      },
    );
  }
});
