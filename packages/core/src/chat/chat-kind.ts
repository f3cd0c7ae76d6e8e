import {
  type CallBound,
  type CallKind,
  type CallNeeds,
  type CallPreferences,
  type Compression,
  minTokensOf,
  mostTokensOf,
  type RouterInput,
} from '../calls/call-kind.ts';
import { mapList, type RequestText, toVisitor } from '../calls/texts.ts';
import { PARAMETERS, TEXT_FIELDS } from '../wire/chat-parameters.ts';
import type { ChatCompletionRequest, ChatMessage } from '../wire/chat-request.ts';
import { nativeOf, type NativeRequest, withNative } from '../wire/native-request.ts';
import { CHAT_PLACES, placeOfMessage } from './chat-places.ts';
import { NATIVE_PLACES } from './native-places.ts';
import { mostTokensOfSearch } from './web/search-prompt.ts';

/** The largest known token count of an image: eight tiles of gpt-4o-mini take 48,169 tokens. */
const MOST_TOKENS_AN_IMAGE = 50_000;
/** Speech of 6 kb/s, the least that codecs offer, has 750 bytes for at most 32 tokens a second. */
const LEAST_AUDIO_BYTES_A_TOKEN = 16;
/** No model has been seen to make more images in one completion. */
const MOST_MADE = { images: 10, megapixels: 40, isAll: false };
/** Tokens that providers add to the prompt when there are tools. */
const TOKENS_FOR_TOOLS = 1000;

/**
 * Bounds a request from above. A token is at least one byte, so the request's own JSON, media left out, has more bytes
 * than its text has tokens; the punctuation around each message covers what a chat format adds to it.
 */
export function chatBoundOf(request: ChatCompletionRequest): CallBound {
  const media = { images: 0, audioTokens: 0, hasAudio: false, isUnbounded: false, characters: 0 };
  for (const message of request.messages) measureMedia(message, media);
  const { characters } = media;
  const bytes = mostTokensOf(request);
  return {
    textTokens: bytes - characters + (request.tools?.length ? TOKENS_FOR_TOOLS : 0) + mostSearchedOf(request),
    mediaTokens: media.isUnbounded ? null : media.images * MOST_TOKENS_AN_IMAGE + media.audioTokens,
    images: media.images,
    hasAudio: media.hasAudio,
    asksForAudio: request.modalities?.includes('audio') === true || request.audio != null,
    maxTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
    predictedTokens: request.prediction ? mostTokensOf(request.prediction) : 0,
    ...(request.modalities?.includes('image') === true && { made: MOST_MADE }),
  };
}

/** What a search before the call may add to the prompt. */
function mostSearchedOf(request: ChatCompletionRequest): number {
  const plugin = findPlugin(request.plugins, 'web');
  return plugin === undefined && !isOnline(request) ? 0 : mostTokensOfSearch(plugin?.['max_results']);
}

interface Media {
  images: number;
  audioTokens: number;
  hasAudio: boolean;
  isUnbounded: boolean;
  /** Length of the JSON text that is media; at most as many as its bytes. */
  characters: number;
}

function measureMedia(message: ChatMessage, media: Media): void {
  if (message.role === 'assistant') {
    media.images += message.images?.length ?? 0;
    for (const image of message.images ?? []) media.characters += JSON.stringify(image).length;
    // The message refers by id to an earlier audio completion, whose length is unknown here.
    if (message.audio) media.isUnbounded = true;
  }
  if (!Array.isArray(message.content)) return;
  for (const part of message.content) {
    switch (part.type) {
      case 'text':
        break;
      case 'image_url':
        media.images += 1;
        media.characters += part.image_url.url.length;
        break;
      case 'input_audio':
        media.hasAudio = true;
        media.characters += part.input_audio.data.length;
        media.audioTokens += Math.ceil((part.input_audio.data.length * 3) / 4 / LEAST_AUDIO_BYTES_A_TOKEN);
        break;
      case 'file':
        // The pages of a document and the length of a video are known only after decoding.
        media.isUnbounded = true;
        media.characters += part.file.file_data?.length ?? 0;
        break;
      case 'video_url':
      case 'input_video':
        media.isUnbounded = true;
        media.hasAudio = true;
        media.characters += part.video_url.url.length;
    }
  }
}

type Change = (text: RequestText) => string;
type MapTexts = (request: ChatCompletionRequest, change: Change) => ChatCompletionRequest;

