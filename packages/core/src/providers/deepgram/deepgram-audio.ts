import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, isRecord, parseJson } from '../../foundation/parse.ts';
import { readErrorText } from '../../foundation/transport.ts';
import { refuseField } from '../../wire/fields.ts';
import type { SpeechFormat } from '../../wire/values.ts';
import type { SpeechCall, TranscriptionCall, TranscriptionResult } from '../audio-contract.ts';
import { askWhole } from '../kit/ask-whole.ts';
import { segmentsOfWords } from '../kit/segments-of-words.ts';
import { describeProvider, type ProviderOptions, toUpstream, type Upstream } from '../kit/to-upstream.ts';
import { type ReadError, toRefusalError } from '../kit/upstream-error.ts';
import type { Provider } from '../provider.ts';

type Query = Readonly<Record<string, string>>;

/** Formats by the parameters that ask for them. */
const FORMATS: Readonly<Record<SpeechFormat, Query>> = {
  mp3: { encoding: 'mp3' },
  opus: { encoding: 'opus', container: 'ogg' },
  aac: { encoding: 'aac' },
  flac: { encoding: 'flac' },
  wav: { encoding: 'linear16', container: 'wav' },
  pcm: { encoding: 'linear16', container: 'none', sample_rate: '24000' },
};

/** Parameters by which upstream would send its result elsewhere, or that the gateway sets itself. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set(['model', 'callback', 'callback_method', ...keysOf(FORMATS)]);

function keysOf(formats: Readonly<Record<string, Query>>): readonly string[] {
  return Object.values(formats).flatMap((query) => Object.keys(query));
}

/** Creates a provider for the API of Deepgram, which speaks and listens. A voice is part of the name of its model. */
export function createDeepgramProvider(settings: ProviderOptions): Provider {
  const upstream = toUpstream(settings, { keyHeader: 'authorization', keyScheme: 'Token' });
  return {
    ...describeProvider(settings),
    speech: createSpeech(upstream),
    transcription: createTranscriptions(upstream),
  };
}

/** `POST /speak` */
function createSpeech(upstream: Upstream): NonNullable<Provider['speech']> {
  const { baseUrl, headers, transport } = upstream;
  return async (call) => {
    const { request, format, signal, timeoutMs, idleMs, totalMs } = call;
    const query = toSpeechQuery(call);
    const sent = { text: request.input };
    call.onSent?.('deepgram', { ...sent, query });
    const { status, body, ...head } = await transport.send({
      method: 'POST',
      url: `${baseUrl}/speak?${new URLSearchParams({ ...query, ...FORMATS[format] }).toString()}`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(sent),
      signal,
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: idleMs,
      totalTimeoutMs: totalMs,
      maxBodyBytes: Number.POSITIVE_INFINITY,
    });
    if (status !== 200) throw toRefusalError(upstream, readError, { status, ...head }, await readErrorText(body));
    const upstreamId = head.headers['dg-request-id'];
    return { body, facts: () => ({ upstreamId }) };
  };
}

/** A family such as `aura-2` takes the voice from the call: `thalia-en` makes it `aura-2-thalia-en`. */
function toSpeechQuery({ request: { speed }, providerModel, voice, options }: SpeechCall): Query {
  const isFamily = /^aura(-\d+)?$/.test(providerModel);
  if (isFamily && voice === undefined) throw refuseField('voice', 'must be a voice with its language: thalia-en');
  return {
    ...toParameters(options),
    model: isFamily ? `${providerModel}-${voice}` : providerModel,
    ...(speed != null && { speed: String(speed) }),
  };
}

const responseSchema = z.object({
  metadata: z.object({ request_id: z.string().nullish(), duration: z.number().nullish() }).nullish(),
  results: z.object({
    channels: z
      .array(
        z.object({
          detected_language: z.string().nullish(),
          alternatives: z
            .array(
              z.object({
                transcript: z.string(),
                words: z
                  .array(
                    z.object({
                      word: z.string(),
                      /** As it stands in a text; absent where nothing was formatted. */
                      punctuated_word: z.string().nullish(),
                      start: z.number(),
                      end: z.number(),
                    }),
                  )
                  .nullish(),
              }),
            )
            .min(1),
        }),
      )
      .min(1),
  }),
});

/** `POST /listen`, with the bytes of the file as its body. */
function createTranscriptions(upstream: Upstream): NonNullable<Provider['transcription']> {
  const { name, baseUrl } = upstream;
  return async (call) => {
    const { audio, signal, timeoutMs } = call;
    const query = toTranscriptionQuery(call);
    call.onSent?.('deepgram', { query, file: { format: audio.format, bytes: audio.byteLength } });
    const text = await askWhole(upstream, readError, {
      url: `${baseUrl}/listen?${new URLSearchParams(query).toString()}`,
      headers: { 'content-type': audio.mediaType, 'content-length': String(audio.byteLength) },
      async *body() {
        yield* audio.open();
      },
      signal,
      timeoutMs,
    });
    return toResult(parseJson(text), call, name);
  };
}

/** Punctuation, as every other provider writes it; without a language, upstream is to find out which it is. */
function toTranscriptionQuery({ request: { language }, providerModel, options }: TranscriptionCall): Query {
  return {
    smart_format: 'true',
    ...(language == null ? { detect_language: 'true' } : { language }),
    ...toParameters(options),
    model: providerModel,
  };
}

function toResult(json: unknown, { isTimed }: TranscriptionCall, name: string): TranscriptionResult {
  const { data } = checkWith(responseSchema, json);
  const [channel] = data?.results.channels ?? [];
  const [best] = channel?.alternatives ?? [];
  if (data === undefined || best === undefined) {
    throw new GatewayError('provider_unavailable', `${name} returned a response without a transcript`);
  }
  const { duration, request_id: id } = data.metadata ?? {};
  const language = channel?.detected_language;
  const words = best.words?.map(({ word, punctuated_word: shown, start, end }) => ({
    word: shown ?? word,
    start,
    end,
  }));
  return {
    text: best.transcript,
    ...(language != null && { language }),
    ...(duration != null && { seconds: duration }),
    ...(id != null && { upstreamId: id }),
    ...(isTimed && words !== undefined && { words, segments: segmentsOfWords(words) }),
  };
}

/** A caller's options as parameters of the address. */
function toParameters(options: Readonly<Record<string, unknown>>): Query {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      OWN_PARAMETERS.has(name) || value === null
        ? []
        : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  );
}

/** Older errors have `err_code` and `err_msg`, newer ones `category` and `details`. */
const readError: ReadError = (text, status) => {
  const body = parseJson(text);
  if (!isRecord(body)) return { status };
  const [message] = [body['err_msg'], body['details'], body['message']].filter((value) => typeof value === 'string');
  const [providerCode] = [body['err_code'], body['category']].filter((value) => typeof value === 'string');
  return { status, ...(message !== undefined && { message }), ...(providerCode !== undefined && { providerCode }) };
};
