/** The content of a data URL. */
export interface DataUrl {
  /** Lower case, without parameters: `image/png`. */
  readonly mediaType: string;
  readonly base64: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Parses a data URL (RFC 2397); undefined when the text is none, or empty. Base64 is passed on unchecked: files are
 * large, and upstream checks every byte of them anyway.
 */
export function parseDataUrl(url: string): DataUrl | undefined {
  if (!isDataUrl(url)) return undefined;
  const comma = url.indexOf(',');
  if (comma < 0 || comma === url.length - 1) return undefined;
  const [type = '', ...parameters] = url.slice('data:'.length, comma).toLowerCase().split(';');
  const mediaType = type.trim() || 'text/plain';
  const data = url.slice(comma + 1);
  if (parameters.some((parameter) => parameter.trim() === 'base64')) return { mediaType, base64: data };
  try {
    return { mediaType, base64: toBase64(encoder.encode(decodeURIComponent(data))) };
  } catch {
    return undefined;
  }
}

export const isDataUrl = (url: string): boolean => url.slice(0, 5).toLowerCase() === 'data:';

/** The text that a base64 string holds as UTF-8; undefined when it is no base64. */
export function decodeBase64Text(base64: string): string | undefined {
  try {
    return decoder.decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
