import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { ChatCall, ChatChunk, Provider, Transport } from '@model-gateway/core';
import { effortOfBudget, isSupported, refuseField } from '@model-gateway/core/providers/kit';

import { callSdk, type SdkCaller, type SdkFetch, toGatewayError } from './call-sdk.ts';
import { createOpenAddress } from './file-data.ts';
import { createCompletionReader } from './read-completion.ts';
import { isCurrent, type OpenProvider, toModel } from './sdk-models.ts';
import { toPrompt } from './to-prompt.ts';

/** What all kinds of calls of one provider share. */
export interface SdkParts extends SdkCaller {
  readonly open: OpenProvider;
  /** Absent where the package was made elsewhere, and sends by itself. */
  readonly sending: SdkFetch | undefined;
  /** Fetches what callers name. */
  readonly downloads: Transport | undefined;
}

/** The name of the wire in stored requests. */
export const WIRE = 'ai-sdk';

/** Creates the chats of a provider. */
export function createChat(parts: SdkParts): NonNullable<Provider['chat']> {
  return async function* chat(call) {
    const { signal, stream, providerModel } = call;
    const model = await callSdk(parts, signal, async () =>
      toModel(await parts.open(), 'language', { id: providerModel, name: parts.name }),
    );
    const noteSent = followChat(parts, call);
    const options = await callSdk(parts, signal, async () => {
      const openAddress = createOpenAddress({
        supported: await model.supportedUrls,
        downloads: parts.downloads,
        limits: limitsOf(call),
        signal,
      });
      const prompt = await toPrompt(call.request, { openAddress, isCurrent: isCurrent(model) });
      return { ...toOptions(call), prompt, abortSignal: signal };
    });
    const reader = createCompletionReader(parts.name, (number) => `call_${call.generationId.slice(-12)}_${number}`);
    if (!stream) {
      const result = await callSdk(parts, signal, () => model.doGenerate(options));
      noteSent(result.request?.body);
      // A reason that upstream has not named throws here.
      yield [await callSdk(parts, signal, () => Promise.resolve(reader.readWhole(result)))];
      return;
    }
    const result = await callSdk(parts, signal, () => model.doStream(options));
    noteSent(result.request?.body);
    yield* readParts(result.stream, reader, { ...parts, signal });
  };
}

async function* readParts(
  stream: Awaited<ReturnType<ReturnType<typeof toModel<'language'>>['doStream']>>['stream'],
  reader: ReturnType<typeof createCompletionReader>,
  { signal, ...caller }: SdkCaller & { readonly signal: AbortSignal },
): AsyncGenerator<readonly ChatChunk[]> {
  try {
    for await (const part of stream) {
      const chunk = reader.readPart(part);
      if (chunk !== undefined) yield [chunk];
    }
    signal.throwIfAborted();
    reader.readEnd();
  } catch (error) {
    throw signal.aborted ? signal.reason : toGatewayError(error, caller);
  }
}

const limitsOf = ({ stream, timeouts: { headersMs, idleMs, totalMs, nonStreamMs } }: ChatCall) =>
  stream ? { headersMs, idleMs, totalMs } : { headersMs: nonStreamMs, idleMs: nonStreamMs, totalMs: nonStreamMs };

/** Lets requests of the call have its limits, and tells what they send. What is returned tells it where none could. */
function followChat({ sending }: SdkParts, call: ChatCall): (body: unknown) => void {
  const tell = (body: unknown): void => {
    call.onUpstreamBody?.(body);
    call.onSent?.(WIRE, body);
  };
  if (sending === undefined) return (body) => (body === undefined ? undefined : tell(body));
  sending.follow(call.signal, {
    limits: limitsOf(call),
    onBody: tell,
    ...(call.stream && call.onSignOfLife !== undefined && { onPiece: call.onSignOfLife }),
  });
  return () => undefined;
}

