import type { Principal } from './auth/principal.ts';
import type { ModelDefinition } from './catalog/model-definition.ts';
import type { Platform } from './platform.ts';
import type { Provider } from './providers/provider.ts';
import type { GatewayRequest } from './request.ts';
import type { RegionOptions } from './routing/region-of.ts';
import type { RouterName, RouterStrategy } from './routing/router.ts';
import type { Member } from './schemas/member.ts';
import type { Awaitable, Repository, Store } from './stores/store.ts';
import type { VideoKeeper } from './videos/video-keeper.ts';
import type { WebhookOptions } from './webhooks/webhook-options.ts';

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

/** Who belongs to the organization; the ids are those that principals and keys carry as `userId`. */
export type MemberDirectory = Pick<Repository<Member>, 'get' | 'list'>;

/** What holds for the whole account, unless it is set otherwise through `/admin/v1/settings`. */
export interface AccountOptions {
  /** Used when a request names no model. */
  readonly defaultModel?: string | null | undefined;
  /** USD that all calls together may cost; null means no limit. */
  readonly creditsUsd?: number | null | undefined;
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
  /** The embedder's own people. Default: those added through `/admin/v1/members`, which cannot be written to otherwise. */
  readonly members?: MemberDirectory | undefined;
  /** Requests under these hosts stay in their region. */
  readonly regions?: readonly RegionOptions[] | undefined;
  /** What stands behind the slugs `service/auto` and `service/free`. Default: the strategies of docs/routing.md. */
  readonly routers?: Partial<Readonly<Record<RouterName, RouterStrategy>>> | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly logging?:
    | { readonly inputOutput?: boolean | undefined; readonly maxContentMb?: number | undefined }
    | undefined;
  /** How the end of video jobs is announced. Default: not at all. */
  readonly webhooks?: WebhookOptions | undefined;
  /** Where finished videos are kept. Default: nowhere, they are fetched from upstream each time. */
  readonly videoKeeper?: VideoKeeper | undefined;
  readonly logger?: Logger | undefined;
}
