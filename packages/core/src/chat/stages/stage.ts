import type { Endpoint } from '../../catalog/catalog.ts';
import type { Awaitable } from '../../foundation/awaitable.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import type { Plugin } from '../chat-kind.ts';
import type { ChatRun } from '../chat-run.ts';
import type { CommittedCompletion } from '../committed-completion.ts';

/** One question to models. A call has one, or, when it runs server tools, several. */
export interface ChatTurn {
  readonly request: ChatCompletionRequest;
  /** In the order in which they are called. */
  readonly endpoints: readonly Endpoint[];
  /** Receives the body that is sent to each endpoint, where the caller requested it. */
  readonly onUpstreamBody?: ((body: unknown) => void) | undefined;
  /** Fires when the call must end, with the `GatewayError` to end it as its reason. */
  readonly signal: AbortSignal;
  /** The gateway's last turn of several: calls of its own tools in it are ignored. */
  readonly isLast?: boolean;
}

/** Begins a completion, at an endpoint or with something around or in place of it. Rejects with what ends the call. */
export type Begin = (turn: ChatTurn) => Promise<CommittedCompletion>;

/** Makes a request fit an endpoint; the same object where it does already. */
export type FitRequest = (request: ChatCompletionRequest, endpoint: Endpoint) => ChatCompletionRequest;

/** The effect of a stage on one call. */
export interface PlannedStage {
  /** Wraps the beginning of a completion. `next` is what is further in; a stage that does not call it replaces it. */
  readonly begin?: (next: Begin) => Begin;
  /** Changes the request for one endpoint, just before it is called; outer stages first. */
  readonly fit?: FitRequest;
  /** The stage replaces upstream, so that nothing is spent or reserved. */
  readonly isReplay?: boolean;
}

/** An optional step of a chat call; `compose-stages.ts` lists all, the outermost first (docs/decisions/0024). */
export interface Stage {
  /** Plugins of a request that this stage serves. */
  readonly plugins?: readonly string[];
  /** Why a plugin cannot be had on this gateway, in words for the caller; null when it can. Default: it always can. */
  readonly findPluginProblem?: (plugin: Plugin) => string | null;
  /** Returns the stage's part in a call that needs it; null for none. Throws `invalid_request` for unusable options. */
  plan(run: ChatRun): Awaitable<PlannedStage | null>;
}

/** A stage in the list, with the first look at a call, which most calls pass without running the stage at all. */
export interface ListedStage {
  /** Name in the timeline of a call. */
  readonly name: string;
  readonly stage: Stage;
  /** Whether the call may need the stage; what the stage then plans decides. */
  readonly isNeeded: (run: ChatRun) => boolean;
}
