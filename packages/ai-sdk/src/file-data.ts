import { readPieces, type Transport } from '@model-gateway/core';
import { decodeBase64, type FetchLimits, refuseField, toBase64Pieces } from '@model-gateway/core/providers/kit';

import type { OpenAddress } from './to-prompt.ts';

const decoder = new TextDecoder();

/** Base64 of bytes; packages give either. */
export const toBase64 = (data: string | Uint8Array): string =>
  typeof data === 'string' ? data : Array.from(toBase64Pieces([data]), (piece) => decoder.decode(piece)).join('');

/** Bytes of base64; packages give either. */
export const toBytes = (data: string | Uint8Array): Uint8Array =>
  typeof data === 'string' ? decodeBase64(data) : data;

/** What a model reads from addresses by itself: patterns by media type, as the specification has them. */
export type SupportedUrls = Readonly<Record<string, readonly RegExp[]>>;

/** Whether a model reads an address of a media type by itself. `image/*` stands for any picture. */
function readsAddress(supported: SupportedUrls, url: string, mediaType: string): boolean {
  const [family = ''] = mediaType.split('/');
  return Object.entries(supported).some(([type, patterns]) => {
    const fits = type === '*' || type === '*/*' || type === mediaType || type.split('/')[0] === family;
    return fits && patterns.some((pattern) => pattern.test(url));
  });
}

/** More than any model takes as one file. */
const MAX_BYTES = 32 * 1024 * 1024;

interface Downloading {
  readonly supported: SupportedUrls;
  /** For addresses that callers name; without one the package must cope with them. */
  readonly downloads: Transport | undefined;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
}

/** Creates what fetches files that a model does not fetch by itself. Fails with `invalid_request` where it cannot. */
export function createOpenAddress({ supported, downloads, limits, signal }: Downloading): OpenAddress {
  return async (url, mediaType, path) => {
    const address = URL.parse(url);
    if (address === null || !/^https?:$/.test(address.protocol)) {
      throw refuseField(path, 'must be an http or https address, or a data URL');
    }
    if (downloads === undefined || readsAddress(supported, url, mediaType)) return { mediaType, data: address };
    const { headersMs = 30_000, idleMs = headersMs, totalMs = headersMs } = limits;
    try {
      const response = await downloads.send({
        method: 'GET',
        url: address.href,
        headers: {},
        signal,
        headersTimeoutMs: headersMs,
        idleTimeoutMs: idleMs,
        totalTimeoutMs: totalMs,
        maxBodyBytes: MAX_BYTES,
      });
      if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
      const type = response.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
      return { mediaType: type ?? mediaType, data: await readPieces(response.body) };
    } catch (error) {
      signal.throwIfAborted();
      throw refuseField(path, 'cannot be fetched, and this provider takes no addresses', error);
    }
  };
}
