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
  /** Characters of a lifted text that do not make up whole bytes yet. */
  let rest = '';

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
          const decoded = decode(rest + latin1.decode(piece.subarray(at, end)), quote !== -1);
          rest = decoded.rest;
          if (decoded.bytes.length > 0) lifted.push(decoded.bytes);
          at = end;
          from = end;
          if (quote === -1) continue;
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

/** Four characters are three bytes. A slash may be escaped in JSON, and some escape the sign of equality. */
function decode(text: string, isEnd: boolean): { readonly bytes: Uint8Array; readonly rest: string } {
  const cut = isEnd ? -1 : text.lastIndexOf('\\');
  const isCut = cut !== -1 && cut > text.length - 6;
  const plain = (isCut ? text.slice(0, cut) : text).replaceAll('\\/', '/').replaceAll(/\\u003d/gi, '=');
  const usable = isEnd ? plain.length : plain.length - (plain.length % 4);
  let binary: string;
  try {
    binary = atob(plain.slice(0, usable));
  } catch (cause) {
    throw new RangeError('The text is not base64', { cause });
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return { bytes, rest: plain.slice(usable) + (isCut ? text.slice(cut) : '') };
}
