import { type Awaitable } from '../foundation/awaitable.ts';
import { messageOf } from '../foundation/errors.ts';
import { checkWith, isRecord, type Unchecked } from '../foundation/parse.ts';
import type { createCustomFilter } from '../guardrails/filters/custom-filter.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import type { RerunCompletion, RerunJudgement, RerunJudgeSpec, RerunVerdict } from '../wire/reruns.ts';
import type { RerunRequest } from './rerun-request.ts';

/** What a judge compares. */
export interface RerunPairToJudge {
  /** The request of the original call. */
  readonly request: RerunRequest;
  /** Null for an uploaded request without a completion. */
  readonly original: RerunCompletion | null;
  readonly completion: RerunCompletion;
}

/** What the gateway's own judges are told beside that. */
export interface ReadPair extends RerunPairToJudge {
  /** The request of the original call as a chat, whatever its format; undefined where it cannot be read. */
  readonly chat?: ChatCompletionRequest | undefined;
  /** The data policy under which the request was sent again, in the members of `provider`. */
  readonly dataPolicy?: Unchecked | undefined;
}

/** A judge of the application that embeds the gateway. What it throws becomes the note of a verdict that is null. */
export type RerunJudge = (
  pair: RerunPairToJudge,
) => Awaitable<{ readonly verdict: RerunVerdict | null; readonly note?: string | undefined }>;

export type CodeJudgeSpec = Exclude<RerunJudgeSpec, { readonly type: 'model' }>;

type Outcome = Omit<RerunJudgement, 'judge'>;

/** How lists and reports name a judge. */
export function nameOfJudge(spec: RerunJudgeSpec): string {
  switch (spec.type) {
    case 'custom':
      return spec.name;
    case 'regex':
      return `regex ${spec.pattern}`;
    case 'model':
      return `model ${spec.model}`;
    default:
      return spec.type;
  }
}

/** Judges a pair by code. Never rejects: where it cannot be told, the verdict is null, and the note says why. */
export async function judgeByCode(
  spec: CodeJudgeSpec,
  pair: ReadPair,
  custom: Readonly<Record<string, RerunJudge>>,
): Promise<RerunJudgement> {
  const judge = nameOfJudge(spec);
  try {
    return { judge, ...(await judgeBySpec(spec, pair, custom)) };
  } catch (error) {
    return { judge, verdict: null, note: messageOf(error) };
  }
}

const NO_ORIGINAL: Outcome = { verdict: null, note: 'There is no original completion to compare with' };

async function judgeBySpec(
  spec: CodeJudgeSpec,
  pair: ReadPair,
  custom: Readonly<Record<string, RerunJudge>>,
): Promise<Outcome> {
  const { original, completion, request, chat } = pair;
  switch (spec.type) {
    case 'schema_valid': {
      const schema = spec.schema ?? schemaOfChat(chat) ?? schemaOf(request);
      if (schema === undefined)
        return { verdict: null, note: 'The request asks for no schema, and the judge has none' };
      const isValid = await createSchemaCheck(schema);
      return byPassing(({ text }) => isValid(text), pair);
    }
    case 'regex': {
      const filter = await compilePattern(spec.pattern);
      return byPassing(({ text }) => filter.findAll(text ?? '').length > 0, pair);
    }
    case 'json_equal':
      return original === null ? NO_ORIGINAL : same(isSameJson(parseJson(original.text), parseJson(completion.text)));
    case 'same_tool_calls':
      return original === null ? NO_ORIGINAL : same(hasSameToolCalls(original, completion));
    case 'length': {
      if (original === null) return NO_ORIGINAL;
      const [before, now] = [original.text?.length ?? 0, completion.text?.length ?? 0];
      const ratio = before === 0 ? (now === 0 ? 1 : Number.POSITIVE_INFINITY) : now / before;
      const isWithin = ratio >= spec.min_ratio && ratio <= spec.max_ratio;
      return { ...same(isWithin), note: `${Number.isFinite(ratio) ? ratio.toFixed(2) : 'no'} times the length` };
    }
    case 'custom': {
      const judge = Object.hasOwn(custom, spec.name) ? custom[spec.name] : undefined;
      if (judge === undefined) return { verdict: null, note: 'This gateway has no judge of that name' };
      const { verdict, note = null } = await judge({ request, original, completion });
      return { verdict, note };
    }
  }
}

