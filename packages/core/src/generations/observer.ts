import { type Attempt, type BrokeOff, type Outcome, outcomeOf } from '../calls/attempt.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { Cost } from '../catalog/prices.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { GenerationRecord, RunningCall, RunningFigures, StoredContent } from '../stores/store.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';
import type { GenerationContent } from '../wire/generation.ts';
import type { SkipReason } from '../wire/routing.ts';
import type { OnSent } from '../wire/stored-request.ts';
import { type Skipped, toCallTimeline } from './call-timeline.ts';
import {
  type CompletionAccumulator,
  createCompletionAccumulator,
  recordTimeline,
  type TimelineRecorder,
} from './completion-accumulator.ts';
import {
  type CompletionFacts,
  type Conversation,
  type EndedCall,
  type TimedStep,
  type ToolStep,
  type WebSearch,
} from './ended-call.ts';
import {
  createRunningMeter,
  type RunningMeter,
  type Spending,
  spendingOf,
  sumSpending,
  type Turn,
} from './spending.ts';
import {
  type SettledGeneration,
  toContentError,
  toGenerationContent,
  toSettled,
  toStoredContent,
} from './to-generation.ts';
import { noteSentTo, type SentRequests, toStoredRequest } from './whole-request.ts';

/** Follows one call from its first attempt to its end, with a stream and without. */
export interface CallObserver extends FollowedCall {
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly completion: CompletionAccumulator;
  /** The endpoint whose completion is being relayed. */
  endpoint(): Endpoint | undefined;
  /** Every endpoint that was called, in order. */
  attempts(): readonly Attempt[];
  /** An endpoint is being asked; `noteAttempt` follows. */
  noteAsked(endpoint: Endpoint): void;
  noteAttempt(attempt: Attempt): void;
  /** What notes the requests that are sent to an endpoint; undefined where contents are not stored. */
  sentTo(endpoint: Endpoint): OnSent | undefined;
  /** The completion that is being relayed has broken off, and another endpoint is asked to continue it. */
  noteBrokeOff(brokeOff: BrokeOff): void;
  /** An endpoint of the plan was passed over. */
  noteSkipped(endpoint: Endpoint, reason: SkipReason): void;
  /** Something beside the attempts took time. */
  noteStep(step: TimedStep): void;
  /** Used instead of `noteAttempt` when a completion is repeated: its endpoint, and the generation it was made for. */
  noteReplay(endpoint: Endpoint, sourceId: string): void;
  /** A further completion begins within the call; from then on, usage and cost are sums over all completions. */
  noteTurn(turn: Turn): void;
  /** The call ends while a completion is held back: it was paid for, though nobody has seen it. */
  noteHeld(turn: Turn): void;
  noteToolStep(step: ToolStep): void;
  /** Something beside the model was paid for, as soon as it was. */
  noteCost(cost: Cost): void;
  /** The web was searched within the call. */
  noteSearch(search: WebSearch): void;
  /** Spending so far; undefined while no completion has begun. */
  spending(): Spending | undefined;
  /**
   * The call as it is to be recorded if the process ends now; undefined before the first attempt, and once it is settled.
   * Takes time for what has come since the last call of it alone.
   */
  running(): RunningCall | undefined;
  /** Milliseconds since the call began. */
  ageMs(): number;
  observe(chunks: readonly ChatChunk[]): void;
  /** Call once. Makes the record; the recorder stores it. Then call `letGo`. */
  settle(outcome: Outcome): SettledGeneration;
  /** As `settle`, for a call without a conversation: the caller supplies what is known of the result. */
  settleWhole(outcome: Outcome, result: ResultFacts): SettledGeneration;
  /** Releases the completion, from which a record that is not stored yet may still read. */
  letGo(): void;
}

/** What the record of a call that is no conversation has of its result; of one that failed, no usage. */
export interface ResultFacts extends Pick<EndedCall, 'usage' | 'cost' | 'completion'> {
  readonly content: Pick<GenerationContent, 'input' | 'output'>;
  /** It went to the caller piece by piece. */
  readonly isStreamed?: boolean | undefined;
}

interface ObservingParts {
  readonly platform: Pick<Platform, 'now' | 'monotonicNow' | 'openScratch'>;
  readonly logging: GenerationLogging;
}

/** What is known of a call when it begins. */
type Begun = Pick<EndedCall, 'call' | 'pipeline' | 'stepTimes' | 'decision'>;

/** Starts to follow a call, at the moment this is called; `conversation` is null for a kind that has none. */
export function observeCall(call: Begun, conversation: Conversation | null, parts: ObservingParts): CallObserver {
  return new Observer(call, conversation, parts);
}

