import type { ChatMessage, ContentPart, ReasoningDetail, ToolCall } from '../../wire/chat-request.ts';
import { refuseField } from '../../wire/fields.ts';
import type { GeminiContent, GeminiPart, GeminiRequest } from '../../wire/gemini.ts';
import { GEMINI_FORMAT, openSignature } from './signatures.ts';
import type { ToolNames } from './tool-names.ts';

type TextPart = Extract<ContentPart, { type: 'text' }>;
type Conversation = Pick<GeminiRequest, 'systemInstruction' | 'contents'>;

/** Calls of functions, whose ids may be missing. */
interface Calls {
  readonly names: ToolNames;
  /** Notes a call; returns its id. */
  note(call: NonNullable<GeminiPart['functionCall']>): string;
  /** The id of the call that a result belongs to. Throws `invalid_request` when there is none. */
  take(result: NonNullable<GeminiPart['functionResponse']>, path: string): string;
}

/**
 * Converts the instruction and the contents. Every text stays a text of its own, so that what a guardrail does to one is
 * done to the same text in both forms. Parts that only Google's models know are left out.
 */
export function toChatMessages({ systemInstruction, contents }: Conversation, names: ToolNames): ChatMessage[] {
  const said: ChatMessage[] = [];
  const calls = createCalls(contents, names);
  const instruct = ({ parts }: GeminiContent): void => {
    const texts = (parts ?? []).flatMap(({ text }) => (text ? [toText(text)] : []));
    if (texts.length > 0) said.push({ role: 'system', content: toPlain(texts) });
  };
  if (systemInstruction) instruct(systemInstruction);
  for (const [index, content] of contents.entries()) {
    if (content.role === 'system') instruct(content);
    else if (content.role === 'model') {
      if (contents[index + 1]?.role !== 'model') addModelTurn(said, modelPartsUpTo(index, contents), calls);
    } else addUserTurn(said, content, { calls, path: `contents.${index}` });
  }
  return said;
}

/** A result without an id, or with one that no call has, belongs to the first call of its function without a result. */
function createCalls(contents: readonly GeminiContent[], names: ToolNames): Calls {
  let open: { readonly id: string; readonly name: string }[] = [];
  const given = new Set(contents.flatMap(({ parts }) => parts?.map(({ functionCall: call }) => call?.id) ?? []));
  let number = 0;
  const makeId = (): string => {
    do number += 1;
    while (given.has(`call_${number}`));
    return `call_${number}`;
  };
  return {
    names,
    note({ id, name }) {
      const known = id || makeId();
      open.push({ id: known, name });
      return known;
    },
    take({ id, name }, path) {
      const found = open.find((call) => call.id === id) ?? open.find((call) => call.name === name);
      if (found === undefined) throw refuseField(path, 'is the result of no function call before it');
      open = open.filter((call) => call !== found);
      return found.id;
    },
  };
}

/** A single text is a plain one, which every upstream takes. */
function toPlain<Part extends ContentPart>(parts: readonly Part[]): string | Part[] {
  const [only, ...others] = parts;
  return only?.type === 'text' && others.length === 0 ? only.text : [...parts];
}

const toText = (text: string): TextPart => ({ type: 'text', text });

/** Results become messages of their own, before the rest of the turn; their media go on to that rest. */
function addUserTurn(
  said: ChatMessage[],
  { parts }: GeminiContent,
  { calls, path }: { readonly calls: Calls; readonly path: string },
): void {
  const content: ContentPart[] = [];
  for (const [index, part] of (parts ?? []).entries()) {
    const { functionResponse: result } = part;
    if (!result) {
      content.push(...toParts(part));
      continue;
    }
    said.push({
      role: 'tool',
      tool_call_id: calls.take(result, `${path}.parts.${index}.functionResponse`),
      content: toResultText(result.response ?? {}),
    });
    for (const medium of result.parts ?? []) content.push(...toParts(medium));
  }
  if (content.length > 0) said.push({ role: 'user', content: toPlain(content) });
}

/** The one text of a result without other members, as these clients send the output of a tool; else JSON. */
function toResultText(response: Readonly<Record<string, unknown>>): string {
  const [only, ...others] = Object.entries(response);
  const isText = only?.[0] === 'output' && typeof only[1] === 'string' && others.length === 0;
  return isText ? (only[1] as string) : JSON.stringify(response);
}

