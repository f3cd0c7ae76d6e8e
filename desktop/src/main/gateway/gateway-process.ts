import { utilityProcess, type UtilityProcess } from 'electron';

import type {
  GatewayFigures,
  FromGateway,
  GatewayState,
  ListenAddress,
  Notice,
  StartMessage,
  ToGateway,
} from '../../shared/gateway-messages.ts';
import { texts } from '../texts.ts';

/** The gateway in a process of its own, which is restarted when it dies. */
export interface GatewayProcess {
  readonly state: GatewayState;
  readonly figures: GatewayFigures;
  /** Resolves with the current figures, or with those of the last report when the process does not respond. */
  readFigures(): Promise<GatewayFigures>;
  /**
   * Starts or restarts it, with other keys or another configuration. What it starts with is asked for once the process
   * before has ended, which may take half a minute: the settings may have changed meanwhile.
   */
  start(toMessage: () => StartMessage): Promise<void>;
  listen(place: ListenAddress): void;
  pause(): void;
  /** Returns false when there is no process. */
  send(message: ToGateway): boolean;
  /** Called for every response to the window. */
  onResponse(tell: (message: FromGateway) => void): void;
  onChange(tell: () => void): void;
  onNotice(tell: (notice: Notice) => void): void;
  /** Ends it once its open responses have ended, at the latest after the limit; with `isNow` at once. */
  stop(options?: { readonly isNow?: boolean }): Promise<void>;
}

const RESTART_AFTER_MS = [500, 2000, 10_000, 30_000];
/** After this time a process counts as stable again. */
const SOUND_AFTER_MS = 60_000;
const STOP_LIMIT_MS = 35_000;
const REPORT_LIMIT_MS = 1000;
const NO_FIGURES: GatewayFigures = { openCalls: 0, today: { requests: 0, costUsd: 0 }, latest: [], failures: [] };

/** `entry` is the file that the process runs. */
export function createGatewayProcess(entry: string): GatewayProcess {
  let state: GatewayState = { phase: 'starting' };
  let onMessage: (message: FromGateway) => void = () => undefined;
  let onNotice: (notice: Notice) => void = () => undefined;
  const figures = createFigures();
  const listeners: (() => void)[] = [];

  const change = (next: GatewayState): void => {
    state = next;
    for (const tell of listeners) tell();
  };
  const hear = (message: FromGateway): void => {
    switch (message.type) {
      case 'state':
        if (message.state.phase === 'listening') child.keepPort(message.state.port);
        return change(message.state);
      case 'notice':
        return onNotice(message.notice);
      case 'figures':
        figures.take(message.figures);
        return change(state);
      default:
        onMessage(message);
    }
  };
  const noteExit = (crashCode: number | null): void => {
    figures.endCalls();
    onMessage({ type: 'stopped' });
    if (crashCode === null) return;
    change({ phase: 'failed', message: texts().state.crashed(crashCode) });
  };
  const child = createRestartedChild(entry, hear, noteExit);

  return {
    get state() {
      return state;
    },
    get figures() {
      return figures.latest();
    },
    async readFigures() {
      if (child.isRunning()) await figures.ask(child.send);
      return figures.latest();
    },
    async start(toMessage) {
      change({ phase: 'starting' });
      await child.stop(false);
      child.launch(toMessage());
    },
    listen: child.listen,
    pause: child.pause,
    send: child.send,
    onResponse: (tell) => void (onMessage = tell),
    onChange: (tell) => void listeners.push(tell),
    onNotice: (tell) => void (onNotice = tell),
    stop: ({ isNow = false } = {}) => child.stop(isNow),
  };
}

/** A process that is started again when it ends by itself. `onExit` receives the code then, and null after a stop. */
function createRestartedChild(
  entry: string,
  onMessage: (message: FromGateway) => void,
  onExit: (crashCode: number | null) => void,
) {
  let child: UtilityProcess | undefined;
  let lastStart: StartMessage | undefined;
  let isStopping = false;
  let crashes = 0;

  const launch = (message: StartMessage): void => {
    isStopping = false;
    lastStart = message;
    const startedAt = performance.now();
    const started = utilityProcess.fork(entry, [], { serviceName: 'Gateway', stdio: 'inherit' });
    child = started;
    started.on('message', onMessage);
    started.on('exit', (code) => {
      if (child !== started) return;
      child = undefined;
      onExit(isStopping ? null : code);
      if (isStopping) return;
      crashes = performance.now() - startedAt > SOUND_AFTER_MS ? 0 : crashes + 1;
      setTimeout(relaunch, RESTART_AFTER_MS[Math.min(crashes, RESTART_AFTER_MS.length) - 1] ?? RESTART_AFTER_MS[0]);
    });
    started.postMessage(message satisfies ToGateway);
  };
  const relaunch = (): void => {
    if (child === undefined && !isStopping && lastStart !== undefined) launch(lastStart);
  };
  const send = (message: ToGateway): boolean => {
    child?.postMessage(message);
    return child !== undefined;
  };

  return {
    launch,
    send,
    isRunning: (): boolean => child !== undefined,
    listen(place: ListenAddress): void {
      if (lastStart !== undefined) lastStart = { ...lastStart, place, isPaused: false };
      // One that ends listens nowhere any more; the next one begins with the address of the settings.
      if (!isStopping) send({ type: 'listen', place });
    },
    pause(): void {
      if (lastStart !== undefined) lastStart = { ...lastStart, isPaused: true };
      send({ type: 'pause' });
    },
    /** After a crash, too, clients find it at the port that the system has chosen. */
    keepPort(port: number): void {
      if (lastStart?.place.port === 0) lastStart = { ...lastStart, place: { ...lastStart.place, port } };
    },
    async stop(isNow: boolean): Promise<void> {
      isStopping = true;
      if (child !== undefined) await endProcess(child, isNow);
    },
  };
}

/** The figures that the process last reported. */
function createFigures() {
  let latest = NO_FIGURES;
  const waiting: (() => void)[] = [];
  return {
    latest: (): GatewayFigures => latest,
    take(figures: GatewayFigures): void {
      latest = figures;
      for (const resolve of waiting.splice(0)) resolve();
    },
    endCalls: (): void => void (latest = { ...latest, openCalls: 0 }),
    /** Resolves after the next report, or without one after the limit. */
    ask: (send: (message: ToGateway) => void): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        setTimeout(resolve, REPORT_LIMIT_MS);
        send({ type: 'report' });
      }),
  };
}

function endProcess(child: UtilityProcess, isNow: boolean): Promise<void> {
  return new Promise((resolve) => {
    const kill = setTimeout(() => child.kill(), STOP_LIMIT_MS);
    child.on('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    child.on('message', (message: FromGateway) => {
      if (message.type === 'stopped') child.kill();
    });
    child.postMessage({ type: 'stop', isNow } satisfies ToGateway);
  });
}
