import type { z } from 'zod';

import { type CallKind, type CallNeeds, minTokensOf, mostTokensOf } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import { chosen, fields, media, part, type Place, record, text, words } from '../calls/text-places.ts';
import { type RequestText, toVisitor, weighText } from '../calls/texts.ts';
import type { CallContext } from '../dispatch/prepare-call.ts';
import { runWholeCall, type WholeCallParts, type WholeKind } from '../dispatch/run-whole-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { ModerationOutcome } from '../providers/moderation-contract.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { ModerationRequest, moderationResponseSchema } from '../wire/moderations.ts';

/** Runs one call for a moderation. Throws what ended it; either way it has been recorded. */
export async function runModeration(
  call: ModelCall<ModerationRequest>,
  context: CallContext<WholeCallParts>,
): Promise<z.infer<typeof moderationResponseSchema>> {
  const { endpoint, result, usage, routing } = await runWholeCall(call, toWholeKind(context.parts), context);
  const { cost, is_byok, prompt_tokens, total_tokens } = usage;
  return {
    id: call.id,
    model: endpoint.modelId,
    provider: endpoint.provider.name,
    results: [...result.verdicts],
    usage: {
      prompt_tokens,
      total_tokens,
      ...(cost !== undefined && { cost }),
      ...(is_byok !== undefined && { is_byok }),
    },
    ...routing,
  };
}

function toWholeKind({ timeouts }: WholeCallParts): WholeKind<ModerationRequest, ModerationOutcome> {
  return {
    async ask({ provider, providerModel }, { request }, { signal, onSent }) {
      const timeoutMs = timeouts.nonStreamMs;
      const outcome = await provider.moderation?.({ request, providerModel, onSent, signal, timeoutMs });
      if (outcome === undefined) throw new GatewayError('not_found', `${provider.name} does not moderate`);
      const [wanted, count] = [countOf(request.input), outcome.verdicts.length];
      if (count === wanted) return outcome;
      throw new GatewayError('provider_unavailable', `${provider.name} returned ${count} results for ${wanted} inputs`);
    },
    usageOf({ promptTokens }, { input }) {
      const tokens = promptTokens ?? Math.ceil(weighText(textsOf(input).join('\n')));
      const usage: Usage = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
      return promptTokens === undefined ? { ...usage, estimated: true } : usage;
    },
    factsOf: ({ upstreamId }) => ({ upstreamId }),
    contentOf: ({ input }, outcome) => ({
      input: { prompt: typeof input === 'string' ? input : JSON.stringify(input) },
      output: { completion: outcome === undefined ? null : JSON.stringify(outcome.verdicts), reasoning: null },
    }),
  };
}

type Input = ModerationRequest['input'];

/** The parts of a message are judged together. */
const countOf = (input: Input): number => (isTexts(input) ? input.length : 1);

const isTexts = (input: Input): input is string[] => Array.isArray(input) && typeof input[0] === 'string';

const textsOf = (input: Input): readonly string[] =>
  typeof input === 'string'
    ? [input]
    : input.flatMap((item) => (typeof item === 'string' ? [item] : item.type === 'text' ? [item.text] : []));

const imagesOf = (input: Input): number =>
  typeof input === 'string' || isTexts(input) ? 0 : input.filter((item) => item.type === 'image_url').length;

/** The kind of calls that judge texts and images by the categories of a model. */
export const moderationKind: CallKind<ModerationRequest> = {
  name: 'moderation',
  modelsOf: ({ model }) => ({ model }),
  preferencesOf: ({ provider }) => ({ provider: provider ?? {}, partition: 'model' }),
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
  withSession: (request, session) => ({ ...request, session_id: session }),
  needsOf,
  boundOf({ input }) {
    const images = imagesOf(input);
    return {
      textTokens: mostTokensOf(textsOf(input)),
      mediaTokens: images === 0 ? 0 : null,
      images,
      hasAudio: false,
      maxTokens: 0,
      predictedTokens: 0,
    };
  },
  mapTexts,
};

function needsOf({ input }: ModerationRequest): CallNeeds {
  const lengths = textsOf(input).map((item) => minTokensOf(item.length));
  return {
    parameters: [],
    inputModalities: imagesOf(input) > 0 ? ['image'] : [],
    outputModalities: ['moderation'],
    // Each text is judged by itself, and so is a message with all its parts.
    minPromptTokens: isTexts(input) ? Math.max(...lengths) : lengths.reduce((sum, length) => sum + length, 0),
    outputTokens: 0,
    compression: 'never',
  };
}

const partPlace = fields({ type: words('text', 'image_url'), text: part, image_url: fields({ url: media }) });

const PLACES: Readonly<Record<'input' | 'user' | 'session_id' | 'trace', Place>> = {
  input: chosen((value) => (typeof value === 'string' ? text : partPlace)),
  user: text,
  session_id: text,
  trace: record,
};

function mapTexts(request: ModerationRequest, change: (text: RequestText) => string): ModerationRequest {
  const visit = toVisitor(change);
  const say = toVisitor(change, 'user');
  let changed = request;
  for (const field of ['input', 'user', 'session_id', 'trace'] as const) {
    const mapped = PLACES[field](request[field], field === 'input' ? say : visit);
    if (mapped !== request[field]) changed = { ...changed, [field]: mapped };
  }
  return changed;
}
