import { type ModelCall, type Pipeline, withRequest } from '../calls/model-call.ts';
import type { RequestText } from '../calls/texts.ts';
import { type Awaitable, raceAbort } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Principal } from '../http/request.ts';
import type { PipelineStage } from '../wire/routing.ts';
import type { GuardedCall } from './guard-call.ts';
import { toUnavailableError, toUnreadableError } from './verdict.ts';

/** What becomes of a text: nothing (it passes), another text in its place, or a refusal of the call with a reason. */
export type FilterDecision = undefined | { readonly replace: string } | { readonly block: string };

/** What a filter may know of a text beside the text. */
export interface FilteredText {
  readonly generationId: string;
  readonly principal: Principal;
  /**
   * The role of the message in a request, null outside of messages (descriptions of tools, inputs of embeddings);
   * `assistant` in a completion.
   */
  readonly role: string | null;
  /** It is JSON as text, such as the arguments of a tool: what replaces it has to be JSON, too. */
  readonly isJson: boolean;
  /** Fires when the call ends. */
  readonly signal: AbortSignal;
}

/**
 * A filter of an embedder's own: it sees each text of every call, whatever its format. What it throws refuses the call, and
 * so does a replacement of JSON that is none, because no text passes a filter that has failed.
 */
export interface FilterFunction {
  /** Names it in records and refusals. */
  readonly name: string;
  /** Decides on a text of a request. */
  readonly input?: ((text: string, about: FilteredText) => Awaitable<FilterDecision>) | undefined;
  /** Decides on a text of a completion, all of it: streams are held until they are whole. */
  readonly output?: ((text: string, about: FilteredText) => Awaitable<FilterDecision>) | undefined;
}

/** The filters by what they look at; null where none does. */
export interface FilterFunctions {
  readonly input: readonly NamedDecide[] | null;
  readonly output: readonly NamedDecide[] | null;
}

interface NamedDecide {
  readonly name: string;
  readonly decide: NonNullable<FilterFunction['input']>;
}

/** Sorts filters by the side that they look at. Throws `TypeError` for one that looks at nothing, or has no name. */
export function toFilterFunctions(filters: readonly FilterFunction[]): FilterFunctions {
  for (const { name, input, output } of filters) {
    if (typeof name !== 'string' || name === '') throw new TypeError('A filter of `guardrails.filters` needs a name');
    if (typeof (input ?? output) === 'function') continue;
    throw new TypeError(`The filter "${name}" needs a function in \`input\` or \`output\``);
  }
  const sideOf = (side: 'input' | 'output'): readonly NamedDecide[] | null => {
    const found = filters.flatMap((filter) =>
      filter[side] === undefined ? [] : [{ name: filter.name, decide: filter[side].bind(filter) }],
    );
    return found.length === 0 ? null : found;
  };
  return { input: sideOf('input'), output: sideOf('output') };
}

