import { refuseField } from '../wire/fields.ts';

/** A part of a message that names a stored file by its id. */
export interface FilePart {
  readonly fileId: string;
  /** Path of the id within the part. */
  readonly idPath: string;
  readonly part: Json;
  readonly form: 'chat' | 'messages' | 'responses';
}

/** The content of a file: as text where it is one, in base64 otherwise. */
export interface FileText {
  readonly mimeType: string;
  readonly filename: string;
  readonly text: string;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const isOwnId = (id: unknown): id is string => typeof id === 'string' && id.startsWith('or_file_');

/** Null for a part that names none of the gateway's files. */
export function findFilePart(part: unknown): FilePart | null {
  if (!isObject(part)) return null;
  switch (part['type']) {
    case 'file': {
      const { file } = part;
      if (!isObject(file) || !isOwnId(file['file_id'])) return null;
      return { fileId: file['file_id'], idPath: 'file.file_id', part, form: 'chat' };
    }
    case 'input_file':
    case 'input_image': {
      const { file_id: fileId } = part;
      return isOwnId(fileId) ? { fileId, idPath: 'file_id', part, form: 'responses' } : null;
    }
    case 'document':
    case 'image': {
      const { source } = part;
      if (!isObject(source) || source['type'] !== 'file' || !isOwnId(source['file_id'])) return null;
      return { fileId: source['file_id'], idPath: 'source.file_id', part, form: 'messages' };
    }
    default:
      return null;
  }
}

const kindOf = ({ mimeType }: FileText): 'image' | 'audio' | 'text' | 'document' =>
  mimeType.startsWith('image/')
    ? 'image'
    : mimeType.startsWith('audio/')
      ? 'audio'
      : /^text\/|json$/.test(mimeType)
        ? 'text'
        : 'document';

/** The part with the content in the place of the id, as each format has it. Throws `invalid_request`. */
export function withContent({ form, part }: FilePart, content: FileText, path: string): Json {
  if (form === 'chat') return toChatPart(part, content);
  return form === 'messages' ? toBlock(part, content, path) : toInput(part, content, path);
}

const toDataUrl = ({ mimeType, text }: FileText): string => `data:${mimeType};base64,${text}`;

/** As the texts of files are written that the gateway has read itself. */
const toNamedText = (name: string, text: string): string => `<file name=${JSON.stringify(name)}>\n${text}\n</file>`;

const AUDIO_FORMATS: Readonly<Record<string, string>> = { 'audio/mpeg': 'mp3' };

const toAudio = ({ mimeType, text }: FileText): Json => ({
  type: 'input_audio',
  input_audio: { data: text, format: AUDIO_FORMATS[mimeType] ?? mimeType.slice('audio/'.length) },
});

const nameOf = (name: unknown, { filename }: FileText): string =>
  typeof name === 'string' && name !== '' ? name : filename;

function toChatPart({ file, cache_control: mark }: Json, content: FileText): Json {
  const filename = nameOf(isObject(file) ? file['filename'] : undefined, content);
  const marked = mark === undefined ? {} : { cache_control: mark };
  switch (kindOf(content)) {
    case 'image':
      return { type: 'image_url', image_url: { url: toDataUrl(content) }, ...marked };
    case 'audio':
      return toAudio(content);
    case 'text':
      return { type: 'text', text: toNamedText(filename, content.text), ...marked };
    case 'document':
      return { type: 'file', file: { filename, file_data: toDataUrl(content) }, ...marked };
  }
}

function toBlock(block: Json, content: FileText, path: string): Json {
  const kind = kindOf(content);
  const base64 = { type: 'base64', media_type: content.mimeType, data: content.text };
  if (block['type'] === 'image' || kind === 'image') {
    if (kind !== 'image') throw refuseField(path, 'is not an image');
    const { cache_control: mark } = block;
    return { type: 'image', source: base64, ...(mark !== undefined && { cache_control: mark }) };
  }
  if (kind === 'audio') throw refuseField(path, 'is audio, which this format has no place for');
  const title = nameOf(block['title'], content);
  const source = kind === 'text' ? { type: 'text', media_type: 'text/plain', data: content.text } : base64;
  return { ...block, title, source };
}

function toInput(part: Json, content: FileText, path: string): Json {
  const kind = kindOf(content);
  const { file_id: _, ...others } = part;
  if (part['type'] === 'input_image' && kind !== 'image') throw refuseField(path, 'is not an image');
  const filename = nameOf(part['filename'], content);
  switch (kind) {
    case 'image': {
      const url = { image_url: toDataUrl(content) };
      return part['type'] === 'input_image' ? { ...others, ...url } : { type: 'input_image', detail: 'auto', ...url };
    }
    case 'audio':
      return toAudio(content);
    case 'text':
      return { type: 'input_text', text: toNamedText(filename, content.text) };
    case 'document':
      return { ...others, filename, file_data: toDataUrl(content) };
  }
}