/**
 * Maps the texts of a request in both of its forms: those of the chat request first, then those that the native form has
 * beside them. The native form is dropped where, with its texts changed, it would be read as another request than the
 * changed one: what a guardrail has checked is what is sent (docs/decisions/0038).
 */
function mapBothForms(
  request: ChatCompletionRequest,
  native: NativeRequest,
  { change, mapTexts }: { readonly change: Change; readonly mapTexts: MapTexts },
): ChatCompletionRequest {
  const results = new Map<string, string[]>();
  const mapped = mapTexts(request, (given) => {
    const result = change(given);
    const key = toKey(given);
    const known = results.get(key);
    if (known === undefined) results.set(key, [result]);
    else known.push(result);
    return result;
  });
  const visit = toVisitor((given) => {
    const known = results.get(toKey(given));
    // What the chat request does not have is from outside, as what a tool returns: like something the user has said.
    if (known === undefined) return change({ ...given, role: 'user' });
    // Equal texts come in the same order in both forms.
    return (known.length > 1 ? known.shift() : known[0]) as string;
  });
  const body = NATIVE_PLACES[native.form](native.body, visit) as NativeRequest['body'];
  if (mapped === request && body === native.body) return request;
  const changed = mapped === request ? { ...request } : mapped;
  return isReadAs(changed, { ...native, body }) ? withNative(changed, { ...native, body }) : changed;
}

/** A name is redacted in another way than an equal text. */
const toKey = ({ text, form }: RequestText): string => (form === 'name' ? `name ${text}` : text);

function isReadAs(request: ChatCompletionRequest, { read, body }: NativeRequest): boolean {
  try {
    return JSON.stringify(read(body)) === JSON.stringify(request);
  } catch {
    return false;
  }
}

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
  turnsOf: ({ messages }) => messages,
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

/** The texts of a chat request, in its native form, too. Whatever is not changed stays the same object. */
export function mapChatTexts(
  request: ChatCompletionRequest,
  change: (text: RequestText) => string,
): ChatCompletionRequest {
  const native = nativeOf(request);
  return native === undefined ? mapTexts(request, change) : mapBothForms(request, native, { change, mapTexts });
}

function mapTexts(request: ChatCompletionRequest, change: (text: RequestText) => string): ChatCompletionRequest {
  let changed = request;
  for (const field of TEXT_FIELDS) {
    const value = request[field];
    if (value === undefined || value === null) continue;
    const mapped =
      field === 'messages' ? mapMessages(request.messages, change) : CHAT_PLACES[field](value, toVisitor(change));
    if (mapped !== value) changed = { ...changed, [field]: mapped };
  }
  return changed;
}

type Messages = ChatCompletionRequest['messages'];

function mapMessages(messages: Messages, change: (text: RequestText) => string): Messages {
  return mapList(messages, (message) => {
    const { role } = message;
    return placeOfMessage(role)(message, toVisitor(change, role)) as typeof message;
  });
}

type Plugins = ChatCompletionRequest['plugins'];
export type Plugin = NonNullable<Plugins>[number];

/** Returns the plugin when it is requested and not switched off. */
export function findPlugin(plugins: Plugins, id: string): Plugin | undefined {
  return plugins?.find((plugin) => plugin.id === id && plugin.enabled !== false);
}

export function hasPlugin(plugins: Plugins, id: string): boolean {
  return findPlugin(plugins, id) !== undefined;
}

/** Whether one of the model slugs has the variant that searches the web first. */
export function isOnline({ model, models }: ChatCompletionRequest): boolean {
  return (model?.includes(':online') ?? false) || (models?.some((slug) => slug.includes(':online')) ?? false);
}

/** Whether a request has tools that the gateway runs. */
export function hasServerTools({ tools, plugins }: ChatCompletionRequest): boolean {
  return (tools?.some(({ type }) => type !== 'function') ?? false) || hasPlugin(plugins, 'web-fetch');
}

/** Whether the caller wants no reasoning given back (wire.md 6.6). */
export function isReasoningHidden({ reasoning, include_reasoning: included }: ChatCompletionRequest): boolean {
  return reasoning?.exclude === true || included === false;
}

/** Reads the request's options for context compression, in the present form or the older one. */
export function compressionOf({ plugins, transforms, modalities }: ChatCompletionRequest): Compression {
  if (modalities?.length && !modalities.includes('text')) return 'never';
  const plugin = plugins?.find(({ id }) => id === 'context-compression');
  if (plugin !== undefined) return plugin.enabled === false ? 'never' : 'always';
  if (transforms == null) return 'small';
  return transforms.includes('middle-out') ? 'always' : 'never';
}
