import { isObject } from '../../../api/is-object.ts';
import { EMPTY_SCHEMA, fromText, type SchemaDraft } from './schema-draft.ts';
import { EMPTY_SETUP, EFFORTS, type FormatDraft, PROVIDER_SORTS, type Setup, type ToolDraft } from './setup.ts';

/** Fields that the playground fills in by itself, or that belong to one call alone. It streams what was not streamed. */
const NOT_SET_UP: ReadonlySet<string> = new Set(['messages', 'model', 'models', 'stream', 'stream_options', 'user']);

/** Takes a field where the form can say all of its value; what is left goes into its further fields. */
interface Taking {
  readonly setup: Record<string, unknown>;
  readonly left: Record<string, unknown>;
}

/** The set-up that asks what the body of a stored chat request asked. What the form has no field for is in `more`. */
export function fromRequest(body: unknown): Omit<Setup, 'system'> {
  const { system: _, ...empty } = EMPTY_SETUP;
  if (!isObject(body)) return empty;
  const left = Object.fromEntries(Object.entries(body).filter(([name]) => !NOT_SET_UP.has(name)));
  const taking: Taking = { setup: {}, left };
  takeNumber(taking, 'temperature', 'temperature');
  takeNumber(taking, 'top_p', 'topP');
  takeNumber(taking, 'seed', 'seed');
  takeNumber(taking, 'max_completion_tokens', 'maxTokens');
  takeNumber(taking, 'max_tokens', 'maxTokens');
  takeEffort(taking);
  takeProvider(taking);
  takeTools(taking);
  takeFormat(taking);
  const more = Object.keys(left).length === 0 ? '' : JSON.stringify(left, null, 2);
  return { ...empty, ...taking.setup, more };
}

function takeNumber({ setup, left }: Taking, name: string, field: keyof Setup): void {
  const value = left[name];
  if (typeof value === 'number') setup[field] = String(value);
  if (typeof value === 'number' || value === null) delete left[name];
}

const hasOnly = (value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

const isOneOf = <Value extends string>(value: unknown, values: readonly Value[]): value is Value =>
  values.some((each) => each === value);

function takeEffort({ setup, left }: Taking): void {
  const { reasoning } = left;
  if (!isObject(reasoning) || !hasOnly(reasoning, ['effort']) || !isOneOf(reasoning['effort'], EFFORTS)) return;
  setup['effort'] = reasoning['effort'];
  delete left['reasoning'];
}

function takeProvider({ setup, left }: Taking): void {
  const { provider } = left;
  if (!isObject(provider) || !hasOnly(provider, ['sort', 'only', 'allow_fallbacks'])) return;
  const { sort, only, allow_fallbacks: hasFallbacks } = provider;
  const isListed = only === undefined || (Array.isArray(only) && only.every((slug) => typeof slug === 'string'));
  if (!isListed || (sort !== undefined && !isOneOf(sort, PROVIDER_SORTS))) return;
  Object.assign(setup, {
    ...(sort !== undefined && { providerSort: sort }),
    ...(Array.isArray(only) && { providerOnly: only.join(', ') }),
    hasFallbacks: hasFallbacks !== false,
  });
  delete left['provider'];
}

function takeTools({ setup, left }: Taking): void {
  const { tools } = left;
  if (!Array.isArray(tools)) return;
  const drafts = tools.map(toTool);
  if (drafts.some((draft) => draft === undefined)) return;
  setup['tools'] = drafts;
  delete left['tools'];
}

/** Undefined for a tool of another kind, or with more in it than the form shows. */
function toTool(tool: unknown): ToolDraft | undefined {
  if (!isObject(tool) || tool['type'] !== 'function' || !hasOnly(tool, ['type', 'function'])) return undefined;
  const { function: called } = tool;
  if (!isObject(called) || !hasOnly(called, ['name', 'description', 'parameters'])) return undefined;
  const { name, description = '', parameters } = called;
  if (typeof name !== 'string' || typeof description !== 'string') return undefined;
  if (parameters !== undefined && !isObject(parameters)) return undefined;
  return { name, description, schema: parameters === undefined ? EMPTY_SCHEMA : toDraft(parameters) };
}

function takeFormat({ setup, left }: Taking): void {
  const { response_format: format } = left;
  if (!isObject(format)) return;
  const draft = toFormat(format);
  if (draft === undefined) return;
  setup['format'] = draft;
  delete left['response_format'];
}

function toFormat({ type, json_schema: asked }: Readonly<Record<string, unknown>>): FormatDraft | undefined {
  const { format } = EMPTY_SETUP;
  if (type === 'text' || type === 'json_object') return { ...format, type };
  if (type !== 'json_schema' || !isObject(asked) || !hasOnly(asked, ['name', 'strict', 'schema'])) return undefined;
  const { name, strict, schema } = asked;
  if (typeof name !== 'string' || !isObject(schema)) return undefined;
  return { type, name, isStrict: strict === true, schema: toDraft(schema) };
}

const toDraft = (schema: object): SchemaDraft => fromText(JSON.stringify(schema, null, 2), EMPTY_SCHEMA);
