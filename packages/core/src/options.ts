import type { Principal } from './auth/principal.ts';
import type { ModelDefinition } from './catalog/model-definition.ts';
import type { Platform } from './platform.ts';
import type { Provider } from './providers/provider.ts';
import type { GatewayRequest } from './request.ts';
import type { Awaitable, Store } from './stores/store.ts';

/** Every limit the gateway keeps, in milliseconds. */
export interface Timeouts {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly nonStreamMs: number;
  readonly firstTokenMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly keepAliveMs: number;
  readonly clientWriteMs: number;
  readonly drainMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  headersMs: 120_000,
  nonStreamMs: 600_000,
  firstTokenMs: 120_000,
  idleMs: 120_000,
  totalMs: 3_600_000,
  keepAliveMs: 10_000,
  clientWriteMs: 120_000,
  drainMs: 30_000,
};

/** Where the gateway tells its operator what happened. Fields never hold prompts, answers or secrets. */
export interface Logger {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** A key that configuration gives in plain text: valid while it stands there, never stored. */
export interface BootstrapKey {
  readonly key: string;
  readonly kind: 'api' | 'management';
  readonly name: string;
}

export interface AccountOptions {
  /** Used when a request names no model. */
  readonly defaultModel?: string | null | undefined;
  readonly providers?: {
    readonly only?: readonly string[] | undefined;
    readonly ignore?: readonly string[] | undefined;
  };
  readonly privacy?: { readonly zdr?: boolean | undefined; readonly allowTraining?: boolean | undefined };
}

export interface GatewayOptions {
  readonly providers: readonly Provider[];
  readonly models?: readonly ModelDefinition[] | undefined;
  /** Owned by the caller: `gateway.close()` does not close it. */
  readonly store: Store;
  /** Default: web standards alone. On Node, `createNodePlatform()` is much faster. */
  readonly platform?: Platform | undefined;
  readonly bootstrapKeys?: readonly BootstrapKey[] | undefined;
  /** The embedder's own authentication. Null means not authenticated (401); keys are then not looked at. */
  readonly authenticate?: ((request: GatewayRequest) => Awaitable<Principal | null>) | undefined;
  readonly account?: AccountOptions | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly logging?:
    | { readonly inputOutput?: boolean | undefined; readonly maxContentMb?: number | undefined }
    | undefined;
  readonly logger?: Logger | undefined;
}
