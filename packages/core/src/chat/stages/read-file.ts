import { GatewayError } from '../../foundation/errors.ts';
import { TransportError } from '../../foundation/transport.ts';
import { refuseField } from '../../wire/fields.ts';
import { fetchAddress, type WebAccess } from '../web/web-access.ts';
import type { ReadByProvider } from './read-by-provider.ts';

/**
 * How the pages of a PDF are read: by the text that is stored with them, or, where a page has none, by what can be made
 * out in its images, which `default` does where it can be done; or all of them by a provider.
 */
export type PdfEngine = 'default' | 'text' | 'local-ocr' | 'mistral-ocr';

interface FileSource {
  /** Path of the file in the request. */
  readonly path: string;
  readonly web: WebAccess;
  readonly engine: PdfEngine;
  readonly readByProvider: ReadByProvider;
  readonly signal: AbortSignal;
  /** Shared by the files of one request. */
  readonly room: FileRoom;
}

/** What the files of one request may still have together. */
export interface FileRoom {
  /** Bytes of files that are fetched; those in the request are bounded by the limit of its body. */
  bytes: number;
  /** Characters of their texts. */
  characters: number;
}

export interface ReadFile {
  readonly text: string;
  /** Pages that were read from their images. */
  readonly scannedPages: number;
}

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_CHARACTERS = 2_000_000;

export const createFileRoom = (): FileRoom => ({ bytes: MAX_BYTES, characters: MAX_CHARACTERS });

/** Reads the text of a file, given as a data URL or an address. Throws `invalid_request` that says where it stands. */
export async function readFile(data: string, source: FileSource): Promise<ReadFile> {
  const { type, bytes } = data.startsWith('data:') ? decodeDataUrl(data, source) : await download(data, source);
  const read = isPdf(type, bytes)
    ? await readPdf(bytes, source)
    : { text: readPlain(type, bytes, source), scannedPages: 0 };
  if (read.text.length > MAX_CHARACTERS) throw refusal(source, 'contains more text than can be read');
  source.room.characters -= read.text.length;
  if (source.room.characters < 0) {
    throw refusal(source, `is too long: files of one request have ${MAX_CHARACTERS} characters together at most`);
  }
  return read;
}

interface FileBytes {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A head that filters take for one is no longer than that either. */
const MAX_HEAD_CHARACTERS = 1000;

function decodeDataUrl(data: string, source: FileSource): FileBytes {
  const comma = data.slice(0, 'data:'.length + MAX_HEAD_CHARACTERS + 1).indexOf(',');
  if (comma === -1) throw refusal(source, 'is a data URL without a comma after its type');
  const head = data.slice('data:'.length, comma).toLowerCase();
  const body = data.slice(comma + 1);
  const [type = ''] = head.split(';', 1);
  try {
    if (!head.endsWith(';base64')) return { type, bytes: new TextEncoder().encode(decodeURIComponent(body)) };
    return { type, bytes: Uint8Array.from(atob(body), (character) => character.charCodeAt(0)) };
  } catch {
    throw refusal(source, 'is not a data URL that can be decoded');
  }
}

async function download(address: string, { path, web, signal, room }: FileSource): Promise<FileBytes> {
  if (web.transport === undefined || !/^https?:\/\//i.test(address)) {
    throw refusal({ path }, 'must be a data URL' + (web.transport === undefined ? '' : ' or an http(s) address'));
  }
  const refuse = (): GatewayError =>
    refusal({ path }, `is too large: files of one request have ${MAX_BYTES} bytes together at most`);
  if (room.bytes <= 0) throw refuse();
  try {
    const { contentType, bytes } = await fetchAddress(address, {
      transport: web.transport,
      signal,
      maxBytes: room.bytes,
    });
    // Others were fetched meanwhile.
    room.bytes -= bytes.byteLength;
    if (room.bytes < 0) throw refuse();
    return { type: contentType, bytes };
  } catch (error) {
    if (error instanceof TransportError) throw refusal({ path }, `could not be fetched: ${error.message}`);
    throw error;
  }
}

const isPdf = (type: string, bytes: Uint8Array): boolean =>
  type.startsWith('application/pdf') || String.fromCharCode(...bytes.subarray(0, 5)) === '%PDF-';

async function readPdf(bytes: Uint8Array, source: FileSource): Promise<ReadFile> {
  if (source.engine === 'mistral-ocr') {
    const read = await source.readByProvider(bytes, source.signal);
    return { text: read.join('\n\n'), scannedPages: 0 };
  }
  const pages = (await source.web.readPdf?.(bytes).catch((error: unknown) => refuseUnread(error, source))) ?? [];
  const scan = source.engine === 'text' ? [] : pagesWithoutText(pages);
  if (scan.length === 0) return { text: pages.join('\n\n'), scannedPages: 0 };
  if (scan.length > MAX_SCANNED_PAGES) throw refusal(source, `has more than ${MAX_SCANNED_PAGES} pages without text`);
  const hasText = pages.some((text) => text.trim() !== '');
  const found = await recognise(bytes, scan, { ...source, hasText });
  // A page that has hardly any text may have no images either.
  const texts = pages.map((text, index) => found.get(index + 1) || text);
  return { text: texts.join('\n\n'), scannedPages: [...found.values()].filter((text) => text !== '').length };
}

const MAX_SCANNED_PAGES = 50;
/** Scanners add a stamp or a number to a page, but seldom a sentence. */
const FEWEST_CHARACTERS = 20;

/** Counted from 1. */
const pagesWithoutText = (pages: readonly string[]): readonly number[] =>
  pages.flatMap((text, index) => (text.replace(/\s+/g, '').length < FEWEST_CHARACTERS ? [index + 1] : []));

/** The texts in the images of these pages, by their numbers. */
async function recognise(
  bytes: Uint8Array,
  pages: readonly number[],
  { web, engine, signal, hasText, ...source }: FileSource & { readonly hasText: boolean },
): Promise<ReadonlyMap<number, string>> {
  if (web.recognisePdf === undefined) return new Map();
  try {
    const texts = await web.recognisePdf(bytes, { pages, signal });
    return new Map(pages.map((page, index) => [page, texts[index] ?? '']));
  } catch (error) {
    signal.throwIfAborted();
    // Where the recogniser is not installed, or fails, a file with text on other pages is read without it, unless it was
    // named.
    if (engine === 'default' && hasText) return new Map();
    throw refuseUnread(error, source);
  }
}

/** Shows what the reader of this gateway says; what a parser says is for nobody outside. */
function refuseUnread(error: unknown, source: Pick<FileSource, 'path'>): never {
  if (error instanceof GatewayError) throw refusal(source, `cannot be read. ${error.message}`);
  throw refusal(source, 'is not a PDF that can be read');
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
