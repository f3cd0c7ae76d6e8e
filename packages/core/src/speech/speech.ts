import { type CallKind, minTokensOf, mostTokensOf } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import { checked, fields, type Place, record, recordWithMedia, text } from '../calls/text-places.ts';
import { type RequestText, toVisitor, weighText } from '../calls/texts.ts';
import { type CallContext, type Caller, type Planned, planWithin } from '../dispatch/prepare-call.ts';
import { type BegunPieces, runStreamedCall, type StreamedKind } from '../dispatch/run-streamed-call.ts';
import type { WholeCallParts } from '../dispatch/run-whole-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import { type CopiedPieces, copyPieces, toMadeMedia } from '../generations/made-media.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { AudioFacts, SpeechResult } from '../providers/audio-contract.ts';
import type { Provider } from '../providers/provider.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import { refuseField } from '../wire/fields.ts';
import type { SpeechRequest } from '../wire/speech.ts';
import { DEFAULT_SPEECH_FORMAT, SPEECH_TYPES, type SpeechFormat } from '../wire/values.ts';
import { costOfSpeech, estimateAudioTokens, isChargedByTokens, worstCaseOfSpeech } from './speech-costs.ts';

/**
 * Runs one call for speech. Resolves with the response at its first byte, or throws what ended it before; either way it
 * is recorded. After the first byte a failure breaks the connection.
 */
export async function runSpeech(
  call: ModelCall<SpeechRequest>,
  context: CallContext<WholeCallParts>,
): Promise<GatewayResponse> {
  const { begun, body } = await runStreamedCall(call, toStreamedKind(context.parts), context);
  const contentType = begun.contentType ?? SPEECH_TYPES[formatOf(call.request)];
  const headers = { ...context.responseHeaders, 'content-type': contentType };
  return { status: 200, headers, body };
}

interface BegunSpeech extends BegunPieces, CopiedPieces, Pick<SpeechResult, 'contentType'> {
  readonly facts: () => AudioFacts;
  /** Whether its endpoint charges by tokens. */
  readonly isByTokens: boolean;
}

function toStreamedKind({
  routing,
  timeouts,
  platform,
  logging,
}: WholeCallParts): StreamedKind<SpeechRequest, BegunSpeech> {
  return {
    plan: planSpeech,
    async ask(endpoint, { request }, { signal, onSent }) {
      const { provider, providerModel, prices, modelId } = endpoint;
      const isByTokens = isChargedByTokens(prices);
      const result = await provider.speech?.({
        request,
        providerModel,
        voice: request.voice ?? routing.catalog.find(modelId)?.definition.supported_voices?.[0],
        format: formatOf(request),
        countsTokens: isByTokens,
        options: optionsFor(request, provider),
        onSent,
        signal,
        timeoutMs: timeouts.nonStreamMs,
        idleMs: timeouts.idleMs,
        totalMs: timeouts.totalMs,
      });
      if (result === undefined) throw new GatewayError('not_found', `${provider.name} does not offer speech`);
      const begun = await begin(result, provider.name);
      return { ...begun, ...copyPieces(begun.first, begun.rest, logging), isByTokens };
    },
    usageOf: ({ facts, isByTokens }, request) => facts().usage ?? estimateUsage(request, isByTokens),
    costOf: (prices, usage, { request }) => costOfSpeech(prices, request, usage, platform.now()),
    factsOf({ facts }) {
      const { upstreamId, upstreamCostUsd, upstreamCosts, upstreamProvider: provider } = facts();
      return { upstreamId, upstreamCostUsd, upstreamCosts, ...(provider !== undefined && { upstream: { provider } }) };
    },
    contentOf(request, result) {
      const base64 = result?.toBase64();
      const mediaType = result?.contentType ?? SPEECH_TYPES[formatOf(request)];
      const made = base64 === undefined ? {} : toMadeMedia('audio', [{ mediaType, base64 }], logging);
      return { input: { prompt: request.input }, output: { completion: null, reasoning: null, ...made } };
    },
  };
}

const formatOf = ({ response_format: format }: SpeechRequest): SpeechFormat => format ?? DEFAULT_SPEECH_FORMAT;

