import type { ContentPart } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import { isDataUrl, parseDataUrl } from '../../kit/to-upstream.ts';

export type Part = Record<string, unknown>;

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
export function toParts(content: string | readonly ContentPart[] | null | undefined, path: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return (content ?? []).flatMap((part, index) =>
    part.type === 'text' && part.text === '' ? [] : [toPart(part, `${path}.${index}`)],
  );
}

function toPart(part: ContentPart, path: string): Part {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'image_url':
      return toMedia(part.image_url.url, `${path}.image_url.url`);
    case 'video_url':
    case 'input_video':
      return toMedia(part.video_url.url, `${path}.video_url.url`);
    case 'file':
      return toFile(part.file, `${path}.file`);
    case 'input_audio':
      return toAudio(part.input_audio, `${path}.input_audio.data`);
  }
}

/** Turns an address into a part: a data URL is sent along, anything on the web is for upstream to fetch. */
export function toMedia(url: string, path: string): Part {
  if (!isDataUrl(url)) {
    if (!/^(https?|gs):\/\//i.test(url)) throw refuseField(path, 'must be an http(s) URL or a data URL with data');
    const mimeType = guessMimeType(url);
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
): Part {
  if (url) return toMedia(url, `${path}.file_data`);
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
