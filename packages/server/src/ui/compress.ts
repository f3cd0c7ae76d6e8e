import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { GatewayRequest, GatewayResponse } from '@model-gateway/core';

type Coding = 'br' | 'gzip';
/** The header `accept-encoding`. */
type Accepted = GatewayRequest['headers'][string];

/** Below this, the headers outweigh what is saved. */
const LEAST_BYTES = 1024;
const COMPRESSIBLE = /^(?:application\/json|text\/|image\/svg)/;

const runBrotli = promisify(brotliCompress);
const runGzip = promisify(gzip);

/** Chooses of what a client accepts (RFC 9110, 12.5.3); undefined where it names neither, or refuses them by `q=0`. */
function chooseCoding(accepted: Accepted): Coding | undefined {
  if (accepted === undefined) return undefined;
  const named = accepted
    .toString()
    .split(',')
    .flatMap((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [name];
    });
  return (['br', 'gzip'] as const).find((coding) => named.includes(coding));
}

/**
 * Compresses texts of a kilobyte or more, where the client accepts that. Bodies that arrive piece by piece stay as they
 * are: a stream must not wait for a block to fill. `file` names one that never changes:
 * it is compressed once, and better.
 */
export function compressResponse(
  response: GatewayResponse,
  accepted: Accepted,
  file?: string,
): GatewayResponse | Promise<GatewayResponse> {
  const { status, headers, body } = response;
  if (status !== 200 || (typeof body !== 'string' && !(body instanceof Uint8Array))) return response;
  if (body.length < LEAST_BYTES || !COMPRESSIBLE.test(headers['content-type'] ?? '')) return response;
  const coding = chooseCoding(accepted);
  const vary = headers['vary'];
  const varied = { ...headers, vary: vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding` };
  if (coding === undefined) return { ...response, headers: varied };
  return (file === undefined ? compress(body, coding, false) : compressOnce(body, coding, file)).then((bytes) => ({
    ...response,
    headers: { ...varied, 'content-encoding': coding },
    body: bytes,
  }));
}

/** Compressed files, by coding and name. */
const kept = new Map<string, Promise<Uint8Array>>();

function compressOnce(body: string | Uint8Array, coding: Coding, file: string): Promise<Uint8Array> {
  const key = `${coding} ${file}`;
  const found = kept.get(key) ?? compress(body, coding, true);
  kept.set(key, found);
  return found;
}

function compress(body: string | Uint8Array, coding: Coding, isKept: boolean): Promise<Uint8Array> {
  if (coding === 'gzip') return runGzip(body, { level: isKept ? 9 : 6 });
  const [quality, size] = [isKept ? 9 : 4, typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength];
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  return runBrotli(body, { params: { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: size } });
}
