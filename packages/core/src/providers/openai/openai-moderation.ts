import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson } from '../../foundation/parse.ts';
import type { ModerationVerdict } from '../../wire/moderations.ts';
import { askWhole } from '../kit/ask-whole.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import type { ModerationOutcome } from '../moderation-contract.ts';
import type { Provider } from '../provider.ts';
import { readOpenAiError } from './read-openai-error.ts';

/** Of categories that a model does not know, OpenAI's own response has null. */
const withoutNulls = <Value>(values: Readonly<Record<string, Value | null>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));

const responseSchema = z.object({
  id: z.string().nullish(),
  results: z.array(
    z.object({
      /** Mistral leaves it to the reader. */
      flagged: z.boolean().nullish(),
      categories: z.record(z.string(), z.boolean().nullable()),
      category_scores: z.record(z.string(), z.number().nullable()),
      category_applied_input_types: z.record(z.string(), z.array(z.string()).nullable()).nullish(),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: z.int().nullish() }).nullish(),
});

/** Creates the moderation of a provider over OpenAI's wire, which Mistral has as well: `POST /moderations`. */
export function createOpenAiModeration(
  upstream: Upstream,
  toUrl: (providerModel: string) => string,
): NonNullable<Provider['moderation']> {
  return async ({ request, providerModel: model, onSent, signal, timeoutMs }) => {
    const body = { model, input: request.input };
    onSent?.('openai', body);
    const text = await askWhole(upstream, readOpenAiError, {
      url: toUrl(model),
      body: JSON.stringify(body),
      signal,
      timeoutMs,
    });
    return readOutcome(text, upstream.name);
  };
}

function readOutcome(text: string, providerName: string): ModerationOutcome {
  const parsed = checkWith(responseSchema, parseJson(text));
  if (!parsed.success) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a response without a moderation`);
  }
  const { id, results, usage } = parsed.data;
  return {
    verdicts: results.map(toVerdict),
    promptTokens: usage?.prompt_tokens ?? undefined,
    upstreamId: id ?? undefined,
  };
}

function toVerdict(result: z.infer<typeof responseSchema>['results'][number]): ModerationVerdict {
  const categories = withoutNulls(result.categories);
  const applied = result.category_applied_input_types;
  return {
    flagged: result.flagged ?? Object.values(categories).includes(true),
    categories,
    category_scores: withoutNulls(result.category_scores),
    ...(applied != null && { category_applied_input_types: withoutNulls(applied) }),
  };
}
