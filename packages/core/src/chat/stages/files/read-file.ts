import { GatewayError } from '../../../foundation/errors.ts';
import { TransportError } from '../../../foundation/transport.ts';
import { refuseField } from '../../../wire/fields.ts';
import { fetchAddress } from '../web/fetch-address.ts';
import type { WebAccess } from '../web/web-access.ts';

export interface FileSource {
  /** Path of the file in the request. */
  readonly path: string;
  readonly web: WebAccess;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_CHARACTERS = 2_000_000;

/** Reads the text of a file, given as a data URL or an address. Throws `invalid_request` that says where it stands. */
export async function readFile(data: string, source: FileSource): Promise<string> {
  const { type, bytes } = data.startsWith('data:') ? decodeDataUrl(data, source) : await download(data, source);
  const text = isPdf(type, bytes) ? await readPdf(bytes, source) : readPlain(type, bytes, source);
  if (text.length > MAX_CHARACTERS) throw refusal(source, 'holds more text than can be read');
  return text;
}

interface FileBytes {
  readonly type: string;
  readonly bytes: Uint8Array;
}

function decodeDataUrl(data: string, source: FileSource): FileBytes {
  const [, type = '', encoding, body = ''] = /^data:([^;,]*)[^,]*?(;base64)?,([^]*)$/i.exec(data) ?? [];
  try {
    if (encoding === undefined) return { type, bytes: new TextEncoder().encode(decodeURIComponent(body)) };
    return { type: type.toLowerCase(), bytes: Uint8Array.from(atob(body), (character) => character.charCodeAt(0)) };
  } catch {
    throw refusal(source, 'is not a data URL that can be decoded');
  }
}

async function download(address: string, { path, web, signal }: FileSource): Promise<FileBytes> {
  if (web.transport === undefined || !/^https?:\/\//i.test(address)) {
    throw refusal({ path }, 'must be a data URL' + (web.transport === undefined ? '' : ' or an http(s) address'));
  }
  try {
    const { contentType, bytes } = await fetchAddress(address, {
      transport: web.transport,
      signal,
      maxBytes: MAX_BYTES,
    });
    return { type: contentType, bytes };
  } catch (error) {
    if (error instanceof TransportError) throw refusal({ path }, `could not be fetched: ${error.message}`);
    throw error;
  }
}

const isPdf = (type: string, bytes: Uint8Array): boolean =>
  type.startsWith('application/pdf') || String.fromCharCode(...bytes.subarray(0, 5)) === '%PDF-';

async function readPdf(bytes: Uint8Array, source: FileSource): Promise<string> {
  const pages = await source.web.readPdf?.(bytes).catch((error: unknown) => {
    if (error instanceof GatewayError) throw refusal(source, `cannot be read. ${error.message}`);
    throw refusal(source, 'is not a PDF that can be read');
  });
  return (pages ?? []).join('\n\n');
}

function readPlain(type: string, bytes: Uint8Array, source: FileSource): string {
  if (!/^(text\/|application\/([\w.-]+\+)?(json|xml))/.test(type)) {
    throw refusal(source, 'is neither a PDF nor text; other files cannot be read');
  }
  return new TextDecoder().decode(bytes);
}

function refusal({ path }: Pick<FileSource, 'path'>, reason: string): GatewayError {
  return refuseField(`${path}.file.file_data`, reason);
}