/** Waits for the first byte: what fails before it is an error in JSON, and the next endpoint is asked. */
async function begin(
  { body, contentType, facts }: SpeechResult,
  providerName: string,
): Promise<Omit<BegunSpeech, 'isByTokens' | 'toBase64'>> {
  const rest = body[Symbol.asyncIterator]();
  for (;;) {
    const step = await rest.next();
    if (step.done === true) throw new GatewayError('provider_unavailable', `${providerName} returned no speech`);
    if (step.value.byteLength > 0) return { first: step.value, rest, contentType, facts: facts ?? noFacts };
  }
}

const noFacts = (): AudioFacts => ({});

/** The usage of tokens that upstream does not report, where they are charged for; otherwise there are none to count. */
function estimateUsage(request: SpeechRequest, isByTokens: boolean): Usage {
  if (!isByTokens) return { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const prompt = Math.ceil(weighText(request.input) + weighText(request.instructions ?? ''));
  const spoken = estimateAudioTokens(request);
  return { prompt_tokens: prompt, completion_tokens: spoken, total_tokens: prompt + spoken, estimated: true };
}

/** Plans for endpoints that speak in the format. Throws `invalid_request` for a voice that the model is known not to have. */
function planSpeech(call: ModelCall<SpeechRequest>, caller: Caller, { routing }: WholeCallParts): Planned {
  const { request } = call;
  const format = formatOf(request);
  const planned = planWithin(call, caller, routing, {
    constraints: [
      {
        rule: 'response_format',
        excludes: ({ provider, providerModel }) => provider.speechFormatsOf?.(providerModel).includes(format) === false,
      },
    ],
  });
  const { voice } = request;
  const voices = planned.endpoints.map(({ modelId }) => routing.catalog.find(modelId)?.definition.supported_voices);
  const known = voices[0];
  if (voice != null && known != null && voices.every((some) => some?.includes(voice) === false)) {
    throw refuseField('voice', `the model has no voice "${voice.slice(0, 80)}"; it has ${known.join(', ')}`);
  }
  return planned;
}

/** The options that the caller has for a provider; those for the providers behind it where it is a gateway. */
function optionsFor({ provider: preferences }: SpeechRequest, provider: Provider): Readonly<Record<string, unknown>> {
  const options = preferences?.options ?? {};
  return provider.gateway === undefined ? (options[provider.slug] ?? {}) : options;
}

/** The kind of calls that speak a text. */
export const speechKind: CallKind<SpeechRequest> = {
  name: 'speech',
  modelsOf: ({ model }) => ({ model }),
  preferencesOf({ provider }) {
    const { options: _, ...preferences } = provider ?? {};
    return { provider: preferences, partition: 'model' };
  },
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
  withSession: (request, session) => ({ ...request, session_id: session }),
  needsOf: ({ input, input_references: references }) => ({
    parameters: [],
    inputModalities: references?.some(({ type }) => type === 'input_audio') === true ? ['audio'] : [],
    outputModalities: ['speech'],
    minPromptTokens: minTokensOf(input.length),
    outputTokens: 0,
    compression: 'never',
  }),
  boundOf(request) {
    const textTokens = mostTokensOf([request.input, request.instructions ?? '']);
    return { worstCaseNanoUsd: (prices) => worstCaseOfSpeech(prices, request, textTokens) };
  },
  mapTexts,
};

function mapTexts(request: SpeechRequest, change: (text: RequestText) => string): SpeechRequest {
  const visit = toVisitor(change);
  const say = toVisitor(change, 'user');
  let changed = request;
  for (const [field, place] of Object.entries(PLACES) as [keyof typeof PLACES, Place][]) {
    if (request[field] == null) continue;
    const mapped = place(request[field], field === 'input' ? say : visit);
    if (mapped !== request[field]) changed = { ...changed, [field]: mapped };
  }
  return changed;
}

/** A provider's own parameters, which may be prompts, too. */
const options: Place = (provider, visit) => {
  const { options: own } = provider as NonNullable<SpeechRequest['provider']>;
  const mapped = own == null ? own : recordWithMedia(own, visit);
  return mapped === own ? provider : { ...(provider as object), options: mapped };
};

/** Bytes of audio are passed over. */
const audio = fields({ data: checked, format: checked });

const PLACES = {
  input: text,
  voice: text,
  instructions: text,
  input_references: fields({ type: checked, input_audio: audio, text }),
  provider: options,
  user: text,
  session_id: text,
  trace: record,
} as const;
