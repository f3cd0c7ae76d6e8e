import type { Moderator } from './chat/moderate-request.ts';
import type { ServerTool } from './chat/stages/server-tools/server-tool.ts';
import type { WebAccess } from './chat/stages/web-access.ts';
import type { Principal } from './http/principal.ts';
import type { BroadcastOptions } from './broadcast/destination-format.ts';
import type { ModelDefinition } from './wire/models/model-definition.ts';
import type { FixtureLibrary } from './api/fixtures/fixture-library.ts';
import type { Platform } from './foundation/platform.ts';
import type { Provider } from './providers/provider.ts';
import type { GatewayRequest } from './http/request.ts';
import type { RateLimitOptions } from './rate-limits/rate-limits.ts';
import type { RegionOptions } from './routing/region-of.ts';
import type { RouterName, RouterStrategy } from './routing/router.ts';
import type { Member } from './wire/management/member.ts';
import type { Awaitable, Repository, Store } from './stores/store.ts';
import type { VideoKeeper } from './videos/archive/video-archive.ts';
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

/** What was found at one layer between us and a provider. */
export interface ProviderFinding {
  readonly layer: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One line, what was seen. Holds no secret. */
  readonly detail: string;
  /** One line, what to do about it. */
  readonly advice?: string | undefined;
}

/** What the host knows of the connections to its providers, which the core never sees. */
export interface ProviderChecks {
  /** Where a provider is; undefined when that is not known. */
  describe(slug: string): { readonly host: string; readonly hasKey: boolean } | undefined;
  /** Looks at a provider that `describe` knows, layer by layer, and no further than the first that fails. */
  test(slug: string, options: { readonly call: boolean }): Promise<readonly ProviderFinding[]>;
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
  /** How generations get to destinations. Default: not at all, and no destination can be made. */
  readonly broadcast?: BroadcastOptions | undefined;
  /** Where finished videos are kept. Default: nowhere, they are fetched from upstream each time. */
  readonly videoKeeper?: VideoKeeper | undefined;
  /** What server tools and plugins need of the world outside. Default: nothing, and what needs it says so. */
  readonly web?: WebAccess | undefined;
  /** Server tools of the embedder's own, beside the built-in ones and before those of the same name. */
  readonly serverTools?: readonly ServerTool[] | undefined;
  /** Judges the requests that ask for the plugin `moderation`. Default: such requests are refused. */
  readonly moderator?: Moderator | undefined;
  /** For management, to see and test how providers are reached. Default: that is not told. */
  readonly providerChecks?: ProviderChecks | undefined;
  /** For management, to see and make fixtures. Default: there are none. */
  readonly fixtures?: FixtureLibrary | undefined;
  /** How much each key may ask for a minute. Default: no limits. */
  readonly rateLimits?: RateLimitOptions | undefined;
  readonly logger?: Logger | undefined;
}
