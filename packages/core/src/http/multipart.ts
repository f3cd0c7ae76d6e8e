import { GatewayError } from '../foundation/errors.ts';
import { refuseEncoding } from './json-body.ts';
import { firstValue, type GatewayRequest } from './request.ts';

/** One file of a form, on its way in. */
export interface FormFile {
  /** The name of the field. */
  readonly field: string;
  readonly filename: string | undefined;
  /** As the client declares it, in lower case and without parameters; `application/octet-stream` where it does not. */
  readonly mediaType: string;
  /** The client is read only as fast as these are taken. Throws what ends the body early. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

export interface Form<File> {
  /** The values of the other fields by name, in their order. `tags[]` and `tags` are both `tags`. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** What `takeFile` made of the files, in their order. */
  readonly files: readonly { readonly field: string; readonly file: File }[];
}

const MAX_PARTS = 100;
const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_HEAD_BYTES = 16 * 1024;

/** Whether the request declares its body as a form with files. */
export const isForm = ({ headers }: Pick<GatewayRequest, 'headers'>): boolean =>
  /^multipart\/form-data\b/i.test(firstValue(headers['content-type']) ?? '');

/**
 * Reads a body of `multipart/form-data` (RFC 7578). Files are handed to `takeFile` piece by piece while they arrive,
 * one at a time; what it leaves is discarded. Throws what `takeFile` rejects with, `unsupported_media_type` for another
 * kind of body, `payload_too_large` above `limitBytes`, and `invalid_request` for a body that is not a whole form.
 */
export async function readForm<File>(
  request: Pick<GatewayRequest, 'headers' | 'openBody'>,
  limitBytes: number,
  takeFile: (file: FormFile) => Promise<File>,
): Promise<Form<File>> {
  refuseOtherBodies(request);
  const delimiter = encoder.encode(`\r\n--${boundaryOf(request)}`);
  const fields = new Map<string, readonly string[]>();
  const files: { field: string; file: File }[] = [];
  const body = createReader(request.openBody(limitBytes));
  try {
    // What stands before the first boundary, or after the last one, means nothing.
    await drain(body.upTo(delimiter));
    for (let parts = 0; await body.startsPart(); parts += 1) {
      if (parts === MAX_PARTS) throw refuse(`The form has more than ${MAX_PARTS} parts`);
      const { field, filename, mediaType } = readHead(await body.readHead());
      const rest = body.upTo(delimiter);
      if (filename === undefined && mediaType === undefined) {
        fields.set(field, [...(fields.get(field) ?? []), await readText(field, rest)]);
      } else {
        // The reader of the file may leave it early, which must not end the form.
        const pieces = { [Symbol.asyncIterator]: () => ({ next: () => rest.next() }) };
        const type = mediaType ?? 'application/octet-stream';
        files.push({ field, file: await takeFile({ field, filename, mediaType: type, pieces }) });
        await drain(rest);
      }
    }
  } finally {
    await body.close();
  }
  return { fields, files };
}

/**
 * The fields as a JSON object for a schema: text for a field that is sent once, a list of texts for one that is sent
 * several times or is in `lists`.
 */
export function toObject(
  fields: Form<unknown>['fields'],
  lists: readonly string[] = [],
): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    [...fields].map(([name, values]) => [
      name,
      values.length === 1 && !lists.includes(name) ? (values[0] ?? '') : values,
    ]),
  );
}

function refuseOtherBodies(request: Pick<GatewayRequest, 'headers'>): void {
  refuseEncoding(request.headers);
  if (isForm(request)) return;
  const type = firstValue(request.headers['content-type']) ?? '';
  throw new GatewayError(
    'unsupported_media_type',
    `Content-Type "${type.slice(0, 80)}" is not accepted; send multipart/form-data`,
  );
}

function boundaryOf({ headers }: Pick<GatewayRequest, 'headers'>): string {
  const { boundary = '' } = readParameters(firstValue(headers['content-type']) ?? '');
  if (boundary.length > 0 && boundary.length <= 200) return boundary;
  throw refuse('Content-Type has no boundary; send "multipart/form-data; boundary=…"');
}

const encoder = new TextEncoder();
const utf8 = new TextDecoder('utf-8', { fatal: true });

async function readText(field: string, pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const taken: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > MAX_FIELD_BYTES) {
      throw refuse(`The field "${field.slice(0, 80)}" of the form is larger than ${MAX_FIELD_BYTES} bytes`);
    }
    taken.push(piece);
  }
  return decode(join(taken, size), `The field "${field.slice(0, 80)}" of the form`);
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw refuse(`${what} is not valid UTF-8`, cause);
  }
}

interface PartHead {
  readonly field: string;
  readonly filename: string | undefined;
  readonly mediaType: string | undefined;
}

function readHead(bytes: Uint8Array): PartHead {
  const lines = decode(bytes, 'A header of the form').split('\r\n');
  const valueOf = (name: string): string | undefined =>
    lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1);
  const { name, filename, 'filename*': encoded } = readParameters(valueOf('content-disposition') ?? '');
  if (name === undefined) throw refuse('A part of the form has no name; send "Content-Disposition: form-data; name=…"');
  const mediaType = valueOf('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  return {
    field: name.endsWith('[]') ? name.slice(0, -2) : name,
    filename: encoded === undefined ? filename : decodeName(encoded),
    // Some clients give the type of plain fields too.
    mediaType: filename === undefined && encoded === undefined && mediaType === 'text/plain' ? undefined : mediaType,
  };
}

