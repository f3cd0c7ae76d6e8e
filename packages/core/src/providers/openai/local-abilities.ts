import { isObject, objectsOf, parseJson, type Unchecked } from '../../foundation/parse.ts';
import { readText, type Transport } from '../../foundation/transport.ts';
import { MODEL_PARAMETERS } from '../../wire/chat-parameters.ts';
import { readListedFacts } from '../kit/read-listed-models.ts';
import type { DiscoveredModel } from '../provider.ts';

/** Model servers that tell of abilities elsewhere than in their list. */
export type LocalServer = 'ollama' | 'lmstudio' | 'llama-cpp';

/** Asks a server at a path seen from its API (`/../api/show`). Undefined when it has no JSON there. */
export type AskServer = (path: string, body?: object) => Promise<unknown>;

interface Asking {
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
  readonly toUrl: (path: string) => string;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;

export function createAsk({ transport, headers, toUrl, signal }: Asking): AskServer {
  return async (path, body) => {
    try {
      const response = await transport.send({
        method: body === undefined ? 'GET' : 'POST',
        url: toUrl(path),
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
        headersTimeoutMs: TIMEOUT_MS,
        idleTimeoutMs: TIMEOUT_MS,
        totalTimeoutMs: TIMEOUT_MS,
      });
      const text = await readText(response.body);
      return response.status === 200 ? parseJson(text) : undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      // An older server, or another one at this address: its list alone is known.
      return undefined;
    }
  };
}

/** The models of a server's list with the abilities that it tells of elsewhere. */
export function addAbilities(
  server: LocalServer,
  models: readonly DiscoveredModel[],
  ask: AskServer,
): Promise<readonly DiscoveredModel[]> {
  switch (server) {
    case 'ollama':
      return addOfOllama(models, ask);
    case 'lmstudio':
      return addOfLmStudio(models, ask);
    case 'llama-cpp':
      return addOfLlamaCpp(models, ask);
  }
}

/** Each model is asked for by itself. Nobody has more on one machine. */
const MAX_ASKED = 100;
const ASKED_AT_ONCE = 8;

async function addOfOllama(models: readonly DiscoveredModel[], ask: AskServer): Promise<readonly DiscoveredModel[]> {
  const known: DiscoveredModel[] = [];
  const asked = models.slice(0, MAX_ASKED);
  for (let start = 0; start < asked.length; start += ASKED_AT_ONCE) {
    const group = asked.slice(start, start + ASKED_AT_ONCE);
    known.push(
      ...(await Promise.all(
        group.map(async (model) => ({ ...model, ...readShown(await ask('/../api/show', { model: model.id })) })),
      )),
    );
  }
  return [...known, ...models.slice(MAX_ASKED)];
}

/** `POST /api/show` has all abilities of a model, so that one which is not there is none. */
function readShown(shown: unknown): Partial<DiscoveredModel> {
  if (!isObject(shown) || !Array.isArray(shown['capabilities'])) return {};
  const abilities: readonly unknown[] = shown['capabilities'];
  const contextLength = isObject(shown['model_info']) ? findContext(shown['model_info']) : undefined;
  const found = contextLength === undefined ? {} : { contextLength };
  if (!abilities.includes('completion')) {
    return abilities.includes('embedding') ? { ...found, outputModalities: ['embeddings'] } : found;
  }
  const parameters = MODEL_PARAMETERS.filter(
    (name) =>
      (abilities.includes('tools') || !/tool/.test(name)) &&
      (abilities.includes('thinking') || !/reasoning/.test(name)),
  );
  return {
    ...found,
    outputModalities: ['text'],
    inputModalities: abilities.includes('vision') ? ['text', 'image'] : ['text'],
    supportedParameters: parameters,
  };
}

/** Its name begins with the model's architecture: `qwen3.context_length`. */
function findContext(info: Unchecked): number | undefined {
  const [, value] = Object.entries(info).find(([name]) => name.endsWith('.context_length')) ?? [];
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}

async function addOfLmStudio(models: readonly DiscoveredModel[], ask: AskServer): Promise<readonly DiscoveredModel[]> {
  const body = await ask('/../api/v0/models');
  const entries = new Map(
    (isObject(body) && Array.isArray(body['data']) ? objectsOf(body['data']) : []).map((entry) => [entry['id'], entry]),
  );
  return models.map((model) => {
    const entry = entries.get(model.id);
    if (entry === undefined) return model;
    const isEmbedding = entry['type'] === 'embeddings';
    const facts = readListedFacts(entry);
    // Its list of abilities is whole, and it has no other than tools.
    const callsTools = facts.callsTools ?? (Array.isArray(entry['capabilities']) ? false : undefined);
    return {
      ...model,
      ...facts,
      ...(!isEmbedding && callsTools !== undefined && { callsTools }),
      ...(!isEmbedding && { readsImages: entry['type'] === 'vlm' }),
    };
  });
}

/** It tells of the one model that it has loaded; with several, as a router, of none. */
async function addOfLlamaCpp(models: readonly DiscoveredModel[], ask: AskServer): Promise<readonly DiscoveredModel[]> {
  const [model] = models;
  if (model === undefined || models.length > 1) return models;
  const props = await ask('/../props');
  if (!isObject(props)) return models;
  const { default_generation_settings: settings, modalities, chat_template_caps: caps } = props;
  const context = isObject(settings) ? settings['n_ctx'] : undefined;
  const inputs = isObject(modalities)
    ? ['text', ...(modalities['vision'] === true ? ['image'] : []), ...(modalities['audio'] === true ? ['audio'] : [])]
    : undefined;
  const tools = isObject(caps) ? (caps['supports_tool_calls'] ?? caps['supports_tools']) : undefined;
  return [
    {
      ...model,
      // What the server was started with, of what the model was trained for.
      ...(Number.isSafeInteger(context) && Number(context) > 0 && { contextLength: Number(context) }),
      ...(inputs !== undefined && { inputModalities: inputs }),
      ...(typeof tools === 'boolean' && { callsTools: tools }),
    },
  ];
}
