import type { LiveAccount } from '../account/account.ts';
import type { Timeouts } from '../calls/attempt.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { OpenCalls } from '../dispatch/open-calls.ts';
import type { PreparedCall } from '../dispatch/prepare-call.ts';
import type { Recorder } from '../dispatch/recorder.ts';
import type { AttemptParts } from '../dispatch/run-attempts.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { BoundedQueue } from '../foundation/queues.ts';
import type { TimerWheel } from '../foundation/timers.ts';
import type { CallObserver } from '../generations/observer.ts';
import type { FilterFunctions } from '../guardrails/filter-functions.ts';
import type { CompletionGuard } from '../guardrails/guard-call.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { Ledger } from '../limits/ledger.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import type { Plugin } from './chat-kind.ts';
import type { CompletionEncoder } from './format.ts';
import type { ToolSet } from './stages/server-tools/tool-set.ts';

export interface ChatRunParts {
  readonly attempts: AttemptParts;
  readonly platform: Platform;
  readonly wheel: TimerWheel;
  readonly timeouts: Timeouts;
  readonly catalog: Catalog;
  readonly account: LiveAccount;
  readonly ledger: Ledger;
  readonly recorder: Recorder;
  readonly openCalls: OpenCalls;
  /** Settles long streamed completions, a few at a time; they weigh what they have characters. */
  readonly longCompletions: BoundedQueue;
  readonly filterFunctions: FilterFunctions;
  readonly logger: Logger;
}

/** One prepared chat call, in which server tools are functions. Made once, and passed on as a whole (docs/decisions/0024). */
export interface ChatRun extends PreparedCall<ChatCompletionRequest> {
  /** Writes the completion in the form of the route by which the call came in. */
  readonly encoder: CompletionEncoder;
  /** The server tools of the request; null without any. */
  readonly toolSet: ToolSet | null;
  /** Plugins that this gateway leaves to a provider that is one itself. */
  readonly onwardPlugins: readonly Plugin[];
  /** Null when no guardrail looks at completions. */
  readonly guard: CompletionGuard | null;
  readonly observer: CallObserver;
  /** The HTTP request, as long as its client is connected. */
  readonly client: Pick<GatewayRequest, 'headers' | 'signal' | 'abort' | 'waitUntil'>;
  /** Headers of the response, the same streamed and whole; stages may add to them until it begins. */
  readonly responseHeaders: Record<string, string>;
  readonly parts: ChatRunParts;
}