/** A backslash can be read in one way only: otherwise a quote that is never closed takes all combinations of ways. */
const PARAMETER = /;\s*([^\s=;"]{1,40})=(?:"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"|([^;\s]*))/g;

/** The parameters of a header, in lower case. Browsers encode quotes and line ends by percent, others by backslash. */
function readParameters(header: string): Readonly<Record<string, string | undefined>> {
  const found = header.matchAll(PARAMETER);
  return Object.fromEntries(
    Array.from(found, ([, name = '', quoted, bare = '']) => [
      name.toLowerCase(),
      quoted?.replace(/\\(["\\])/g, '$1').replace(/%(22|0D|0A)/gi, (code) => decodeURIComponent(code)) ?? bare,
    ]),
  );
}

/** `UTF-8''name` of RFC 5987. */
function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replace(/^[\w-]*'[\w-]*'/, ''));
  } catch (cause) {
    throw refuse('The name of a file in the form is not valid percent-encoding', cause);
  }
}

const refuse = (message: string, cause?: unknown): GatewayError =>
  new GatewayError('invalid_request', message, { cause, metadata: { issues: [{ path: 'body', message }] } });

const NOT_WHOLE = 'The form ends before its closing boundary; send the body whole';

/** Reads a body from one mark to the next, however it is cut. */
interface Reader {
  /** What stands before the next delimiter; reads over the delimiter. */
  readonly upTo: (delimiter: Uint8Array) => AsyncGenerator<Uint8Array, void, undefined>;
  /** Reads what follows a delimiter: true if it begins a part, false if it closes the form. */
  readonly startsPart: () => Promise<boolean>;
  /** Reads the headers of a part and the empty line after them. */
  readonly readHead: () => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}

const CR = 0x0d;
const DASH = 0x2d;
const LINE_END = encoder.encode('\r\n');
const HEAD_END = encoder.encode('\r\n\r\n');

function createReader(pieces: AsyncIterable<Uint8Array>): Reader {
  const source = pieces[Symbol.asyncIterator]();
  // The first delimiter of a form has no line end before it.
  let unread: Uint8Array = LINE_END;
  // The reader of a file may keep the error of the body to itself.
  let failure: { readonly error: unknown } | undefined;
  const readMore = async (): Promise<void> => {
    if (failure !== undefined) throw failure.error;
    const { done, value } = await source.next().catch((error: unknown) => {
      failure = { error };
      throw error;
    });
    if (done === true) throw refuse(NOT_WHOLE);
    unread = unread.length === 0 ? value : join([unread, value], unread.length + value.length);
  };
  return {
    async *upTo(delimiter) {
      for (;;) {
        const at = find(unread, delimiter);
        const end = at === -1 ? startOfBroken(unread, delimiter) : at;
        const before = unread.subarray(0, end);
        unread = unread.subarray(at === -1 ? end : end + delimiter.length);
        if (before.length > 0) yield before;
        if (at !== -1) return;
        await readMore();
      }
    },
    async startsPart() {
      while (unread.length < 2) await readMore();
      return !(unread[0] === DASH && unread[1] === DASH);
    },
    async readHead() {
      for (;;) {
        const at = find(unread, HEAD_END);
        if (at > MAX_HEAD_BYTES || (at === -1 && unread.length > MAX_HEAD_BYTES)) {
          throw refuse(`The headers of a part of the form are larger than ${MAX_HEAD_BYTES} bytes`);
        }
        if (at !== -1) {
          const head = unread.subarray(0, at);
          unread = unread.subarray(at + HEAD_END.length);
          return head;
        }
        await readMore();
      }
    },
    async close() {
      await source.return?.();
    },
  };
}

/** Where `mark`, which begins with a carriage return, first stands in `bytes`; -1 for nowhere. */
function find(bytes: Uint8Array, mark: Uint8Array): number {
  for (let at = bytes.indexOf(CR); at !== -1; at = bytes.indexOf(CR, at + 1)) {
    if (at + mark.length > bytes.length) return -1;
    let same = 1;
    while (same < mark.length && bytes[at + same] === mark[same]) same += 1;
    if (same === mark.length) return at;
  }
  return -1;
}

/**
 * Where a mark begins in the last bytes that may end in the next piece; the length of the bytes for nowhere. As a rule
 * that is so, and the next piece need not be copied to stand behind them.
 */
function startOfBroken(bytes: Uint8Array, mark: Uint8Array): number {
  const from = Math.max(0, bytes.length - mark.length + 1);
  for (let at = bytes.indexOf(CR, from); at !== -1; at = bytes.indexOf(CR, at + 1)) {
    let same = 1;
    while (at + same < bytes.length && bytes[at + same] === mark[same]) same += 1;
    if (at + same === bytes.length) return at;
  }
  return bytes.length;
}

async function drain(pieces: AsyncGenerator<Uint8Array>): Promise<void> {
  while ((await pieces.next()).done !== true);
}

function join(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