/** A class, because there is one for every call, and closures take more memory (docs/decisions/0016). */
class Observer implements CallObserver {
  readonly completion: CompletionAccumulator;
  readonly startedAt: number;
  private readonly begun: Begun;
  private readonly conversation: Conversation | null;
  private readonly platform: ObservingParts['platform'];
  private readonly startedMonotonic: number;
  private readonly isContentStored: boolean;
  private readonly streamTimeline: TimelineRecorder | null;
  private readonly asked: Attempt[] = [];
  private askedEndpoint: Endpoint | undefined = undefined;
  private completionEndpoint: Endpoint | undefined = undefined;
  private meter: RunningMeter | null = null;
  private isOver = false;
  private replayOf: string | null = null;
  private turns: Turn[] | null = null;
  private toolSteps: ToolStep[] | null = null;
  private searches: WebSearch[] | null = null;
  private besides: Cost[] | null = null;
  private timedSteps: TimedStep[] | null = null;
  private skipped: Skipped[] | null = null;
  private readonly sent: SentRequests = [];

  constructor(begun: Begun, conversation: Conversation | null, { platform, logging }: ObservingParts) {
    this.begun = begun;
    this.conversation = conversation;
    this.platform = platform;
    this.startedAt = platform.now();
    this.startedMonotonic = platform.monotonicNow();
    this.isContentStored = logging.inputOutput && begun.call.region === null;
    const isStoredAsStreamed = this.isContentStored && conversation?.isStreamed === true;
    this.streamTimeline = isStoredAsStreamed ? recordTimeline(platform, this.startedMonotonic) : null;
    this.completion = createCompletionAccumulator({
      maxLength: this.isContentStored ? logging.maxContentBytes : 0,
      // An unstreamed completion arrives at once, and is recorded at once.
      openScratch: isStoredAsStreamed ? platform.openScratch : undefined,
    });
  }

  endpoint(): Endpoint | undefined {
    return this.completionEndpoint;
  }

  attempts(): readonly Attempt[] {
    return this.asked;
  }

  id(): string {
    return this.begun.call.id;
  }

  isSettled(): boolean {
    return this.isOver;
  }

  noteAsked(endpoint: Endpoint): void {
    this.askedEndpoint = endpoint;
  }

  noteAttempt(attempt: Attempt): void {
    this.askedEndpoint = undefined;
    this.asked.push(attempt);
    if (attempt.error === null) this.completionEndpoint = attempt.endpoint;
  }

  sentTo(endpoint: Endpoint): OnSent | undefined {
    return this.isContentStored ? noteSentTo(endpoint, this.sent) : undefined;
  }

  noteBrokeOff(brokeOff: BrokeOff): void {
    const at = this.asked.findLastIndex(({ error }) => error === null);
    const attempt = this.asked[at];
    if (attempt !== undefined) this.asked[at] = { ...attempt, brokeOff };
  }

  noteSkipped(endpoint: Endpoint, reason: SkipReason): void {
    (this.skipped ??= []).push({ endpoint, reason });
  }

  noteStep(step: TimedStep): void {
    (this.timedSteps ??= []).push(step);
  }

  noteReplay(served: Endpoint, sourceId: string): void {
    this.completionEndpoint = served;
    this.replayOf = sourceId;
  }

  noteTurn(turn: Turn): void {
    (this.turns ??= []).push(turn);
  }

  noteHeld(turn: Turn): void {
    this.completionEndpoint = turn.endpoint;
    this.noteTurn(turn);
  }

  noteToolStep(step: ToolStep): void {
    (this.toolSteps ??= []).push(step);
  }

  noteCost(cost: Cost): void {
    (this.besides ??= []).push(cost);
  }

  noteSearch(search: WebSearch): void {
    (this.searches ??= []).push(search);
  }

  spending(): Spending | undefined {
    const { completionEndpoint: endpoint, completion, conversation } = this;
    const besides = (this.besides ?? []).map((cost) => ({ usage: NO_USAGE, cost }));
    // What was read for a completion is paid, also where none comes of it.
    const turns =
      endpoint === undefined || conversation === null
        ? []
        : (this.turns ?? [{ endpoint, messages: conversation.messages, completion }]);
    const at = this.platform.now();
    const [first, ...others] = [...turns.map((turn) => spendingOf(turn, at)), ...besides];
    return first && sumSpending(first, others);
  }

  ageMs(): number {
    return this.platform.monotonicNow() - this.startedMonotonic;
  }

  running(): RunningCall | undefined {
    const { completion, conversation, asked, replayOf, isOver } = this;
    const endpoint = this.completionEndpoint ?? this.askedEndpoint;
    if (isOver || replayOf !== null || endpoint === undefined || conversation === null) return undefined;
    const turns = this.turns ?? [{ endpoint, messages: conversation.messages, completion }];
    const durationMs = this.ageMs();
    const state = { endpoint, turns, attempts: asked.length, upstreamId: completion.upstreamId, durationMs };
    return (this.meter ??= createRunningMeter()).read(state, this.platform.now(), () => this.toRunningRecord());
  }

