import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { type Base64Lifter, createBase64Lifter } from '../../foundation/lift-base64.ts';
import { checkWith, parseJson } from '../../foundation/parse.ts';
import { readErrorText, toText } from '../../foundation/transport.ts';
import type { Usage } from '../../wire/chat-chunk.ts';
import type { SpeechFormat } from '../../wire/values.ts';
import type { AudioFacts, AudioFile, SpeechCall, TranscriptionCall } from '../audio-contract.ts';
import { askWhole } from '../kit/ask-whole.ts';
import { toBase64Pieces } from '../kit/base64.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { toRefusalError } from '../kit/upstream-error.ts';
import type { Provider } from '../provider.ts';
import { toModelPath } from './models.ts';
import { findGoogleError, readGoogleErrorBody } from './read-google-error.ts';

/** Gemini speaks raw samples, for which this module makes a header where one is asked for. */
export const GOOGLE_SPEECH_FORMATS: readonly SpeechFormat[] = ['pcm', 'wav'];

const usageSchema = z.object({
  promptTokenCount: z.int().nullish(),
  candidatesTokenCount: z.int().nullish(),
  thoughtsTokenCount: z.int().nullish(),
  promptTokensDetails: z.array(z.object({ modality: z.string().nullish(), tokenCount: z.int().nullish() })).nullish(),
});

const responseSchema = z.object({
  responseId: z.string().nullish(),
  candidates: z
    .array(
      z.object({
        finishReason: z.string().nullish(),
        content: z
          .object({
            parts: z.array(z.object({ text: z.string().nullish(), thought: z.boolean().nullish() })).nullish(),
          })
          .nullish(),
      }),
    )
    .nullish(),
  usageMetadata: usageSchema.nullish(),
});
type Response = z.infer<typeof responseSchema>;

/**
 * Creates the speech of a provider over Gemini's wire: `streamGenerateContent` with the modality `AUDIO`. The response is
 * one list of JSON, whose base64 is decoded while it arrives. The wire has no speed.
 */
export function createGoogleSpeech(upstream: Upstream): NonNullable<Provider['speech']> {
  const { name, baseUrl, headers, transport } = upstream;
  return async (call) => {
    const { providerModel, format, signal, timeoutMs, idleMs, totalMs } = call;
    const sent = toSpeechRequest(call);
    call.onSent?.('google', sent);
    const { status, body, ...head } = await transport.send({
      method: 'POST',
      url: `${baseUrl}/${toModelPath(providerModel)}:streamGenerateContent`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(sent),
      signal,
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: idleMs,
      totalTimeoutMs: totalMs,
      maxBodyBytes: Number.POSITIVE_INFINITY,
    });
    if (status !== 200) {
      throw toRefusalError(upstream, readGoogleErrorBody, { status, ...head }, await readErrorText(body));
    }
    let facts: AudioFacts = {};
    const read = (text: string): void => {
      if (findGoogleError(parseJson(text)) !== undefined) {
        throw toRefusalError(upstream, readGoogleErrorBody, { status: 502, ...head }, text);
      }
      facts = readEnd(text, name);
    };
    return { body: speak(body, { format, name, readRest: read }), facts: () => facts };
  };
}

function toSpeechRequest({ request, voice, options }: SpeechCall): object {
  const { input, instructions } = request;
  const voiceConfig = voice !== undefined && { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } };
  return {
    ...options,
    contents: [{ role: 'user', parts: [{ text: instructions == null ? input : `${instructions}:\n${input}` }] }],
    generationConfig: { responseModalities: ['AUDIO'], ...(voiceConfig !== false && { speechConfig: voiceConfig }) },
  };
}

const DATA_PATH = '*.candidates.*.content.parts.*.inlineData.data';

interface Speaking {
  readonly format: SpeechFormat;
  /** The provider's. */
  readonly name: string;
  /** Reads the JSON around the audio, once all has come. */
  readonly readRest: (text: string) => void;
}

async function* speak(
  pieces: AsyncIterable<Uint8Array>,
  { format, name, readRest }: Speaking,
): AsyncGenerator<Uint8Array> {
  const lifter = createBase64Lifter((path) => path.join('.') === DATA_PATH);
  let hasBegun = false;
  for await (const piece of pieces) {
    for (const bytes of lift(lifter, piece, name)) {
      if (!hasBegun && format === 'wav') yield WAVE_HEAD;
      hasBegun = true;
      yield bytes;
    }
  }
  readRest(toText(lifter.end()));
}

function lift(lifter: Base64Lifter, piece: Uint8Array, name: string): readonly Uint8Array[] {
  try {
    return lifter.push(piece);
  } catch (cause) {
    throw new GatewayError('provider_unavailable', `${name} sent audio that cannot be read`, { cause });
  }
}

