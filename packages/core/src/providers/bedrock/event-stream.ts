import { GatewayError } from '../../foundation/errors.ts';
import { joinPieces } from '../../foundation/transport.ts';
import type { StreamDecoder } from '../kit/sse-decoder.ts';

/** Lengths of the message and of its headers, and a checksum of the two. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** AWS sends at most 16 MiB in a message, and 128 KiB in its headers. */
const MAX_MESSAGE_BYTES = 24 * 1024 * 1024;

/** What a header is, by its type, in bytes; null for those that say their length themselves. */
const VALUE_BYTES: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16];
const TEXT_TYPE = 7;

const text = new TextDecoder();

/**
 * Decodes AWS's binary event stream (`application/vnd.amazon.eventstream`), whose bytes may come cut anywhere. Each
 * message becomes the text of a JSON object: an event `{ "<its type>": <payload> }`, an exception
 * `{ "exception": { "type", "body" } }`. Both checksums of each message are checked. Throws `provider_unavailable`.
 */
export function createEventStreamDecoder(): StreamDecoder {
  let pieces: Uint8Array[] = [];
  let held = 0;
  // As many bytes as the next step needs: pieces are joined only when there are so many.
  let needed = PRELUDE_BYTES;

  const readMessages = (): string[] => {
    const finished: string[] = [];
    let bytes = joinPieces(pieces);
    for (;;) {
      needed = bytes.length < PRELUDE_BYTES ? PRELUDE_BYTES : readLength(bytes);
      if (bytes.length < needed || bytes.length < PRELUDE_BYTES) break;
      finished.push(readMessage(bytes.subarray(0, needed)));
      bytes = bytes.subarray(needed);
    }
    pieces = bytes.length === 0 ? [] : [bytes];
    held = bytes.length;
    return finished;
  };

  return {
    push(bytes) {
      pieces.push(bytes);
      held += bytes.length;
      return held < needed ? [] : readMessages();
    },
    end() {
      if (held > 0) throw broken('ended its response in the middle of an event');
      return undefined;
    },
  };
}

const broken = (what: string): GatewayError => new GatewayError('provider_unavailable', `The provider ${what}`);

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The length of the message that begins here, once its checksum says that it is none of chance. */
function readLength(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  if (view.getUint32(8) !== toCrc32(bytes.subarray(0, 8))) throw broken('sent an event whose checksum is wrong');
  const length = view.getUint32(0);
  const isPossible = view.getUint32(4) + PRELUDE_BYTES + CHECKSUM_BYTES <= length && length <= MAX_MESSAGE_BYTES;
  if (!isPossible) throw broken('sent an event above the size limit');
  return length;
}

function readMessage(bytes: Uint8Array): string {
  const view = viewOf(bytes);
  const end = bytes.length - CHECKSUM_BYTES;
  if (view.getUint32(end) !== toCrc32(bytes.subarray(0, end))) throw broken('sent an event whose checksum is wrong');
  const headersEnd = PRELUDE_BYTES + view.getUint32(4);
  const headers = readHeaders(bytes.subarray(PRELUDE_BYTES, headersEnd));
  const payload = text.decode(bytes.subarray(headersEnd, end));
  const toName = (name: string): string => JSON.stringify(headers.get(name) ?? '');
  switch (headers.get(':message-type')) {
    case 'event':
      return `{${toName(':event-type')}:${payload || 'null'}}`;
    case 'exception':
      return `{"exception":{"type":${toName(':exception-type')},"body":${payload || 'null'}}}`;
    default:
      // An error has its words in headers.
      return `{"exception":{"type":${toName(':error-code')},"body":{"message":${toName(':error-message')}}}}`;
  }
}

/** The headers that are texts; all others are passed over. */
function readHeaders(bytes: Uint8Array): ReadonlyMap<string, string> {
  const view = viewOf(bytes);
  const headers = new Map<string, string>();
  try {
    let at = 0;
    while (at < bytes.length) {
      const nameEnd = at + 1 + view.getUint8(at);
      const name = text.decode(bytes.subarray(at + 1, nameEnd));
      const type = view.getUint8(nameEnd);
      const fixed = VALUE_BYTES[type];
      if (fixed === undefined) throw new RangeError('no such type');
      const start = fixed === null ? nameEnd + 3 : nameEnd + 1;
      at = start + (fixed ?? view.getUint16(nameEnd + 1));
      if (at > bytes.length) throw new RangeError('cut');
      if (type === TEXT_TYPE) headers.set(name, text.decode(bytes.subarray(start, at)));
    }
  } catch {
    throw broken('sent an event whose headers cannot be read');
  }
  return headers;
}

/** For each byte, what it does to a CRC-32 of IEEE 802.3. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb88320;
  return crc;
});

/** The CRC-32 of bytes, as zip files and these streams have it. */
export function toCrc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] as number);
  return (crc ^ 0xffffffff) >>> 0;
}
