import type { ContentPart, Model } from '@model-gateway/core/wire';

import { formatBytes } from '../../format/quantity.ts';
import { promptingMessages } from './messages.tsx';

/** Kinds of attachments to a prompt, with the names of models' input modalities. */
type AttachmentKind = 'image' | 'file' | 'audio';

export interface Attachment {
  readonly name: string;
  readonly kind: AttachmentKind;
  /** Address that contains the bytes: `data:image/png;base64,…`. */
  readonly url: string;
  readonly bytes: number;
}

/** Together a third more for base64, and still within what the gateway takes by default. */
export const MAX_BYTES = 8 * 1024 * 1024;
export const MAX_TOTAL_BYTES = 20 * 1024 * 1024;

/** Types by the extension of the file name; for audio the extension is the format, too. */
const TYPES: Readonly<Record<string, readonly [AttachmentKind, type: string]>> = {
  png: ['image', 'image/png'],
  jpg: ['image', 'image/jpeg'],
  jpeg: ['image', 'image/jpeg'],
  webp: ['image', 'image/webp'],
  gif: ['image', 'image/gif'],
  pdf: ['file', 'application/pdf'],
  wav: ['audio', 'audio/wav'],
  mp3: ['audio', 'audio/mpeg'],
  flac: ['audio', 'audio/flac'],
  ogg: ['audio', 'audio/ogg'],
  m4a: ['audio', 'audio/mp4'],
  aac: ['audio', 'audio/aac'],
  aiff: ['audio', 'audio/aiff'],
};

export const ACCEPTED = Object.keys(TYPES)
  .map((ending) => `.${ending}`)
  .join(',');

export const toLimits = (): string =>
  promptingMessages().attachments.limits(formatBytes(MAX_BYTES), formatBytes(MAX_TOTAL_BYTES));

/** The fields of a local file that are used. */
interface FileFacts {
  readonly name: string;
  /** Type from the browser; may be empty. */
  readonly type: string;
  readonly size: number;
}

/** The ending of a file that can be attached, such as `png`; undefined for any other. */
function findEnding({ name, type }: Pick<FileFacts, 'name' | 'type'>): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(TYPES, ending)) return ending;
  // Pasted images have a type and hardly a name.
  return Object.keys(TYPES).find((known) => TYPES[known]?.[1] === type);
}

/** Why these cannot go along with what is attached already; undefined where they can. */
export function findFileProblem(files: readonly FileFacts[], attached: readonly Attachment[]): string | undefined {
  const { attachments: t } = promptingMessages();
  const odd = files.find((file) => findEnding(file) === undefined);
  if (odd !== undefined) return t.unknownType(odd.name);
  const large = files.find(({ size }) => size > MAX_BYTES);
  if (large !== undefined) return t.tooLarge(large.name, formatBytes(large.size), formatBytes(MAX_BYTES));
  const total = attached.reduce((sum, { bytes }) => sum + bytes, 0) + files.reduce((sum, { size }) => sum + size, 0);
  return total > MAX_TOTAL_BYTES ? t.tooLargeTogether(formatBytes(total), formatBytes(MAX_TOTAL_BYTES)) : undefined;
}

/** An attachment of a file's facts and its bytes, which are in base64. */
export function toAttachment(file: FileFacts, base64: string): Attachment {
  const [kind, type] = TYPES[findEnding(file) ?? ''] ?? ['file', 'application/octet-stream'];
  return { name: file.name, kind, url: `data:${type};base64,${base64}`, bytes: file.size };
}

/** The part of a message that carries it, as the API spells it. */
export function toContentPart({ name, kind, url }: Attachment): ContentPart {
  switch (kind) {
    case 'image':
      return { type: 'image_url', image_url: { url } };
    case 'file':
      return { type: 'file', file: { filename: name, file_data: url } };
    case 'audio': {
      const type = url.slice('data:'.length, url.indexOf(';'));
      const format = findEnding({ name, type }) ?? '';
      return { type: 'input_audio', input_audio: { data: url.slice(url.indexOf(',') + 1), format } };
    }
  }
}

/** Attachment of a stored part that holds the bytes; undefined for texts and for addresses. */
export function fromContentPart(part: unknown): Attachment | undefined {
  const { image_url: image, file, input_audio: audio } = (part ?? {}) as StoredPart;
  const type = audio === undefined ? undefined : TYPES[audio.format ?? '']?.[1];
  const url = image?.url ?? file?.file_data ?? (type && `data:${type};base64,${audio?.data}`);
  const [, given, base64] = /^data:([\w/+.-]+);base64,(.*)$/s.exec(url ?? '') ?? [];
  const ending = findEnding({ name: file?.filename ?? '', type: given ?? '' });
  if (base64 === undefined || ending === undefined) return undefined;
  const size = Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
  return toAttachment({ name: file?.filename ?? `attached.${ending}`, type: given ?? '', size }, base64);
}

/** The part was written by another program: any field may be missing. */
interface StoredPart {
  readonly image_url?: { readonly url?: string };
  readonly file?: { readonly filename?: string; readonly file_data?: string };
  readonly input_audio?: { readonly data?: string; readonly format?: string };
}

type ModelInputs = Pick<Model, 'id'> & { readonly architecture: Pick<Model['architecture'], 'input_modalities'> };

/** The models that, by the catalog, do not take what is attached, with what they do not take. */
export function findUnsupported(models: readonly ModelInputs[], attached: readonly Attachment[]): string[] {
  const kinds = [...new Set(attached.map(({ kind }) => kind))];
  return models.flatMap(({ id, architecture }) => {
    const missing = kinds.filter((kind) => !architecture.input_modalities.includes(kind));
    return missing.length === 0 ? [] : [promptingMessages().attachments.unsupported(id, missing)];
  });
}
