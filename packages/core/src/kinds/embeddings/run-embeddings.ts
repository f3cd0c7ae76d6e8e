import type { z } from 'zod';

import type { ModelCall } from '../../calls/model-call.ts';
import { weighText } from '../../calls/texts.ts';
import { runWholeCall, type WholeCallParts, type WholeClient, type WholeKind } from '../../dispatch/run-whole-call.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { EmbeddingsResult } from '../../providers/provider.ts';
import type { Usage } from '../../wire/chat-chunk.ts';
import type { EmbeddingsRequest, embeddingsResponseSchema } from '../../wire/embeddings.ts';
import { itemsOf } from './embeddings-kind.ts';
import { toFormat } from './vector-format.ts';

/** Runs one call for embeddings. Throws what ended it; either way it has been recorded. */
export async function runEmbeddings(
  call: ModelCall<EmbeddingsRequest>,
  client: WholeClient,
  parts: WholeCallParts,
): Promise<z.infer<typeof embeddingsResponseSchema>> {
  const { endpoint, result, usage, routing } = await runWholeCall(call, toWholeKind(parts), client, parts);
  const { cost, is_byok, prompt_tokens, total_tokens } = usage;
  return {
    id: call.id,
    object: 'list',
    model: endpoint.modelId,
    provider: result.upstreamProvider ?? endpoint.provider.name,
    data: result.vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: {
      prompt_tokens,
      total_tokens,
      ...(cost !== undefined && { cost }),
      ...(is_byok !== undefined && { is_byok }),
    },
    ...routing,
  };
}

function toWholeKind({ timeouts }: WholeCallParts): WholeKind<EmbeddingsRequest, AskedEmbeddings> {
  return {
    async ask({ provider, providerModel }, { request }, { signal, preferences }) {
      const timeoutMs = timeouts.nonStreamMs;
      const result = await provider.embeddings?.({ request, providerModel, preferences, signal, timeoutMs });
      if (result === undefined) throw new GatewayError('not_found', `${provider.name} offers no embeddings`);
      return toAskedFormat(result, request, provider.name);
    },
    usageOf({ promptTokens, isByok }, { input }) {
      const usage = toUsage(promptTokens, input);
      return isByok === undefined ? usage : { ...usage, is_byok: isByok };
    },
    factsOf: ({ upstreamId, upstreamCostUsd, upstreamCosts, upstreamProvider: provider }) => ({
      upstreamId,
      upstreamCostUsd,
      upstreamCosts,
      ...(provider !== undefined && { upstream: { provider } }),
    }),
    contentOf: ({ input }) => ({
      input: { prompt: typeof input === 'string' ? input : JSON.stringify(input) },
      output: { completion: null, reasoning: null },
    }),
  };
}

interface AskedEmbeddings extends Omit<EmbeddingsResult, 'vectors'> {
  readonly vectors: readonly (number[] | string)[];
}

/**
 * Converts upstream's vectors to the requested format. Throws `provider_unavailable` unless there is one vector per
 * text.
 */
function toAskedFormat(
  result: EmbeddingsResult,
  { input, encoding_format: format }: EmbeddingsRequest,
  providerName: string,
): AskedEmbeddings {
  const count = itemsOf(input).length;
  if (result.vectors.length !== count) {
    const message = `${providerName} returned ${result.vectors.length} embeddings for ${count} texts`;
    throw new GatewayError('provider_unavailable', message);
  }
  try {
    return { ...result, vectors: result.vectors.map((vector) => toFormat(vector, format ?? 'float')) };
  } catch (cause) {
    throw new GatewayError('provider_unavailable', `${providerName} returned embeddings that cannot be read`, {
      cause,
    });
  }
}

function toUsage(counted: number | undefined, input: EmbeddingsRequest['input']): Usage {
  const tokens = counted ?? Math.ceil(weighText(typeof input === 'string' ? input : JSON.stringify(input)));
  const usage = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
  return counted === undefined ? { ...usage, estimated: true } : usage;
}
