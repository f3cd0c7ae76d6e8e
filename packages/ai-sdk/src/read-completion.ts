import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart, SharedV4Warning } from '@ai-sdk/provider';
import { type ChatChunk, type ChatDelta, GatewayError } from '@model-gateway/core';
import { createToolCallDeltas, type FinishReason, readCount, type Usage } from '@model-gateway/core/providers/kit';

import { toBase64 } from './file-data.ts';
import { createDetailWriter } from './reasoning-details.ts';

/** Reads one completion, whole or part by part. Holds what must be remembered between the parts. */
export interface CompletionReader {
  /** The chunk of a part; undefined for one that says nothing. Throws what the part reports as an error. */
  readPart(part: LanguageModelV4StreamPart): ChatChunk | undefined;
  readWhole(result: LanguageModelV4GenerateResult): ChatChunk;
  /** Call it when no more parts come. Throws for a completion that stopped short. */
  readEnd(): void;
}

export function createCompletionReader(name: string, makeId: (number: number) => string): CompletionReader {
  const details = createDetailWriter();
  const calls = createToolCallDeltas(makeId);
  /** Calls whose arguments came in pieces, and calls that the provider has run itself. */
  const told = new Set<string>();
  const foreign = new Set<string>();
  let upstreamId: string | undefined;
  let hasEnded = false;

  const toChunk = (delta: ChatDelta | undefined): ChatChunk | undefined =>
    delta === undefined
      ? undefined
      : {
          choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null }],
          ...(upstreamId !== undefined && { upstreamId }),
        };
  const push = (id: string, piece: { readonly name?: string; readonly arguments?: unknown }): ChatDelta | undefined => {
    const ready = calls.push([{ id, function: piece }]);
    return ready.length === 0 ? undefined : { tool_calls: ready };
  };
  const end = (
    result: Pick<LanguageModelV4GenerateResult, 'finishReason' | 'usage' | 'providerMetadata'>,
  ): ChatChunk => {
    hasEnded = true;
    const rest = calls.flush();
    const usage = toUsage(result.usage);
    const metadata = result.providerMetadata;
    return {
      choices: [
        {
          index: 0,
          delta: rest.length > 0 ? { tool_calls: rest } : {},
          ...toFinish(result.finishReason, calls.count() > 0, name),
        },
      ],
      ...(usage !== undefined && { usage }),
      ...(upstreamId !== undefined && { upstreamId }),
      ...(metadata !== undefined && Object.keys(metadata).length > 0 && { upstream: { metadata } }),
    };
  };

  const readPart: CompletionReader['readPart'] = (part) => {
    switch (part.type) {
      case 'stream-start': {
        const warnings = toWarnings(part.warnings);
        return warnings.length === 0 ? undefined : { choices: [], upstream: { warnings } };
      }
      case 'response-metadata':
        upstreamId = part.id ?? upstreamId;
        return undefined;
      case 'text-delta': {
        const saved = details.addMetadata(null, part.providerMetadata);
        return part.delta === '' ? toChunk(saved) : toChunk({ content: part.delta, ...saved });
      }
      case 'text-start':
      case 'text-end':
        return toChunk(details.addMetadata(null, part.providerMetadata));
      case 'reasoning-start':
        return toChunk(details.addText(part.id, '', part.providerMetadata));
      case 'reasoning-delta':
        return toChunk(details.addText(part.id, part.delta, part.providerMetadata));
      case 'reasoning-end':
        return toChunk(details.endText(part.id, part.providerMetadata));
      case 'tool-input-start':
        if (part.providerExecuted === true) foreign.add(part.id);
        return foreign.has(part.id) ? undefined : toChunk(push(part.id, { name: part.toolName }));
      case 'tool-input-delta':
        if (foreign.has(part.id) || part.delta === '') return undefined;
        told.add(part.id);
        return toChunk(push(part.id, { arguments: part.delta }));
      case 'tool-call': {
        if (part.providerExecuted === true) return undefined;
        const { toolCallId: id, toolName, input } = part;
        // Packages repeat here what they have sent in pieces.
        const delta = told.has(id) ? undefined : push(id, { name: toolName, arguments: input });
        const saved = details.addMetadata(id, part.providerMetadata);
        return toChunk(delta === undefined ? saved : { ...delta, ...saved });
      }
      case 'source':
        return part.sourceType === 'url' ? toChunk({ annotations: [toCitation(part)] }) : undefined;
      case 'file':
        return part.mediaType.startsWith('image/') ? toChunk({ images: [toImage(part)] }) : undefined;
      case 'finish':
        return end(part);
      case 'error':
        throw part.error;
      default:
        // Tools that the provider runs itself, pings, and kinds of later versions.
        return undefined;
    }
  };

  return {
    readPart,
    readWhole(result) {
      upstreamId = result.response?.id;
      const read = result.content.flatMap((part, index) => toParts(part, String(index)).map((one) => readPart(one)));
      const deltas = read.flatMap((chunk) => chunk?.choices.map(({ delta }) => delta) ?? []);
      const last = end(result);
      const [choice] = last.choices;
      const warnings = toWarnings(result.warnings);
      return {
        ...last,
        choices: choice === undefined ? [] : [{ ...choice, delta: joinDeltas([...deltas, choice.delta]) }],
        ...((last.upstream !== undefined || warnings.length > 0) && {
          upstream: { ...last.upstream, ...(warnings.length > 0 && { warnings }) },
        }),
      };
    },
    readEnd() {
      if (!hasEnded) throw brokeOff(name);
    },
  };
}

const brokeOff = (name: string): GatewayError =>
  new GatewayError('provider_unavailable', `${name} ended the stream before the completion was complete`, {
    metadata: { provider_name: name },
  });

