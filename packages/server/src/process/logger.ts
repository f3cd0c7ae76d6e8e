import type { Logger } from '@model-gateway/core';
import { type DestinationStream, pino, stdSerializers } from 'pino';

import type { LogLevel } from './flags.ts';

export interface ServerLogger extends Logger {
  /** From now on these texts must not appear in any line either. */
  hide(secrets: readonly string[]): void;
  /** Writes pending lines at once, before the process ends. */
  flush(): void;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Texts that must not appear in any line. */
  readonly secrets: readonly string[];
  /** Stands in every line. Default: nothing. */
  readonly worker?: number | undefined;
  /** Default: stderr, readable lines on a terminal and JSON elsewhere. */
  readonly destination?: DestinationStream | undefined;
}

/** A shorter text may be a word of ordinary messages. */
const MIN_SECRET_LENGTH = 8;
/** Keys that the gateway has issued, which are in no configuration. */
const ISSUED_KEY = /sk-gw-v1-[A-Za-z0-9_-]{20,}/g;
const BEARER = /(bearer\s+)[^\s"\\]+/gi;

/** More is pending only when stderr is not read; further lines are then dropped, to limit memory. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024;

/** Creates the server's log: one line an event on stderr, with secrets taken out. */
export function createLogger({ level, secrets, worker, destination }: LoggerOptions): ServerLogger {
  let hidden = secrets;
  let redact = createRedactor(hidden);
  const isTerminal = process.stderr.isTTY;
  // Asynchronous, so that a reader that stalls does not stall the gateway.
  const pipe =
    destination === undefined && !isTerminal
      ? pino.destination({ dest: 2, sync: false, maxLength: MAX_PENDING_BYTES })
      : undefined;
  const terminal: DestinationStream = { write: (line) => void process.stderr.write(toReadableLine(line)) };
  const log = pino(
    {
      level,
      base: worker === undefined ? null : { worker },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.err, error: stdSerializers.err, cause: stdSerializers.err },
      hooks: { streamWrite: (line) => redact(line) },
    },
    destination ?? pipe ?? terminal,
  );
  return {
    info: (message, fields = {}) => log.info(fields, message),
    warn: (message, fields = {}) => log.warn(fields, message),
    error: (message, fields = {}) => log.error(fields, message),
    hide(more) {
      hidden = [...new Set([...hidden, ...more])];
      redact = createRedactor(hidden);
    },
    flush() {
      try {
        pipe?.flushSync();
      } catch {
        // The failure cannot be reported, because stderr is not read any more.
      }
    },
  };
}

/** Builds the function that takes secrets out of a line of JSON. */
export function createRedactor(secrets: readonly string[]): (line: string) => string {
  const texts = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    // Secrets as they appear inside JSON text. The longest comes first, because one may be the beginning of another.
    .map((secret) => JSON.stringify(secret).slice(1, -1))
    .toSorted((a, b) => b.length - a.length);
  return (line) =>
    texts
      .reduce((text, secret) => text.replaceAll(secret, '[redacted]'), line)
      .replace(ISSUED_KEY, '[redacted]')
      .replace(BEARER, '$1[redacted]');
}

/** Formats a line of the log for people: time, level unless it is info, message, and the fields. */
export function toReadableLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = typeof time === 'string' ? time.slice(11, 19) : '';
  const label = level === 'info' ? '' : `${String(level).toUpperCase()} `;
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${toFieldText(value)}`);
  return `${clock} ${label}${String(msg)}${rest.join('')}\n`;
}

function toFieldText(value: unknown): string {
  if (typeof value === 'string') return /^\S*$/.test(value) ? value : JSON.stringify(value);
  if (typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string') {
    return `\n  ${value.stack.replaceAll('\n', '\n  ')}`;
  }
  return JSON.stringify(value);
}
