import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson } from '../../foundation/parse.ts';
import { readErrorText } from '../../foundation/transport.ts';
import { refuseField } from '../../wire/fields.ts';
import type { SpeechFormat } from '../../wire/values.ts';
import type { SpeechCall, TranscriptionCall, TranscriptionResult } from '../audio-contract.ts';
import { askWhole } from '../kit/ask-whole.ts';
import { toFormBody } from '../kit/form-body.ts';
import { segmentsOfWords } from '../kit/segments-of-words.ts';
import { describeProvider, type ProviderOptions, toUpstream, type Upstream } from '../kit/to-upstream.ts';
import { toRefusalError } from '../kit/upstream-error.ts';
import { readOpenAiError } from '../openai/read-openai-error.ts';
import type { Provider } from '../provider.ts';

/** Upstream's names of formats, of which each has several rates. */
const OUTPUT_FORMATS: Partial<Readonly<Record<SpeechFormat, string>>> = {
  mp3: 'mp3_44100_128',
  pcm: 'pcm_24000',
  opus: 'opus_48000_64',
};
const FORMATS = Object.keys(OUTPUT_FORMATS) as SpeechFormat[];

/** Ids of voices are a part of the address. */
const VOICE_ID = /^[\w-]{1,64}$/;

/** Creates a provider for the API of ElevenLabs, which speaks and listens. Voices are named by their ids. */
export function createElevenLabsProvider(settings: ProviderOptions): Provider {
  const upstream = toUpstream(settings, { keyHeader: 'xi-api-key' });
  return {
    ...describeProvider(settings),
    speech: createSpeech(upstream),
    speechFormatsOf: () => FORMATS,
    transcription: createTranscriptions(upstream),
  };
}

/** `POST /text-to-speech/{voice}/stream` */
function createSpeech(upstream: Upstream): NonNullable<Provider['speech']> {
  const { baseUrl, headers, transport } = upstream;
  return async (call) => {
    const { voice = '', format, signal, timeoutMs, idleMs, totalMs } = call;
    if (!VOICE_ID.test(voice)) throw refuseField('voice', 'must be the id of a voice');
    const sent = toSpeechBody(call);
    call.onSent?.('elevenlabs', sent);
    const query = new URLSearchParams({ output_format: OUTPUT_FORMATS[format] ?? format }).toString();
    const { status, body, ...head } = await transport.send({
      method: 'POST',
      url: `${baseUrl}/text-to-speech/${voice}/stream?${query}`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(sent),
      signal,
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: idleMs,
      totalTimeoutMs: totalMs,
      maxBodyBytes: Number.POSITIVE_INFINITY,
    });
    if (status !== 200) {
      throw toRefusalError(upstream, readOpenAiError, { status, ...head }, await readErrorText(body));
    }
    const upstreamId = head.headers['request-id'];
    return { body, facts: () => ({ upstreamId }) };
  };
}

function toSpeechBody({ request, providerModel, options }: SpeechCall): object {
  const { input, speed } = request;
  const { voice_settings: settings, ...others } = options;
  const voiceSettings = { ...(settings as object | undefined), ...(speed != null && { speed }) };
  return {
    ...others,
    text: input,
    model_id: providerModel,
    ...(Object.keys(voiceSettings).length > 0 && { voice_settings: voiceSettings }),
  };
}

const responseSchema = z.object({
  text: z.string(),
  language_code: z.string().nullish(),
  audio_duration_secs: z.number().nullish(),
  transcription_id: z.string().nullish(),
  words: z
    .array(
      z.object({
        text: z.string(),
        type: z.string().nullish(),
        start: z.number().nullish(),
        end: z.number().nullish(),
        speaker_id: z.string().nullish(),
      }),
    )
    .nullish(),
});

const OWN_FIELDS: ReadonlySet<string> = new Set(['model_id', 'file', 'cloud_storage_url', 'source_url', 'webhook']);

/** `POST /speech-to-text`, a form with the file. */
function createTranscriptions(upstream: Upstream): NonNullable<Provider['transcription']> {
  const { name, baseUrl } = upstream;
  return async (call) => {
    const { audio, signal, timeoutMs } = call;
    const fields = toFields(call);
    const { format, byteLength: bytes } = audio;
    call.onSent?.('elevenlabs', { ...Object.fromEntries(fields), file: { format, bytes } });
    const form = toFormBody(fields, audio);
    const text = await askWhole(upstream, readOpenAiError, {
      url: `${baseUrl}/speech-to-text`,
      headers: form.headers,
      body: form.body,
      signal,
      timeoutMs,
    });
    return toResult(parseJson(text), call, name);
  };
}

function toFields({ request, providerModel, isTimed, options }: TranscriptionCall): (readonly [string, string])[] {
  const { language, temperature } = request;
  const given = Object.entries(options).filter(([field, value]) => !OWN_FIELDS.has(field) && value !== null);
  return [
    ...given.map(([field, value]) => [field, typeof value === 'string' ? value : JSON.stringify(value)] as const),
    ['model_id', providerModel],
    ['timestamps_granularity', isTimed ? 'word' : 'none'],
    ...(language == null ? [] : [['language_code', language] as const]),
    ...(temperature == null ? [] : [['temperature', String(temperature)] as const]),
  ];
}

function toResult(json: unknown, { isTimed }: TranscriptionCall, name: string): TranscriptionResult {
  const parsed = checkWith(responseSchema, json);
  if (!parsed.success) {
    throw new GatewayError('provider_unavailable', `${name} returned a response without a transcript`);
  }
  const { text, language_code: language, audio_duration_secs: seconds, transcription_id: id, words } = parsed.data;
  return {
    text,
    ...(language != null && { language }),
    ...(seconds != null && { seconds }),
    ...(id != null && { upstreamId: id }),
    ...(isTimed && words != null && toTimes(words)),
  };
}

function toTimes(
  given: NonNullable<z.infer<typeof responseSchema>['words']>,
): Pick<TranscriptionResult, 'segments' | 'words'> {
  const words = given.flatMap(({ text: word, type, start, end }) =>
    start == null || end == null || (type ?? 'word') !== 'word' ? [] : [{ word, start, end }],
  );
  const isSpaced = given.some(({ type }) => type === 'spacing');
  return { words, segments: segmentsOfWords(words, isSpaced ? ' ' : '') };
}
