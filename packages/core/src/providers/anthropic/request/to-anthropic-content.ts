import type { ContentPart } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import { decodeBase64Text, isDataUrl, parseDataUrl } from '../../kit/to-upstream.ts';

export type Block = Record<string, unknown>;

interface CacheMark {
  readonly cache_control?: { readonly type: 'ephemeral'; readonly ttl?: string | null | undefined } | null | undefined;
  readonly prompt_cache_breakpoint?: { readonly mode: string } | null | undefined;
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** The cache breakpoint of a part or tool, in either family's form (wire.md 6.7), to be spread into a block. */
export function toCacheControl({ cache_control: mark, prompt_cache_breakpoint: breakpoint }: CacheMark): Block {
  if (mark) return { cache_control: { type: mark.type, ...(mark.ttl && { ttl: mark.ttl }) } };
  return breakpoint?.mode === 'explicit' ? { cache_control: { type: 'ephemeral' } } : {};
}

/**
 * Turns content into blocks. Blank texts are left out, because this wire refuses them. Throws `invalid_request` that
 * names the part for what the wire cannot express; `path` leads to the content.
 */
export function toBlocks(content: string | readonly ContentPart[] | null | undefined, path: string): Block[] {
  if (typeof content === 'string') return isBlank(content) ? [] : [{ type: 'text', text: content }];
  const blocks: Block[] = [];
  for (const [index, part] of (content ?? []).entries()) {
    const block = toBlock(part, path, index);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

const isBlank = (text: string): boolean => text === '' || text.trim() === '';

function toBlock(part: ContentPart, path: string, index: number): Block | undefined {
  switch (part.type) {
    case 'text':
      return isBlank(part.text) ? undefined : { type: 'text', text: part.text, ...toCacheControl(part) };
    case 'image_url':
      return { ...toImage(part.image_url.url, `${path}.${index}.image_url.url`), ...toCacheControl(part) };
    case 'file':
      return { ...toDocument(part.file, `${path}.${index}.file`), ...toCacheControl(part) };
    case 'input_audio':
    case 'video_url':
    case 'input_video':
      throw refuseField(`${path}.${index}.type`, `"${part.type}" cannot be sent to this provider`);
  }
}

function toImage(url: string, path: string): Block {
  if (isWebUrl(url)) return { type: 'image', source: { type: 'url', url } };
  const data = parseDataUrl(url);
  if (data === undefined) throw refuseField(path, 'must be an http(s) URL or a data URL with data');
  if (!IMAGE_TYPES.has(data.mediaType)) {
    throw refuseField(path, `"${data.mediaType}" cannot be read by this provider; it takes JPEG, PNG, GIF and WebP`);
  }
  return { type: 'image', source: { type: 'base64', media_type: data.mediaType, data: data.base64 } };
}

type FileOfPart = Extract<ContentPart, { type: 'file' }>['file'];

function toDocument({ file_data: url, file_id: fileId, filename }: FileOfPart, path: string): Block {
  if (!url) {
    // An id names a file in one provider's account, which is the gateway's and not the caller's.
    const problem = fileId ? 'is not known to this provider; send the file itself as file_data' : 'is missing';
    throw refuseField(`${path}.${fileId ? 'file_id' : 'file_data'}`, problem);
  }
  const title = filename ? { title: filename } : {};
  if (isWebUrl(url)) return { type: 'document', source: { type: 'url', url }, ...title };
  if (isDataUrl(url) && IMAGE_TYPES.has(parseDataUrl(url)?.mediaType ?? '')) return toImage(url, `${path}.file_data`);
  const source = toDocumentSource(url, `${path}.file_data`);
  return { type: 'document', source, ...title };
}

function toDocumentSource(url: string, path: string): Block {
  const data = parseDataUrl(url);
  if (data === undefined) throw refuseField(path, 'must be an http(s) URL or a data URL with data');
  if (data.mediaType === 'application/pdf') {
    return { type: 'base64', media_type: data.mediaType, data: data.base64 };
  }
  if (data.mediaType.startsWith('text/') || data.mediaType === 'application/json') {
    const text = decodeBase64Text(data.base64);
    if (text === undefined) throw refuseField(path, 'is not valid base64');
    return { type: 'text', media_type: 'text/plain', data: text };
  }
  throw refuseField(path, `"${data.mediaType}" cannot be read by this provider; it takes PDF, text and images`);
}

const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url);
