import type { CacheCause } from '../../wire/cache-report.ts';
import type { Diagnosis } from './diagnose.ts';
import { CACHE_RULES, HOUR_MS, keptMsOf, minimumTokensOf } from './provider-rules.ts';
import type { CachedCall } from './read-call.ts';

/** The cause of a diagnosis in a sentence, and what the caller can do; null where nothing is to be done. */
export function toSentences(call: CachedCall, diagnosis: Diagnosis): { sentence: string; advice: string | null } {
  const { earlier, difference } = diagnosis;
  const place = difference?.path ?? 'the prompt';
  const sentence = SENTENCES[diagnosis.cause]({
    place,
    read: call.readTokens ?? 0,
    readable: diagnosis.readableTokens,
    why: call.whyUnknown ?? NO_SESSION,
    gap: toMinutes(earlier === null ? 0 : call.createdAtMs - earlier.createdAtMs),
    kept: toMinutes(earlier === null ? 0 : keptMsOf(earlier.prompt)),
    tokens: earlier?.promptTokens ?? 0,
    minimum: earlier === null ? 0 : minimumTokensOf(earlier.prompt),
    from: earlier?.endpoint ?? '',
    to: call.endpoint ?? '',
  });
  return { sentence, advice: toAdvice(diagnosis) };
}

const NO_SESSION = 'The call names no session, so that it is not known which call it continues.';

interface Words {
  readonly place: string;
  readonly read: number;
  readonly readable: number;
  readonly why: string;
  readonly gap: string;
  readonly kept: string;
  readonly tokens: number;
  readonly minimum: number;
  readonly from: string;
  readonly to: string;
}

const SENTENCES: Readonly<Record<CacheCause, (words: Words) => string>> = {
  first_call: () => 'This is the first call of its conversation, so that nothing of it could be in the cache.',
  hit: ({ read }) => `The provider read ${read} tokens of the prompt from its cache.`,
  system_changed: ({ place }) => `The text of the system is not that of the call before, from ${place} on.`,
  tools_changed: ({ place }) => `The tools are not those of the call before, from ${place} on.`,
  tools_reordered: ({ place }) => `The tools are those of the call before, but in another order, from ${place} on.`,
  message_changed: ({ place }) => `An earlier message was changed: ${place}.`,
  marks_missing: () => 'The prompt has no mark that asks the provider to cache it, or the call before had none.',
  marks_moved: () => 'No mark of this prompt leads to what the call before had cached.',
  expired: ({ gap, kept }) => `The call before began ${gap} earlier; the provider keeps a prompt for ${kept}.`,
  other_endpoint: ({ from, to }) => `The call before was sent to ${from}, this one to ${to}, which has another cache.`,
  other_key: () => 'The call before used another key, region or cache key of the provider, which has another cache.',
  too_short: ({ tokens, minimum }) =>
    `The prompt of the call before had ${tokens} tokens; the provider caches none of fewer than ${minimum}.`,
  provider: ({ readable }) =>
    `The prompt continues that of the call before, and ${readable} tokens could have been read, but the provider did not.`,
  unknown: ({ why }) => why,
};

function toAdvice({ cause, earlier }: Diagnosis): string | null {
  switch (cause) {
    case 'system_changed':
      return 'Move what changes from call to call, such as the time, out of the system text to the last message.';
    case 'tools_changed':
      return 'Send the same tools with every call of a conversation, and forbid those you do not want with tool_choice.';
    case 'tools_reordered':
      return 'Sort the tools, for example by name, before you send them.';
    case 'message_changed':
      return 'Append to a conversation, and leave the messages before as they were.';
    case 'marks_missing':
      return 'Set cache_control on the last block of each call.';
    case 'marks_moved':
      return 'Leave the mark of the call before where it was, and set another on the last block.';
    case 'expired':
      return earlier !== null && CACHE_RULES[earlier.prompt.wire].byMarks && keptMsOf(earlier.prompt) < HOUR_MS
        ? 'Ask for an hour with cache_control.ttl where calls rest longer than five minutes.'
        : 'Send calls of a conversation closer together.';
    case 'other_endpoint':
      return 'Keep a conversation at one endpoint, with provider.order or a session.';
    case 'other_key':
      return 'Keep a conversation at one key, region and prompt_cache_key.';
    default:
      return null;
  }
}

/** A span of time in minutes, with seconds where it is short. */
function toMinutes(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 6) / 10} minutes`;
}
