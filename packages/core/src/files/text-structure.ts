/** Finds out what a text is by its structure, while its bytes pass by. */
interface TextStructure {
  take(piece: Uint8Array): void;
  /** Its media type; null when the bytes are no text in UTF-8. */
  end(): string | null;
}

/** A text up to this size is parsed; of a longer one the structure has to do. */
const PARSED_BYTES = 256 * 1024;
/** What lies behind this is not looked at to tell tables and Markdown from plain text. */
const SAMPLE_CHARACTERS = 16 * 1024;

export function createTextStructure(): TextStructure {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const json = createJsonScan();
  let sample = '';
  let bytes = 0;
  let isText = true;
  const read = (piece?: Uint8Array): void => {
    if (!isText) return;
    try {
      const text = piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
      if (text.includes('\0')) isText = false;
      if (bytes <= PARSED_BYTES || sample.length < SAMPLE_CHARACTERS) sample += text;
    } catch {
      isText = false;
    }
  };
  return {
    take(piece) {
      bytes += piece.length;
      read(piece);
      if (isText) json.take(piece);
    },
    end() {
      read();
      if (!isText) return null;
      const asJson = bytes <= PARSED_BYTES ? parseAsJson(sample) : json.end();
      return asJson ?? toTextType(sample.slice(0, SAMPLE_CHARACTERS), sample.length > SAMPLE_CHARACTERS);
    },
  };
}

const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';

function parseAsJson(text: string): string | null {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return null;
  if (isJson(trimmed)) return JSON_TYPE;
  const lines = trimmed.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every((line) => /^\s*[[{]/.test(line) && isJson(line)) ? LINES_TYPE : null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEW_LINE = 0x0a;

/** Follows the brackets of JSON: one value is JSON, several of which each begins on a line of its own are lines of it. */
function createJsonScan(): { take(piece: Uint8Array): void; end(): string | null } {
  let depth = 0;
  let values = 0;
  let isInText = false;
  let isEscaped = false;
  let isOnNewLine = true;
  let isBroken = false;
  return {
    take(piece) {
      for (let at = 0; at < piece.length && !isBroken; at += 1) {
        const byte = piece[at] as number;
        if (isInText) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isInText = false;
        } else if (byte === 0x7b || byte === 0x5b) {
          if (depth === 0) {
            if (!isOnNewLine) isBroken = true;
            values += 1;
            isOnNewLine = false;
          }
          depth += 1;
        } else if (byte === 0x7d || byte === 0x5d) {
          depth -= 1;
          if (depth < 0) isBroken = true;
        } else if (depth === 0) {
          if (byte === NEW_LINE) isOnNewLine = true;
          else if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) isBroken = true;
        } else if (byte === QUOTE) isInText = true;
      }
    },
    end() {
      if (isBroken || depth !== 0 || isInText || values === 0) return null;
      return values === 1 ? JSON_TYPE : LINES_TYPE;
    },
  };
}

/**
 * Lines that only Markdown has: headings, fences, lists of links, tables. A link ends where another begins, and its
 * address is bounded: otherwise each bracket of a line would be followed to the end of the line.
 */
const MARKDOWN =
  /^(?:#{1,6} \S|```|~~~|> \S|\|.*\|\s*$|[-*] \[[ x]\] )|^[-*+] \S.*\n[-*+] \S|\[[^[\]\n]+\]\([^)\n]{1,500}\)/m;

function toTextType(text: string, isCut: boolean): string {
  const lines = text.split(/\r?\n/);
  // The last line of a sample may be cut.
  if (isCut) lines.pop();
  if (isTable(lines.filter((line) => line !== ''))) return 'text/csv';
  return MARKDOWN.test(text) ? 'text/markdown' : 'text/plain';
}

/** Every row has as many cells as the first, and more than one. Quoted cells may hold commas, and no line ends here. */
function isTable(lines: readonly string[]): boolean {
  const [first = '', ...others] = lines;
  const columns = countCells(first);
  return columns > 1 && others.length > 0 && others.every((line) => countCells(line) === columns);
}

const countCells = (line: string): number => line.replaceAll(/"(?:[^"]|"")*"/g, '').split(',').length;
