import type { AccountOptions } from './account/account.ts';
import type { ConnectMailer } from './alarms/live-mailer.ts';
import type { AlarmListener, AlarmMailer } from './alarms/send-alarm.ts';
import type { FixtureLibrary } from './api/make-fixture.ts';
import type { SampleData } from './api/sample-data.ts';
import type { AuditListener } from './audit/audit-trail.ts';
import type { BootstrapKey } from './auth/authenticate.ts';
import type { SignInOptions } from './auth/identity-sessions.ts';
import type { MemberDirectory } from './auth/keys.ts';
import type { TokenOptions } from './auth/token-issuers.ts';
import type { BroadcastOptions } from './broadcast/destination-format.ts';
import type { Timeouts } from './calls/attempt.ts';
import type { RegionOptions } from './calls/regions.ts';
import type { RequestHook } from './calls/request-hook.ts';
import type { Moderator } from './chat/moderate-call.ts';
import type { ResponseCache } from './chat/stages/response-cache.ts';
import type { ServerTool } from './chat/stages/server-tools/server-tool.ts';
import type { WebAccess } from './chat/web/web-access.ts';
import type { AttemptListener, GenerationListener } from './dispatch/recorder.ts';
import type { FileOptions } from './files/file-library.ts';
import type { Engine, InstanceFacts, Logger, MetricsOptions, SharedChannel } from './foundation/host.ts';
import type { Platform } from './foundation/platform.ts';
import type { FilterFunction } from './guardrails/filter-functions.ts';
import type { Authenticate, GatewayRequest } from './http/request.ts';
import type { CallLimitOptions } from './limits/call-limits.ts';
import type { RateLimitOptions } from './limits/rate-limits.ts';
import type { Provider } from './providers/provider.ts';
import type { RerunJudge } from './reruns/judge-by-code.ts';
import type { RouterName, RouterStrategy } from './routing/routers.ts';
import type { CatalogWatchOptions } from './setup/catalog-watch.ts';
import type { ProviderChecks, SetupHost } from './setup/setup-host.ts';
import type { Store } from './stores/store.ts';
import type { VideoArchive } from './videos/video-archive.ts';
import type { WebhookOptions } from './webhooks/webhooks.ts';
import type { ModelDefinition } from './wire/model-definition.ts';

/** The part of a gateway that can be replaced while it runs, by `gateway.configure`: one value, replaced as a whole. */
export interface Setup {
  readonly providers: readonly Provider[];
  readonly models?: readonly ModelDefinition[] | undefined;
  readonly account?: AccountOptions | undefined;
  /** Limits per minute for each key. Default: no limits. */
  readonly rateLimits?: RateLimitOptions | undefined;
  /** Limits on calls under way at once. Default: no limits. */
  readonly callLimits?: CallLimitOptions | undefined;
}

/** What the processes of one gateway know together beside the store, in an engine such as Redis. */
export interface SharedParts {
  /** Default: completions in the memory of this process. */
  readonly responseCache?: ResponseCache | undefined;
  /** Default: each process knows of the health of endpoints and of wrong keys what it has seen itself. */
  readonly openChannel?: ((name: string) => SharedChannel) | undefined;
  readonly engine?: Engine | undefined;
}

