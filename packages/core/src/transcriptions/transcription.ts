import type { ModelCall } from '../calls/model-call.ts';
import { weighText } from '../calls/texts.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { CallContext } from '../dispatch/prepare-call.ts';
import { runWholeCall, type WholeCallParts, type WholeKind, type WholeTurn } from '../dispatch/run-whole-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import { type GatewayResponse, toJsonResponse } from '../http/response.ts';
import type { AudioFacts, TranscriptionCall, TranscriptionResult } from '../providers/audio-contract.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import { guardTranscript } from './guard-transcript.ts';
import { costOfTranscription, estimateSeconds, isChargedBySeconds } from './transcription-costs.ts';
import type { TranscriptionRequest } from './transcription-kind.ts';
import { toSubtitles, toTranscriptionResponse, toTranscriptionUsage } from './write-transcript.ts';

/** Runs one call for a transcription that comes whole. Throws what ended it; either way it has been recorded. */
export async function runTranscription(
  call: ModelCall<TranscriptionRequest>,
  context: CallContext<WholeCallParts>,
): Promise<GatewayResponse> {
  const { result, usage, routing } = await runWholeCall(call, toTranscribing(context.parts), context);
  const { responseHeaders } = context;
  const { response_format: format } = call.request;
  if (format === 'text' || format === 'srt' || format === 'vtt') {
    const type = format === 'vtt' ? 'text/vtt' : 'text/plain';
    const body = format === 'text' ? `${result.text}\n` : toSubtitles(result, format);
    return { status: 200, headers: { ...responseHeaders, 'content-type': `${type}; charset=utf-8` }, body };
  }
  const told = toTranscriptionUsage(usage, result.seconds);
  return toJsonResponse(200, toTranscriptionResponse(result, call.request, told, routing), responseHeaders);
}

/** A result with the length of its audio where that is charged. */
export interface Transcribed extends TranscriptionResult {
  readonly isBySeconds: boolean;
  /** Its length is charged, and neither upstream nor the audio has told it. */
  readonly isGuessed: boolean;
}

/** How transcriptions are asked for, priced and recorded. */
export function toTranscribing(parts: WholeCallParts): WholeKind<TranscriptionRequest, Transcribed> {
  return {
    ask: (endpoint, call, turn) => transcribe(endpoint, call, turn, parts),
    guard: (result, prepared, signal) => guardTranscript(result, prepared, parts, signal),
    usageOf: toUsage,
    costOf: (prices, usage, { result }) => costOfTranscription(prices, usage, result.seconds, parts.platform.now()),
    factsOf: ({ upstreamId, upstreamCostUsd, upstreamCosts, upstreamProvider: provider }) => ({
      upstreamId,
      upstreamCostUsd,
      upstreamCosts,
      ...(provider !== undefined && { upstream: { provider } }),
    }),
    contentOf: ({ audio }, result) => ({
      input: { prompt: `[audio: ${audio.format}, ${audio.byteLength} bytes]` },
      output: {
        completion: result?.text ?? null,
        reasoning: null,
        ...(result?.segments !== undefined && {
          segments: result.segments.map(({ start, end, text }) => ({ start, end, text })),
        }),
      },
    }),
  };
}

/** Asks one endpoint. `onText` receives the text as it is made, where the wire can stream it. */
export async function transcribe(
  { provider, providerModel, prices }: Endpoint,
  { request }: ModelCall<TranscriptionRequest>,
  { signal, onSent }: WholeTurn,
  { timeouts }: Pick<WholeCallParts, 'timeouts'>,
  onText?: TranscriptionCall['onText'],
): Promise<Transcribed> {
  const { audio, response_format: format } = request;
  const countsSeconds = isChargedBySeconds(prices);
  const options = request.provider?.options ?? {};
  const result = await provider.transcription?.({
    request,
    audio,
    providerModel,
    isTimed: format === 'verbose_json' || format === 'srt' || format === 'vtt',
    countsSeconds,
    countsTokens: !countsSeconds && prices.prompt !== undefined,
    options: provider.gateway === undefined ? (options[provider.slug] ?? {}) : options,
    onText,
    onSent,
    signal,
    timeoutMs: timeouts.nonStreamMs,
    idleMs: timeouts.idleMs,
    totalMs: timeouts.totalMs,
  });
  if (result === undefined) throw new GatewayError('not_found', `${provider.name} does not offer transcriptions`);
  const known = result.seconds ?? audio.seconds;
  const isGuessed = known === undefined && countsSeconds;
  return { ...result, seconds: isGuessed ? estimateSeconds(audio) : known, isBySeconds: countsSeconds, isGuessed };
}

/** Providers count some ten tokens for a second of audio, to judge by what OpenAI documents. */
const AUDIO_TOKENS_A_SECOND = 10;

/** The reported usage; an estimate where something is charged that nobody has counted. */
export function toUsage(
  { usage, text, isBySeconds, isGuessed }: Omit<Transcribed, keyof AudioFacts> & Pick<AudioFacts, 'usage'>,
  { audio }: TranscriptionRequest,
): Usage {
  if (usage !== undefined) return isGuessed ? { ...usage, estimated: true } : usage;
  if (isBySeconds) return { ...NO_TOKENS, ...(isGuessed && { estimated: true }) };
  const input = Math.round(estimateSeconds(audio) * AUDIO_TOKENS_A_SECOND);
  const output = Math.ceil(weighText(text));
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, estimated: true };
}

const NO_TOKENS: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
