import { isObject, isRecord } from '../../../foundation/parse.ts';
import type { ToolCallDelta } from '../../../wire/chat-chunk.ts';

/** A `functionCall` as upstream sends it. */
type UpstreamCall = Readonly<Record<string, unknown>>;

interface OpenCall {
  readonly index: number;
  readonly id: string;
  arguments: Record<string, unknown>;
}

/** Converts the function calls of one completion to deltas. Holds the call whose arguments are incomplete. */
interface FunctionCalls {
  /** Adds what can leave now to the deltas. Returns the id of the call that the piece belongs to, if it does to one. */
  push(call: UpstreamCall, deltas: ToolCallDelta[]): string | undefined;
  /** Call once at the end of the completion. `isWhole` is false when it broke off. */
  flush(isWhole: boolean, deltas: ToolCallDelta[]): void;
  count(): number;
}

/**
 * Most calls arrive whole. Where arguments are streamed, a call begins with its name, pieces without a name add to it
 * by path, and the first piece without `willContinue`, the next call or the end of the completion ends it. The name is
 * returned at once; the arguments when complete, because pieces at scattered paths are no text yet.
 */
export function createFunctionCalls(makeId: (number: number) => string): FunctionCalls {
  const ids = new Set<string>();
  let open: OpenCall | undefined;

  const close = (deltas: ToolCallDelta[], isWhole: boolean): void => {
    if (open === undefined) return;
    const text = JSON.stringify(open.arguments);
    // The last brace is left out, so that a call that was cut off is not mistaken for a complete one.
    deltas.push({ index: open.index, function: { arguments: isWhole ? text : text.slice(0, -1) } });
    open = undefined;
  };

  return {
    push(call, deltas) {
      const name = typeof call['name'] === 'string' ? call['name'] : '';
      const willContinue = call['willContinue'] === true;
      if (name !== '') {
        close(deltas, true);
        const index = ids.size;
        const upstreamId = typeof call['id'] === 'string' ? call['id'] : '';
        const id = upstreamId === '' || ids.has(upstreamId) ? makeId(index) : upstreamId;
        ids.add(id);
        const args = withPieces({}, call);
        const text = willContinue ? '' : JSON.stringify(args);
        deltas.push({ index, id, type: 'function', function: { name, arguments: text } });
        if (willContinue) open = { index, id, arguments: args };
        return id;
      }
      const id = open?.id;
      if (open !== undefined) open.arguments = withPieces(open.arguments, call);
      if (!willContinue) close(deltas, true);
      return id;
    },
    flush: (isWhole, deltas) => close(deltas, isWhole),
    count: () => ids.size,
  };
}

function withPieces(before: Record<string, unknown>, call: UpstreamCall): Record<string, unknown> {
  const { args, partialArgs } = call;
  const after = isRecord(args) ? { ...before, ...args } : before;
  if (Array.isArray(partialArgs)) for (const piece of partialArgs) addPartialArgument(after, piece);
  return after;
}

type Container = Record<string, unknown> | unknown[];

/** One step of a path: `.name`, `[0]`, `['name']` or `["name"]`. */
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/**
 * Writes one piece of streamed arguments: `{ jsonPath: "$.a[0]", stringValue: "x" }`, or `numberValue`, `boolValue`,
 * `nullValue`. Texts at one path add up; other values replace. A piece whose path cannot be followed is dropped.
 */
export function addPartialArgument(root: Record<string, unknown>, piece: unknown): void {
  if (typeof piece !== 'object' || piece === null) return;
  const { jsonPath, stringValue, numberValue, boolValue } = piece as Readonly<Record<string, unknown>>;
  const path = typeof jsonPath === 'string' ? parsePath(jsonPath) : undefined;
  const last = path?.pop();
  if (path === undefined || last === undefined) return;
  const target = follow(root, path, last);
  if (target === undefined || (Array.isArray(target) && typeof last !== 'number')) return;
  if (typeof stringValue === 'string') {
    const before = get(target, last);
    set(target, last, typeof before === 'string' ? before + stringValue : stringValue);
  } else if (typeof numberValue === 'number') set(target, last, numberValue);
  else if (typeof boolValue === 'boolean') set(target, last, boolValue);
  else if ('nullValue' in piece) set(target, last, null);
}

/** The container that holds the last step, made on the way where it is missing. */
function follow(root: Container, path: readonly (string | number)[], last: string | number): Container | undefined {
  let target = root;
  for (const [depth, key] of path.entries()) {
    if (Array.isArray(target) && typeof key !== 'number') return undefined;
    let next = get(target, key);
    if (typeof next !== 'object' || next === null) {
      next = typeof (path[depth + 1] ?? last) === 'number' ? [] : {};
      set(target, key, next);
    }
    target = next as Container;
  }
  return target;
}

const get = (target: Container, key: string | number): unknown => (target as Record<string | number, unknown>)[key];

function set(target: Container, key: string | number, value: unknown): void {
  if (!Array.isArray(target)) target[key] = value;
  // Items arrive in order; an index far beyond the end would only make a sparse list.
  else target[Math.min(Number(key), target.length)] = value;
}

function parsePath(text: string): (string | number)[] | undefined {
  const path: (string | number)[] = [];
  STEP.lastIndex = text.startsWith('$') ? 1 : 0;
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text);
    if (step === null) return undefined;
    const [, name, index, single, double] = step;
    const key = index === undefined ? (name ?? unescape(single ?? double ?? '')) : Number(index);
    // All other inherited members are functions, which `follow` replaces by a container.
    if (key === '__proto__') return undefined;
    path.push(key);
  }
  return path;
}

const unescape = (text: string): string => text.replaceAll(/\\(.)/g, '$1');

/** Upstream itself accepts no deeper ones, and serialising JSON without a limit of depth would exhaust the stack. */
const MAX_DEPTH = 100;

/** Reads a JSON object; undefined when the text is none, or one that is nested too deeply. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  return isDeeperThan(value, MAX_DEPTH) ? undefined : value;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (!isObject(value)) return false;
  if (depth === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}
