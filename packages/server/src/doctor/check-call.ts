import { randomBytes } from 'node:crypto';

import type { DiscoveredModel, ModelDefinition, Usage } from '@model-gateway/core';

import { describeFailure } from './check-auth.ts';
import type { Finding } from './finding.ts';
import { type Patient, toLimit } from './patient.ts';

/** The smallest limit that every provider accepts. */
const MAX_TOKENS = 16;

/** Makes one call of a few tokens, to the model that is named or else the provider's cheapest known one. */
export async function checkCall(patient: Patient, listed: readonly DiscoveredModel[]): Promise<Finding> {
  const { config, provider, models, timeouts, model, isForm = false, signal } = patient;
  if (provider.chat === undefined) return { layer: 'call', status: 'skipped', detail: 'it offers no chat' };
  const providerModel = model ?? findCheapest(config.slug, models) ?? listed[0]?.id;
  if (providerModel === undefined) {
    const advice = isForm ? 'Name one.' : 'Name one in models of the config file.';
    return { layer: 'call', status: 'failed', detail: 'no model of this provider is known', advice };
  }
  const completion = provider.chat({
    generationId: `gen-doctor-${randomBytes(8).toString('hex')}`,
    request: { model: providerModel, messages: [{ role: 'user', content: 'Say OK.' }], max_tokens: MAX_TOKENS },
    providerModel,
    stream: false,
    supportedParameters: null,
    maxOutputTokens: null,
    signal: toLimit(timeouts.nonStreamMs, signal),
    timeouts,
  });
  try {
    let usage: Usage | undefined;
    for await (const chunks of completion) for (const chunk of chunks) usage = chunk.usage ?? usage;
    const tokens =
      usage === undefined ? 'without counting tokens' : `${usage.prompt_tokens} + ${usage.completion_tokens} tokens`;
    return { layer: 'call', status: 'ok', detail: `${providerModel} answered (${tokens})` };
  } catch (error) {
    const finding = describeFailure('call', error, { config, isForm });
    return { ...finding, detail: `${providerModel}: ${finding.detail}` };
  }
}

/** Models with an unknown price come last. */
function findCheapest(slug: string, models: readonly ModelDefinition[]): string | undefined {
  const candidates = models
    .filter(({ architecture }) => architecture?.output_modalities?.includes('text') ?? true)
    .flatMap(({ endpoints }) => endpoints.filter(({ provider }) => provider === slug))
    .map(({ providerModel, pricing }) => {
      const price = Number(pricing?.prompt) + Number(pricing?.completion);
      return { providerModel, price: Number.isNaN(price) ? Number.POSITIVE_INFINITY : price };
    });
  return candidates.toSorted((a, b) => (a.price === b.price ? 0 : a.price - b.price))[0]?.providerModel;
}
