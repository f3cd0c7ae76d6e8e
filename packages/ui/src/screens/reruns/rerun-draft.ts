import type { RerunJudgeSpec } from '@model-gateway/core/wire';

import { type KeyHashes, parseFilterText, toFilterText } from '../../features/generations/search/filter-text.ts';
import { toGenerationQuery } from '../../features/generations/search/generation-search.ts';
import { slugOfModel } from '../../features/models/preset-models.ts';
import { isPeriod } from '../../format/days.ts';
import type { FixtureCaseFiles } from './fixture-folder.ts';
import { rerunFormMessages } from './form-messages.ts';
import type { RerunSearch } from './rerun-search.ts';

/** The judges that are code, and need nothing said about them. */
export const CODE_JUDGES = ['same_tool_calls', 'json_equal', 'schema_valid', 'length'] as const;
export type CodeJudge = (typeof CODE_JUDGES)[number];

/** What is entered in the form. Numbers are texts until they are sent. */
export interface RerunDraft {
  readonly name: string;
  /** Ids of generations; where there are none, the filter says which calls. */
  readonly ids: readonly string[];
  readonly filter: string;
  /** The name of a period, or `''` for `from` and `to`. */
  readonly range: string;
  /** ISO 8601. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly limit: string;
  /** Requests of a file, in the place of calls; null for none. */
  readonly upload: RerunUpload | null;
  readonly models: readonly string[];
  /** Slugs of providers by model, each of which is a target of its own; none where any may serve it. */
  readonly providers: Readonly<Record<string, readonly string[]>>;
  /** What becomes of the system prompt, for all targets. */
  readonly systemChange: 'keep' | 'replace' | 'append';
  readonly system: string;
  /** JSON that is put over the members of each request, for all targets. */
  readonly parameters: string;
  readonly judges: readonly CodeJudge[];
  /** Empty for none. */
  readonly pattern: string;
  readonly judgeModel: string;
  readonly rubric: string;
  /** USD. */
  readonly maxCost: string;
  readonly concurrency: string;
  /** Hash of the API key that pays, or `''` for the one who starts it. */
  readonly payer: string;
}

/** A file with a request in each line, or the cases of a folder of fixtures. */
export type RerunUpload =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly cases: readonly FixtureCaseFiles[] };

export const countRequests = (upload: RerunUpload): number =>
  'cases' in upload ? upload.cases.length : upload.text.split('\n').filter((line) => line.trim() !== '').length;

const DEFAULT_LIMIT = 100;
const DEFAULT_CONCURRENCY = 4;

/** The draft that an address asks for; `names` are those of keys by their hashes. */
export function toDraft(search: RerunSearch, names?: ReadonlyMap<string, string>): RerunDraft {
  const { ids, range, from, to } = search;
  const hasSpan = range !== undefined || from !== undefined || to !== undefined;
  return {
    name: '',
    ids: ids?.split(',').filter((id) => id !== '') ?? [],
    filter: toFilterText(search, names),
    range: range ?? (hasSpan ? '' : '7d'),
    from,
    to,
    limit: String(DEFAULT_LIMIT),
    upload: null,
    models: [],
    providers: {},
    systemChange: 'keep',
    system: '',
    parameters: '',
    judges: [],
    pattern: '',
    judgeModel: '',
    rubric: '',
    maxCost: '',
    concurrency: String(DEFAULT_CONCURRENCY),
    payer: '',
  };
}

/** Messages by the fields that they are about, as the gateway names them. */
export type DraftIssues = Readonly<
  Partial<Record<'set' | 'limit' | 'targets' | 'parameters' | 'judges' | 'max_cost_usd', string>>
>;

/** What has to be said before an estimate can be made. */
export function findIssues(draft: RerunDraft, keys?: KeyHashes): DraftIssues {
  const t = rerunFormMessages().issues;
  const { filters, problems } = parseFilterText(draft.filter, keys);
  const hasHalfJudge = (draft.judgeModel.trim() === '') !== (draft.rubric.trim() === '');
  const isFiltered = draft.ids.length === 0 && draft.upload === null;
  return {
    ...(isFiltered && problems.length > 0 && { set: problems.join('. ') }),
    ...(isFiltered && filters.text !== undefined && { set: t.noText }),
    ...(draft.models.length === 0 && { targets: t.noModel }),
    ...(toParameters(draft.parameters) === null && { parameters: t.noObject }),
    ...(hasHalfJudge && { judges: t.halfJudge }),
  };
}

/** Undefined where nothing is written, null where it is no object. */
function toParameters(text: string): Record<string, unknown> | undefined | null {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The body of `POST /admin/v1/reruns/estimate`. A span that is named is counted back from `now`. */
export function toPlanBody(draft: RerunDraft, now: number, keys?: KeyHashes) {
  const system = draft.system.trim() === '' ? undefined : draft.system;
  return {
    set: toSet(draft, now, keys),
    targets: draft.models.flatMap((model) =>
      providersOf(model, draft).map((provider) => ({
        ...toTarget(model),
        ...(provider !== undefined && { provider }),
        parameters: toParameters(draft.parameters) ?? undefined,
        ...(draft.systemChange !== 'keep' && system !== undefined && { system: { [draft.systemChange]: system } }),
      })),
    ),
    judges: toJudges(draft),
    run_as_key: draft.payer === '' ? undefined : draft.payer,
  };
}

/** `@preset/slug` brings its own model, `author/model@preset/slug` has another one. */
function toTarget(name: string): { readonly model?: string; readonly preset?: string } {
  const preset = slugOfModel(name);
  const [model = ''] = name.split('@preset/');
  return { ...(model !== '' && { model }), ...(preset !== undefined && { preset }) };
}

function providersOf(model: string, { providers }: RerunDraft): readonly (string | undefined)[] {
  const chosen = providers[model] ?? [];
  return chosen.length === 0 ? [undefined] : chosen;
}

function toSet(draft: RerunDraft, now: number, keys: KeyHashes | undefined) {
  const { ids, upload, filter, range, from, to, limit } = draft;
  if (upload !== null) return 'cases' in upload ? { fixture_cases: upload.cases } : { ndjson: upload.text };
  if (ids.length > 0) return { generation_ids: ids };
  const { filters } = parseFilterText(filter, keys);
  const span = isPeriod(range) ? { range } : { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const { text: _, ...query } = toGenerationQuery({ ...filters, ...span }, now);
  return { filter: query, limit: limit.trim() === '' ? undefined : Number(limit) };
}

function toJudges({ judges, pattern, judgeModel, rubric }: RerunDraft): readonly Partial<RerunJudgeSpec>[] {
  return [
    ...CODE_JUDGES.filter((type) => judges.includes(type)).map((type) => ({ type })),
    ...(pattern === '' ? [] : [{ type: 'regex' as const, pattern }]),
    ...(judgeModel.trim() === '' ? [] : [{ type: 'model' as const, model: judgeModel.trim(), rubric }]),
  ];
}

/** The body of `POST /admin/v1/reruns`. */
export function toRerunBody(draft: RerunDraft, now: number, keys?: KeyHashes) {
  const { name, maxCost, concurrency } = draft;
  return {
    ...toPlanBody(draft, now, keys),
    name: name.trim() === '' ? undefined : name.trim(),
    max_cost_usd: Number(maxCost),
    concurrency: concurrency.trim() === '' ? undefined : Number(concurrency),
  };
}
