import { describe, expect, test } from 'vitest';

import {
  readChatStream,
  readGeminiStream,
  readMessageStream,
  readOllamaStream,
  readResponseStream,
  readTextStream,
} from '../../support/formats/read-by-clients.ts';
import { replayStreams, scripts } from '../../support/gateways/ask-wire.ts';
import { createCoreGateway, readFrames } from '../../support/gateways/core-gateway.ts';
import {
  EXPECTED,
  type ExpectedResponse,
  type ResponseCase,
  type WireScript,
} from '../../support/wires/wire-script.ts';

/** What the official client of a format assembles from a stream. */
interface Read {
  readonly content: string;
  readonly calls: readonly (readonly [name: string, args: unknown])[];
  readonly completionTokens: number | undefined;
}

interface OfficialClient {
  readonly format: string;
  readonly client: string;
  /** Default: that of the format. */
  readonly path?: string;
  readonly body: object;
  readonly read: (pieces: readonly Uint8Array[]) => Promise<Read>;
}

const HELLO = [{ role: 'user', content: 'Hello' }];
const TOOLS = ['get_weather', 'get_time'];
const PARAMETERS = { type: 'object', properties: {} };

const FUNCTIONS = TOOLS.map((name) => ({ type: 'function', function: { name } }));

const CLIENTS: readonly OfficialClient[] = [
  {
    format: 'chat/completions',
    client: 'openai',
    body: { messages: HELLO, tools: FUNCTIONS },
    async read(pieces) {
      const { choices, usage } = await readChatStream(pieces);
      const { content, refusal, tool_calls: calls = [] } = choices[0]?.message ?? {};
      return {
        content: content || (refusal ?? ''),
        calls: calls.flatMap((call) =>
          call.type === 'function' ? [[call.function.name, JSON.parse(call.function.arguments)] as const] : [],
        ),
        completionTokens: usage?.completion_tokens,
      };
    },
  },
  {
    format: 'messages',
    client: '@anthropic-ai/sdk',
    body: { max_tokens: 1000, messages: HELLO, tools: TOOLS.map((name) => ({ name, input_schema: PARAMETERS })) },
    async read(pieces) {
      const { content, usage } = await readMessageStream(pieces);
      return {
        content: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls: content.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.input] as const] : [])),
        completionTokens: usage.output_tokens,
      };
    },
  },
  {
    format: 'responses',
    client: 'openai',
    body: { input: 'Hello', tools: TOOLS.map((name) => ({ type: 'function', name, parameters: PARAMETERS })) },
    async read(pieces) {
      const { output, usage } = await readResponseStream(pieces);
      const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
      return {
        content: parts.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join(''),
        calls: output.flatMap((item) =>
          item.type === 'function_call' ? [[item.name, JSON.parse(item.arguments)] as const] : [],
        ),
        completionTokens: usage?.output_tokens,
      };
    },
  },
  {
    format: 'completions',
    client: 'openai',
    body: { prompt: 'Hello' },
    async read(pieces) {
      const chunks = await readTextStream(pieces);
      return {
        content: chunks.map(({ choices }) => choices[0]?.text ?? '').join(''),
        calls: [],
        completionTokens: chunks.at(-1)?.usage?.completion_tokens,
      };
    },
  },
  {
    format: 'ollama-chat',
    client: 'ollama',
    path: '/api/chat',
    body: { messages: HELLO, tools: FUNCTIONS },
    async read(pieces) {
      const lines = await readOllamaStream(pieces);
      return {
        content: lines.map(({ message }) => message.content).join(''),
        calls: lines.flatMap(({ message: { tool_calls: calls = [] } }) =>
          calls.map(({ function: { name, arguments: args } }) => [name, args] as const),
        ),
        completionTokens: lines.at(-1)?.eval_count,
      };
    },
  },
  {
    format: 'gemini',
    client: '@google/genai',
    path: '/v1beta/models/test/model:streamGenerateContent?alt=sse',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      tools: [{ functionDeclarations: TOOLS.map((name) => ({ name })) }],
    },
    async read(pieces) {
      const events = await readGeminiStream(pieces);
      const parts = events.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      const { candidatesTokenCount, thoughtsTokenCount = 0 } = events.at(-1)?.usageMetadata ?? {};
      return {
        content: parts.map(({ text = '', thought }) => (thought === true ? '' : text)).join(''),
        calls: parts.flatMap(({ functionCall: call }) => (call ? [[String(call.name), call.args ?? {}] as const] : [])),
        completionTokens: candidatesTokenCount === undefined ? undefined : candidatesTokenCount + thoughtsTokenCount,
      };
    },
  },
];

/** Calls of tools, which the oldest form has no place for. */
const CALLS: readonly ResponseCase[] = ['tools', 'tool without arguments', 'parallel tools'];

const cells = CLIENTS.flatMap((one) => scripts.map(([wire, script]) => ({ ...one, wire, script })));

async function* streamsOf(
  script: WireScript,
  title: ResponseCase,
  { format, path = `/api/v1/${format}`, body }: OfficialClient,
) {
  for (const [, transport] of replayStreams(script, script.responses[title].events ?? [])) {
    const core = createCoreGateway([script.createProvider(transport)], {
      models: [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: script.model }] }],
    });
    const response = await core.post(path, { model: 'test/model', ...body, stream: true });
    yield [new TextEncoder().encode(await readFrames(response).rest())];
  }
}

describe.each(cells)('The client $client on /$format over the wire $wire', ({ script, ...client }) => {
  test('reads every response of the wire as what it says, in any chunking', async () => {
    const titles = (Object.keys(EXPECTED) as ResponseCase[]).filter(
      (title) => client.format !== 'completions' || !CALLS.includes(title),
    );
    for (const title of titles) {
      const expected: ExpectedResponse = script.expected?.[title] ?? EXPECTED[title];
      for await (const pieces of streamsOf(script, title, client)) {
        expect({ title, ...(await client.read(pieces)) }).toEqual({
          title,
          content: expected.content ?? expected.refusal ?? '',
          calls: (expected.calls ?? []).map(([name, args]) => [name, JSON.parse(args) as unknown]),
          completionTokens: 8,
        });
      }
    }
  });
});
