import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson } from '../../foundation/parse.ts';
import { readErrorText } from '../../foundation/transport.ts';
import { SPEECH_TYPES } from '../../wire/values.ts';
import type { AudioFacts, SpeechCall } from '../audio-contract.ts';
import { decodeBase64 } from '../kit/base64.ts';
import { createSseDecoder } from '../kit/sse-decoder.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { toRefusalError } from '../kit/upstream-error.ts';
import type { Provider } from '../provider.ts';
import { readOpenAiError } from './read-openai-error.ts';

interface SpeechSettings {
  readonly toUrl: (providerModel: string) => string;
  /** The server is a gateway with the same API as this one. */
  readonly isGateway: boolean;
  /** The server counts tokens where it is asked for events in place of bytes (`stream_format`). */
  readonly hasEvents: boolean;
}

/** Creates the speech of a provider over OpenAI's wire: `POST /audio/speech`. */
export function createOpenAiSpeech(upstream: Upstream, settings: SpeechSettings): NonNullable<Provider['speech']> {
  const { name, headers, transport } = upstream;
  return async (call) => {
    const { providerModel, signal, timeoutMs, idleMs, totalMs } = call;
    const sent = toBody(call, settings);
    call.onSent?.('openai', sent);
    const { status, body, ...head } = await transport.send({
      method: 'POST',
      url: settings.toUrl(providerModel),
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
    const type = head.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (type === 'text/event-stream') return readEvents(body, name);
    if (type === 'application/json' || type.startsWith('text/')) {
      throw toRefusalError(upstream, readOpenAiError, { status: 502, ...head }, await readErrorText(body));
    }
    const upstreamId = head.headers['x-generation-id'];
    return { contentType: KNOWN_TYPES.has(type) ? type : undefined, body, facts: () => ({ upstreamId }) };
  };
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(Object.values(SPEECH_TYPES));

/** Options of the caller never take the place of what the gateway itself decides. */
function toBody(call: SpeechCall, { isGateway, hasEvents }: SpeechSettings): object {
  const { request, providerModel: model, voice, format, countsTokens, options } = call;
  const { input, instructions, speed, input_references: references } = request;
  return {
    ...(!isGateway && options),
    model,
    input,
    ...(voice !== undefined && { voice }),
    ...(instructions != null && { instructions }),
    response_format: format,
    ...(speed != null && { speed }),
    ...(references != null && references.length > 0 && { input_references: references }),
    ...(hasEvents && countsTokens && { stream_format: 'sse' }),
    ...(isGateway && Object.keys(options).length > 0 && { provider: { options } }),
  };
}

const eventSchema = z.object({
  type: z.string(),
  audio: z.string().nullish(),
  usage: z.object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int().nullish() }).nullish(),
});

/** `speech.audio.delta` with audio in base64, and at the end `speech.audio.done` with usage. */
function readEvents(pieces: AsyncIterable<Uint8Array>, name: string) {
  let facts: AudioFacts = {};
  let isDone = false;
  const read = (data: string): Uint8Array | null => {
    if (data === '[DONE]') return null;
    const event = checkWith(eventSchema, parseJson(data));
    if (!event.success) return null;
    const { type, audio, usage } = event.data;
    if (type === 'error') throw new GatewayError('provider_unavailable', `${name} ended the speech with an error`);
    if (type === 'speech.audio.done') isDone = true;
    if (usage != null) {
      const { input_tokens: prompt, output_tokens: spoken } = usage;
      facts = { usage: { prompt_tokens: prompt, completion_tokens: spoken, total_tokens: prompt + spoken } };
    }
    return audio == null ? null : toBytes(audio, name);
  };
  async function* body(): AsyncGenerator<Uint8Array> {
    const decoder = createSseDecoder();
    for await (const piece of pieces) {
      for (const data of decoder.push(piece)) {
        const bytes = read(data);
        if (bytes !== null) yield bytes;
      }
    }
    const last = decoder.end();
    const bytes = last === undefined ? null : read(last);
    if (bytes !== null) yield bytes;
    if (!isDone) throw new GatewayError('provider_unavailable', `${name} broke the speech off`);
  }
  return { body: body(), facts: () => facts };
}

function toBytes(audio: string, name: string): Uint8Array {
  try {
    return decodeBase64(audio);
  } catch (cause) {
    throw new GatewayError('provider_unavailable', `${name} sent audio that cannot be read`, { cause });
  }
}
