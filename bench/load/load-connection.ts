import { connect } from 'node:net';

/** Result of one request. */
export interface LoadResponse {
  readonly status: number;
  /** Bytes of the body, its framing included. */
  readonly bytes: number;
  /** The last bytes of the body, its framing included. */
  readonly tail: string;
  /** Time since the request was sent, by `performance.now()`. */
  readonly firstEventMs: number;
  readonly totalMs: number;
}

/** One connection that sends one request after the other. */
export interface LoadConnection {
  /** Sends one request at a time. Rejects when the connection ends before the response. */
  send(): Promise<LoadResponse>;
  /** Stops or resumes reading. */
  setPaused(isPaused: boolean): void;
  close(): void;
}

export interface LoadConnectionOptions {
  readonly port: number;
  /** The bytes of every request. */
  readonly request: Uint8Array;
  /** Called when the first event of a streamed response, or the first byte of another, has arrived. */
  readonly onFirstEvent?: () => void;
  /** Whether it reads a byte a second from the first event on. */
  readonly isSlow?: boolean | undefined;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const DATA = Buffer.from('data:');
/** The end of a chunked body. It cannot occur inside one here, because no event holds a carriage return. */
const LAST_CHUNK = '\r\n0\r\n\r\n';
const TAIL_BYTES = 160;

/** All connections read into it, because each read is processed before the next begins. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);
const oneByte = Buffer.allocUnsafeSlow(1);

/**
 * Opens a connection that implements only the HTTP/1.1 that this bench needs: it finds the end of the head, the first
 * event and the end of the body, and copies nothing, so that the load costs little compared with what it measures.
 */
export function openLoadConnection({ port, request, onFirstEvent, isSlow }: LoadConnectionOptions): LoadConnection {
  let pending: { resolve: (response: LoadResponse) => void; reject: (error: Error) => void } | undefined;
  let head = '';
  let status = 0;
  /** Bytes still to come of a body of known length; null for a chunked body. */
  let bytesLeft: number | null = null;
  let bytes = 0;
  let tail = '';
  let startedAt = 0;
  let firstEventMs = 0;
  let isPaused = false;
  let timer: NodeJS.Timeout | undefined;

  const fail = (error: Error): void => {
    pending?.reject(error);
    pending = undefined;
  };

  /** Parses the head; returns what follows it in the same read, which is the beginning of the body. */
  const readHead = (piece: Buffer): Buffer | undefined => {
    const end = piece.indexOf(HEAD_END);
    // A head is rarely split over two reads, so the parts are joined in a simple, slow way.
    if (end === -1 || head !== '') {
      head += piece.toString('latin1');
      if (!head.includes('\r\n\r\n')) return undefined;
      const whole = Buffer.from(head, 'latin1');
      head = '';
      return readHead(whole);
    }
    const text = piece.toString('latin1', 0, end);
    status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    bytesLeft = length === undefined ? null : Number(length);
    return piece.subarray(end + HEAD_END.length);
  };

  const readBody = (piece: Buffer): void => {
    bytes += piece.length;
    if (firstEventMs === 0 && (bytesLeft !== null || piece.includes(DATA))) {
      firstEventMs = performance.now() - startedAt;
      if (isSlow === true) timer = setInterval(() => socket.resume(), 1000);
      onFirstEvent?.();
    }
    tail = (piece.length < TAIL_BYTES ? tail : '') + piece.toString('latin1', Math.max(0, piece.length - TAIL_BYTES));
    if (bytesLeft === null ? !tail.endsWith(LAST_CHUNK) : bytes < bytesLeft) return;
    const resolve = pending?.resolve;
    pending = undefined;
    resolve?.({ status, bytes, tail: tail.slice(-TAIL_BYTES), firstEventMs, totalMs: performance.now() - startedAt });
  };

  const socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: {
      buffer: isSlow === true ? () => (timer === undefined ? readBuffer : oneByte) : readBuffer,
      callback(count) {
        if (pending === undefined) {
          socket.destroy(new Error('bytes came without a request'));
          return false;
        }
        if (timer !== undefined) return false;
        const piece = readBuffer.subarray(0, count);
        const body = status === 0 ? readHead(piece) : piece;
        if (body !== undefined) readBody(body);
        return !isPaused && timer === undefined;
      },
    },
  });
  socket.on('error', fail);
  socket.on('close', () => clearInterval(timer));
  socket.on('close', () => fail(new Error('the connection was closed before the end of a response')));

  return {
    send: () =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject };
        status = 0;
        bytes = 0;
        tail = '';
        firstEventMs = 0;
        startedAt = performance.now();
        socket.write(request);
      }),
    setPaused(value) {
      isPaused = value;
      if (value) socket.pause();
      else socket.resume();
    },
    close: () => socket.destroy(),
  };
}
