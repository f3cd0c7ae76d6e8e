import type {
  AudioFile,
  EmbeddingsCall,
  ImageCall,
  ImageResult,
  Provider,
  RerankCall,
  SpeechCall,
  TranscriptionCall,
  TranscriptionResult,
} from '@model-gateway/core';
import {
  isRecord,
  itemsOf,
  parseDataUrl,
  readCount,
  refuseField,
  toImageResult,
} from '@model-gateway/core/providers/kit';

import { callSdk } from './call-sdk.ts';
import { type SdkParts, WIRE } from './chat.ts';
import { toBase64, toBytes } from './file-data.ts';
import { optionsFor, type SdkModelKind, toModel } from './sdk-models.ts';

/** The members of a provider that are called once and have one result. */
export function createMedia(parts: SdkParts) {
  return {
    embeddings: createEmbeddings(parts),
    rerank: createRerank(parts),
    image: createImages(parts),
    speech: createSpeech(parts),
    transcription: createTranscriptions(parts),
  } satisfies Partial<Provider>;
}

type MediaCall = EmbeddingsCall | RerankCall | ImageCall | SpeechCall | TranscriptionCall;

/** Opens the model of a call, whose requests have its limit and are told as they are sent. */
async function openModel<Kind extends SdkModelKind>(parts: SdkParts, kind: Kind, call: MediaCall) {
  const { signal, timeoutMs, onSent, providerModel } = call;
  parts.sending?.follow(signal, {
    limits: { headersMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs },
    ...(onSent !== undefined && { onBody: (body) => onSent(WIRE, body) }),
  });
  return toModel(await parts.open(), kind, { id: providerModel, name: parts.name });
}

function createEmbeddings(parts: SdkParts): NonNullable<Provider['embeddings']> {
  return (call) =>
    callSdk(parts, call.signal, async () => {
      const { input, dimensions } = call.request;
      const values = itemsOf(input).map((item, index) => {
        if (typeof item === 'string') return item;
        throw refuseField(`input.${index}`, 'must be a text for this provider');
      });
      const model = await openModel(parts, 'embedding', call);
      const most = Math.max(1, (await model.maxEmbeddingsPerCall) ?? values.length);
      const vectors: number[][] = [];
      let promptTokens: number | undefined = 0;
      for (let at = 0; at < values.length; at += most) {
        const { embeddings, usage } = await model.doEmbed({
          values: values.slice(at, at + most),
          abortSignal: call.signal,
          // Packages of earlier versions take it as an option of theirs.
          ...(dimensions != null && {
            dimensions,
            ...optionsFor(model, { dimensions, outputDimension: dimensions, outputDimensionality: dimensions }),
          }),
        });
        vectors.push(...embeddings);
        const tokens = readCount(usage?.tokens);
        promptTokens = promptTokens === undefined || tokens === undefined ? undefined : promptTokens + tokens;
      }
      return { vectors, promptTokens };
    });
}

function createRerank(parts: SdkParts): NonNullable<Provider['rerank']> {
  return (call) =>
    callSdk(parts, call.signal, async () => {
      const { query, documents, top_n: topN } = call.request;
      const values = documents.map((document, index) => {
        if (typeof document === 'string') return document;
        if (document.text !== undefined && document.image === undefined) return document.text;
        throw refuseField(`documents.${index}`, 'must be a text for this provider');
      });
      const model = await openModel(parts, 'reranking', call);
      const { ranking, response } = await model.doRerank({
        query,
        documents: { type: 'text', values },
        abortSignal: call.signal,
        ...(topN != null && { topN }),
      });
      return {
        ranked: ranking.map(({ index, relevanceScore: score }) => ({ index, score })),
        upstreamId: response?.id,
      };
    });
}

