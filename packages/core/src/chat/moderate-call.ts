import { cutFlagged } from '../calls/attempt.ts';
import type { ModelCall, Pipeline } from '../calls/model-call.ts';
import { type Awaitable, raceAbort } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';

/** The verdict of a moderator about a text. */
export interface ModerationVerdict {
  readonly isFlagged: boolean;
  /** The kinds of content it objects to: `violence`. */
  readonly reasons: readonly string[];
}

/** Judges the texts of callers, for requests with the plugin `moderation`. */
export interface Moderator {
  /** Display name of the moderator. */
  readonly name: string;
  /** Judges all text of a request's messages. When a moderator rejects, the request is refused. */
  moderate(text: string, signal: AbortSignal): Awaitable<ModerationVerdict>;
}

interface ModerationParts {
  readonly moderator: Moderator;
  readonly pipeline: Pipeline;
  readonly signal: AbortSignal;
}

/** Returns the refusal of a call that is to be moderated and is flagged (wire.md 4.2, 9.5); null for one that is not. */
export async function moderateCall(
  { request }: ModelCall<ChatCompletionRequest>,
  { moderator, pipeline, signal }: ModerationParts,
): Promise<GatewayError | null> {
  const texts = request.messages.flatMap(({ content }) => textsOf(content));
  const verdict = await judge(texts.join('\n'), moderator, signal);
  if (verdict instanceof GatewayError) return verdict;
  if (!verdict.isFlagged) return null;
  const reasons = [...verdict.reasons];
  pipeline.add({
    type: 'guardrail',
    name: 'moderation',
    data: { action: 'blocked', flagged: true, engines: [moderator.name], matched_entity_types: reasons },
  });
  return new GatewayError('moderation_flagged', 'Request blocked: the input was flagged by moderation', {
    metadata: {
      reasons,
      flagged_input: cutFlagged(lastWordsOf(request)),
      provider_name: moderator.name,
      model_slug: request.model ?? '',
    },
  });
}

async function judge(
  text: string,
  moderator: Moderator,
  signal: AbortSignal,
): Promise<ModerationVerdict | GatewayError> {
  try {
    return await raceAbort(Promise.resolve(moderator.moderate(text, signal)), signal);
  } catch (cause) {
    signal.throwIfAborted();
    return new GatewayError('permission_denied', 'Request blocked: moderation is unavailable', { cause });
  }
}

/** The last words of the user. */
export function lastWordsOf({ messages }: ChatCompletionRequest): string {
  return textsOf(messages.findLast(({ role }) => role === 'user')?.content).join('\n');
}

/** The texts of a message's content. */
function textsOf(content: ChatCompletionRequest['messages'][number]['content']): readonly string[] {
  if (typeof content === 'string') return [content];
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