/** Throws `provider_unavailable` unless the list, and the speech in it, has come to its end. */
function readEnd(text: string, name: string): AudioFacts {
  const parsed = checkWith(z.array(responseSchema), parseJson(text));
  const responses = parsed.success ? parsed.data : [];
  const reasons = responses.flatMap(({ candidates }) => candidates?.[0]?.finishReason ?? []);
  requireEnd(reasons.at(-1), `${name} broke the speech off`);
  const upstreamId = responses.find(({ responseId }) => responseId != null)?.responseId;
  const usage = toUsage(responses.findLast(({ usageMetadata }) => usageMetadata != null)?.usageMetadata);
  return { ...(upstreamId != null && { upstreamId }), ...(usage !== undefined && { usage }) };
}

/** The reason of a response that is whole; any other ends one that is cut off or withheld. */
const WHOLE = 'STOP';

function requireEnd(reason: string | undefined, problem: string): void {
  if (reason === WHOLE) return;
  throw new GatewayError('provider_unavailable', reason === undefined ? problem : `${problem} (${reason})`);
}

function toUsage(counted: Response['usageMetadata']): Usage | undefined {
  if (counted?.promptTokenCount == null) return undefined;
  const { promptTokenCount: prompt, candidatesTokenCount: made, thoughtsTokenCount: thoughts } = counted;
  const completion = (made ?? 0) + (thoughts ?? 0);
  const heard = counted.promptTokensDetails?.find(({ modality }) => modality === 'AUDIO')?.tokenCount;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(heard != null && { prompt_tokens_details: { audio_tokens: heard } }),
  };
}

const RATE = 24_000;

/** The header of a wave file of such samples whose length is not known yet. */
const WAVE_HEAD = toWaveHead();

function toWaveHead(): Uint8Array {
  const head = new Uint8Array(44);
  const view = new DataView(head.buffer);
  const write = (at: number, text: string): void => {
    for (let i = 0; i < text.length; i += 1) head[at + i] = text.charCodeAt(i);
  };
  const unknown = 0xff_ff_ff_ff;
  write(0, 'RIFF');
  view.setUint32(4, unknown, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, 'data');
  view.setUint32(40, unknown, true);
  return head;
}

const INSTRUCTION =
  'Write down what is said in this audio, word for word and in its own language. Answer with the transcript alone.';

/** Google's own names of types, where they differ. */
const GOOGLE_TYPES: Readonly<Record<string, string>> = { 'audio/mpeg': 'audio/mp3' };

/**
 * Creates the transcriptions of a provider over Gemini's wire: `generateContent` with the audio and the instruction to
 * write it down. It tells no times.
 */
export function createGoogleTranscriptions(upstream: Upstream): NonNullable<Provider['transcription']> {
  const { name, baseUrl } = upstream;
  return async (call) => {
    const { audio, providerModel, signal, timeoutMs } = call;
    const mimeType = GOOGLE_TYPES[audio.mediaType] ?? audio.mediaType;
    call.onSent?.('google', toTranscriptionRequest(call, { mimeType, data: `[${audio.byteLength} bytes]` }));
    const body = await askWhole(upstream, readGoogleErrorBody, {
      url: `${baseUrl}/${toModelPath(providerModel)}:generateContent`,
      body: () => withAudio(JSON.stringify(toTranscriptionRequest(call, { mimeType, data: PLACE })), audio),
      signal,
      timeoutMs,
    });
    const parsed = checkWith(responseSchema, parseJson(body));
    const parts = parsed.success ? parsed.data.candidates?.[0]?.content?.parts : undefined;
    if (!parsed.success || parts == null) {
      throw new GatewayError('provider_unavailable', `${name} returned a response without a transcript`);
    }
    requireEnd(parsed.data.candidates?.[0]?.finishReason ?? undefined, `${name} broke the transcript off`);
    const text = parts.flatMap((part) => (part.thought === true ? [] : (part.text ?? []))).join('');
    const { responseId, usageMetadata } = parsed.data;
    const usage = toUsage(usageMetadata);
    return {
      text: text.trim(),
      ...(responseId != null && { upstreamId: responseId }),
      ...(usage !== undefined && { usage }),
    };
  };
}

function toTranscriptionRequest({ request, options }: TranscriptionCall, inlineData: object): object {
  const { language, temperature } = request;
  const text = language == null ? INSTRUCTION : `${INSTRUCTION} Its language is "${language}".`;
  return {
    ...options,
    contents: [{ role: 'user', parts: [{ text }, { inlineData }] }],
    ...(temperature != null && { generationConfig: { temperature } }),
  };
}

/** Where the audio goes; JSON has a control character only as an escape, so that no other text is like it. */
const PLACE = '\u0001';
const WRITTEN_PLACE = '"\\u0001"';

const encoder = new TextEncoder();

/** JSON with the audio in its place, piece by piece. */
async function* withAudio(json: string, audio: AudioFile): AsyncGenerator<Uint8Array> {
  const at = json.lastIndexOf(WRITTEN_PLACE);
  yield encoder.encode(json.slice(0, at + 1));
  yield* toBase64Pieces(audio.open());
  yield encoder.encode(json.slice(at + WRITTEN_PLACE.length - 1));
}