function createImages(parts: SdkParts): NonNullable<Provider['image']> {
  return (call) =>
    callSdk(parts, call.signal, async () => {
      const { prompt, count, frame, seed, references, mask, options } = call.order;
      const { pixels, aspectRatio } = frame;
      const model = await openModel(parts, 'image', call);
      const given =
        typeof model.maxImagesPerCall === 'function'
          ? await model.maxImagesPerCall({ modelId: model.modelId })
          : model.maxImagesPerCall;
      const most = Math.max(1, given ?? 1);
      const images: ImageResult['images'][number][] = [];
      const counts = { input: 0, output: 0, isComplete: true };
      while (images.length < count) {
        const made = await model.doGenerate({
          prompt,
          n: Math.min(most, count - images.length),
          size: pixels === undefined ? undefined : `${pixels.width}x${pixels.height}`,
          // A frame of pixels has its ratio in it.
          aspectRatio: pixels === undefined ? aspectRatio : undefined,
          seed: seed ?? undefined,
          files: references.length === 0 ? undefined : references.map(toReference),
          mask: mask === undefined ? undefined : toReference(mask),
          providerOptions: {},
          ...optionsFor(model, options),
          abortSignal: call.signal,
        });
        const input = readCount(made.usage?.inputTokens);
        const output = readCount(made.usage?.outputTokens);
        counts.isComplete &&= input !== undefined && output !== undefined;
        counts.input += input ?? 0;
        counts.output += output ?? 0;
        if (made.images.length === 0) break;
        images.push(...made.images.map((image) => ({ base64: toBase64(image) })));
      }
      const usage = counts.isComplete &&
        images.length > 0 && {
          usage: {
            prompt_tokens: counts.input,
            completion_tokens: counts.output,
            total_tokens: counts.input + counts.output,
          },
        };
      return toImageResult({ images: images.slice(0, count), ...usage }, parts.name);
    });
}

function toReference(url: string) {
  const data = parseDataUrl(url);
  return data === undefined
    ? ({ type: 'url', url } as const)
    : ({ type: 'file', mediaType: data.mediaType, data: data.base64 } as const);
}

/** A package gives the whole of a speech at once. */
function createSpeech(parts: SdkParts): NonNullable<Provider['speech']> {
  return (call) =>
    callSdk(parts, call.signal, async () => {
      const { request, voice, format, options } = call;
      const { input, speed, instructions } = request;
      const model = await openModel(parts, 'speech', call);
      const { audio, response } = await model.doGenerate({
        text: input,
        outputFormat: format,
        abortSignal: call.signal,
        ...(voice !== undefined && { voice }),
        ...(speed != null && { speed }),
        ...(instructions != null && { instructions }),
        ...optionsFor(model, options),
      });
      const bytes = toBytes(audio);
      const contentType = response.headers?.['content-type'];
      return {
        ...(contentType?.startsWith('audio/') === true && { contentType }),
        body: (async function* pieces() {
          yield bytes;
        })(),
      };
    });
}

function createTranscriptions(parts: SdkParts): NonNullable<Provider['transcription']> {
  return (call) =>
    callSdk(parts, call.signal, async () => {
      const { request, audio, options } = call;
      const model = await openModel(parts, 'transcription', call);
      const granularities = request.timestamp_granularities;
      const made = await model.doGenerate({
        audio: joinAudio(audio),
        mediaType: audio.mediaType,
        abortSignal: call.signal,
        ...(granularities != null && { timestampGranularities: granularities }),
        ...optionsFor(model, {
          ...options,
          ...(request.language != null && { language: request.language, languageCode: request.language }),
          ...(request.temperature != null && { temperature: request.temperature }),
        }),
      });
      return toTranscript(made, call);
    });
}

function joinAudio({ byteLength, open }: AudioFile): Uint8Array {
  const whole = new Uint8Array(byteLength);
  let at = 0;
  for (const piece of open()) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

interface MadeTranscript {
  readonly text: string;
  readonly segments: readonly { readonly text: string; readonly startSecond: number; readonly endSecond: number }[];
  readonly words?: MadeTranscript['segments'] | undefined;
  readonly language: string | undefined;
  readonly durationInSeconds: number | undefined;
  readonly usage?: unknown;
}

function toTranscript(
  { text, segments, words, language, durationInSeconds: seconds, usage }: MadeTranscript,
  { isTimed }: TranscriptionCall,
): TranscriptionResult {
  const counts = isRecord(usage) ? usage : {};
  const input = readCount(counts['inputTokens']);
  const output = readCount(counts['outputTokens']);
  return {
    text,
    ...(language !== undefined && { language }),
    ...(seconds !== undefined && { seconds }),
    ...(isTimed && {
      segments: segments.map(({ text: said, startSecond: start, endSecond: end }, id) => ({
        id,
        start,
        end,
        text: said,
      })),
      ...(words !== undefined && {
        words: words.map(({ text: word, startSecond: start, endSecond: end }) => ({ word, start, end })),
      }),
    }),
    ...(input !== undefined &&
      output !== undefined && {
        usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      }),
  };
}
