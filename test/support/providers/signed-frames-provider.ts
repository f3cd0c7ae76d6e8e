import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';

import { GatewayError, type Provider } from '@model-gateway/core';
import {
  type ChatChunk,
  type ChatWire,
  createChatWire,
  describeProvider,
  finishReasonSchema,
  isRecord,
  parseJson,
  parseReturned,
  type ProviderOptions,
  readCount,
  type StreamDecoder,
  toUpstream,
} from '@model-gateway/core/providers/kit';

/** A signature over the body, which takes a key from elsewhere, as those of AWS do. */
export const signatureOf = (body: string, key: string): string => createHmac('sha256', key).update(body).digest('hex');

interface SignedOptions extends Omit<ProviderOptions, 'apiKey'> {
  readonly findSigningKey: () => Promise<string>;
}

/** A provider whose requests are signed and whose streams are the frames of AWS: made of the public kit alone. */
export function createSignedFramesProvider({ findSigningKey, ...options }: SignedOptions): Provider {
  const upstream = toUpstream(options, { keyHeader: 'authorization' });
  const wire = createChatWire(upstream, {
    name: 'signed-frames',
    toUrl: ({ providerModel, stream }) =>
      `${upstream.baseUrl}/model/${providerModel}/converse${stream ? '-stream' : ''}`,
    toHeaders: async (_call, { url, body }) => ({
      'x-signature': signatureOf(`${new URL(url).pathname}\n${body}`, await findSigningKey()),
    }),
    toBody: ({ request }) => ({ messages: request.messages, maxTokens: request.max_tokens }),
    createDecoder: createFrameDecoder,
    createReader: ({ providerName }) => {
      const read = (text: string): ChatChunk => readPart(parseReturned(text, providerName), providerName);
      return { readEvent: read, readWhole: read };
    },
    readError: (text, status) => {
      const body = parseJson(text);
      return { status, message: isRecord(body) && typeof body['message'] === 'string' ? body['message'] : undefined };
    },
    listUrl: `${upstream.baseUrl}/models`,
    readModels: () => [],
  } satisfies ChatWire);
  return { ...describeProvider(options), chat: wire.chat };
}

function readPart(part: unknown, name: string): ChatChunk {
  if (!isRecord(part)) throw new GatewayError('provider_unavailable', `${name} returned no completion`);
  const { text, stopReason: native, usage } = part;
  const ended = typeof native === 'string' ? native : null;
  const [input, output] = isRecord(usage) ? [readCount(usage['in']), readCount(usage['out'])] : [];
  return {
    choices: [
      {
        index: 0,
        delta: typeof text === 'string' ? { content: text } : {},
        finish_reason: ended === null ? null : (finishReasonSchema.safeParse(ended).data ?? 'error'),
        native_finish_reason: ended,
      },
    ],
    ...(input !== undefined &&
      output !== undefined && {
        usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      }),
  };
}

/** Length of the whole and of its headers, their checksum, the headers, the payload, the checksum of all. */
const PRELUDE = 12;
const CHECKSUM = 4;

/** A frame without headers. */
export function toFrame(payload: object): Uint8Array {
  const body = Buffer.from(JSON.stringify(payload));
  const frame = Buffer.alloc(PRELUDE + body.length + CHECKSUM);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  body.copy(frame, PRELUDE);
  frame.writeUInt32BE(crc32(frame.subarray(0, -CHECKSUM)), frame.length - CHECKSUM);
  return frame;
}

function createFrameDecoder(): StreamDecoder {
  let held = Buffer.alloc(0);
  const fail = (problem: string): never => {
    throw new GatewayError('provider_unavailable', `The provider sent ${problem}`);
  };
  return {
    push(bytes) {
      held = Buffer.concat([held, bytes]);
      const events: string[] = [];
      while (held.length >= PRELUDE) {
        if (crc32(held.subarray(0, 8)) !== held.readUInt32BE(8)) fail('no frame');
        const length = held.readUInt32BE(0);
        if (held.length < length) break;
        const end = length - CHECKSUM;
        if (crc32(held.subarray(0, end)) !== held.readUInt32BE(end)) fail('a damaged frame');
        events.push(held.toString('utf8', PRELUDE + held.readUInt32BE(4), end));
        held = held.subarray(length);
      }
      return events;
    },
    end: () => (held.length === 0 ? undefined : fail('a part of a frame')),
  };
}