  state(): CallState {
    const { asked, askedEndpoint, completionEndpoint, startedAt } = this;
    const { call } = this.begun;
    return {
      call,
      startedAt,
      durationMs: this.ageMs(),
      isStreamed: this.conversation?.isStreamed ?? call.kind.isStreamed?.(call.request) ?? false,
      phase: completionEndpoint !== undefined ? 'responding' : askedEndpoint !== undefined ? 'asked' : 'waiting',
      endpoint: completionEndpoint ?? askedEndpoint ?? asked.at(-1)?.endpoint,
      attempts: asked.length + (askedEndpoint === undefined ? 0 : 1),
      figures: this.running()?.figures,
    };
  }

  observe(chunks: readonly ChatChunk[]): void {
    this.completion.observe(chunks);
    this.streamTimeline?.note(this.completion);
  }

  settle(outcome: Outcome): SettledGeneration {
    const { completion, conversation } = this;
    this.isOver = true;
    const ended = this.toEnded(outcome, this.completionEndpoint, this.spending(), completion);
    const texts = this.isContentStored ? completion.toLongTexts() : null;
    const content = texts && toGenerationContent(ended, conversation?.messages ?? [], completion, texts);
    return toSettled(ended, {
      content: content && this.toStored(ended, content),
      contentLength:
        (conversation?.bodyLength ?? 0) + completion.textLength + completion.reasoningLength + lengthOf(ended.steps),
    });
  }

  letGo(): void {
    this.completion.letGo();
  }

  settleWhole(outcome: Outcome, { content, completion, usage, cost, isStreamed }: ResultFacts): SettledGeneration {
    const ended = this.toEnded(outcome, this.completionEndpoint, { usage, cost, isStreamed }, completion);
    const stored = { ...content, error: toContentError(ended) };
    const settled = toSettled(ended, {
      content: this.isContentStored ? this.toStored(ended, stored) : null,
      contentLength: JSON.stringify(stored).length,
    });
    this.isOver = true;
    return settled;
  }

  private toStored(ended: EndedCall, content: GenerationContent): StoredContent {
    const timeline = toCallTimeline(ended, this.startedMonotonic, this.timedSteps, this.skipped);
    const request = toStoredRequest(this.begun.call.received, this.sent);
    return toStoredContent(content, { request, callTimeline: timeline }, this.streamTimeline);
  }

  private toEnded(
    outcome: Outcome,
    endpoint: Endpoint | undefined,
    {
      usage,
      cost = null,
      isStreamed,
    }: Partial<Pick<EndedCall, 'usage' | 'cost'>> & Pick<ResultFacts, 'isStreamed'> = {},
    completion: CompletionFacts = this.completion,
  ): EndedCall {
    const { call, pipeline, stepTimes, decision } = this.begun;
    return {
      call,
      pipeline,
      stepTimes,
      decision,
      attempts: this.asked,
      endpoint,
      outcome,
      startedAt: this.startedAt,
      durationMs: this.ageMs(),
      usage,
      cost,
      completion,
      conversation: this.conversation,
      replayOf: this.replayOf,
      steps: this.toolSteps ?? NO_STEPS,
      searches: this.searches,
      isStreamed: isStreamed ?? this.conversation?.isStreamed ?? false,
    };
  }

  private toRunningRecord(): GenerationRecord {
    const ended = this.toEnded(INTERRUPTED, this.completionEndpoint ?? this.askedEndpoint);
    return toSettled(ended, { content: null, contentLength: 0 }).record;
  }
}

const INTERRUPTED = outcomeOf(new GatewayError('internal', 'The gateway stopped during the call'));

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const NO_STEPS: readonly ToolStep[] = [];

/** About how much room steps take in a record, in characters. */
function lengthOf(steps: readonly ToolStep[]): number {
  return steps.reduce((sum, step) => sum + step.arguments.length + step.result.length, 0);
}

/** The state of a call that has not ended. */
export interface CallState {
  readonly call: ModelCall;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly isStreamed: boolean;
  /** `waiting`: no endpoint is asked right now. `asked`: one is. `responding`: a completion has begun. */
  readonly phase: 'waiting' | 'asked' | 'responding';
  /** The endpoint that is asked or relayed, or was asked last. */
  readonly endpoint: Endpoint | undefined;
  /** Endpoints that were asked, the present one included. */
  readonly attempts: number;
  /** Usage up to now; undefined where none is known. */
  readonly figures: RunningFigures | undefined;
}

/** A call that can be looked at while it runs. */
export interface FollowedCall {
  id(): string;
  /** Whether its outcome is decided, though it may not be stored yet. */
  isSettled(): boolean;
  state(): CallState;
}

/** Settings for the stored content of calls. */
export interface GenerationLogging {
  /** Whether prompts and completions are stored. */
  readonly inputOutput: boolean;
  /** A content above this is not stored at all. */
  readonly maxContentBytes: number;
}
