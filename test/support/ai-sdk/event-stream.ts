import { crc32 } from 'node:zlib';

/** One message of the event stream of AWS: lengths, headers and a payload, with the checksums of both. */
export function toFrame(eventType: string, payload: object): Uint8Array {
  const body = Buffer.from(JSON.stringify(payload));
  const headers = Buffer.concat([
    toHeader(':event-type', eventType),
    toHeader(':content-type', 'application/json'),
    toHeader(':message-type', 'event'),
  ]);
  const frame = Buffer.alloc(16 + headers.length + body.length);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(headers.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  headers.copy(frame, 12);
  body.copy(frame, 12 + headers.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, frame.length - 4)), frame.length - 4);
  return frame;
}

/** A header whose value is a text. */
function toHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
}

/** The type of a body of such messages. */
export const FRAMES_TYPE = 'application/vnd.amazon.eventstream';

const USAGE = {
  inputTokens: 40,
  outputTokens: 12,
  totalTokens: 52,
  cacheReadInputTokens: 25,
  cacheWriteInputTokens: 5,
};

/** A turn of Claude at Bedrock, which thinks, speaks and calls a tool: whole, and as frames. */
export const BEDROCK_TURN = {
  whole: {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Which city? Paris.', signature: 'signed-1' } } },
          { text: 'One moment.' },
          { toolUse: { toolUseId: 't1', name: 'get_weather', input: { city: 'Paris' } } },
        ],
      },
    },
    stopReason: 'tool_use',
    usage: USAGE,
  },
  frames: [
    toFrame('messageStart', { role: 'assistant' }),
    toFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Which city? ' } } }),
    toFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Paris.' } } }),
    toFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'signed-1' } } }),
    toFrame('contentBlockStop', { contentBlockIndex: 0 }),
    toFrame('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'One ' } }),
    toFrame('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'moment.' } }),
    toFrame('contentBlockStop', { contentBlockIndex: 1 }),
    toFrame('contentBlockStart', {
      contentBlockIndex: 2,
      start: { toolUse: { toolUseId: 't1', name: 'get_weather' } },
    }),
    toFrame('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '{"city"' } } }),
    toFrame('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: ':"Paris"}' } } }),
    toFrame('contentBlockStop', { contentBlockIndex: 2 }),
    toFrame('messageStop', { stopReason: 'tool_use' }),
    toFrame('metadata', { usage: USAGE, metrics: { latencyMs: 5 } }),
  ],
} as const;
