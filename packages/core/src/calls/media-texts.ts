import type { Visit } from './texts.ts';

/** Heads of data URLs in which nothing but a type of media can be read. */
const PLAIN_HEAD =
  /^data:(?:image\/(?:png|jpe?g|gif|webp|heic|heif|avif|bmp|tiff)|audio\/(?:wav|x-wav|wave|mpeg|mp3|mp4|aac|ogg|opus|flac|aiff|webm|pcm|l16)|video\/(?:mp4|mpeg|mpg|webm|quicktime|mov|avi|x-msvideo|x-flv|3gpp|wmv|x-ms-wmv)|application\/(?:pdf|octet-stream|zip|msword|vnd\.(?:ms-excel|ms-powerpoint|oasis\.opendocument\.(?:text|spreadsheet|presentation)|openxmlformats-officedocument\.(?:wordprocessingml\.document|spreadsheetml\.sheet|presentationml\.presentation))))?;base64,$/i;

/** Heads of those that hold text. */
const PLAIN_TEXT_HEAD =
  /^data:(?:text\/(?:plain|html|css|csv|markdown|xml)|application\/(?:json|xml))?(?:;charset=(?:utf-8|us-ascii))?(?:;base64)?,$/i;

const TEXT_TYPE =
  /^(?:|text\/.*|application\/(?:json|x-ndjson|xml|javascript|x-javascript|typescript|yaml|x-yaml|toml|sql|rtf|x-sh|x-python)|.*\+(?:json|xml|yaml))$/;

/** Whether files of a type are texts, which models are shown as such. */
export const isTextType = (mediaType: string): boolean =>
  TEXT_TYPE.test((mediaType.split(';')[0] as string).trim().toLowerCase());

const base64 = /^[\w+/-]*={0,2}$/;
const HEAD = /^data:[^,]{0,1000},/i;

/**
 * Maps the address of a file: the text of a text file that it holds, else the address. Bytes of other files are no
 * text.
 */
export function mapDataUrl(url: string, visit: Visit): string {
  const [head] = HEAD.exec(url) ?? [];
  if (head === undefined) return visit(url, 'text');
  const isBase64 = /;\s*base64\s*,$/i.test(head);
  const isText = isTextType(head.slice('data:'.length).replace(/[;,].*$/s, ''));
  const data = url.slice(head.length);
  if (!isText && !(isBase64 && base64.test(data))) return visit(url, 'text');
  if (!PLAIN_HEAD.test(head) && !PLAIN_TEXT_HEAD.test(head)) visit(head, 'fixed', 'the type of a file');
  if (!isText) return url;
  return head + (isBase64 ? mapBase64Text(data, visit) : mapEncodedText(data, visit));
}

/** Maps the text that is encoded in base64; what is not is mapped as it is. */
export function mapBase64Text(encoded: string, visit: Visit): string {
  const decoded = decodeBase64(encoded);
  if (decoded === undefined) return visit(encoded, 'text');
  const changed = visit(decoded, 'text');
  return changed === decoded ? encoded : encodeBase64(changed);
}

function mapEncodedText(encoded: string, visit: Visit): string {
  let decoded = encoded;
  try {
    decoded = decodeURIComponent(encoded);
  } catch {
    // Upstream refuses it, or reads it as it is.
  }
  const changed = visit(decoded, 'text');
  return changed === decoded ? encoded : encodeURIComponent(changed);
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const PIECE = 0x8000;

function decodeBase64(encoded: string): string | undefined {
  try {
    const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
    return decoder.decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function encodeBase64(decoded: string): string {
  const bytes = encoder.encode(decoded);
  let binary = '';
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(binary);
}
