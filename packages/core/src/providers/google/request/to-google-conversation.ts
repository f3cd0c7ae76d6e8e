import type { ChatMessage, ContentPart, ReasoningDetail, ToolCall } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import { isDataUrl, parseDataUrl } from '../../kit/to-upstream.ts';
import type { GeminiTraits } from '../models.ts';
import { REASONING_FORMAT } from '../reasoning-details.ts';
import { parseJsonObject } from '../response/function-calls.ts';

interface Content {
  readonly role: 'user' | 'model';
  readonly parts: Part[];
}

interface Conversation {
  /** Absent without instructions. */
  readonly systemInstruction?: { readonly parts: Part[] };
  readonly contents: Content[];
}

/** What a conversation depends on. */
interface ConversationTraits extends GeminiTraits {
  /** A file at an address is refused without its type. */
  readonly needsFileTypes: boolean;
}

type Speaker = 'user' | 'model' | 'tools';
type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

/**
 * Moves system and developer messages to the instruction, in order; without other messages they are the prompt.
 * Neighbours of one role become one turn, but function results stay separate from the user's next message, because the
 * wire requires as many results as calls. Throws `invalid_request` that names what cannot be expressed.
 */
export function toGoogleConversation(messages: readonly ChatMessage[], traits: ConversationTraits): Conversation {
  const instruction: Part[] = [];
  const contents: Content[] = [];
  const names = new Map<string, string>();
  let last: Speaker | undefined;
  const add = (speaker: Speaker, parts: readonly Part[]): void => {
    if (parts.length === 0) return;
    if (speaker === last) contents.at(-1)?.parts.push(...parts);
    else contents.push({ role: speaker === 'model' ? 'model' : 'user', parts: [...parts] });
    last = speaker;
  };

  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    switch (message.role) {
      case 'system':
      case 'developer':
        instruction.push(...toParts(message.content, `${path}.content`, traits));
        break;
      case 'user':
        add('user', toParts(message.content, `${path}.content`, traits));
        break;
      case 'assistant':
        for (const call of message.tool_calls ?? []) names.set(call.id, call.function.name);
        add('model', toModelParts(message, path, traits));
        break;
      case 'tool':
        add('tools', toResultParts(message, { path, names, traits }));
        break;
    }
  }
  if (contents.length === 0 && instruction.length === 0) {
    throw refuseField('messages', 'must have a message that is not empty for this provider');
  }
  if (contents.length === 0) return { contents: [{ role: 'user', parts: instruction }] };
  return { ...(instruction.length > 0 && { systemInstruction: { parts: instruction } }), contents };
}

interface ResultContext {
  readonly path: string;
  /** Names of functions by the ids of their calls. */
  readonly names: ReadonlyMap<string, string>;
  readonly traits: ConversationTraits;
}

