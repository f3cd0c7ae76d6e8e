import { spawnSync } from 'node:child_process';

import {
  type Client,
  CLIENTS,
  type Connection,
  differsBySystem,
  findObstacle,
  type Language,
  reachOf,
  searchClients,
  type Step,
  stepsFor,
  type System,
} from '@model-gateway/clients';
import { parseAst } from 'rolldown/parseAst';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';

const SYSTEMS: readonly System[] = ['linux', 'macos', 'windows'];
const MODEL = { contextTokens: 200_000, outputTokens: 32_000, readsImages: true, callsTools: true };
const PLAIN: Connection = {
  baseUrl: 'http://127.0.0.1:8855/api/v1',
  apiKey: 'sk-gw-v1-4711',
  model: { id: 'acme/chat-1', ...MODEL },
};
/** Providers choose the names of their models. */
const HOSTILE: Connection = {
  ...PLAIN,
  model: { ...MODEL, id: `acme/a'b"c\\d$(exit 9)\`y\`‘z’ \${1} # no: comment ☕` },
};

const hasPython = spawnSync('python3', ['--version']).status === 0;
const hasBash = spawnSync('bash', ['--version']).status === 0;

const feed = (command: string, args: readonly string[], input: string): string =>
  String(spawnSync(command, args, { input }).stderr);

/** Each throws for a text that is not of its language. PowerShell has no parser here. */
const CHECKS: Readonly<Record<Language, (text: string) => void>> = {
  json: (text) => JSON.parse(text) as unknown,
  toml: (text) => parseToml(text),
  yaml: (text) => parseYaml(text, { strict: true }) as unknown,
  javascript: (text) => parseAst(text),
  python: (text) =>
    expect(hasPython ? feed('python3', ['-c', 'import ast,sys;ast.parse(sys.stdin.read())'], text) : '').toBe(''),
  bash: (text) => expect(hasBash ? feed('bash', ['-n'], text) : '').toBe(''),
  powershell: () => undefined,
};

const toTexts = (step: Step, connection: Connection): readonly string[] =>
  step.type === 'snippet' ? [step.toText(connection)] : step.toFields(connection).map(([, value]) => value);

const everything = (client: Client, system: System, connection = PLAIN): string =>
  stepsFor(client, system)
    .flatMap((step) => toTexts(step, connection))
    .join('\n');

const byId = (id: string): Client => {
  const client = CLIENTS.find((candidate) => candidate.id === id);
  if (client === undefined) throw new Error(`no client ${id}`);
  return client;
};

/** The one snippet of a client in a language. */
const snippetOf = (id: string, language: Language, connection: Connection): string => {
  const step = byId(id).steps.find((candidate) => candidate.type === 'snippet' && candidate.language === language);
  return step?.type === 'snippet' ? step.toText(connection) : '';
};

test('the tools that people use most are there, each once', () => {
  const ids = CLIENTS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const wanted =
    'claude-code codex qwen-code gemini-cli opencode pi copilot-cli cursor cline continue aider zed vscode open-webui curl openai-python openai-js openrouter-sdk';
  expect(ids).toEqual(expect.arrayContaining([...wanted.split(' '), 'ai-sdk', 'langchain-python', 'langchain-js']));
});

