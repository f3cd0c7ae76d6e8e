import { isObject, readCount } from '../../../foundation/parse.ts';
import type { Usage } from '../../../wire/chat-chunk.ts';

const COUNTS = [
  'promptTokenCount',
  'cachedContentTokenCount',
  'toolUsePromptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
] as const;
const DETAILS = ['promptTokensDetails', 'cacheTokensDetails', 'candidatesTokensDetails'] as const;

/** Collects the token counts of one completion. */
export interface GoogleUsage {
  /** Adds one `usageMetadata`. Events repeat and revise counts, and may omit a count that an earlier one had. */
  add(metadata: unknown): void;
  /** Undefined while unknown. `isSilent`: the completion is empty, so that a missing output count means zero. */
  read(isSilent: boolean): Usage | undefined;
}

/**
 * The wire's prompt count includes cached tokens; thoughts are counted beside the candidates, but on the gateway's wire
 * within the completion. `toolUsePromptTokenCount` is ignored: Google's own tools are never requested.
 */
export function createGoogleUsage(): GoogleUsage {
  const counts: { [name in (typeof COUNTS)[number]]?: number } = {};
  const details: { [name in (typeof DETAILS)[number]]?: unknown[] } = {};
  return {
    add(metadata) {
      if (!isObject(metadata)) return;
      for (const name of COUNTS) {
        const count = readCount(metadata[name]);
        if (count !== undefined) counts[name] = count;
      }
      for (const name of DETAILS) {
        const list = metadata[name];
        if (Array.isArray(list)) details[name] = list;
      }
    },
    read(isSilent) {
      const prompt = counts.promptTokenCount;
      const completion = prompt === undefined ? undefined : readCompletion(prompt, counts, isSilent);
      if (prompt === undefined || completion === undefined) return undefined;
      const promptDetails = withoutUnknown({
        cached_tokens: counts.cachedContentTokenCount,
        audio_tokens: countModality(details.promptTokensDetails, 'AUDIO'),
        video_tokens: countModality(details.promptTokensDetails, 'VIDEO'),
        image_tokens: countModality(details.promptTokensDetails, 'IMAGE'),
        cached_audio_tokens: countModality(details.cacheTokensDetails, 'AUDIO'),
      });
      const completionDetails = withoutUnknown({
        reasoning_tokens: counts.thoughtsTokenCount,
        audio_tokens: countModality(details.candidatesTokensDetails, 'AUDIO'),
        image_tokens: countModality(details.candidatesTokensDetails, 'IMAGE'),
      });
      return {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
        ...(promptDetails && { prompt_tokens_details: promptDetails }),
        ...(completionDetails && { completion_tokens_details: completionDetails }),
      };
    },
  };
}

/** Some models report no count of candidates; then it is derived from the total, if there is one. */
function readCompletion(
  prompt: number,
  counts: { readonly [name in (typeof COUNTS)[number]]?: number },
  isSilent: boolean,
): number | undefined {
  const thoughts = counts.thoughtsTokenCount ?? 0;
  if (counts.candidatesTokenCount !== undefined) return counts.candidatesTokenCount + thoughts;
  const rest = (counts.totalTokenCount ?? 0) - prompt - (counts.toolUsePromptTokenCount ?? 0);
  const completion = Math.max(rest, thoughts);
  return completion > 0 || isSilent ? completion : undefined;
}

function countModality(details: readonly unknown[] | undefined, modality: string): number | undefined {
  let sum: number | undefined;
  for (const entry of details ?? []) {
    if (!isObject(entry) || entry['modality'] !== modality) continue;
    const count = readCount(entry['tokenCount']);
    if (count !== undefined) sum = (sum ?? 0) + count;
  }
  return sum;
}

function withoutUnknown<Name extends string>(details: {
  readonly [name in Name]: number | undefined;
}): { [name in Name]?: number } | undefined {
  const known: { [name in Name]?: number } = {};
  let isEmpty = true;
  for (const name in details) {
    const count = details[name];
    if (count === undefined) continue;
    known[name] = count;
    isEmpty = false;
  }
  return isEmpty ? undefined : known;
}
