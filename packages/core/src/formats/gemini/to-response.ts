import type { CompletionEnd, CompletionEnvelope, WholeCompletion } from '../../chat/format.ts';
import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import type { FinishReason, Usage } from '../../wire/chat-chunk.ts';
import { toCosts } from '../kit/to-costs.ts';
import { createPartWriter, type Part } from './part-writer.ts';
import type { ToolNames } from './tool-names.ts';

/** What a response says of itself, in each event of a stream. */
export const toHead = ({ id, model, provider }: CompletionEnvelope): object => ({
  modelVersion: model,
  responseId: id,
  provider,
});

/** Whose names of tools, and whether thoughts, a completion is written with. */
export interface ResponseOptions {
  readonly names: ToolNames;
  readonly showsThoughts: boolean;
}

/**
 * The body of an unstreamed response. Upstream's own is given back as it came, but for ids, model and cost. Throws the
 * failure of a completion that broke off: a candidate has no place for it beside a part of its content.
 */
export function toResponse(completion: WholeCompletion, options: ResponseOptions): object {
  const { chunks, failure, usage, citations, members } = completion;
  if (failure !== null) throw failure;
  const own = chunks.flatMap(({ native = [] }) => native).find(({ type }) => type === 'whole');
  if (own !== undefined) {
    const given = JSON.parse(own.data) as Unchecked;
    return { ...given, ...toNativeUsage(given, usage), ...toHead(completion), ...members };
  }
  const parts: Part[] = [];
  const results: LogprobsResult[] = [];
  const writer = createPartWriter(
    {
      text: (text) => addText(parts, text),
      part: (part) => void parts.push(part),
      logprobs: (result) => void results.push(result as LogprobsResult),
    },
    options,
  );
  const choices = chunks.flatMap((chunk) => chunk.choices);
  for (const choice of choices) writer.write(choice);
  writer.end();
  const last = choices.findLast(({ finish_reason }) => finish_reason !== null);
  const grounding = toGrounding([...writer.annotations(), ...(citations ?? [])]);
  return {
    candidates: [
      {
        content: { parts, role: 'model' },
        finishReason: toFinishReason(last?.finish_reason ?? 'stop', last?.native_finish_reason ?? null),
        index: 0,
        ...(grounding && { groundingMetadata: grounding }),
        ...(results.length > 0 && { logprobsResult: joinResults(results) }),
      },
    ],
    ...toUsage(usage),
    ...toHead(completion),
    ...members,
  };
}

function addText(parts: Part[], text: string): void {
  const last = parts.at(-1);
  const isText = last !== undefined && Object.keys(last).length === 1 && typeof last['text'] === 'string';
  if (isText) parts[parts.length - 1] = { text: String(last['text']) + text };
  else parts.push({ text });
}

interface LogprobsResult {
  readonly chosenCandidates: readonly unknown[];
  readonly topCandidates: readonly unknown[];
}

const joinResults = (results: readonly LogprobsResult[]): LogprobsResult => ({
  chosenCandidates: results.flatMap(({ chosenCandidates }) => chosenCandidates),
  topCandidates: results.flatMap(({ topCandidates }) => topCandidates),
});

/** The last event of a stream. `given`: upstream's own last event, where it speaks this form. */
export function toLastEvent(
  { reason, native, usage, citations, members }: CompletionEnd,
  head: object,
  { given, annotations }: { readonly given: Unchecked | null; readonly annotations: readonly unknown[] },
): object {
  if (given !== null) return { ...given, ...toNativeUsage(given, usage), ...head, ...members };
  const grounding = toGrounding([...annotations, ...(citations ?? [])]);
  return {
    candidates: [
      {
        // Many clients read the text of each event without asking whether it has one.
        content: { parts: [{ text: '' }], role: 'model' },
        finishReason: toFinishReason(reason, native),
        index: 0,
        ...(grounding && { groundingMetadata: grounding }),
      },
    ],
    ...toUsage(usage),
    ...head,
    ...members,
  };
}

/** Upstream's own counts, which say more, with the cost. */
function toNativeUsage({ usageMetadata: given }: Unchecked, usage: Usage | undefined): object {
  if (!isRecord(given)) return toUsage(usage);
  return { usageMetadata: { ...given, ...toCosts(usage) } };
}

/** Thoughts are no part of the candidates' tokens in this form. */
function toUsage(usage: Usage | undefined): { readonly usageMetadata?: object } {
  if (usage === undefined) return {};
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  const {
    cached_tokens: cached,
    audio_tokens: audio = 0,
    image_tokens: images = 0,
    video_tokens: videos = 0,
  } = usage.prompt_tokens_details ?? {};
  const thoughts = usage.completion_tokens_details?.reasoning_tokens;
  const details = [
    { modality: 'TEXT', tokenCount: Math.max(prompt - audio - images - videos, 0) },
    { modality: 'AUDIO', tokenCount: audio },
    { modality: 'IMAGE', tokenCount: images },
    { modality: 'VIDEO', tokenCount: videos },
  ];
  return {
    usageMetadata: {
      promptTokenCount: prompt,
      candidatesTokenCount: Math.max(completion - (thoughts ?? 0), 0),
      ...(thoughts && { thoughtsTokenCount: thoughts }),
      totalTokenCount: total,
      ...(cached && { cachedContentTokenCount: cached }),
      promptTokensDetails: details.filter(({ modality, tokenCount }) => modality === 'TEXT' || tokenCount > 0),
      ...toCosts(usage),
    },
  };
}

const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
  error: 'OTHER',
};

/** Google's own reasons for a completion that ended early, which are finer than the ones of chat completions. */
const OWN_REASON =
  /^(?:SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED_CONTENT|SPII|MODEL_ARMOR|OTHER|NO_IMAGE|IMAGE_[A-Z_]{1,40})$/;

const toFinishReason = (reason: FinishReason, native: string | null): string =>
  native !== null && OWN_REASON.test(native) && reason !== 'length' ? native : REASONS[reason];

/** The sources of a completion, each once; undefined for none. */
function toGrounding(citations: readonly unknown[]): object | undefined {
  const titles = new Map<string, string>();
  for (const citation of citations) {
    const inner = isRecord(citation) && isRecord(citation['url_citation']) ? citation['url_citation'] : citation;
    const { url, title } = typeof inner === 'string' ? { url: inner, title: inner } : isRecord(inner) ? inner : {};
    if (typeof url === 'string' && !titles.has(url)) titles.set(url, typeof title === 'string' ? title : url);
  }
  if (titles.size === 0) return undefined;
  return { groundingChunks: [...titles].map(([uri, title]) => ({ web: { uri, title } })) };
}