describe.each(CLIENTS.map((client) => [client.id, client] as const))('%s', (_id, client) => {
  test.each(SYSTEMS)('is told address, key and model on %s, with nothing left to fill in', (system) => {
    const text = everything(client, system);
    const address = client.callsFrom === 'container' ? 'http://host.docker.internal:8855/api/v1' : PLAIN.baseUrl;
    // Clients of Anthropic's API add /v1 themselves.
    if (client.wire === 'messages') expect(text).toMatch(/"http:\/\/127\.0\.0\.1:8855\/api"/);
    // Those of Google's add /v1beta.
    else if (client.wire === 'gemini') expect(text).toContain("'http://127.0.0.1:8855'");
    else expect(text).toContain(address);
    expect(text).toContain(PLAIN.apiKey);
    // Open WebUI asks the gateway for its models.
    if (client.id !== 'open-webui') expect(text).toContain(PLAIN.model.id);
    expect(text).not.toMatch(/<[\w -]+>|\{\{|YOUR[_ ]|xxx|undefined|\bnull\b|\[object|NaN/i);
  });

  test('has snippets that its languages understand, whatever a model is called', () => {
    for (const connection of [PLAIN, HOSTILE]) {
      for (const step of client.steps) {
        if (step.type === 'snippet') CHECKS[step.language](step.toText(connection));
      }
    }
  });

  test('is described in full', () => {
    expect(client.about).toMatch(/^[\w@].{5,60}[^.]$/);
    expect(client.modelNames).toMatch(/\.$/);
    for (const note of client.notes) expect(note).toMatch(/\.$/);
    expect(new URL(client.docsUrl).protocol).toBe('https:');
    for (const step of client.steps) expect(step.title).not.toMatch(/\.$/);
  });
});

test('names of models arrive as they are, in every format that can be read back', () => {
  const { id } = HOSTILE.model;
  const openCode = JSON.parse(snippetOf('opencode', 'json', HOSTILE)) as {
    provider: { 'model-gateway': { options: object; models: object } };
    model: string;
  };
  expect(openCode.model).toBe(`model-gateway/${id}`);
  expect(openCode.provider['model-gateway']).toMatchObject({
    options: { baseURL: PLAIN.baseUrl, apiKey: PLAIN.apiKey },
    models: { [id]: { limit: { context: 200_000, output: 32_000 } } },
  });
  const zed = JSON.parse(snippetOf('zed', 'json', HOSTILE)) as object;
  expect(zed).toMatchObject({
    language_models: {
      openai_compatible: { 'model-gateway': { api_url: PLAIN.baseUrl, available_models: [{ name: id }] } },
    },
  });
  expect(JSON.parse(snippetOf('vscode', 'json', HOSTILE))).toMatchObject([
    {
      vendor: 'customendpoint',
      apiType: 'chat-completions',
      models: [{ id, url: `${PLAIN.baseUrl}/chat/completions` }],
    },
  ]);
  expect(parseYaml(snippetOf('continue', 'yaml', HOSTILE))).toMatchObject({
    models: [{ provider: 'openai', model: id, apiBase: PLAIN.baseUrl, apiKey: PLAIN.apiKey }],
  });
  expect(parseYaml(snippetOf('aider', 'yaml', HOSTILE))).toMatchObject({ model: `openai/${id}` });
});

test('Claude Code gets an auth token, and the model for each of its own names', () => {
  const { id } = HOSTILE.model;
  const { env } = JSON.parse(snippetOf('claude-code', 'json', HOSTILE)) as { env: Record<string, string> };
  expect(env).toMatchObject({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:8855/api', ANTHROPIC_AUTH_TOKEN: PLAIN.apiKey });
  expect(env).not.toHaveProperty('ANTHROPIC_API_KEY');
  const models = Object.entries(env).filter(([name]) => name.endsWith('_MODEL'));
  expect(models.map(([, value]) => value)).toEqual([id, id, id, id]);
});

test('Codex gets a provider of the Responses API, and its key in a variable', () => {
  expect(parseToml(snippetOf('codex', 'toml', HOSTILE))).toEqual({
    model: HOSTILE.model.id,
    model_provider: 'model-gateway',
    model_providers: {
      'model-gateway': {
        name: 'Model Gateway',
        base_url: PLAIN.baseUrl,
        env_key: 'MODEL_GATEWAY_API_KEY',
        wire_api: 'responses',
      },
    },
  });
  expect(snippetOf('codex', 'bash', HOSTILE)).toBe(`export MODEL_GATEWAY_API_KEY='${PLAIN.apiKey}'\n`);
});

test('Gemini CLI gets its model in a file, and address and key in variables', () => {
  expect(JSON.parse(snippetOf('gemini-cli', 'json', HOSTILE))).toEqual({
    security: { auth: { selectedType: 'gemini-api-key' } },
    model: { name: HOSTILE.model.id },
  });
  expect(snippetOf('gemini-cli', 'bash', HOSTILE)).toBe(
    `export GOOGLE_GEMINI_BASE_URL='http://127.0.0.1:8855'\nexport GEMINI_API_KEY='${PLAIN.apiKey}'\n`,
  );
});

test('pi gets a provider with the one model, and what it can take', () => {
  expect(JSON.parse(snippetOf('pi', 'json', HOSTILE))).toEqual({
    providers: {
      'model-gateway': {
        name: 'Model Gateway',
        baseUrl: PLAIN.baseUrl,
        api: 'openai-completions',
        apiKey: PLAIN.apiKey,
        models: [{ id: HOSTILE.model.id, input: ['text', 'image'], contextWindow: 200_000, maxTokens: 32_000 }],
      },
    },
  });
});

test.skipIf(!hasBash)('Copilot CLI gets its variables as they are, whatever a model is called', () => {
  const script = `${snippetOf('copilot-cli', 'bash', HOSTILE)}env`;
  const { stdout } = spawnSync('bash', ['-c', script]);
  const variables = String(stdout)
    .split('\n')
    .filter((line) => line.startsWith('COPILOT_'));
  expect(variables.toSorted()).toEqual([
    `COPILOT_MODEL=${HOSTILE.model.id}`,
    `COPILOT_PROVIDER_API_KEY=${PLAIN.apiKey}`,
    `COPILOT_PROVIDER_BASE_URL=${PLAIN.baseUrl}`,
    'COPILOT_PROVIDER_MAX_OUTPUT_TOKENS=32000',
    'COPILOT_PROVIDER_MAX_PROMPT_TOKENS=168000',
    'COPILOT_PROVIDER_TYPE=openai',
  ]);
});

test.skipIf(!hasBash)('a shell runs nothing that stands in the name of a model', () => {
  const words = snippetOf('curl', 'bash', HOSTILE).replace(/^curl/, String.raw`printf '%s\n'`);
  const { stdout } = spawnSync('bash', ['-c', words]);
  const body = String(stdout).trimEnd().split('\n').at(-1) ?? '';
  expect(JSON.parse(body)).toMatchObject({ model: HOSTILE.model.id });
});

test('PowerShell gets quotes doubled, typographic ones too, which end a text there', () => {
  expect(snippetOf('curl', 'powershell', HOSTILE)).toContain(`a''b\\"c\\\\d$(exit 9)\`y\`‘‘z’’`);
});

test('VS Code is never told more input and output than the context window has', () => {
  const model = { ...PLAIN.model, contextTokens: 8000, outputTokens: 8000 };
  const [provider] = JSON.parse(snippetOf('vscode', 'json', { ...PLAIN, model })) as {
    models: { maxInputTokens: number; maxOutputTokens: number }[];
  }[];
  expect(provider?.models).toMatchObject([{ maxInputTokens: 4000, maxOutputTokens: 4000 }]);
});

test('a system is asked for where paths or commands differ by it', () => {
  expect(CLIENTS.filter((client) => !differsBySystem(client)).map(({ id }) => id)).toEqual([
    'cursor',
    'cline',
    'vscode',
    'open-webui',
  ]);
});

test('tools are found by words of their name and description', () => {
  expect(searchClients('').length).toBe(CLIENTS.length);
  expect(searchClients(' LANG python ').map(({ id }) => id)).toEqual(['langchain-python']);
  expect(searchClients('terminal').map(({ id }) => id)).toEqual([
    'claude-code',
    'codex',
    'qwen-code',
    'gemini-cli',
    'opencode',
    'pi',
    'copilot-cli',
    'aider',
    'curl',
  ]);
  expect(searchClients('nothing of the kind')).toEqual([]);
});

test.each([
  ['http://127.0.0.1:8855/api/v1', 'machine'],
  ['http://localhost:8855/api/v1', 'machine'],
  ['http://[::1]:8855/api/v1', 'machine'],
  ['http://192.168.1.7:8855/api/v1', 'network'],
  ['http://172.20.0.2:8855/api/v1', 'network'],
  ['http://[fd00::1]:8855/api/v1', 'network'],
  ['http://100.101.102.103:8855/api/v1', 'network'],
  ['http://nas:8855/api/v1', 'network'],
  ['http://gateway.local/api/v1', 'network'],
  ['https://gateway.example.com/api/v1', 'public'],
  ['http://172.40.0.2/api/v1', 'public'],
])('%s is reached by: %s', (url, reach) => {
  expect(reachOf(url)).toBe(reach);
});

test('tools that call from elsewhere say when they cannot reach the gateway, and what to do', () => {
  expect(findObstacle('cloud', PLAIN.baseUrl)).toContain('server.publicUrl');
  expect(findObstacle('cloud', 'http://gateway.example.com/api/v1')).toContain('not encrypted');
  expect(findObstacle('cloud', 'https://gateway.example.com/api/v1')).toBeUndefined();
  expect(findObstacle('container', PLAIN.baseUrl)).toContain('--host 0.0.0.0');
  expect(findObstacle('container', 'http://192.168.1.7:8855/api/v1')).toBeUndefined();
  expect(findObstacle(undefined, PLAIN.baseUrl)).toBeUndefined();
});
