import type { createOpenAI } from '@ai-sdk/openai';
import {
  type ChatCall,
  type ChatChunk,
  type ChatDelta,
  type ErrorCode,
  GatewayError,
  type Provider,
  toFetch,
  type Transport,
  TransportError,
  UNKNOWN_DATA_POLICY,
  type Usage,
} from '@model-gateway/core';
import { APICallError } from 'ai';

/** A model of the AI SDK, as its packages make it. */
export type SdkModel = ReturnType<ReturnType<typeof createOpenAI>['chat']>;
type SdkOptions = Parameters<SdkModel['doStream']>[0];
type SdkStream = Awaited<ReturnType<SdkModel['doStream']>>['stream'];
type SdkPart = SdkStream extends ReadableStream<infer Part> ? Part : never;
type SdkEnd = Pick<Extract<SdkPart, { type: 'finish' }>, 'finishReason' | 'usage'>;

interface AiSdkProviderOptions {
  readonly slug: string;
  readonly transport: Transport;
  /** Makes a model that sends its requests by this `fetch`. */
  readonly toModel: (name: string, fetch: typeof globalThis.fetch) => SdkModel;
}

/** A provider over a package of the AI SDK: texts and tool calls, which is enough for the contract of providers. */
export function createAiSdkProvider({ slug, transport, toModel }: AiSdkProviderOptions): Provider {
  return {
    slug,
    name: slug,
    dataPolicy: UNKNOWN_DATA_POLICY,
    async *chat(call) {
      const { timeouts, stream, signal, providerModel } = call;
      const limits = stream ? timeouts : { totalMs: timeouts.nonStreamMs };
      const model = toModel(providerModel, toFetch(transport, limits));
      try {
        signal.throwIfAborted();
        if (stream) yield* streamChunks(await model.doStream(toOptions(call)), slug);
        else yield [toWholeChunk(await model.doGenerate(toOptions(call)))];
      } catch (error) {
        throw signal.aborted ? signal.reason : toGatewayError(error, slug);
      }
    },
  };
}

function toOptions({ request, signal }: ChatCall): SdkOptions {
  return {
    abortSignal: signal,
    prompt: request.messages.map(({ content }) => ({
      role: 'user',
      content: [{ type: 'text', text: typeof content === 'string' ? content : '' }],
    })),
    ...(request.max_tokens != null && { maxOutputTokens: request.max_tokens }),
  };
}

const OPEN = { finish_reason: null, native_finish_reason: null } as const;

async function* streamChunks({ stream }: { readonly stream: SdkStream }, name: string): AsyncGenerator<[ChatChunk]> {
  const calls = new Map<string, number>();
  const say = (delta: ChatDelta): [ChatChunk] => [{ choices: [{ index: 0, delta, ...OPEN }] }];
  let hasFinished = false;
  for await (const part of stream) {
    switch (part.type) {
      case 'text-delta':
        yield say({ content: part.delta });
        break;
      case 'tool-input-start': {
        const called = { name: part.toolName, arguments: '' };
        yield say({ tool_calls: [{ index: calls.size, id: part.id, type: 'function', function: called }] });
        calls.set(part.id, calls.size);
        break;
      }
      case 'tool-input-delta':
        yield say({ tool_calls: [{ index: calls.get(part.id) ?? 0, function: { arguments: part.delta } }] });
        break;
      case 'finish':
        hasFinished = part.finishReason.raw !== undefined;
        if (hasFinished) yield [{ choices: [{ index: 0, delta: {}, ...toFinish(part) }], ...toUsage(part) }];
        break;
      case 'error':
        throw part.error;
      default:
    }
  }
  if (!hasFinished) throw new GatewayError('provider_unavailable', `${name} broke off`);
}

function toWholeChunk({ content, ...end }: Awaited<ReturnType<SdkModel['doGenerate']>>): ChatChunk {
  const delta: ChatDelta = { content: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('') };
  const calls = content.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
  if (calls.length > 0) {
    delta.tool_calls = calls.map(({ toolCallId: id, toolName: name, input }, index) => ({
      index,
      id,
      type: 'function',
      function: { name, arguments: input },
    }));
  }
  return { choices: [{ index: 0, delta, ...toFinish(end) }], ...toUsage(end) };
}

const REASONS = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
} as const;

function toFinish({
  finishReason: { unified, raw },
}: SdkEnd): Pick<ChatChunk['choices'][number], 'finish_reason' | 'native_finish_reason'> {
  const reason = Object.hasOwn(REASONS, unified) ? REASONS[unified as keyof typeof REASONS] : 'error';
  return { finish_reason: reason, native_finish_reason: raw ?? unified };
}

function toUsage({ usage: { inputTokens, outputTokens } }: SdkEnd): { usage?: Usage } {
  const [prompt, completion] = [inputTokens.total, outputTokens.total];
  if (prompt === undefined || completion === undefined) return {};
  return { usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion } };
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  429: 'rate_limit_exceeded',
  503: 'provider_overloaded',
};

function toGatewayError(error: unknown, name: string): unknown {
  if (error instanceof GatewayError) return error;
  // The package wraps what its `fetch` has thrown.
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof TransportError) return cause;
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  const code = (status === undefined ? undefined : CODES[status]) ?? 'provider_unavailable';
  return new GatewayError(code, `${name} failed`, { cause: error, upstreamStatus: status ?? null });
}