/** Makes the options of a request, but for its prompt. What the endpoint does not support is left out. */
function toOptions(call: ChatCall): Omit<LanguageModelV4CallOptions, 'prompt'> {
  const { request, supportedParameters } = call;
  const allows = (field: keyof ChatCall['request']): boolean => isSupported({ supportedParameters }, field) !== false;
  const numbers = {
    temperature: 'temperature',
    top_p: 'topP',
    top_k: 'topK',
    presence_penalty: 'presencePenalty',
    frequency_penalty: 'frequencyPenalty',
    seed: 'seed',
  } as const;
  const options: Omit<LanguageModelV4CallOptions, 'prompt'> = {};
  for (const [field, name] of Object.entries(numbers) as [
    keyof typeof numbers,
    (typeof numbers)[keyof typeof numbers],
  ][]) {
    const value = request[field];
    if (value != null && allows(field)) options[name] = value;
  }
  const limit = request.max_completion_tokens ?? request.max_tokens;
  if (limit != null && allows('max_tokens')) options.maxOutputTokens = limit;
  if (request.stop != null && allows('stop')) options.stopSequences = [request.stop].flat().map(String);
  const format = toFormat(request);
  if (format !== undefined && allows('response_format')) options.responseFormat = format;
  const reasoning = toReasoning(call);
  if (reasoning !== undefined && allows('reasoning')) options.reasoning = reasoning;
  return { ...options, ...(allows('tools') && toTools(request)) };
}

function toFormat({
  response_format: format,
}: ChatCall['request']): LanguageModelV4CallOptions['responseFormat'] | undefined {
  switch (format?.type) {
    case undefined:
      return undefined;
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return { type: 'json' };
    case 'json_schema': {
      const { name, description, schema } = format.json_schema;
      return {
        type: 'json',
        name,
        ...(schema != null && { schema: schema as JSONSchema7 }),
        ...(description != null && { description }),
      };
    }
    default:
      throw refuseField('response_format.type', 'must be text, json_object or json_schema for this provider');
  }
}

/** A budget of tokens becomes the effort whose share it is. Models before the current version ignore it. */
function toReasoning({ request, maxOutputTokens, isOfFamily }: ChatCall): LanguageModelV4CallOptions['reasoning'] {
  const { reasoning, reasoning_effort: other } = request;
  const effort = reasoning?.effort ?? other;
  if (effort != null) return effort === 'none' && isOfFamily === true ? 'minimal' : effort;
  if (reasoning?.max_tokens != null) {
    const most = request.max_completion_tokens ?? request.max_tokens ?? maxOutputTokens ?? 32_000;
    return effortOfBudget(reasoning.max_tokens, most);
  }
  if (reasoning?.enabled === false) return 'none';
  return reasoning?.enabled === true ? 'medium' : undefined;
}

function toTools({
  tools,
  tool_choice: choice,
}: ChatCall['request']): Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'> {
  const functions = (tools ?? []).flatMap((tool): LanguageModelV4FunctionTool[] => {
    if (tool.type !== 'function' || !('function' in tool)) return [];
    const { name, description, parameters, strict } = tool.function as {
      readonly name: string;
      readonly description?: string | null;
      readonly parameters?: Readonly<Record<string, unknown>> | null;
      readonly strict?: boolean | null;
    };
    const inputSchema = (parameters ?? { type: 'object', properties: {} }) as JSONSchema7;
    return [
      {
        type: 'function',
        name,
        inputSchema,
        ...(description != null && { description }),
        ...(strict != null && { strict }),
      },
    ];
  });
  if (functions.length === 0) return {};
  if (choice == null) return { tools: functions };
  if (typeof choice === 'string') return { tools: functions, toolChoice: { type: choice } };
  const named = (choice as { readonly function?: { readonly name: string } }).function;
  return { tools: functions, ...(named !== undefined && { toolChoice: { type: 'tool', toolName: named.name } }) };
}