/** Results are matched to calls by name on this wire, and must be objects. */
function toResultParts(message: ToolMessage, { path, names, traits }: ResultContext): Part[] {
  const name = names.get(message.tool_call_id) ?? message.name;
  if (!name) {
    throw refuseField(
      `${path}.tool_call_id`,
      `"${message.tool_call_id}" does not match a tool call in an earlier message`,
    );
  }
  const parts = toParts(message.content, `${path}.content`, traits);
  const media = parts.filter(({ text }) => typeof text !== 'string');
  const text = parts.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('');
  const response = parseJsonObject(text) ?? { output: text };
  const isNested = traits.hasMediaInResults && media.length > 0;
  const functionResponse = { id: message.tool_call_id, name, response, ...(isNested && { parts: media }) };
  return [{ functionResponse }, ...(isNested ? [] : media)];
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/**
 * The signature that Google's guide to thought signatures defines for calls of other models, or of clients that do not
 * keep reasoning details. Without it such a conversation is refused.
 */
export const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';

/** The signatures of one message, each to be sent back with its part. */
interface Signatures {
  readonly byId: ReadonlyMap<string, string>;
  /** Signatures of texts, in order. */
  readonly ofTexts: string[];
}

/**
 * Converts an assistant's message to parts: signed thoughts, text, images, calls. Thoughts without a signature are left
 * out, because a model ignores them. Throws `invalid_request` that names what cannot be expressed.
 */
function toModelParts(message: AssistantMessage, path: string, traits: ConversationTraits): Part[] {
  const details = (message.reasoning_details ?? []).filter(({ format }) => format === REASONING_FORMAT);
  const signatures = readSignatures(details);
  const text = toParts(message.content, `${path}.content`, traits);
  const said = text.length > 0 ? text : toParts(message.refusal, `${path}.refusal`);
  const images = (message.images ?? []).map((image, index) => toImagePart(image, index, { path, signatures, traits }));
  const calls = (message.tool_calls ?? []).map((call, index) =>
    toCallPart(call, `${path}.tool_calls.${index}`, signatures),
  );
  const parts = [...toThoughts(details), ...withTextSignatures(said, signatures, calls), ...images, ...calls];
  if (traits.needsSignatures) calls.slice(0, 1).forEach((call) => (call['thoughtSignature'] ??= FOREIGN_SIGNATURE));
  return parts;
}

function readSignatures(details: readonly ReasoningDetail[]): Signatures {
  const byId = new Map<string, string>();
  const ofTexts: string[] = [];
  for (const { type, id, data } of details) {
    if (type !== 'reasoning.encrypted' || typeof data !== 'string' || data === '') continue;
    if (typeof id === 'string') byId.set(id, data);
    else ofTexts.push(data);
  }
  return { byId, ofTexts };
}

/** A client that reads a stream may send back the pieces of one thought separately; the last has the signature. */
function toThoughts(details: readonly ReasoningDetail[]): Part[] {
  const thoughts: Part[] = [];
  let text = '';
  for (const detail of details) {
    if (detail.type !== 'reasoning.text') {
      text = '';
      continue;
    }
    if (typeof detail['text'] === 'string') text += detail['text'];
    if (typeof detail['signature'] !== 'string' || detail['signature'] === '') continue;
    thoughts.push({ text, thought: true, thoughtSignature: detail['signature'] });
    text = '';
  }
  return thoughts;
}

/** The first signature is put on the text, else on the first call; others into empty parts, as in streams. */
function withTextSignatures(said: readonly Part[], { ofTexts }: Signatures, calls: readonly Part[]): Part[] {
  const [first, ...others] = ofTexts;
  if (first === undefined) return [...said];
  const [firstCall] = calls;
  if (said.length === 0 && firstCall !== undefined && firstCall['thoughtSignature'] === undefined) {
    firstCall['thoughtSignature'] = first;
    return others.map(toEmptyPart);
  }
  const last = said.at(-1);
  const signed = last === undefined ? toEmptyPart(first) : { ...last, thoughtSignature: first };
  return [...said.slice(0, -1), signed, ...others.map(toEmptyPart)];
}

const toEmptyPart = (thoughtSignature: string): Part => ({ text: '', thoughtSignature });

interface ImageContext {
  readonly path: string;
  readonly signatures: Signatures;
  readonly traits: FileTraits;
}

function toImagePart(
  { image_url: image }: Record<string, unknown>,
  index: number,
  { path, signatures, traits }: ImageContext,
): Part {
  const url = typeof image === 'object' && image !== null && 'url' in image ? image.url : undefined;
  const part = toMedia(
    typeof url === 'string' ? url : '',
    `${path}.images.${index}.image_url.url`,
    typeFor('image', traits),
  );
  return withSignature(part, signatures.byId.get(`image_${index}`));
}

function toCallPart({ id, function: called }: ToolCall, path: string, { byId }: Signatures): Part {
  const args = called.arguments.trim() === '' ? {} : parseJsonObject(called.arguments);
  if (args === undefined) {
    throw refuseField(`${path}.function.arguments`, 'must be a JSON object, not nested deeper than 100 levels');
  }
  return withSignature({ functionCall: { id, name: called.name, args } }, byId.get(id));
}

const withSignature = (part: Part, thoughtSignature: string | undefined): Part =>
  thoughtSignature === undefined ? part : { ...part, thoughtSignature };

type Part = Record<string, unknown>;

/** File types by the ends of addresses (the types that Google's file guides list). */
const MIME_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  json: 'application/json',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  css: 'text/css',
  csv: 'text/csv',
  xml: 'text/xml',
  rtf: 'text/rtf',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  aiff: 'audio/aiff',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  m4a: 'audio/m4a',
  mp4: 'video/mp4',
  mpeg: 'video/mpeg',
  mpg: 'video/mpg',
  mov: 'video/mov',
  avi: 'video/avi',
  flv: 'video/x-flv',
  webm: 'video/webm',
  wmv: 'video/wmv',
  '3gp': 'video/3gpp',
};

