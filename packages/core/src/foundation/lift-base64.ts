/** Takes base64 out of JSON that arrives piece by piece, so that a long text in it is held once, as bytes. */
export interface Base64Lifter {
  /** Returns the decoded bytes of the lifted texts that these bytes hold. Throws `RangeError` for what is no base64. */
  push(piece: Uint8Array): readonly Uint8Array[];
  /** Ends the input. Returns the JSON with empty texts in the places of the lifted ones. */
  end(): Uint8Array;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MAX_KEY_BYTES = 64;

interface Container {
  readonly isList: boolean;
  key: string;
}

const latin1 = new TextDecoder('latin1');

/** Creates a lifter of the texts for whose path `isLifted` is true: the keys from the outermost on, `*` for items. */
export function createBase64Lifter(isLifted: (path: readonly string[]) => boolean): Base64Lifter {
  const kept: Uint8Array[] = [];
  const open: Container[] = [];
  let state: 'between' | 'key' | 'text' | 'lifted' = 'between';
  let isKeyNext = false;
  let isEscaped = false;
  let key = '';
  const decoder = createDecoder();

  /** Reads a byte between texts; true for one that begins a text to lift. */
  const readBetween = (byte: number): void => {
    const top = open.at(-1);
    if (byte === QUOTE) {
      if (isKeyNext) {
        state = 'key';
        key = '';
      } else {
        state = isLifted(open.map(({ isList, key: name }) => (isList ? '*' : name))) ? 'lifted' : 'text';
      }
    } else if (byte === 0x7b || byte === 0x5b) {
      open.push({ isList: byte === 0x5b, key: '' });
      isKeyNext = byte === 0x7b;
    } else if (byte === 0x7d || byte === 0x5d) {
      open.pop();
      isKeyNext = false;
    } else if (byte === 0x2c) isKeyNext = top?.isList === false;
    else if (byte === 0x3a) {
      isKeyNext = false;
      if (top !== undefined) top.key = key;
    }
  };
  /** Returns the end of the key or text that goes on at `at`. */
  const readText = (piece: Uint8Array, at: number): number => {
    let end = at;
    for (; end < piece.length; end += 1) {
      const byte = piece[end] as number;
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) break;
    }
    if (state === 'key') key = (key + latin1.decode(piece.subarray(at, end))).slice(0, MAX_KEY_BYTES);
    if (end < piece.length) state = 'between';
    return Math.min(end + 1, piece.length);
  };

  return {
    push(piece) {
      const lifted: Uint8Array[] = [];
      let from = 0;
      let at = 0;
      while (at < piece.length) {
        if (state === 'lifted') {
          const quote = piece.indexOf(QUOTE, at);
          const end = quote === -1 ? piece.length : quote;
          const decoded = decoder.push(piece.subarray(at, end));
          if (decoded.length > 0) lifted.push(decoded);
          at = end;
          from = end;
          if (quote === -1) continue;
          const last = decoder.end();
          if (last.length > 0) lifted.push(last);
          state = 'between';
          at += 1;
        } else if (state === 'between') {
          readBetween(piece[at] as number);
          at += 1;
          if ((state as string) === 'lifted') kept.push(piece.slice(from, at));
        } else at = readText(piece, at);
      }
      if (state !== 'lifted' && from < piece.length) kept.push(piece.slice(from));
      return lifted;
    },
    end() {
      const whole = new Uint8Array(kept.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const bytes of kept) {
        whole.set(bytes, at);
        at += bytes.length;
      }
      return whole;
    },
  };
}

const INVALID = 255;
const EQUALS = 0x3d;
const SLASH = 0x2f;

/** The six bits of each character; those of the alphabet for addresses as well. */
const BITS = toBits();

function toBits(): Uint8Array {
  const bits = new Uint8Array(256).fill(INVALID);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let at = 0; at < alphabet.length; at += 1) bits[alphabet.charCodeAt(at)] = at;
  bits[0x2d] = 62;
  bits[0x5f] = 63;
  return bits;
}

/** Decodes a text of base64 within JSON, from bytes to bytes: texts in between would take several times as much room. */
function createDecoder() {
  let word = 0;
  let count = 0;
  let isPadded = false;
  /** Characters of an escape that are still to come; -1 where its first one is. */
  let escaped = 0;

  /** Returns the character that a byte of an escape stands for; 0 for none. A slash may be escaped, as may be an equals sign. */
  const unescape = (byte: number): number => {
    if (escaped > 0) {
      escaped -= 1;
      return escaped === 0 ? EQUALS : 0;
    }
    escaped = byte === 0x75 ? 4 : 0;
    if (byte !== 0x75 && byte !== SLASH) throw notBase64();
    return byte === SLASH ? SLASH : 0;
  };
  return {
    push(text: Uint8Array): Uint8Array {
      const bytes = new Uint8Array(Math.ceil(((text.length + count) * 3) / 4));
      let written = 0;
      for (const byte of text) {
        const character = escaped === 0 ? byte : unescape(byte);
        if (character === BACKSLASH && escaped === 0) escaped = -1;
        else if (character === EQUALS) isPadded = true;
        else if (character !== 0) {
          const bits = BITS[character] as number;
          if (bits === INVALID || isPadded) throw notBase64();
          word = (word << 6) | bits;
          count += 1;
          if (count < 4) continue;
          bytes[written] = word >> 16;
          bytes[written + 1] = word >> 8;
          bytes[written + 2] = word;
          written += 3;
          word = 0;
          count = 0;
        }
      }
      return bytes.subarray(0, written);
    },
    /** Ends the text, and is ready for another. */
    end(): Uint8Array {
      if (count === 1 || escaped !== 0) throw notBase64();
      const bytes = count === 0 ? [] : count === 2 ? [word >> 4] : [word >> 10, word >> 2];
      word = 0;
      count = 0;
      isPadded = false;
      return Uint8Array.from(bytes);
    },
  };
}

const notBase64 = (): RangeError => new RangeError('The text is not base64');
