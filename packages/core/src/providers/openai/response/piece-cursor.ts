import { joinPieces } from '../../../foundation/transport.ts';

/** What a token may be long, the white space before it included. */
export const MAX_TOKEN_BYTES = 256;

/**
 * A place in a body that has come in pieces. Its window is a piece, or, where one ends and the next begins, a copy of a few
 * bytes of both: a token that begins at the place is whole in the window, so that readers never look for the next piece.
 */
export interface PieceCursor {
  /** The window. */
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** The place in the window. */
  at: number;
  /** The last place in the window at which a token may begin. */
  readonly limit: number;
  /** Moves the window on where the place is behind the limit. Call it before each token. */
  settle(): void;
  /** The place in the body. */
  position(): number;
}

/** Creates a cursor at a place of the body, which is not empty. */
export function createPieceCursor(pieces: readonly Uint8Array[], position: number): PieceCursor {
  let index = 0;
  /** Where the piece of that index begins, and where the window does. */
  let pieceStart = 0;
  let windowStart = 0;

  const show = (from: Uint8Array, at: number, limit: number): void => {
    // The same class for all windows: readers are compiled for one.
    const bytes = new Uint8Array(from.buffer, from.byteOffset, from.byteLength);
    Object.assign(cursor, { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), at, limit });
  };
  const open = (place: number): void => {
    while (index < pieces.length - 1 && place >= pieceStart + lengthAt(index)) {
      pieceStart += lengthAt(index);
      index += 1;
    }
    const piece = pieces[index] as Uint8Array;
    const at = place - pieceStart;
    const whole = piece.byteLength - MAX_TOKEN_BYTES;
    windowStart = pieceStart;
    if (index === pieces.length - 1) return show(piece, at, Number.POSITIVE_INFINITY);
    if (at <= whole) return show(piece, at, whole);
    const ofPiece = piece.byteLength - at;
    const seam = joinPieces([piece.subarray(at), ...beginningOf(pieces.slice(index + 1))]);
    windowStart = place;
    show(seam, 0, seam.byteLength < ofPiece + MAX_TOKEN_BYTES ? Number.POSITIVE_INFINITY : ofPiece);
  };
  const lengthAt = (number: number): number => (pieces[number] as Uint8Array).byteLength;

  const cursor: PieceCursor = {
    bytes: new Uint8Array(),
    view: new DataView(new ArrayBuffer(0)),
    at: 0,
    limit: 0,
    settle() {
      if (cursor.at > cursor.limit) open(cursor.position());
    },
    position: () => windowStart + cursor.at,
  };
  open(position);
  return cursor;
}

export const MIN_PIECE_BYTES = 4096;

/** The same pieces, those that are short joined with the next ones. Only the last may then be shorter than that. */
export function joinShortPieces(pieces: readonly Uint8Array[]): Uint8Array[] {
  const joined: Uint8Array[] = [];
  let open: Uint8Array[] = [];
  let length = 0;
  for (const piece of pieces) {
    open.push(piece);
    length += piece.byteLength;
    if (length < MIN_PIECE_BYTES) continue;
    joined.push(joinPieces(open));
    open = [];
    length = 0;
  }
  return open.length === 0 ? joined : [...joined, joinPieces(open)];
}

/** As many bytes of the pieces as a token may be long. */
function beginningOf(pieces: readonly Uint8Array[]): Uint8Array[] {
  const taken: Uint8Array[] = [];
  let missing = MAX_TOKEN_BYTES;
  for (const piece of pieces) {
    if (missing === 0) break;
    const part = piece.subarray(0, missing);
    taken.push(part);
    missing -= part.byteLength;
  }
  return taken;
}
