import Anthropic from '@anthropic-ai/sdk';
import { type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import { type ChatResponse, Ollama } from 'ollama';
import OpenAI from 'openai';

import type { CompletionEnvelope, ParsedChat } from '../../../packages/core/src/chat/format.ts';
import type { ChatChunk, FinishReason, Usage } from '../../../packages/core/src/wire/chat-chunk.ts';

export const ENVELOPE: CompletionEnvelope = {
  id: 'gen-1700000000-abcdefghijkl',
  created: 1_700_000_000,
  model: 'test/model',
  provider: 'Up',
};

interface MadeEnd {
  readonly chunks: readonly ChatChunk[];
  readonly finish: FinishReason;
  readonly usage: Usage;
}

/** The stream of a completion, as its frames are written. */
export function toStream({ encoder, request }: ParsedChat, { chunks, finish, usage }: MadeEnd): string {
  const frames = encoder.createFrames(ENVELOPE, request);
  const end = { reason: finish, native: finish, usage, citations: undefined, members: undefined };
  const written = [...chunks.map((chunk) => frames.encode([chunk])), frames.encodeEnd(end)];
  return written.map((text) => Array.from(text).join('')).join('');
}

/** The unstreamed body of the same completion. */
export function toBody({ encoder, request }: ParsedChat, { chunks, usage }: MadeEnd): unknown {
  const whole = { ...ENVELOPE, chunks, usage, failure: null, citations: undefined, members: undefined };
  return JSON.parse(JSON.stringify(encoder.toWhole(whole, request)));
}

const replying =
  (pieces: readonly Uint8Array[]): typeof fetch =>
  async () =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece);
          controller.close();
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );

const HELLO = [{ role: 'user' as const, content: 'Hello' }];

/** What the official client puts together from a stream of `/messages`. */
export const readMessageStream = (pieces: readonly Uint8Array[]): Promise<Anthropic.Message> =>
  new Anthropic({ apiKey: 'key', fetch: replying(pieces), maxRetries: 0 }).messages
    .stream({ model: 'test/model', max_tokens: 9, messages: HELLO })
    .finalMessage();

/** What the stream helper of the official client puts together from a stream of `/responses`; it refuses wrong orders. */
export const readResponseStream = (pieces: readonly Uint8Array[]): Promise<OpenAI.Responses.Response> =>
  new OpenAI({ apiKey: 'key', fetch: replying(pieces), maxRetries: 0 }).responses
    .stream({ model: 'test/model', input: 'Hello' })
    .finalResponse();

/** What the stream helper of the official client puts together from a stream of `/chat/completions`. */
export const readChatStream = (pieces: readonly Uint8Array[]): Promise<OpenAI.ChatCompletion> =>
  new OpenAI({ apiKey: 'key', fetch: replying(pieces), maxRetries: 0 }).chat.completions
    .stream({ model: 'test/model', messages: HELLO })
    .finalChatCompletion();

/** The chunks that the official client reads of a stream of `/completions`. */
export async function readTextStream(pieces: readonly Uint8Array[]): Promise<readonly OpenAI.Completion[]> {
  const client = new OpenAI({ apiKey: 'key', fetch: replying(pieces), maxRetries: 0 });
  const chunks: OpenAI.Completion[] = [];
  for await (const chunk of await client.completions.create({ model: 'test/model', prompt: 'Hello', stream: true })) {
    chunks.push(chunk);
  }
  return chunks;
}

/** The lines that the official client of Ollama reads from a stream of `/api/chat`. */
export async function readOllamaStream(pieces: readonly Uint8Array[]): Promise<ChatResponse[]> {
  const client = new Ollama({ host: 'http://127.0.0.1:1', fetch: replying(pieces) });
  const lines: ChatResponse[] = [];
  for await (const line of await client.chat({ model: 'test/model', messages: HELLO, stream: true })) lines.push(line);
  return lines;
}

/** The events that the official client of Gemini reads from a stream of `:streamGenerateContent`. */
export async function readGeminiStream(pieces: readonly Uint8Array[]): Promise<GenerateContentResponse[]> {
  const httpOptions = { baseUrl: 'http://127.0.0.1:1', fetch: replying(pieces) };
  const { models } = new GoogleGenAI({ apiKey: 'key', httpOptions });
  const events: GenerateContentResponse[] = [];
  for await (const event of await models.generateContentStream({ model: 'test/model', contents: 'Hello' })) {
    events.push(event);
  }
  return events;
}
