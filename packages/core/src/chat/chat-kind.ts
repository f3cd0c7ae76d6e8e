import {
  type CallKind,
  type CallNeeds,
  type CallPreferences,
  minTokensOf,
  type RouterInput,
} from '../calls/call-kind.ts';
import { nativeOf, withNative } from '../wire/chat-chunk.ts';
import { PARAMETERS } from '../wire/chat-parameters.ts';
import type { ChatCompletionRequest, ChatMessage } from '../wire/chat-request.ts';
import { chatBoundOf } from './chat-bound.ts';
import { mapChatTexts } from './map-texts.ts';
import { compressionOf } from './plugins.ts';

/** A chat completion, streamed or not. */
export const chatKind: CallKind<ChatCompletionRequest> = {
  name: 'chat',
  modelsOf: (request) => request,
  preferencesOf: chatPreferencesOf,
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
  withSession,
  routerInputOf: chatRouterInputOf,
  needsOf: chatNeedsOf,
  boundOf: chatBoundOf,
  mapTexts: mapChatTexts,
};

/** In both forms of the request, so that it still counts as read from its native one. */
function withSession(request: ChatCompletionRequest, session: string): ChatCompletionRequest {
  const named = { ...request, session_id: session };
  const native = nativeOf(request);
  if (native === undefined) return named;
  return withNative(named, { ...native, read: (body) => ({ ...native.read(body), session_id: session }) });
}

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

/** Returns the first message of the user, so that a conversation stays with its model. */
export function chatRouterInputOf({ messages, plugins }: ChatCompletionRequest): RouterInput {
  const first = messages.find(({ role }) => role === 'user')?.content ?? '';
  const text =
    typeof first === 'string' ? first : first.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const index = plugins?.findIndex(({ id, enabled }) => /^auto(-beta)?-router$/.test(id) && enabled !== false) ?? -1;
  return { text, options: plugins?.[index] ?? {}, ...(index !== -1 && { optionsPath: `plugins.${index}` }) };
}

/** Derives the needs of a request. Costs no more than a check of each content part. */
export function chatNeedsOf(request: ChatCompletionRequest): CallNeeds {
  const inputs: string[] = [];
  let characters = 0;
  for (const message of request.messages) characters += measure(message, inputs);
  return {
    parameters: parametersOf(request),
    inputModalities: inputs,
    outputModalities: request.modalities?.filter((kind) => kind !== 'text') ?? NONE,
    minPromptTokens: minTokensOf(characters),
    outputTokens: request.max_completion_tokens ?? request.max_tokens ?? 0,
    compression: compressionOf(request),
  };
}

const NONE: readonly string[] = [];

/** Characters of text in a message; notes its other kinds of input. */
function measure({ content }: ChatMessage, inputs: string[]): number {
  if (typeof content === 'string') return content.length;
  let characters = 0;
  for (const part of content ?? []) {
    if (part.type === 'text') characters += part.text.length;
    else {
      const kind = kindOf(part.type);
      if (kind !== null && !inputs.includes(kind)) inputs.push(kind);
    }
  }
  return characters;
}

/** Files are no need: what a model cannot read itself is turned into text for it. */
function kindOf(type: string): string | null {
  if (type === 'image_url') return 'image';
  if (type === 'input_audio') return 'audio';
  return type === 'file' ? null : 'video';
}

/** The request's parameters as lists of supported parameters name them. */
export function parametersOf(request: ChatCompletionRequest): readonly string[] {
  const found: string[] = [];
  // Iterates over the few fields that are present, because a check for every possible field is slower.
  for (const name in request) {
    if (PARAMETERS.has(name) && (request as Readonly<Record<string, unknown>>)[name] != null) found.push(name);
  }
  return found;
}
