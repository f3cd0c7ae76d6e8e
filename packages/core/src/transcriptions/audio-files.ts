import { GatewayError } from '../foundation/errors.ts';
import { createBase64Lifter } from '../foundation/lift-base64.ts';
import { readJsonBody } from '../http/json-body.ts';
import { type FormFile, isForm, readForm, toObject } from '../http/multipart.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { AudioFile } from '../providers/audio-contract.ts';
import type { StoredFile } from '../stores/files.ts';
import { refuseField } from '../wire/fields.ts';

/** The most that a form may have, as by the public API. */
const MAX_FILE_BYTES = 25 * 1024 * 1024;
/** Fields and boundaries of a form, beside its file. */
const ROOM_BYTES = 1024 * 1024;
/** A file that is stored already may be as large as in JSON. */
const MAX_STORED_BYTES = 50 * 1024 * 1024;
/** Larger files may come in JSON, as base64. */
const MAX_JSON_BYTES = 68 * 1024 * 1024;

/** Formats of audio by their media type, where it does not name them. */
const FORMAT_OF_TYPE: ReadonlyMap<string, string> = new Map([
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
  ['audio/x-m4a', 'm4a'],
  ['audio/wave', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/vnd.wave', 'wav'],
  ['audio/x-flac', 'flac'],
]);

const TYPE_OF_FORMAT: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['oga', 'audio/ogg'],
]);

/** A request for a transcription: its audio, and everything else, not checked yet. */
export interface ReadAudio {
  readonly fields: Record<string, unknown>;
  readonly audio: AudioFile;
}

/** Opens a stored file of the caller; rejects with what is wrong with its id at `path`. */
export type OpenStoredAudio = (
  id: string,
  path: string,
) => Promise<{ readonly file: Pick<StoredFile, 'mimeType' | 'bytes'>; readonly read: () => AsyncIterable<Uint8Array> }>;

/**
 * Reads a request with audio, as a form or as JSON with base64, or with the id of a stored file in either. The audio is held once, as bytes, and nothing else of it.
 * Throws `invalid_request` for a request without audio, and what reading a body throws.
 */
export const readAudio = (request: GatewayRequest, openStored: OpenStoredAudio): Promise<ReadAudio> =>
  isForm(request) ? readAudioForm(request, openStored) : readAudioJson(request, openStored);

async function readAudioForm(request: GatewayRequest, openStored: OpenStoredAudio): Promise<ReadAudio> {
  const { fields, files } = await readForm(request, MAX_FILE_BYTES + ROOM_BYTES, takeFile);
  const sent = files.find(({ field }) => field === 'file')?.file;
  const { file_id: fileId, ...others } = toObject(fields, ['timestamp_granularities']);
  if (sent !== undefined && fileId !== undefined) throw refuseField('file_id', 'must not be sent beside a file');
  if (sent === undefined && fileId === undefined) {
    throw refuseField('file', 'is missing: send the audio as a file of the form');
  }
  const audio = sent ?? (await readStored(String(fileId), 'file_id', openStored));
  const { stream, temperature, provider, trace, ...texts } = others;
  return {
    fields: {
      ...texts,
      ...(stream !== undefined && { stream: WORDS.get(stream) ?? stream }),
      ...(temperature !== undefined && { temperature: Number(temperature) }),
      ...(provider !== undefined && { provider: parseField('provider', provider) }),
      ...(trace !== undefined && { trace: parseField('trace', trace) }),
    },
    audio,
  };
}

const WORDS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Objects come as JSON in a field. */
function parseField(field: string, text: string | readonly string[]): unknown {
  try {
    return JSON.parse(String(text));
  } catch (cause) {
    throw refuseField(field, 'must be JSON', cause);
  }
}

async function takeFile({ field, filename, mediaType, pieces }: FormFile): Promise<AudioFile> {
  const held = createHolder();
  for await (const piece of pieces) {
    held.add(piece);
    if (held.size() > MAX_FILE_BYTES) {
      throw new GatewayError('payload_too_large', `${field}: the file is larger than 25 MB; send it as base64 in JSON`);
    }
  }
  const extension = /\.([\w-]{1,16})$/.exec(filename ?? '')?.[1]?.toLowerCase();
  const named = FORMAT_OF_TYPE.get(mediaType) ?? /^(?:audio|video)\/([\w-]{1,16})$/.exec(mediaType)?.[1];
  return toAudioFile(field, held.pieces(), extension ?? named ?? 'wav');
}

