import { isRecord } from '../../../foundation/parse.ts';
import type { ToolCallDelta } from '../../../wire/chat-chunk.ts';
import { addPartialArgument } from './partial-arguments.ts';

/** A `functionCall` as upstream sends it. */
type UpstreamCall = Readonly<Record<string, unknown>>;

interface OpenCall {
  readonly index: number;
  readonly id: string;
  arguments: Record<string, unknown>;
}

/** Converts the function calls of one completion to deltas. Holds the call whose arguments are incomplete. */
export interface FunctionCalls {
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