export interface GatewayOptions extends Setup {
  /** Owned by the caller: `gateway.close()` does not close it. */
  readonly store: Store;
  /** Default: web standards alone. On Node, `createNodePlatform()` is much faster. */
  readonly platform?: Platform | undefined;
  /** Default: this process is alone. Owned by the caller. */
  readonly shared?: SharedParts | undefined;
  /** Shown to management by `GET /admin/v1/instance`. Default: nothing about the process. */
  readonly instance?: InstanceFacts | undefined;
  /** Options of `GET /metrics`. */
  readonly metrics?: MetricsOptions | undefined;
  readonly bootstrapKeys?: readonly BootstrapKey[] | undefined;
  /** The embedder's own authentication. Null means not authenticated (401); keys are not checked then. */
  readonly authenticate?: Authenticate<GatewayRequest> | undefined;
  /** Issuers whose JWTs are taken in the place of API keys. Default: none. */
  readonly tokens?: TokenOptions | undefined;
  /** Whoever sends it as bearer token may use `/scim/v2`, and nothing else. Default: that is not served. */
  readonly scimToken?: string | undefined;
  /**
   * Wrong keys that one address may send before further ones are slowed, by 429 with a wait that doubles; null slows
   * none. Default 10. Addresses of this machine, and requests without an address, are never slowed.
   */
  readonly wrongKeysPerAddress?: number | null | undefined;
  /** How members sign in as themselves to the UI. Default: by one-time links and management keys alone. */
  readonly signIn?: SignInOptions | undefined;
  /** The embedder's own people. Default: those added through `/admin/v1/members`, which cannot be written to otherwise. */
  readonly members?: MemberDirectory | undefined;
  /** Requests under these hosts stay in their region. */
  readonly regions?: readonly RegionOptions[] | undefined;
  /** Strategies of the slugs `service/auto` and `service/free`. Default: the strategies of docs/routing.md. */
  readonly routers?: Partial<Readonly<Record<RouterName, RouterStrategy>>> | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly logging?:
    | {
        readonly inputOutput?: boolean | undefined;
        readonly maxContentMb?: number | undefined;
        /** Whether `store: true` of `/responses` is taken, which the public API refuses. Default: no. */
        readonly acceptStore?: boolean | undefined;
        /** Finds out after each call why it missed the cache of its provider, for metrics and destinations. Default: no. */
        readonly cacheCauses?: boolean | undefined;
      }
    | undefined;
  /** Options of the webhooks about the end of video jobs. Default: none are sent. */
  readonly webhooks?: WebhookOptions | undefined;
  /** Sends the mails of alarms. Default: none are sent. */
  readonly mailer?: AlarmMailer | undefined;
  /** Makes what sends mail by a server that is stored through the API. Default: none can be stored. Needs `setupHost`. */
  readonly connectMailer?: ConnectMailer | undefined;
  /** Called when an alarm has fired, in the process that found it. What it throws is logged. */
  readonly onAlarm?: AlarmListener | undefined;
  /** Options of broadcasting. Default: none, and no destination can be made. */
  readonly broadcast?: BroadcastOptions | undefined;
  /** Archive for finished videos. Default: none, they are fetched from upstream each time. */
  readonly videoArchive?: VideoArchive | undefined;
  /** Where uploaded files are stored, and how many. Default: none can be uploaded. */
  readonly files?: FileOptions | undefined;
  /** Access of server tools and plugins to the network. Default: none, and those that require it report that. */
  readonly web?: WebAccess | undefined;
  /** Server tools of the embedder's own, beside the built-in ones and before those of the same name. */
  readonly serverTools?: readonly ServerTool[] | undefined;
  /** Judges the requests with the plugin `moderation`. Default: such requests are refused. */
  readonly moderator?: Moderator | undefined;
  /** Lets management see and test the connections to providers. Default: management has no access to them. */
  readonly providerChecks?: ProviderChecks | undefined;
  /**
   * Lets management set up providers and models, which the store holds: they are added to the setup given here once
   * `gateway.loadSetup` is called, and from then on with every change. Default: they are the host's alone.
   */
  readonly setupHost?: SetupHost | undefined;
  /** Compares the catalog with lists of models on a schedule, for management to choose from. Default: only when asked. */
  readonly catalogUpdates?: CatalogWatchOptions | undefined;
  /** Lets management see and make fixtures. Default: there are none. */
  readonly fixtures?: FixtureLibrary | undefined;
  /** Lets management see and delete the made-up records of a demo. Default: there are none. */
  readonly sampleData?: SampleData | undefined;
  /** Judges of reruns by functions of the embedder's own, by the names that reruns use them by. Default: none. */
  readonly rerunJudges?: Readonly<Record<string, RerunJudge>> | undefined;
  /** Filters of the embedder's own, which look at every call after those of guardrails, in this order. Default: none. */
  readonly guardrails?: { readonly filters: readonly FilterFunction[] } | undefined;
  /** Refuses or amends requests that have been read, before guardrails, budgets and rules see them. */
  readonly onRequest?: RequestHook | undefined;
  /**
   * Receives every attempt at an endpoint after its call has been recorded, in order. Its failure is logged and changes
   * nothing; no call waits for it.
   */
  readonly onAttempt?: AttemptListener | undefined;
  /** Receives every generation after it has been recorded. Its failure is logged and changes nothing. */
  readonly onGeneration?: GenerationListener | undefined;
  /**
   * Receives the records of the audit log that requests to this gateway have made, in order, after they are durable. Its
   * failure is logged and changes nothing; their `sequence` tells what was missed.
   */
  readonly onAudit?: AuditListener | undefined;
  /** Default: errors go to `console.error`, and nothing else is written. */
  readonly logger?: Logger | undefined;
}
