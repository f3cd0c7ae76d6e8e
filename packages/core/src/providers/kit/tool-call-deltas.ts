import type { ToolCallDelta } from '../../wire/chat-chunk.ts';

/** A piece of a tool call as upstreams send it: every field may be missing, repeated or of another type. */
export interface UpstreamToolCall {
  readonly index?: number | null | undefined;
  readonly id?: string | number | null | undefined;
  readonly function?: { readonly name?: string | null | undefined; readonly arguments?: unknown } | null | undefined;
}

interface OpenCall {
  readonly index: number;
  readonly upstreamIndex: number | null;
  readonly upstreamId: string;
  id: string;
  name: string;
  isAnnounced: boolean;
  /** The arguments so far. */
  text: string;
}

/** Repairs the tool calls of one completion. Holds those seen so far. */
export interface ToolCallDeltas {
  /** Returns the well-formed pieces that can leave now; a call waits until its name is complete. */
  push(pieces: readonly UpstreamToolCall[]): ToolCallDelta[];
  /** Call once at the end. Returns deltas that were held back, and `{}` for calls without arguments. */
  flush(): ToolCallDelta[];
  count(): number;
}

/**
 * Makes tool-call deltas well formed: indexes rise from 0 without gaps, each call has one id and one name with its
 * first piece, and arguments concatenate. Upstreams have sent: index 0 for all parallel calls, ids repeated, changing
 * or missing, or one for all calls, also at one index, arguments once more when they were whole, names in two pieces or repeated, arguments as an object or not at all, null for a piece.
 */
export function createToolCallDeltas(makeId: (number: number) => string): ToolCallDeltas {
  const calls: OpenCall[] = [];

  const find = (piece: UpstreamToolCall, id: string, name: string): OpenCall | undefined => {
    const index = piece.index ?? null;
    const named = id === '' ? [] : calls.filter((call) => call.upstreamId === id);
    const byId = named.findLast((call) => call.upstreamIndex === index) ?? named.at(-1);
    if (byId !== undefined && (name === '' || !isOtherOfSameId(byId, index, piece))) return byId;
    const sameIndex = index === null ? calls.at(-1) : calls.findLast((call) => call.upstreamIndex === index);
    if (sameIndex === undefined) return undefined;
    if (name === '') return sameIndex;
    // A new id with a name begins another call even at an index in use; without a name it only relabels the open one.
    // Where there are no ids, another name does once arguments have come, and so does the same after complete ones.
    const beginsAnother =
      id !== ''
        ? sameIndex.upstreamId !== ''
        : sameIndex.text !== '' && (name !== sameIndex.name || isJson(sameIndex.text));
    return beginsAnother ? undefined : sameIndex;
  };

  const open = (piece: UpstreamToolCall, id: string): OpenCall => {
    const call: OpenCall = {
      index: calls.length,
      upstreamIndex: piece.index ?? null,
      upstreamId: id,
      id: id === '' || calls.some((other) => other.id === id) ? makeId(calls.length) : id,
      name: '',
      isAnnounced: false,
      text: '',
    };
    calls.push(call);
    return call;
  };

  const announce = (call: OpenCall, text: string): ToolCallDelta => {
    call.isAnnounced = true;
    return { index: call.index, id: call.id, type: 'function', function: { name: call.name, arguments: text } };
  };

  return {
    push(pieces) {
      const ready: ToolCallDelta[] = [];
      for (const piece of pieces) {
        if (typeof piece !== 'object' || piece === null) continue;
        const id = typeof piece.id === 'string' || typeof piece.id === 'number' ? String(piece.id) : '';
        const name = typeof piece.function?.name === 'string' ? piece.function.name : '';
        const found = find(piece, id, name);
        const text = toArgumentText(piece.function?.arguments);
        const isFurther = found?.isAnnounced === true && beginsObject(text) && isObjectText(found.text);
        if (isFurther && text === found.text) continue;
        const known = isFurther ? undefined : found;
        if (known === undefined) {
          // All earlier calls have their whole names by now.
          for (const call of calls) if (!call.isAnnounced) ready.push(announce(call, ''));
        }
        const call = known ?? open(piece, id);
        if (!call.isAnnounced && name !== call.name) call.name += name;
        if (isFurther) call.name ||= found.name;
        if (text === '') continue;
        call.text += text;
        ready.push(call.isAnnounced ? { index: call.index, function: { arguments: text } } : announce(call, text));
      }
      return ready;
    },
    flush() {
      const ready: ToolCallDelta[] = [];
      for (const call of calls) {
        if (!call.isAnnounced) ready.push(announce(call, '{}'));
        else if (call.text === '') ready.push({ index: call.index, function: { arguments: '{}' } });
        call.text ||= '{}';
      }
      return ready;
    },
    count: () => calls.length,
  };
}

/**
 * Whether a piece with a name begins another call than the one that has its id, as some upstreams give all calls one id:
 * at another index, or without any where arguments come after whole ones.
 */
function isOtherOfSameId(call: OpenCall, index: number | null, { function: called }: UpstreamToolCall): boolean {
  if (index !== null) return call.upstreamIndex !== null && call.upstreamIndex !== index;
  return toArgumentText(called?.arguments).trim() !== '' && isJson(call.text);
}

function toArgumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

/** Cheap, because it is asked of every piece. */
const beginsObject = (text: string): boolean => text.trimStart().startsWith('{');

/**
 * Whether arguments are a whole object, which nothing can follow. An empty one may stand for those that follow: a call
 * without any must not be made beside them.
 */
const isObjectText = (text: string): boolean =>
  text.trimEnd().endsWith('}') && beginsObject(text) && !isEmptyObject(text) && isJson(text);

const isEmptyObject = (text: string): boolean => /^\s*\{\s*\}\s*$/.test(text);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