/** A piece of content as the parts by which a stream would have brought it. */
function toParts(part: LanguageModelV4GenerateResult['content'][number], id: string): LanguageModelV4StreamPart[] {
  const metadata = 'providerMetadata' in part ? part.providerMetadata : undefined;
  const facts = { id, ...(metadata !== undefined && { providerMetadata: metadata }) };
  switch (part.type) {
    case 'text':
      return [
        { type: 'text-delta', id, delta: part.text },
        { type: 'text-end', ...facts },
      ];
    case 'reasoning':
      return [
        { type: 'reasoning-delta', id, delta: part.text },
        { type: 'reasoning-end', ...facts },
      ];
    default:
      return [part];
  }
}

/** One delta with all of it. */
function joinDeltas(deltas: readonly ChatDelta[]): ChatDelta {
  const joined: ChatDelta = {};
  for (const { content, reasoning, reasoning_details: details, tool_calls: calls, images, annotations } of deltas) {
    if (content != null) joined.content = (joined.content ?? '') + content;
    if (reasoning != null) joined.reasoning = (joined.reasoning ?? '') + reasoning;
    if (details !== undefined) joined.reasoning_details = joinDetails(joined.reasoning_details ?? [], details);
    if (calls !== undefined) joined.tool_calls = joinCalls(joined.tool_calls ?? [], calls);
    if (images !== undefined) joined.images = [...(joined.images ?? []), ...images];
    if (annotations !== undefined) joined.annotations = [...(joined.annotations ?? []), ...annotations];
  }
  return joined;
}

type Details = NonNullable<ChatDelta['reasoning_details']>;
type Calls = NonNullable<ChatDelta['tool_calls']>;

/** The text of a block and its signature are one detail. */
function joinDetails(before: Details, added: Details): Details {
  const joined = [...before];
  for (const detail of added) {
    const last = joined.at(-1);
    const isSame = last !== undefined && last.type === detail.type && last['index'] === detail['index'];
    if (isSame && detail.type === 'reasoning.text') {
      joined[joined.length - 1] = { ...last, ...detail, text: `${String(last['text'])}${String(detail['text'])}` };
    } else joined.push(detail);
  }
  return joined;
}

function joinCalls(before: Calls, added: Calls): Calls {
  const joined = [...before];
  for (const piece of added) {
    const known = joined[piece.index];
    if (known === undefined) joined.push(piece);
    else {
      const text = known.function.arguments + piece.function.arguments;
      joined[piece.index] = { ...known, function: { ...known.function, arguments: text } };
    }
  }
  return joined;
}

const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: 'error',
};

/**
 * Before version 3 the reason was one word. A package that has not been told a reason says so by `other` or `unknown`
 * without a word of upstream: the stream broke off.
 */
function toFinish(
  given: LanguageModelV4GenerateResult['finishReason'] | string,
  hasCalls: boolean,
  name: string,
): Pick<ChatChunk['choices'][number], 'finish_reason' | 'native_finish_reason'> {
  const { unified, raw } = typeof given === 'string' ? { unified: given, raw: undefined } : given;
  const isUntold = raw === undefined && (unified === 'other' || unified === 'unknown');
  if (unified === 'interrupted' || isUntold) throw brokeOff(name);
  const reason = REASONS[unified] ?? 'stop';
  return {
    finish_reason: hasCalls && reason === 'stop' ? 'tool_calls' : reason,
    native_finish_reason: raw ?? unified,
  };
}

/** Counts, which version 2 had side by side. */
interface FlatUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
}

/** Counts that upstream did not report stay absent. */
function toUsage(given: LanguageModelV4GenerateResult['usage'] | FlatUsage | undefined): Usage | undefined {
  if (given === undefined) return undefined;
  const isNested = typeof given.inputTokens === 'object';
  const nested = given as LanguageModelV4GenerateResult['usage'];
  const flat = given as FlatUsage;
  const count = (current: number | undefined, former: number | undefined) => readCount(isNested ? current : former);
  const prompt = count(nested.inputTokens?.total, flat.inputTokens);
  const completion = count(nested.outputTokens?.total, flat.outputTokens);
  if (prompt === undefined || completion === undefined) return undefined;
  const cached = count(nested.inputTokens?.cacheRead, flat.cachedInputTokens);
  const written = count(nested.inputTokens?.cacheWrite, undefined);
  const reasoning = count(nested.outputTokens?.reasoning, flat.reasoningTokens);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...((cached !== undefined || written !== undefined) && {
      prompt_tokens_details: {
        ...(cached !== undefined && { cached_tokens: cached }),
        ...(written !== undefined && { cache_write_tokens: written }),
      },
    }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

/** A warning in one line. Earlier versions name a setting where the current one names a feature. */
export function toWarnings(given: readonly SharedV4Warning[] | undefined): string[] {
  return (given ?? []).map((warning) => {
    const { type, feature, setting, details, message } = warning as Readonly<Record<string, string | undefined>>;
    const subject = feature ?? setting;
    const words = details ?? message;
    return [type === 'other' ? undefined : type, subject, words].filter((word) => word !== undefined).join(': ');
  });
}

const toCitation = ({ url, title }: { readonly url: string; readonly title?: string }): object => ({
  type: 'url_citation',
  url_citation: { url, title: title ?? url, start_index: 0, end_index: 0, content: '' },
});

/** Before the current version the data stood there as it is. */
function toImage({ data, mediaType }: Extract<LanguageModelV4StreamPart, { type: 'file' }>): object {
  const held: unknown =
    typeof data === 'object' && 'type' in data ? (data.type === 'url' ? data.url : data.data) : data;
  const url = held instanceof URL ? held.href : `data:${mediaType};base64,${toBase64(held as string | Uint8Array)}`;
  return { type: 'image_url', image_url: { url } };
}
