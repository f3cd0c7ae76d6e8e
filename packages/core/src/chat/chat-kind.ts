import type { CallKind } from '../calls/call-kind.ts';
import type { CallPreferences } from '../calls/preferences.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import type { ChatMessage } from '../wire/chat/chat-message.ts';
import { chatBoundOf } from './chat-bound.ts';
import { chatNeedsOf } from './chat-needs.ts';
import { mapChatTexts } from './map-texts.ts';

/** A chat completion, streamed or not. */
export const chatKind: CallKind<ChatCompletionRequest> = {
  name: 'chat',
  modelsOf: (request) => request,
  preferencesOf: chatPreferencesOf,
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
  needsOf: chatNeedsOf,
  boundOf: chatBoundOf,
  mapTexts: mapChatTexts,
};

const NO_PREFERENCES: CallPreferences['provider'] = {};

function chatPreferencesOf(request: ChatCompletionRequest): CallPreferences {
  const { provider, service_tier: serviceTier, route, prompt_cache_key: cacheKey, messages } = request;
  const sort = provider?.sort;
  const partition = typeof sort === 'object' ? sort?.partition : undefined;
  return {
    provider: provider ?? NO_PREFERENCES,
    serviceTier,
    // `route` is the older form.
    partition: partition ?? (route === 'sort' ? 'none' : 'model'),
    cacheKey,
    openingOf: () => openingOf(messages),
  };
}

/** Length of a message that is compared: conversations that differ later may share an endpoint. */
const OPENING_LENGTH = 1000;

/** Returns the first instruction and the first message. */
function openingOf(messages: readonly ChatMessage[]): string {
  const isInstruction = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';
  const instruction = messages.find(isInstruction);
  const first = messages.find((message) => !isInstruction(message));
  return `${startOf(instruction)}\n${startOf(first)}`;
}

function startOf(message: ChatMessage | undefined): string {
  const { content } = message ?? {};
  if (typeof content === 'string') return content.slice(0, OPENING_LENGTH);
  const text = (content ?? []).find((part) => part.type === 'text');
  return text?.type === 'text' ? text.text.slice(0, OPENING_LENGTH) : '';
}
