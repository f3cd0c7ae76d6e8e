import type { ChatCompletionRequest } from '@model-gateway/core/wire';

import { type Attachment, fromContentPart, toContentPart } from './attachments.ts';

/** The next request, without the models. */
export interface Draft {
  readonly system: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  /** Go with the last message of the user. */
  readonly attached: readonly Attachment[];
  readonly temperature: string;
  readonly maxTokens: string;
  readonly isStreamed: boolean;
  /** A JSON object with further fields of the request. */
  readonly more: string;
}

export const EMPTY_DRAFT: Draft = {
  system: '',
  messages: [{ role: 'user', content: '' }],
  attached: [],
  temperature: '',
  maxTokens: '',
  isStreamed: true,
  more: '',
};

type ChatMessage = ChatCompletionRequest['messages'][number];

/** The body of the request; a text that says what is wrong where it cannot be made. */
export function toRequestBody(draft: Draft): ChatCompletionRequest | string {
  let more: unknown = {};
  try {
    if (draft.more.trim() !== '') more = JSON.parse(draft.more);
  } catch {
    return 'The further fields are not JSON';
  }
  if (typeof more !== 'object' || more === null || Array.isArray(more))
    return 'The further fields have to be an object, as in {"top_p": 0.9}';
  const written = draft.messages.filter(({ content }) => content.trim() !== '');
  if (written.length === 0) return 'There is no message yet';
  const lastAsked = written.findLastIndex(({ role }) => role === 'user');
  if (draft.attached.length > 0 && lastAsked < 0)
    return 'What is attached goes with a message of the user, and there is none';
  const messages = written.map((message, at) => (at === lastAsked ? withAttached(message, draft.attached) : message));
  return {
    ...more,
    messages: draft.system.trim() === '' ? messages : [{ role: 'system', content: draft.system }, ...messages],
    stream: draft.isStreamed,
    // Tells these calls apart in the list of generations.
    user: 'playground',
    ...(draft.temperature !== '' && { temperature: Number(draft.temperature) }),
    ...(draft.maxTokens !== '' && { max_tokens: Number(draft.maxTokens) }),
  };
}

function withAttached({ role, content }: Draft['messages'][number], attached: Draft['attached']): ChatMessage {
  if (attached.length === 0) return { role, content };
  return { role, content: [{ type: 'text', text: content }, ...attached.map(toContentPart)] };
}

/** A draft of stored messages with the last user's attachments. Other parts that are no text are left out. */
export function toDraft(messages: readonly unknown[]): Draft {
  const read = messages.filter(isMessage).map(({ role, content }) => ({ role, content: toText(content) }));
  const system = read.filter(({ role }) => role === 'system' || role === 'developer').map(({ content }) => content);
  const rest = read.filter(({ role }) => role === 'user' || role === 'assistant');
  const lastAsked = messages.filter(isMessage).findLast(({ role }) => role === 'user')?.content;
  return {
    ...EMPTY_DRAFT,
    system: system.join('\n\n'),
    attached: Array.isArray(lastAsked) ? lastAsked.flatMap((part) => fromContentPart(part) ?? []) : [],
    messages:
      rest.length === 0
        ? EMPTY_DRAFT.messages
        : rest.map(({ role, content }) => ({ role: role === 'assistant' ? 'assistant' : 'user', content })),
  };
}

const isMessage = (value: unknown): value is { role: string; content: unknown } =>
  typeof value === 'object' && value !== null && 'role' in value && 'content' in value;

function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? [part.text] : []))
    .join('\n');
}
