import { expect, test } from 'vitest';

import { jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';
import { CALL_KINDS, type CallKindName } from '../wire/call-kinds.ts';

/** A call of each kind with all that it has to have. */
const BODIES: Readonly<Record<CallKindName, object>> = {
  chat: { messages: [{ role: 'user', content: 'q' }] },
  video: { prompt: 'a fox' },
  embeddings: { input: 'a fox' },
  rerank: { query: 'snow', documents: ['a fox'] },
  speech: { input: 'a fox', voice: 'any' },
  transcription: { input_audio: { data: btoa('RIFF....WAVE'), format: 'wav' } },
  image: { prompt: 'a fox' },
  moderation: { input: 'a fox' },
};
const KINDS = Object.keys(CALL_KINDS) as CallKindName[];
const MODELS = KINDS.map((kind) => ({
  id: `a/${kind}`,
  endpoints: endpointsAt({ acme: 1 }),
  architecture: { output_modalities: [CALL_KINDS[kind].output] },
}));

test.each(KINDS.flatMap((kind) => KINDS.filter((other) => other !== kind).map((other) => [kind, other] as const)))(
  'a call of the kind %s for a model of the kind %s is a 400 that names the right operation',
  async (kind, other) => {
    const { post } = createRoutedGateway({ acme: {} }, MODELS);
    const response = await post(`/api/v1${CALL_KINDS[kind].path}`, { ...BODIES[kind], model: `a/${other}` });
    const { message } = (jsonOf(response) as { error: { message: string } }).error;
    expect([response.status, message.split('; in a chat')[0]]).toEqual([
      400,
      `model: a/${other} makes no ${CALL_KINDS[kind].output}; it is called by POST ${CALL_KINDS[other].path}`,
    ]);
  },
);
