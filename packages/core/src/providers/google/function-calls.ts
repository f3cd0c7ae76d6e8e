import { isRecord } from '../../foundation/unchecked.ts';
import type { ToolCallDelta } from '../../wire/chat/chat-chunk.ts';
import { addPartialArgument } from './partial-arguments.ts';

/** A `functionCall` as upstream sends it. */
type UpstreamCall = Readonly<Record<string, unknown>>;

interface OpenCall {
  readonly index: number;
  readonly id: string;
  arguments: Record<string, unknown>;
}

/** Turns the function calls of one answer into deltas. Holds the call whose arguments are still coming. */
export interface FunctionCalls {
  /** Adds what can leave now to the deltas. Returns the id of the call that the piece belongs to, if it does to one. */
  push(call: UpstreamCall, deltas: ToolCallDelta[]): string | undefined;
  /** Call once at the end of the answer. `isWhole` says whether it ended by itself. */
  flush(isWhole: boolean, deltas: ToolCallDelta[]): void;
  count(): number;
}

/**
 * Creates the reader of an answer's calls.
 *
 * Most calls come whole. Where arguments are streamed, a call begins with its name, pieces without a name add to it by
 * path, and the first that does not say `willContinue` ends it, as does the next call or the end of the answer. Its
 * name leaves at once; its arguments when they are complete, because pieces at scattered paths are no text yet.
 */
export function createFunctionCalls(makeId: (number: number) => string): FunctionCalls {
  const ids = new Set<string>();
  let open: OpenCall | undefined;

  const close = (deltas: ToolCallDelta[], isWhole: boolean): void => {
    if (open === undefined) return;
    const text = JSON.stringify(open.arguments);
    // Without its last brace a call that was cut off cannot be taken for one that was meant like that.
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
