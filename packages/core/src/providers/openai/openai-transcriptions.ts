import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson } from '../../foundation/parse.ts';
import { readErrorText, readText } from '../../foundation/transport.ts';
import { transcribedSegmentSchema, transcribedWordSchema } from '../../wire/transcribed-parts.ts';
import type { TranscriptionCall, TranscriptionResult } from '../audio-contract.ts';
import { toFormBody } from '../kit/form-body.ts';
import { createSseDecoder } from '../kit/sse-decoder.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { toRefusalError } from '../kit/upstream-error.ts';
import type { Provider } from '../provider.ts';
import type { OpenAiDialect } from './openai-dialect.ts';
import { readOpenAiError } from './read-openai-error.ts';

interface TranscriptionSettings {
  readonly toUrl: (providerModel: string) => string;
  readonly isGateway: boolean;
  readonly transcripts: OpenAiDialect['transcripts'];
}

/** Creates the transcriptions of a provider over OpenAI's wire: `POST /audio/transcriptions`, a form with the file. */
export function createOpenAiTranscriptions(
  upstream: Upstream,
  settings: TranscriptionSettings,
): NonNullable<Provider['transcription']> {
  const { name, headers, transport } = upstream;
  return async (call) => {
    const { audio, providerModel, signal, timeoutMs } = call;
    const fields = toFields(call, settings);
    const { format, byteLength: bytes } = audio;
    call.onSent?.('openai', { ...Object.fromEntries(fields), file: { format, bytes } });
    const form = toFormBody(fields, audio);
    const { status, body, ...head } = await transport.send({
      method: 'POST',
      url: settings.toUrl(providerModel),
      headers: { ...headers, ...form.headers },
      body: form.body,
      signal,
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      totalTimeoutMs: timeoutMs,
    });
    if (status !== 200) {
      throw toRefusalError(upstream, readOpenAiError, { status, ...head }, await readErrorText(body));
    }
    const isStream = head.headers['content-type']?.startsWith('text/event-stream') === true;
    return isStream ? readEvents(body, call, name) : toResult(parseJson(await readText(body)), name);
  };
}

/**
 * Options of the caller stand first, because of a field that is sent twice many servers take the last one. Where the
 * length of the audio is charged and only `verbose_json` tells it, that is asked for.
 */
function toFields(
  { request, providerModel, isTimed, countsSeconds, options, onText }: TranscriptionCall,
  { isGateway, transcripts }: TranscriptionSettings,
): (readonly [string, string])[] {
  const { language, temperature, timestamp_granularities: granularities } = request;
  const isVerbose = transcripts !== 'plain' && (isTimed || (countsSeconds && transcripts === 'verbose'));
  const own = new Set(OWN_FIELDS);
  return [
    ...(isGateway
      ? Object.keys(options).length === 0
        ? []
        : [['provider', JSON.stringify({ options })] as const]
      : Object.entries(options).flatMap(([field, value]) =>
          own.has(field) || value === null
            ? []
            : [[field, typeof value === 'string' ? value : JSON.stringify(value)] as const],
        )),
    ['model', providerModel] as const,
    ...(language != null ? [['language', language] as const] : []),
    ...(temperature != null ? [['temperature', String(temperature)] as const] : []),
    ...(isVerbose ? [['response_format', 'verbose_json'] as const] : []),
    ...(isTimed
      ? (granularities ?? (transcripts === 'plain' ? ['segment'] : [])).map(
          (kind) => ['timestamp_granularities[]', kind] as const,
        )
      : []),
    ...(onText !== undefined && transcripts === 'counted' && !isTimed ? [['stream', 'true'] as const] : []),
  ];
}

const OWN_FIELDS = ['model', 'file', 'language', 'temperature', 'response_format', 'timestamp_granularities', 'stream'];

const usageSchema = z.object({
  seconds: z.number().nullish(),
  prompt_audio_seconds: z.number().nullish(),
  input_tokens: z.int().nullish(),
  output_tokens: z.int().nullish(),
  prompt_tokens: z.int().nullish(),
  completion_tokens: z.int().nullish(),
  input_token_details: z.object({ audio_tokens: z.int().nullish() }).nullish(),
  cost: z.number().nullish(),
});

const responseSchema = z.object({
  text: z.string(),
  language: z.string().nullish(),
  duration: z.coerce.number().nullish(),
  segments: z.array(z.unknown()).nullish(),
  words: z.array(z.unknown()).nullish(),
  usage: usageSchema.nullish().catch(undefined),
});

function toResult(json: unknown, name: string): TranscriptionResult {
  const parsed = checkWith(responseSchema, json);
  if (!parsed.success)
    throw new GatewayError('provider_unavailable', `${name} returned a response without a transcript`);
  const { text, language, duration, segments, words, usage } = parsed.data;
  return {
    text,
    ...(language != null && { language }),
    // Some number no segments.
    ...(segments != null && {
      segments: segments.flatMap((segment, id) => {
        const read = checkWith(transcribedSegmentSchema, { id, ...(segment as object) });
        return read.success ? [read.data] : [];
      }),
    }),
    ...(words != null && {
      words: words.flatMap((word) => {
        const read = checkWith(transcribedWordSchema, word);
        return read.success ? [read.data] : [];
      }),
    }),
    ...toFacts(usage, duration ?? undefined),
  };
}

function toFacts(
  usage: z.infer<typeof usageSchema> | null | undefined,
  duration: number | undefined,
): Pick<TranscriptionResult, 'usage' | 'seconds' | 'upstreamCostUsd'> {
  const seconds = usage?.seconds ?? usage?.prompt_audio_seconds ?? duration;
  const input = usage?.input_tokens ?? usage?.prompt_tokens;
  const output = usage?.output_tokens ?? usage?.completion_tokens ?? 0;
  const audio = usage?.input_token_details?.audio_tokens;
  return {
    ...(seconds !== undefined && { seconds }),
    ...(input != null && {
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        ...(audio != null && { prompt_tokens_details: { audio_tokens: audio } }),
      },
    }),
    ...(usage?.cost != null && { upstreamCostUsd: usage.cost }),
  };
}

const eventSchema = z.object({
  type: z.string().nullish(),
  delta: z.string().nullish(),
  text: z.string().nullish(),
  error: z.unknown().optional(),
});

/** `transcript.text.delta` with pieces of the text, and at the end `transcript.text.done` with all of it and usage. */
async function readEvents(
  pieces: AsyncIterable<Uint8Array>,
  { onText }: TranscriptionCall,
  name: string,
): Promise<TranscriptionResult> {
  let result: TranscriptionResult | undefined;
  const read = (data: string): void => {
    if (data === '[DONE]') return;
    const json = parseJson(data);
    const event = checkWith(eventSchema, json);
    if (!event.success) return;
    const { type, delta, error } = event.data;
    if (error !== undefined || type === 'error') {
      throw new GatewayError('provider_unavailable', `${name} ended the transcription with an error`);
    }
    if (type === 'transcript.text.delta' && delta) onText?.(delta);
    if (type === 'transcript.text.done') result = toResult(json, name);
  };
  const decoder = createSseDecoder();
  for await (const piece of pieces) for (const data of decoder.push(piece)) read(data);
  const last = decoder.end();
  if (last !== undefined) read(last);
  if (result === undefined) throw new GatewayError('provider_unavailable', `${name} broke the transcription off`);
  return result;
}