async function readStored(id: string, path: string, openStored: OpenStoredAudio): Promise<AudioFile> {
  const { file, read } = await openStored(id, path);
  const { mimeType, bytes } = file;
  const format = FORMAT_OF_TYPE.get(mimeType) ?? /^audio\/([\w-]{1,16})$/.exec(mimeType)?.[1];
  if (format === undefined) throw refuseField(path, 'is not audio');
  if (bytes > MAX_STORED_BYTES) throw refuseField(path, `is larger than ${MAX_STORED_BYTES} bytes`);
  const held = createHolder();
  for await (const piece of read()) held.add(piece);
  return toAudioFile(path, held.pieces(), format);
}

async function readAudioJson(request: GatewayRequest, openStored: OpenStoredAudio): Promise<ReadAudio> {
  const held = createHolder();
  const lifter = createBase64Lifter((path) => path.length === 2 && path[0] === 'input_audio' && path[1] === 'data');
  const read = async (): Promise<Uint8Array> => {
    try {
      for await (const piece of request.openBody(MAX_JSON_BYTES)) {
        for (const bytes of lifter.push(piece)) held.add(bytes);
      }
    } catch (error) {
      throw error instanceof RangeError ? refuseData(error) : error;
    }
    return lifter.end();
  };
  const body = (await readJsonBody(request, read)) as Record<string, unknown> | null;
  const { input_audio: input, ...fields } = body ?? {};
  const { data, format, file_id: fileId } = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (fileId !== undefined) {
    const path = 'input_audio.file_id';
    if (typeof fileId !== 'string') throw refuseField(path, 'must be the id of a file');
    if (data !== undefined || held.size() > 0) throw refuseField(path, 'must not be sent beside data');
    return { fields, audio: await readStored(fileId, path, openStored) };
  }
  // A host that has parsed the body itself holds it whole.
  if (typeof data === 'string' && data !== '') {
    try {
      for (const bytes of decodeWhole(data)) held.add(bytes);
    } catch (error) {
      throw refuseData(error);
    }
  }
  if (held.size() === 0) throw refuseField('input_audio.data', 'must be audio in base64');
  if (typeof format !== 'string' || !/^[\w.+-]{1,32}$/.test(format)) {
    throw refuseField('input_audio.format', 'must be the format of the audio, e.g. "wav"');
  }
  return { fields, audio: toAudioFile('input_audio.data', held.pieces(), format.toLowerCase()) };
}

function* decodeWhole(text: string): Iterable<Uint8Array> {
  const lifter = createBase64Lifter(() => true);
  yield* lifter.push(new TextEncoder().encode(JSON.stringify([text])));
}

const refuseData = (cause: unknown): GatewayError =>
  refuseField('input_audio.data', 'must be base64 without the beginning of a data URI', cause);

/** Smaller pieces are joined: each would take more room than its bytes. */
const LARGE_BYTES = 8 * 1024;
const JOINED_BYTES = 64 * 1024;

/** Holds bytes that arrive in pieces, each once, and large pieces as they are: what is copied stays a while, too. */
function createHolder() {
  const held: Uint8Array[] = [];
  let size = 0;
  let open: Uint8Array | null = null;
  let filled = 0;
  const close = (): void => {
    if (open !== null && filled > 0) held.push(open.slice(0, filled));
    filled = 0;
  };
  return {
    add(bytes: Uint8Array): void {
      size += bytes.byteLength;
      if (bytes.byteLength >= LARGE_BYTES || filled + bytes.byteLength > JOINED_BYTES) close();
      if (bytes.byteLength >= LARGE_BYTES) return void held.push(bytes);
      open ??= new Uint8Array(JOINED_BYTES);
      open.set(bytes, filled);
      filled += bytes.byteLength;
    },
    size: () => size,
    pieces(): readonly Uint8Array[] {
      close();
      return held;
    },
  };
}

function toAudioFile(field: string, pieces: readonly Uint8Array[], format: string): AudioFile {
  const byteLength = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  if (byteLength === 0) throw refuseField(field, 'is empty');
  return {
    format,
    // A name may be personal data; upstream reads the format from its end.
    filename: `audio.${format}`,
    mediaType: TYPE_OF_FORMAT.get(format) ?? `audio/${format}`,
    byteLength,
    seconds: readWaveSeconds(pieces[0], byteLength),
    open: () => pieces,
  };
}

const WAVE_HEAD_BYTES = 44;

/**
 * The length of a wave file by the rate of bytes in its header; undefined for another format, and for a rate that is not
 * that of its samples: a client could make a long file seem short, and so cheap.
 */
function readWaveSeconds(head: Uint8Array | undefined, byteLength: number): number | undefined {
  if (head === undefined || head.byteLength < WAVE_HEAD_BYTES) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isWave =
    view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57415645 && view.getUint32(12) === 0x666d7420;
  const bytesASecond = view.getUint32(28, true);
  const isRight = bytesASecond === view.getUint32(24, true) * view.getUint16(32, true);
  return isWave && isRight && bytesASecond > 0 ? (byteLength - WAVE_HEAD_BYTES) / bytesASecond : undefined;
}
