import { GatewayError } from '../foundation/errors.ts';
import { createTextStructure } from './text-structure.ts';

/** Finds out what a file is from its bytes, while they pass by. */
export interface FileTypeFinder {
  take(piece: Uint8Array): void;
  /** The media type, once all bytes have passed. Throws `invalid_request` for a kind of file that is not taken. */
  end(): string;
}

const HEAD_BYTES = 4096;
/** The list of what is in a ZIP file stands at its end. */
const TAIL_BYTES = 64 * 1024;

const PDF = 'application/pdf';
const OFFICE = 'application/vnd.openxmlformats-officedocument';

/** Bytes at the beginning by which a kind of file is known. */
const MARKS: readonly (readonly [mark: string, mediaType: string])[] = [
  ['%PDF-', PDF],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['fLaC', 'audio/flac'],
  ['OggS', 'audio/ogg'],
  ['ID3', 'audio/mpeg'],
];

/** The first part of an office document, and what the document is. */
const OFFICE_PARTS: readonly (readonly [part: string, mediaType: string])[] = [
  ['word/document.xml', `${OFFICE}.wordprocessingml.document`],
  ['xl/workbook.xml', `${OFFICE}.spreadsheetml.sheet`],
  ['ppt/presentation.xml', `${OFFICE}.presentationml.presentation`],
];

/** The names of what is in a ZIP file are ASCII here. */
const latin1 = new TextDecoder('latin1');

/** The name of a file and the type that its client declares do not count. */
export function createFileTypeFinder(): FileTypeFinder {
  let head: Uint8Array = new Uint8Array(0);
  const tail = createTail();
  let isKnown: string | null | undefined;
  const text = createTextStructure();
  return {
    take(piece) {
      if (head.length < HEAD_BYTES) {
        head = join(head, piece.subarray(0, HEAD_BYTES - head.length));
        // A few bytes are enough to tell; fewer come only from a client that sends them one by one.
        if (head.length >= 16) isKnown = findByMark(head);
      }
      if (isKnown === ZIP) tail.take(piece);
      if (isKnown == null) text.take(piece);
    },
    end() {
      const found = isKnown ?? findByMark(head);
      if (found === ZIP) return toOfficeType(head, tail.read());
      if (found !== null) return found;
      const mediaType = text.end();
      if (mediaType !== null) return mediaType;
      throw refuseKind('it is neither of these nor UTF-8 text');
    },
  };
}

const ZIP = 'application/zip';

/** Holds the last bytes of a file; those before them are cut off now and then. */
function createTail(): { take(piece: Uint8Array): void; read(): Uint8Array } {
  let held: Uint8Array = new Uint8Array(0);
  let end = 0;
  return {
    take(whole) {
      if (held.length === 0) held = new Uint8Array(2 * TAIL_BYTES);
      const piece = whole.subarray(-TAIL_BYTES);
      if (end + piece.length > held.length) {
        held.copyWithin(0, end - TAIL_BYTES, end);
        end = TAIL_BYTES;
      }
      held.set(piece, end);
      end += piece.length;
    },
    read: () => held.subarray(0, end),
  };
}

/** Null where the beginning is that of no known kind, as with text. */
function findByMark(head: Uint8Array): string | null {
  const begin = String.fromCharCode(...head.subarray(0, 16));
  if (begin.startsWith('PK\x03\x04')) return ZIP;
  if (begin.startsWith('RIFF')) {
    const kind = begin.slice(8, 12);
    if (kind === 'WAVE') return 'audio/wav';
    if (kind === 'WEBP') return 'image/webp';
  }
  const marked = MARKS.find(([mark]) => begin.startsWith(mark));
  if (marked !== undefined) return marked[1];
  // A frame of MPEG audio, layer III: eleven bits that are set, then a version that exists.
  const [first = 0, second = 0] = head;
  const isFrame = first === 0xff && (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08;
  return isFrame ? 'audio/mpeg' : null;
}

function toOfficeType(head: Uint8Array, tail: Uint8Array): string {
  const names = latin1.decode(head) + latin1.decode(tail);
  const found = OFFICE_PARTS.find(([part]) => names.includes(part));
  if (found !== undefined) return found[1];
  throw refuseKind('it is a ZIP file without a document');
}

const refuseKind = (reason: string): GatewayError => {
  const message =
    'must be a PDF, a PNG, JPEG, GIF or WebP image, a DOCX, XLSX or PPTX document, an MP3, WAV, FLAC or OGG audio file, ' +
    `or UTF-8 text; ${reason}`;
  return new GatewayError('invalid_request', `file: ${message}`, { metadata: { issues: [{ path: 'file', message }] } });
};

function join(one: Uint8Array, other: Uint8Array): Uint8Array {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}
