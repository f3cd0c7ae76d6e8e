import { raceAbort } from '../../../foundation/awaitable.ts';
import type { Logger } from '../../../foundation/host.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { TimerWheel } from '../../../foundation/timers.ts';
import { TransportError } from '../../../foundation/transport.ts';
import type { ToolStep } from '../../../generations/ended-call.ts';
import type { GuardedText } from '../../../guardrails/guard-call.ts';
import type { ToolCall } from '../../../wire/chat-request.ts';
import { clipText } from '../../web/web-access.ts';
import { ToolFailure, type ToolResult } from './server-tool.ts';
import type { NamedTool } from './tool-set.ts';

export interface ToolRun {
  readonly wheel: TimerWheel;
  readonly logger: Logger;
  /** The id of the request, for the log. */
  readonly requestId: string | undefined;
  readonly tools: ReadonlyMap<string, NamedTool>;
  readonly signal: AbortSignal;
  /** Filters the result of a tool before a model reads it. */
  readonly guard: (text: string) => Promise<GuardedText>;
  readonly platform: Pick<Platform, 'monotonicNow'>;
}

export interface RanCall {
  readonly step: ToolStep;
  readonly annotations: readonly unknown[];
  readonly search?: ToolResult['search'];
  /** When the tool ran, on the monotonic clock; undefined when it did not. */
  readonly ranFrom?: number | undefined;
  readonly ranUntil?: number | undefined;
}

const TIMEOUT_MS = 60_000;
const MAX_RESULT_CHARACTERS = 200_000;

/**
 * Runs the calls of one turn concurrently, and returns their results in order. `allowance` is how many may run; the
 * others return an error about the limit. Rejects only when the call as a whole is over.
 */
export function runToolCalls(calls: readonly ToolCall[], allowance: number, run: ToolRun): Promise<RanCall[]> {
  return Promise.all(
    calls.map(async (call, index) => {
      const tool = run.tools.get(call.function.name) as NamedTool;
      if (index >= allowance) {
        return toFailed(call, tool, { reason: 'no more tools can be called in this request', wasRun: false });
      }
      const ranFrom = run.platform.monotonicNow();
      const ran = await runOne(call, tool, run);
      return ran.step.wasRun ? { ...ran, ranFrom, ranUntil: run.platform.monotonicNow() } : ran;
    }),
  );
}

async function runOne(call: ToolCall, tool: NamedTool, run: ToolRun): Promise<RanCall> {
  const input = readInput(call.function.arguments);
  if (input === null) return toFailed(call, tool, { reason: 'the arguments are not a JSON object', wasRun: false });
  try {
    const { content, annotations = [], search } = await withinTime(tool, input, run);
    // JSON that is cut is none any more, and filters would not see through its escapes.
    const { text, refusal } = await run.guard(content);
    if (refusal !== null) return withheld(call, tool);
    const result = clipText(text, MAX_RESULT_CHARACTERS);
    return { step: toStep(call, tool, { result, status: 'completed', wasRun: true }), annotations, search };
  } catch (error) {
    run.signal.throwIfAborted();
    // Why a tool has failed may be told in words of a page.
    const { text: reason, refusal } = await run.guard(describe(error, run, tool));
    return refusal === null ? toFailed(call, tool, { reason, wasRun: true }) : withheld(call, tool);
  }
}

/** A tool that takes too long is abandoned; its later result is ignored. */
async function withinTime(
  { open }: NamedTool,
  input: Readonly<Record<string, unknown>>,
  { wheel, signal }: ToolRun,
): Promise<ToolResult> {
  const work = new AbortController();
  const onAbort = (): void => work.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const deadline = wheel.add(() => work.abort(new ToolFailure('the tool took too long')));
  deadline.set(TIMEOUT_MS);
  try {
    signal.throwIfAborted();
    return await raceAbort(
      Promise.resolve().then(() => open.run(input, work.signal)),
      work.signal,
    );
  } finally {
    deadline.clear();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Returns a message that was written for the model, or only the fact that a connection failed. */
function describe(error: unknown, { logger, requestId }: ToolRun, { name }: NamedTool): string {
  if (error instanceof ToolFailure || error instanceof TransportError) return error.message;
  logger.warn('a server tool has failed', { requestId, tool: name, reason: String(error) });
  return 'the tool has failed';
}

/** An empty text of arguments is an empty object. */
function readInput(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function toFailed(
  call: ToolCall,
  tool: NamedTool,
  { reason, wasRun }: { readonly reason: string; readonly wasRun: boolean },
): RanCall {
  const result = JSON.stringify({ status: 'failed', error: reason });
  return { step: toStep(call, tool, { result, status: 'failed', wasRun }), annotations: [] };
}

const withheld = (call: ToolCall, tool: NamedTool): RanCall =>
  toFailed(call, tool, { reason: 'a guardrail has withheld the result', wasRun: true });

const toStep = (
  { id, function: called }: ToolCall,
  { name }: NamedTool,
  outcome: Pick<ToolStep, 'result' | 'status' | 'wasRun'>,
): ToolStep => ({ id, tool: name, arguments: called.arguments, ...outcome });
