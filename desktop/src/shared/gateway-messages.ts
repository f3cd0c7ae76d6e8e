import type { Mode, PanelCall } from '@model-gateway/ui/desktop-bridge';
import type { Language } from '@model-gateway/ui/messages';

/** Messages between the main process and the gateway's process. Both are part of the app, so nothing is checked. */

export interface StartMessage {
  readonly type: 'start';
  /** The configuration file of the user; null where there is none. */
  readonly configFile: string | null;
  readonly dataDir: string;
  /** The folder of the app's logs; the data directory has its own for recorded data. */
  readonly logsDir: string;
  /** Provider keys under the names of their environment variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly demoFixturesDir: string;
  /** Whether the demo runs while no provider has been set up; otherwise the gateway starts without one. */
  readonly demo: boolean;
  /** Seals what is set up, in hex; null where a file beside the data does. */
  readonly secretsKey: string | null;
  readonly language: Language;
  readonly mode: Mode;
  /** Recordings are written to this directory and replayed from it. */
  readonly recordingsDir: string;
  readonly place: ListenAddress;
  /** Whether it accepts no calls from clients until it is told to listen. */
  readonly isPaused: boolean;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Names and addresses of this machine by which others on the network may call. */
  readonly allowedHosts: readonly string[];
}

export interface RequestMessage {
  readonly type: 'request';
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

export type ToGateway =
  | StartMessage
  | RequestMessage
  /** Listens at this address, which may be the same as before. */
  | { readonly type: 'listen'; readonly place: ListenAddress }
  /** Accepts no calls from clients until it listens again; the UI continues to work. */
  | { readonly type: 'pause' }
  /** The reader of a response has room for one more piece. */
  | { readonly type: 'pull'; readonly id: number }
  | { readonly type: 'abort'; readonly id: number }
  /** Requests the figures at once. */
  | { readonly type: 'report' }
  /** Ends once open responses have ended; with `isNow`, cuts them off. */
  | { readonly type: 'stop'; readonly isNow: boolean };

export interface GatewayFigures {
  readonly openCalls: number;
  /** The figures of the day since local midnight, as the UI counts it unless its user has chosen UTC. */
  readonly today: { readonly requests: number; readonly costUsd: number };
  /** The latest calls, newest first. */
  readonly latest: readonly PanelCall[];
  /** The latest failures, newest first, without any text of a provider or a model. */
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly model: string;
  /** Status of the last provider's response; null when no provider responded. */
  readonly status: number | null;
}

/**
 * Something that a user who looks elsewhere may want to know. It never has a text of a caller, a model or a provider; an
 * alarm has the name that the user gave it.
 */
export type Notice =
  | { readonly type: 'alarm'; readonly id: string; readonly name: string }
  | { readonly type: 'budget' }
  | { readonly type: 'provider'; readonly slug: string; readonly name: string; readonly isDown: boolean }
  | { readonly type: 'video'; readonly jobId: string; readonly model: string; readonly isDone: boolean };

export type GatewayState =
  | { readonly phase: 'starting' }
  | { readonly phase: 'listening'; readonly url: string; readonly port: number; readonly isDemo: boolean }
  | { readonly phase: 'paused'; readonly isDemo: boolean }
  /** Works, for the UI only. `kind` decides what to offer. */
  | {
      readonly phase: 'not-listening';
      readonly kind: 'taken' | 'denied' | 'other';
      readonly port: number;
      readonly message: string;
      /** A free port nearby; null when none was found. */
      readonly freePort: number | null;
      readonly isDemo: boolean;
    }
  | { readonly phase: 'failed'; readonly message: string };

export type FromGateway =
  | { readonly type: 'state'; readonly state: GatewayState }
  | { readonly type: 'figures'; readonly figures: GatewayFigures }
  | { readonly type: 'notice'; readonly notice: Notice }
  | {
      readonly type: 'head';
      readonly id: number;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: 'piece'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly id: number }
  | { readonly type: 'broken'; readonly id: number; readonly message: string }
  | { readonly type: 'stopped' };
