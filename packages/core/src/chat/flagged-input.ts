import { GatewayError } from '../foundation/errors.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import type { ChatRun } from './chat-run.ts';
import { cutMiddle } from './cut-middle.ts';

const MAX_SHOWN = 100;

/** The input as a refusal by moderation shows it (wire.md 4.2): the last words of the user, without their middle. */
export function toFlaggedInput({ messages }: ChatCompletionRequest): string {
  const said = messages.findLast(({ role }) => role === 'user')?.content;
  return cutMiddle(textsOf(said).join('\n'), MAX_SHOWN, '...');
}

/** The texts of a message's content. */
export function textsOf(content: ChatCompletionRequest['messages'][number]['content']): readonly string[] {
  if (typeof content === 'string') return [content];
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

/** Adds what upstream cannot know to a refusal by its moderation; any other error stays as it is. */
export function withFlaggedInput(error: GatewayError, { call, observer }: ChatRun): GatewayError {
  if (error.code !== 'moderation_flagged') return error;
  const asked = observer.attempts().at(-1)?.endpoint.modelId;
  const { flagged_input: told } = error.metadata ?? {};
  return new GatewayError(error.code, error.message, {
    cause: error.cause,
    upstreamStatus: error.upstreamStatus,
    metadata: {
      ...error.metadata,
      flagged_input: typeof told === 'string' ? cutMiddle(told, MAX_SHOWN, '...') : toFlaggedInput(call.request),
      model_slug: asked ?? call.request.model ?? '',
    },
  });
}
