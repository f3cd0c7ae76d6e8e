import type { ModelDefinition } from '@model-gateway/core';

import { endpointsAt, type RoutedProvider } from './routed-gateway.ts';

const PRIVATE: RoutedProvider = { dataPolicy: { training: false, retainsPrompts: false } };
const SOUND = { quantization: 'fp16', supported_parameters: ['seed'] };

/** Providers of which one alone will do for `REQUEST_OF_ONE`; docs/routing.md shows what becomes of the others. */
export const PROVIDERS_OF_SEVEN: Readonly<Record<string, RoutedProvider>> = {
  open: PRIVATE,
  dear: PRIVATE,
  trainer: { dataPolicy: { training: true, retainsPrompts: false } },
  keeper: { dataPolicy: { training: false, retainsPrompts: true } },
  coarse: PRIVATE,
  weak: PRIVATE,
  unwanted: PRIVATE,
};

export const MODEL_OF_SEVEN: ModelDefinition = {
  id: 'acme/chat',
  endpoints: [
    ...endpointsAt({ open: 1, dear: 9, trainer: 1, keeper: 1 }, SOUND),
    ...endpointsAt({ coarse: 1 }, { ...SOUND, quantization: 'int4' }),
    ...endpointsAt({ weak: 1 }, { ...SOUND, supported_parameters: [] }),
    ...endpointsAt({ unwanted: 1 }, SOUND),
  ],
};

export const REQUEST_OF_ONE = {
  model: 'acme/chat',
  messages: [{ role: 'user', content: 'Hello' }],
  seed: 1,
  provider: {
    ignore: ['unwanted'],
    max_price: { prompt: 5 },
    data_collection: 'deny',
    zdr: true,
    quantizations: ['fp16'],
    require_parameters: true,
  },
};