/** The parts of a turn. Google's own client sends each piece of a stream as a content of its own. */
function modelPartsUpTo(last: number, contents: readonly GeminiContent[]): readonly GeminiPart[] {
  let first = last;
  while (contents[first - 1]?.role === 'model') first -= 1;
  const joined: GeminiPart[] = [];
  for (const { parts } of contents.slice(first, last + 1)) {
    const [start, ...others] = parts ?? [];
    if (start === undefined) continue;
    const before = joined.at(-1);
    if (before !== undefined && isPlainText(before) && isPlainText(start)) {
      joined[joined.length - 1] = { text: `${before.text ?? ''}${start.text ?? ''}` };
    } else joined.push(start);
    joined.push(...others);
  }
  return joined;
}

const isPlainText = (part: GeminiPart): boolean => typeof part.text === 'string' && Object.keys(part).length === 1;

function addModelTurn(said: ChatMessage[], parts: readonly GeminiPart[], calls: Calls): void {
  const texts: TextPart[] = [];
  const images: Record<string, unknown>[] = [];
  const made: ToolCall[] = [];
  const signed: ReasoningDetail[] = [];
  /** Thoughts without a signature; the gateway's own signatures have them, too. */
  const unsigned: ReasoningDetail[] = [];
  let hasOwn = false;

  for (const part of parts) {
    const { text, thought, thoughtSignature: signature, functionCall: call, inlineData: blob } = part;
    const opened = signature ? openSignature(signature) : [];
    let id: string | null = null;
    if (call) {
      id = calls.note(call);
      made.push({
        id,
        type: 'function',
        function: { name: calls.names.toChat(call.name), arguments: JSON.stringify(call.args ?? {}) },
      });
    } else if (blob?.mimeType?.startsWith('image/') === true && thought !== true) {
      id = `image_${images.length}`;
      images.push({ type: 'image_url', image_url: { url: `data:${blob.mimeType};base64,${blob.data}` } });
    } else if (text && thought === true) {
      const detail = { type: 'reasoning.text', text, index: signed.length + unsigned.length };
      if (signature && opened === null) signed.push({ ...detail, signature, format: GEMINI_FORMAT });
      else unsigned.push({ ...detail, format: 'unknown' });
    } else if (text) texts.push(toText(text));
    if (opened !== null && opened.length > 0) {
      hasOwn = true;
      signed.push(...opened);
    } else if (opened === null && signature && thought !== true) {
      const index = signed.length + unsigned.length;
      signed.push({ type: 'reasoning.encrypted', data: signature, id, format: GEMINI_FORMAT, index });
    }
  }

  const details = hasOwn ? signed : [...unsigned, ...signed];
  if (texts.length + images.length + made.length + details.length === 0) return;
  said.push({
    role: 'assistant',
    content: texts.length === 0 ? null : toPlain(texts),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(made.length > 0 && { tool_calls: made }),
    ...(images.length > 0 && { images }),
  });
}

function toParts({ text, inlineData: blob, fileData: file }: GeminiPart): ContentPart[] {
  if (text) return [toText(text)];
  if (blob) return [toMedium(blob.mimeType ?? '', { data: blob.data })];
  return file ? [toMedium(file.mimeType ?? '', { url: file.fileUri })] : [];
}

/** Bytes in base64, or the address of a file. */
type Source = { readonly data: string; readonly url?: never } | { readonly url: string; readonly data?: never };

const VIDEO_PAGE = /^https?:\/\/(?:www\.|m\.)?(?:youtube\.com|youtu\.be)\//i;

function toMedium(mimeType: string, source: Source): ContentPart {
  const url = source.url ?? `data:${mimeType};base64,${source.data}`;
  const [kind = ''] = mimeType.split('/');
  if (kind === 'image') return { type: 'image_url', image_url: { url } };
  if (kind === 'video' || (source.url !== undefined && VIDEO_PAGE.test(url))) {
    return { type: 'video_url', video_url: { url } };
  }
  // Chat completions have sound as bytes alone.
  if (kind === 'audio' && source.data !== undefined) {
    return { type: 'input_audio', input_audio: { data: source.data, format: toAudioFormat(mimeType) } };
  }
  return { type: 'file', file: { filename: `file.${toExtension(mimeType)}`, file_data: url } };
}

/** Names of formats in chats that differ from those in media types. */
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['mpeg', 'mp3'],
  ['x-wav', 'wav'],
  ['wave', 'wav'],
  ['l16', 'pcm16'],
  ['pcm', 'pcm16'],
]);

function toAudioFormat(mimeType: string): string {
  const subtype = toExtension(mimeType);
  return AUDIO_FORMATS.get(subtype) ?? subtype;
}

const toExtension = (mimeType: string): string =>
  ((mimeType.split(';')[0] as string).split('/')[1] ?? '').trim().toLowerCase() || 'bin';
