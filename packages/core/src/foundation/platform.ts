/** What the core requires from its host. The only source of time and randomness, so that tests control both. */
export interface Platform {
  /** Lower-case hex. Synchronous where the host can (Node: 0.4 µs), a promise over WebCrypto (37 µs). */
  sha256(text: string): string | Promise<string>;
  /** Lower-case hex. A secret given as text is its UTF-8 bytes. */
  hmacSha256(secret: string | Uint8Array, text: string): string | Promise<string>;
  randomBytes(length: number): Uint8Array;
  /** Milliseconds since the epoch: for what people read. */
  now(): number;
  /** Milliseconds on a clock that never steps back: for durations and limits. */
  monotonicNow(): number;
  /** Calls back once after `delayMs`; the returned function cancels it. Must not keep the process running. */
  setTimer(callback: () => void, delayMs: number): () => void;
  /**
   * Resolves in another turn of the event loop, after the input and output that waits for this one: long work pauses
   * with it. Default: a timer of no delay.
   */
  nextTurn?(): Promise<void>;
  /**
   * True where the promises, streams, signals and timers of one request end with it and are out of reach for others, as
   * on Workers. Each request then has timers of its own, and what would be done later is done within a request.
   */
  readonly isPerRequest?: boolean | undefined;
  /** Opens storage outside of memory for long texts that are needed only once more. Default: none. */
  readonly openScratch?: (() => Scratch) | undefined;
}

/** Bytes put aside, in order. What cannot be put aside stays in memory. */
export interface Scratch {
  /** The bytes are its own from now on. */
  append(bytes: Uint8Array): void;
  /**
   * All of them, cut anywhere, best by tens of kilobytes and each read when it is taken; null, or an exception at the
   * piece, when they cannot be read again. May be called again.
   */
  read(): Iterable<Uint8Array> | null;
  /** Call once, when none of it is needed any more. */
  close(): void;
}

const hex = (buffer: ArrayBuffer): string =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

export interface WebPlatformOptions {
  /** See `Platform`. Default: true on Cloudflare Workers, and on whatever else calls itself so. */
  readonly isPerRequest?: boolean | undefined;
}

/**
 * Taken when this module is loaded: a test that puts others in their place, and decides when those fire, would stop the
 * gateway in its process.
 */
const { clearTimeout, performance, setTimeout } = globalThis;

/** Builds a platform from web standards alone; hosts with faster functions pass their own. */
export function createWebPlatform({ isPerRequest = isOnWorkers() }: WebPlatformOptions = {}): Platform {
  const encoder = new TextEncoder();
  return {
    isPerRequest,
    async sha256(text) {
      return hex(await crypto.subtle.digest('SHA-256', encoder.encode(text)));
    },
    async hmacSha256(secret, text) {
      const algorithm = { name: 'HMAC', hash: 'SHA-256' };
      const bytes = typeof secret === 'string' ? encoder.encode(secret) : new Uint8Array(secret);
      const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
      return hex(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
    },
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    now: () => Date.now(),
    monotonicNow: () => performance.now(),
    setTimer(callback, delayMs) {
      const timer: unknown = setTimeout(callback, delayMs);
      // On Node a timer is an object that keeps the process running; elsewhere it is a number.
      if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
        timer.unref();
      }
      return () => clearTimeout(timer as number);
    },
    // Unlike the timers above it keeps the process running: a call waits for it.
    nextTurn: () => new Promise((resolve) => void setTimeout(resolve, 0)),
  };
}

const isOnWorkers = (): boolean => typeof navigator === 'object' && navigator.userAgent === 'Cloudflare-Workers';

const HEX_DIGITS = '0123456789abcdef';
const HEX_CODES = Array.from(HEX_DIGITS, (digit) => digit.charCodeAt(0));

/** An id in the making, used again for every one. As codes: pieces added up would be a tree of strings, slow as a key. */
const randomCodes: number[] = [];

/** 128 random bits in lower-case hex, which cannot be guessed. */
export function createRandomId(platform: Pick<Platform, 'randomBytes'>): string {
  putRandomHex(randomCodes, 0, platform);
  return String.fromCharCode(...randomCodes);
}

/** Writes 128 random bits in lower-case hex, as 32 codes from `at` on. */
export function putRandomHex(codes: number[], at: number, platform: Pick<Platform, 'randomBytes'>): void {
  const bytes = platform.randomBytes(16);
  for (let i = 0; i < 16; i += 1) {
    const byte = bytes[i] as number;
    codes[at + i * 2] = HEX_CODES[byte >> 4] as number;
    codes[at + i * 2 + 1] = HEX_CODES[byte & 15] as number;
  }
}

/** A random UUID (version 4), lower-case. */
export function createUuid(platform: Pick<Platform, 'randomBytes'>): string {
  const hex = createRandomId(platform);
  const variant = HEX_DIGITS[8 | (parseInt(hex.charAt(16), 16) & 3)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
