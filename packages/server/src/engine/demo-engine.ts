import process from 'node:process';

import type { Logger, ModelDefinition, Provider } from '@model-gateway/core';
import { createProvider } from '@model-gateway/core/providers/create-provider';

import { ENGINE_TEXTS } from '../demo-fixtures.ts';
import { type Closable, createLazyTransport } from '../open/connect-providers.ts';
import {
  BINDING_FOLDER,
  type Engine,
  ENGINE_CONTEXT,
  ENGINE_MODEL,
  type EngineCommand,
  findEngine,
  HOW_TO_GET_ENGINE,
  startEngine,
  toModelWriter,
} from './run-engine.ts';

const PLACES = 4;

/** Where the binding of npm may be installed: beside the command, or in or below the folder that it is started in. */
export const toBindingPlaces = (cwd: string): readonly string[] => [
  import.meta.url,
  `${cwd}/module.js`,
  `${cwd}/${BINDING_FOLDER}/module.js`,
];

/**
 * Starts llama.cpp for the demo. Without one, or when it does not start, says why and resolves with undefined: the demo
 * then replays all of its answers. The caller closes it.
 */
export async function openDemoEngine(
  logger: Logger,
  command: EngineCommand | undefined = findEngine(process.env, toBindingPlaces(process.cwd())),
): Promise<Engine | undefined> {
  if (command === undefined) {
    logger.warn(`the demo answers from recordings alone: ${HOW_TO_GET_ENGINE}`);
    return undefined;
  }
  try {
    const engine = await startEngine(command, { writeModel: await toModelWriter(ENGINE_TEXTS), places: PLACES });
    logger.info('the demo’s second model answers from llama.cpp', { engine: command.from, url: engine.url });
    return engine;
  } catch (error) {
    logger.warn('the demo answers from recordings alone, because llama.cpp did not start', {
      engine: command.from,
      error,
    });
    return undefined;
  }
}

interface Demo {
  readonly providers: readonly Provider[];
  readonly models: readonly ModelDefinition[];
}

const PROVIDER = 'llama-cpp';

const PARAMETERS = ['frequency_penalty', 'logit_bias', 'max_tokens', 'presence_penalty', 'response_format', 'seed'];
const MORE_PARAMETERS = ['stop', 'structured_outputs', 'temperature', 'top_k', 'top_p'];

/** The demo with its second model from an engine. The id stays: clients that are set up for it go on. */
export async function withEngine(
  demo: Demo,
  { url }: Pick<Engine, 'url'>,
): Promise<Demo & { preload(): void } & Closable> {
  const transport = createLazyTransport(async () => {
    const { createUndiciTransport } = await import('@model-gateway/node/undici');
    return createUndiciTransport({});
  });
  const provider = await createProvider({
    slug: PROVIDER,
    name: 'llama.cpp',
    wire: 'openai',
    preset: PROVIDER,
    baseUrl: `${url}/v1`,
    transport,
    downloads: transport,
    // True of a process of this machine that writes nothing.
    dataPolicy: { training: false, retainsPrompts: false },
  });
  return {
    providers: [...demo.providers, provider],
    models: demo.models.map((model, place) => (place === 1 ? toEngineModel(model) : model)),
    preload: () => transport.preload(),
    close: () => transport.close(),
  };
}

const toEngineModel = (model: ModelDefinition): ModelDefinition => ({
  ...model,
  name: 'Demo: Real engine',
  description:
    'llama.cpp on this machine, with a model that counts which word of this documentation follows which: it streams and ' +
    'counts tokens for real, and makes little sense. Its prices are made up.',
  context_length: ENGINE_CONTEXT,
  endpoints: [
    {
      provider: PROVIDER,
      providerModel: ENGINE_MODEL,
      pricing: model.endpoints[0]?.pricing,
      max_completion_tokens: ENGINE_CONTEXT,
      supported_parameters: [...PARAMETERS, ...MORE_PARAMETERS],
    },
  ],
});
