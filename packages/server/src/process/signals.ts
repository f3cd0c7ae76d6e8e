import type { Logger } from '@model-gateway/core';

/** The part of `process` that reports signals and uncaught errors. */
export interface ProcessEvents {
  on(event: string, listener: (value: unknown) => void): unknown;
}

export interface StopOptions {
  readonly events: ProcessEvents;
  /** Waits for open calls and closes everything. Called once. */
  readonly stop: () => Promise<void>;
  readonly exit: (code: number) => void;
  readonly logger: Logger;
  /** Limit of the time that stopping may take. */
  readonly limitMs: number;
  /** Milliseconds on any steady clock. */
  readonly now: () => number;
}

/** Ctrl-C under npm reaches the server twice, from the terminal and from npm; within this time it counts once. */
const ECHO_MS = 500;

/**
 * Stops the server on SIGTERM, on SIGINT and on an uncaught error; a second signal ends it at once. Exit codes: 0 after
 * a signal, 1 after an error, a forced end, or a stop that failed.
 */
export function stopOnSignals({ events, stop, exit, logger, limitMs, now }: StopOptions): void {
  let stoppingSince: number | undefined;

  const begin = (code: number): void => {
    stoppingSince = now();
    const timer = setTimeout(() => {
      logger.error('the shutdown took too long and was aborted', { limitMs });
      exit(1);
    }, limitMs);
    timer.unref();
    stop().then(
      () => exit(code),
      (error: unknown) => {
        logger.error('stopping failed', { error });
        exit(1);
      },
    );
  };
  const onSignal = (signal: 'SIGTERM' | 'SIGINT') => (): void => {
    if (stoppingSince === undefined) {
      logger.info('stopping: open calls may end, new ones are refused', { signal });
      return begin(0);
    }
    if (signal === 'SIGINT' && now() - stoppingSince < ECHO_MS) return;
    logger.warn('stopped by a second signal: open calls were cut off', { signal });
    exit(1);
  };
  const onError =
    (message: string) =>
    (error: unknown): void => {
      logger.error(message, { error });
      // After an unexpected error the state of the process is too unreliable for new calls.
      if (stoppingSince === undefined) begin(1);
    };

  events.on('SIGTERM', onSignal('SIGTERM'));
  events.on('SIGINT', onSignal('SIGINT'));
  events.on('uncaughtException', onError('an exception was not caught; stopping'));
  events.on('unhandledRejection', onError('a rejection was not handled; stopping'));
}

/** Keeps the process running when the reader of its stdout or stderr ends. `onGone` is called for stdout alone. */
export function ignoreBrokenPipes(onGone: () => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // EIO is the error of a closed terminal.
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
      if (stream === process.stdout) onGone();
    });
  }
}

/** Ends a command that nobody reads any more: as Ctrl-C does where it has something to end, else at once. */
export function createEndOfReader(): () => void {
  let hasEnded = false;
  return () => {
    if (hasEnded) return;
    hasEnded = true;
    if (!process.emit('SIGINT', 'SIGINT')) process.exit();
  };
}