/**
 * Turns content into parts. Empty texts are left out, because this wire refuses them. Throws `invalid_request` that
 * names the part for what cannot be expressed; `path` leads to the content.
 */
export function toParts(
  content: string | readonly ContentPart[] | null | undefined,
  path: string,
  traits: FileTraits = { needsFileTypes: false },
): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return (content ?? []).flatMap((part, index) =>
    part.type === 'text' && part.text === '' ? [] : [toPart(part, `${path}.${index}`, traits)],
  );
}

type FileTraits = Pick<ConversationTraits, 'needsFileTypes'>;

/** The likeliest type of a file whose address does not show it. */
const USUAL_TYPES = { image: 'image/jpeg', video: 'video/mp4', file: 'application/pdf' } as const;

const typeFor = (kind: keyof typeof USUAL_TYPES, { needsFileTypes }: FileTraits): string | undefined =>
  needsFileTypes ? USUAL_TYPES[kind] : undefined;

function toPart(part: ContentPart, path: string, traits: FileTraits): Part {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'image_url':
      return toMedia(part.image_url.url, `${path}.image_url.url`, typeFor('image', traits));
    case 'video_url':
    case 'input_video':
      return toMedia(part.video_url.url, `${path}.video_url.url`, typeFor('video', traits));
    case 'file':
      return toFile(part.file, `${path}.file`, traits);
    case 'input_audio':
      return toAudio(part.input_audio, `${path}.input_audio.data`);
  }
}

/** Turns an address into a part: a data URL is sent along, anything on the web is for upstream to fetch. */
function toMedia(url: string, path: string, usualType?: string): Part {
  if (!isDataUrl(url)) {
    if (!/^(https?|gs):\/\//i.test(url)) throw refuseField(path, 'must be an http(s) URL or a data URL with data');
    const mimeType = guessMimeType(url) ?? usualType;
    return { fileData: { fileUri: url, ...(mimeType !== undefined && { mimeType }) } };
  }
  const data = parseDataUrl(url);
  if (data === undefined) throw refuseField(path, 'must be an http(s) URL or a data URL with data');
  return { inlineData: { mimeType: data.mediaType, data: data.base64 } };
}

/** Undefined where the address does not show the type; upstream then detects it, as it does for video pages. */
function guessMimeType(url: string): string | undefined {
  const extension = /\.([a-z\d]+)$/i.exec(url.replace(/[?#].*$/s, ''))?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(MIME_TYPES, extension) ? MIME_TYPES[extension] : undefined;
}

function toFile(
  { file_data: url, file_id: fileId }: Extract<ContentPart, { type: 'file' }>['file'],
  path: string,
  traits: FileTraits,
): Part {
  if (url) return toMedia(url, `${path}.file_data`, typeFor('file', traits));
  // An id names a file in one provider's account, which is the gateway's and not the caller's.
  if (fileId) throw refuseField(`${path}.file_id`, 'is not known to this provider; send the file itself as file_data');
  throw refuseField(`${path}.file_data`, 'is missing');
}

function toAudio({ data, format }: { readonly data: string; readonly format: string }, path: string): Part {
  if (isDataUrl(data)) return toMedia(data, path);
  if (data === '') throw refuseField(path, 'must not be empty');
  const mimeType = format === 'pcm16' ? 'audio/pcm' : `audio/${format.toLowerCase()}`;
  return { inlineData: { mimeType, data } };
}