/** What is asked to be the same is never better. */
const same = (isSame: boolean): Outcome => ({ verdict: isSame ? 'tie' : 'loss', note: null });

/** By which of the two passes; without an original it has to pass. */
function byPassing(
  passes: (completion: RerunCompletion) => boolean,
  { original, completion }: RerunPairToJudge,
): Outcome {
  const isPassed = passes(completion);
  const wasPassed = original === null || passes(original);
  const note = isPassed ? null : 'The new completion does not pass';
  return { verdict: isPassed === wasPassed ? 'tie' : isPassed ? 'win' : 'loss', note };
}

/** Finds what a pattern matches. Rejects for a pattern that cannot be used. */
export async function compilePattern(pattern: string): Promise<ReturnType<typeof createCustomFilter>> {
  // Late, because the engine of patterns is large and most processes never need it.
  const engine = await import('../guardrails/filters/custom-filter.ts');
  return engine.createCustomFilter(pattern, null);
}

/** Whether a text is JSON that fits a schema. Rejects where the schema is none, or says what cannot be checked. */
export async function createSchemaCheck(
  schema: Readonly<Record<string, unknown>>,
): Promise<(text: string | null) => boolean> {
  const { fromJSONSchema } = await import('zod');
  const checked = fromJSONSchema(schema);
  return (text) => {
    const value = parseJson(text);
    return value !== NO_JSON && checkWith(checked, value).success;
  };
}

function schemaOfChat(chat: ChatCompletionRequest | undefined): Readonly<Record<string, unknown>> | undefined {
  const format = chat?.response_format;
  return format?.type === 'json_schema' ? (format.json_schema.schema ?? undefined) : undefined;
}

/** The JSON schema that a request asks its completion to fit, in the words of its format. */
function schemaOf({ body }: RerunRequest): Readonly<Record<string, unknown>> | undefined {
  const places = [
    ['response_format', 'json_schema', 'schema'],
    ['text', 'format', 'schema'],
    ['output_config', 'format', 'schema'],
    ['output_format', 'schema'],
    ['generationConfig', 'responseJsonSchema'],
    ['format'],
  ];
  for (const place of places) {
    const found = place.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), body);
    if (isRecord(found)) return found;
  }
  return undefined;
}

const NO_JSON = Symbol('no JSON');

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(withoutFence(text ?? ''));
  } catch {
    return NO_JSON;
  }
}

/** Models often put JSON in a fence. A pattern for it would try each line of a fence that is never closed. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  const head = /^```(?:json)?[^\S\n]*\n/.exec(trimmed)?.[0];
  return head !== undefined && trimmed.endsWith('```') ? trimmed.slice(head.length, -'```'.length) : text;
}

/** Whether two values are the same JSON, whatever the order of their members. Texts that are no JSON are never. */
function isSameJson(one: unknown, other: unknown): boolean {
  if (one === NO_JSON || other === NO_JSON) return false;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isSameJson(item, other[at]));
  }
  if (!isRecord(one) || !isRecord(other) || Array.isArray(one) || Array.isArray(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  );
}

/** In any order, because models call tools that do not depend on one another in any. */
function hasSameToolCalls(original: RerunCompletion, { tool_calls: calls }: RerunCompletion): boolean {
  const left = [...original.tool_calls];
  if (left.length !== calls.length) return false;
  return calls.every((call) => {
    const at = left.findIndex(
      (other) =>
        other.name === call.name &&
        (other.arguments === call.arguments || isSameJson(parseJson(other.arguments), parseJson(call.arguments))),
    );
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** The verdict of several judges: a loss by any of them is one, for a new model must not be worse in any respect. */
export function joinVerdicts(verdicts: readonly Pick<RerunJudgement, 'verdict'>[]): RerunVerdict | null {
  const told = verdicts.flatMap(({ verdict }) => verdict ?? []);
  if (told.includes('loss')) return 'loss';
  if (told.includes('win')) return 'win';
  return told.length > 0 ? 'tie' : null;
}