interface FunctionParts {
  /** Receives the effects of the filters. */
  readonly pipeline: Pipeline;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Runs filters over the texts of a request, and refuses one whose texts cannot be read. Rejects with the reason of the
 * signal alone.
 */
export async function filterRequest<Request>(
  call: ModelCall<Request>,
  filters: readonly NamedDecide[],
  parts: FunctionParts,
): Promise<GuardedCall<Request>> {
  const { kind, request, id: generationId, principal } = call;
  const unreadable = kind.unreadableIn?.(request) ?? null;
  if (unreadable !== null) {
    const { requestId } = parts.pipeline;
    parts.logger.info('a request has texts that filters cannot read', { requestId, texts: unreadable });
    return { call, refusal: toUnreadableError(unreadable) };
  }
  const given: RequestText[] = [];
  kind.mapTexts(request, (text) => {
    given.push(text);
    return text.text;
  });
  // Names and words of the protocol have no other form.
  const texts = given.map(({ text, role, form }) => ({
    text,
    role,
    isJson: form === 'arguments',
    isFixed: form === 'fixed' || form === 'name',
  }));
  const { refusal, decided } = await decideTexts(texts, {
    ...parts,
    filters,
    side: 'Request',
    generationId,
    principal,
  });
  if (refusal !== null || decided === null) return { call, refusal };
  let next = 0;
  return {
    call: withRequest(
      call,
      kind.mapTexts(request, () => decided[next++] as string),
    ),
    refusal: null,
  };
}

/** A text on its way through the filters. */
export interface DecidedText {
  readonly text: string;
  readonly role: string | null;
  readonly isJson: boolean;
  /** It is passed over. */
  readonly isFixed?: boolean;
}

interface DecideOptions extends FunctionParts, Pick<FilteredText, 'generationId' | 'principal'> {
  readonly filters: readonly NamedDecide[];
  readonly side: 'Request' | 'Response';
}

/** What the filters made of texts: `decided` is null where none was replaced. */
export interface Decided {
  readonly refusal: GatewayError | null;
  readonly decided: readonly string[] | null;
}

/** Runs filters one after the other, each over what the ones before it have left. Stops at the first that blocks. */
export async function decideTexts(texts: readonly DecidedText[], options: DecideOptions): Promise<Decided> {
  const { filters, side, pipeline, logger, signal, generationId, principal } = options;
  const left = texts.map(({ text }) => text);
  let isReplaced = false;
  for (const { name, decide } of filters) {
    let hasReplaced = false;
    for (const [at, { role, isJson, isFixed }] of texts.entries()) {
      if (isFixed === true || left[at] === '') continue;
      const about: FilteredText = { generationId, principal, role, isJson, signal };
      let decision: FilterDecision;
      try {
        const deciding = decide(left[at] as string, about);
        decision = checkDecision(deciding instanceof Promise ? await raceAbort(deciding, signal) : deciding, isJson);
      } catch (cause) {
        signal.throwIfAborted();
        const { requestId } = pipeline;
        logger.error('a filter has failed', { requestId, filter: name, reason: String(cause) });
        return { refusal: toUnavailableError(side, cause), decided: null };
      }
      if (decision === undefined) continue;
      if ('block' in decision) {
        note(name, 'blocked', options);
        return { refusal: toFunctionError(name, decision.block, side), decided: null };
      }
      if (decision.replace === left[at]) continue;
      left[at] = decision.replace;
      hasReplaced = true;
    }
    if (hasReplaced) note(name, 'redacted', { pipeline, logger, side });
    isReplaced ||= hasReplaced;
  }
  return { refusal: null, decided: isReplaced ? left : null };
}

/** Throws `TypeError` for what is no decision, as plain JavaScript may return it. */
function checkDecision(decision: unknown, isJson: boolean): FilterDecision {
  if (decision === undefined || decision === null) return undefined;
  const { block, replace } = decision as { readonly block?: unknown; readonly replace?: unknown };
  if (typeof block === 'string') return { block };
  if (typeof replace !== 'string') throw new TypeError('a filter returns nothing, { replace } or { block }');
  if (isJson) JSON.parse(replace);
  return { replace };
}

/** The same stage as of a built-in filter, without a guardrail that it belongs to. */
function note(
  name: string,
  action: 'blocked' | 'redacted',
  { pipeline, logger, side }: Pick<DecideOptions, 'pipeline' | 'logger' | 'side'>,
): void {
  const data = { action, engines: ['function'], flagged: true, matched_entity_types: [name] };
  const stage: PipelineStage = { type: 'guardrail', name: 'content-filter', data };
  pipeline.add(stage);
  logger.info(`a filter has acted on a ${side.toLowerCase()}`, { requestId: pipeline.requestId, filter: name, action });
}

function toFunctionError(name: string, reason: string, side: DecideOptions['side']): GatewayError {
  const metadata = side === 'Response' ? { blocked: 'response' } : undefined;
  return new GatewayError('permission_denied', `${side} blocked by content filter: ${name}: ${reason}`, { metadata });
}
