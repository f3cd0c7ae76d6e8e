import type { ChatMessage } from '../../wire/chat-request.ts';

/** Steps of a conversation that come again and again. */
export interface FoundLoop {
  /** Steps that are repeated together. */
  readonly steps: number;
  readonly times: number;
  /** Names of the tools that are called in them; empty where completions alone repeat. */
  readonly tools: readonly string[];
}

/** One turn of the model and what came back to it. */
interface Step {
  /** The calls of tools with their arguments, or the text where there are none. */
  readonly said: string;
  /** The results, or what the caller went on with. */
  readonly got: string;
  readonly tools: readonly string[];
}

/** Agents that go in circles repeat one step or a few. */
const MAX_STEPS = 4;

/**
 * Finds a loop at the end of a conversation: the last one to four steps, `times` times in a row, with the same tools, the
 * same arguments and the same results, or with the same completions. A tool that is asked the same and responds with
 * something new, as one does that tells of progress, is no loop. Takes time by the last `times` × 4 steps alone.
 */
export function findLoop(messages: readonly ChatMessage[], times: number): FoundLoop | null {
  const steps = readLastSteps(messages, times * MAX_STEPS);
  for (let size = 1; size <= MAX_STEPS && size * times <= steps.length; size += 1) {
    if (repeats(steps, size, times)) {
      return { steps: size, times, tools: [...new Set(steps.slice(0, size).flatMap(({ tools }) => tools))] };
    }
  }
  return null;
}

/** `steps`: the last one first. */
function repeats(steps: readonly Step[], size: number, times: number): boolean {
  for (let at = 0; at + size < size * times; at += 1) {
    const [later, earlier] = [steps[at] as Step, steps[at + size] as Step];
    if (later.said !== earlier.said || later.got !== earlier.got) return false;
  }
  return true;
}

/** The last steps of a conversation, the last one first. */
function readLastSteps(messages: readonly ChatMessage[], most: number): Step[] {
  const steps: Step[] = [];
  let got: string[] = [];
  for (let at = messages.length - 1; at >= 0 && steps.length < most; at -= 1) {
    const message = messages[at] as ChatMessage;
    if (message.role === 'assistant') {
      steps.push({ ...readTurn(message), got: got.toReversed().join('\n') });
      got = [];
    } else if (message.role === 'tool' || message.role === 'user') got.push(readContent(message.content));
  }
  return steps;
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

function readTurn({ content, tool_calls: calls }: AssistantMessage): Omit<Step, 'got'> {
  if (!calls?.length) return { said: readContent(content ?? ''), tools: [] };
  const said = calls.map(({ function: { name, arguments: given } }) => `${name} ${toCanonical(given)}`);
  return { said: said.toSorted().join('\n'), tools: calls.map(({ function: { name } }) => name) };
}

/** The same text for the same arguments, in whatever order and with whatever spaces the model wrote them. */
function toCanonical(given: string): string {
  try {
    return JSON.stringify(sortKeys(JSON.parse(given)));
  } catch {
    return given.trim();
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, sortKeys(item)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * What differs between two runs of the same thing and tells nothing: moments, durations, and addresses in memory. Counts
 * and shares stay, because progress is told in them.
 */
const NOISE =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b|\b\d+(?:\.\d+)?\s?(?:ms|µs|ns|s|sec|seconds)\b|\b0x[0-9a-f]{6,}\b/gi;

function readContent(content: ChatMessage['content']): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? '');
  return text.replace(NOISE, '~').replace(/\s+/g, ' ').trim();
}
