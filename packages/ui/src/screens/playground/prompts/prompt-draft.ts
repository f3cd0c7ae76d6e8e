import type { PromptMessage, PromptVersion } from '@model-gateway/core/wire';

import { isObject } from '../../../api/is-object.ts';
import {
  type Column,
  type Experiment,
  type NewId,
  newExperiment,
  type Turn,
} from '../../../features/playground/experiment.ts';
import { fromText } from '../../../features/playground/setup/schema-draft.ts';
import {
  EFFORTS,
  EMPTY_SETUP,
  EMPTY_TOOL,
  findProblems,
  type FormatDraft,
  PROVIDER_SORTS,
  type Setup,
  type ToolDraft,
} from '../../../features/playground/setup/setup.ts';
import { readMessages } from '../experiment/from-generation.ts';
import { toRequestFields } from '../experiment/to-request.ts';

/** What a version of a prompt says, without when and by whom. */
export type PromptContents = Pick<PromptVersion, 'messages' | 'model' | 'parameters'>;

/** What of a conversation can be kept as a prompt. */
interface PromptDraft extends PromptContents {
  /** Whether something is no text: files, results of tools. */
  readonly isCut: boolean;
}

/** Fields of a request that a prompt does not have. */
const NOT_OF_PROMPT = ['messages', 'model', 'stream', 'stream_options', 'n', 'functions', 'function_call'];

/** The first column that is no recorded call, and what is typed next. Its set-up has no field to correct. */
export function toPromptDraft({ setup, columns, text }: Pick<Experiment, 'setup' | 'columns' | 'text'>): PromptDraft {
  const column = columns.find(({ isOriginal }) => !isOriginal);
  const turns = column?.turns ?? [];
  const system: PromptMessage[] = setup.system.trim() === '' ? [] : [{ role: 'system', content: setup.system }];
  const typed: PromptMessage[] = text.trim() === '' ? [] : [{ role: 'user', content: text }];
  const fields = Object.entries(toRequestFields(setup)).filter(([name]) => !NOT_OF_PROMPT.includes(name));
  return {
    messages: [...system, ...turns.flatMap(toMessage), ...typed],
    model: column === undefined || column.model === '' ? null : column.model,
    parameters: fields.length === 0 ? null : Object.fromEntries(fields),
    isCut: turns.some(isMoreThanText),
  };
}

function toMessage(turn: Turn): PromptMessage[] {
  return turn.type === 'tool' || turn.text.trim() === '' ? [] : [{ role: turn.type, content: turn.text }];
}

const isMoreThanText = (turn: Turn): boolean =>
  turn.type === 'tool' ||
  (turn.type === 'user' && turn.attached.length + turn.kept.length > 0) ||
  (turn.type === 'assistant' && turn.toolCalls.length > 0);

/** How many messages are taken by default: those of the version it came from, else all but what models said last. */
export function countTaken(messages: readonly PromptMessage[], base: number | undefined): number {
  return Math.min(messages.length, base ?? messages.findLastIndex(({ role }) => role !== 'assistant') + 1);
}

/** A new experiment with the messages and parameters of a version. */
export function openVersion(
  prompt: { readonly id: string; readonly name: string },
  version: PromptVersion,
  models: readonly string[],
  newId: NewId,
): Experiment {
  const { system, turns } = readMessages(version.messages, newId);
  const experiment = newExperiment(version.model === null ? models : [version.model], newId);
  return {
    ...experiment,
    name: prompt.name,
    setup: toSetup(system, version.parameters ?? {}),
    columns: experiment.columns.map((column): Column => ({ ...column, turns })),
    prompt: { id: prompt.id, name: prompt.name, version: version.version },
  };
}

/** The messages of a version as the playground shows them: those of the system are one. */
export const openedMessages = (version: PromptVersion): readonly PromptMessage[] => toOpened(version).messages;

function toOpened(version: PromptVersion): PromptContents {
  let made = 0;
  return toPromptDraft(openVersion({ id: '', name: '' }, version, [''], () => String((made += 1))));
}

/** Whether an experiment says something else than the version that it came from. */
export function isChanged(experiment: Experiment, version: PromptVersion): boolean {
  // What cannot be sent cannot be saved either.
  if (Object.keys(findProblems(experiment.setup)).length > 0) return true;
  const now = toPromptDraft(experiment);
  const count = countTaken(now.messages, openedMessages(version).length);
  return !isSameAs({ ...now, messages: now.messages.slice(0, count) }, version);
}

/** Whether contents would be the same version again. A version for any model has none of its own. */
export function isSameAs({ messages, model, parameters }: PromptContents, version: PromptVersion): boolean {
  const opened = toOpened(version);
  const isSameModel = version.model === null || model === version.model;
  return isSameModel && toStable([messages, parameters]) === toStable([opened.messages, opened.parameters]);
}

/** JSON with the members of objects in the order of their names. */
const toStable = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    isObject(member) && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );

type Fields = Readonly<Record<string, unknown>>;

/** The set-up that sends these fields: what it has no field for stands in its JSON. */
function toSetup(system: string, parameters: Fields): Setup {
  const more: Record<string, unknown> = {};
  let setup: Setup = { ...EMPTY_SETUP, system };
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) continue;
    const read = Object.hasOwn(READERS, name) ? READERS[name]?.(value) : undefined;
    if (read === undefined) more[name] = value;
    else setup = { ...setup, ...read };
  }
  return Object.keys(more).length === 0 ? setup : { ...setup, more: JSON.stringify(more, null, 2) };
}

/** How the set-up says a field; undefined where it cannot say all of it. */
const READERS: Readonly<Record<string, (value: unknown) => Partial<Setup> | undefined>> = {
  temperature: (value) => toNumberText('temperature', value),
  top_p: (value) => toNumberText('topP', value),
  max_tokens: (value) => toNumberText('maxTokens', value),
  seed: (value) => toNumberText('seed', value),
  reasoning: readReasoning,
  provider: readProvider,
  tools: readTools,
  response_format: readFormat,
};

const toNumberText = (field: 'temperature' | 'topP' | 'maxTokens' | 'seed', value: unknown) =>
  typeof value === 'number' ? { [field]: String(value) } : undefined;

const hasOnly = (value: unknown, names: readonly string[]): value is Fields =>
  isObject(value) && Object.keys(value).every((name) => names.includes(name));

function readReasoning(value: unknown): Partial<Setup> | undefined {
  if (!hasOnly(value, ['effort'])) return undefined;
  const effort = EFFORTS.find((one) => one === value['effort']);
  return effort && { effort };
}

function readProvider(value: unknown): Partial<Setup> | undefined {
  if (!hasOnly(value, ['sort', 'only', 'allow_fallbacks'])) return undefined;
  const { sort = '', only = [], allow_fallbacks: hasFallbacks = true } = value;
  const providerSort = (['', ...PROVIDER_SORTS] as const).find((one) => one === sort);
  if (providerSort === undefined || !Array.isArray(only) || typeof hasFallbacks !== 'boolean') return undefined;
  return { providerSort, providerOnly: only.join(', '), hasFallbacks };
}

const toSchemaDraft = (schema: unknown) => fromText(JSON.stringify(schema, null, 2), EMPTY_TOOL.schema);

function readTools(value: unknown): Partial<Setup> | undefined {
  if (!Array.isArray(value)) return undefined;
  const tools = value.map((tool: unknown): ToolDraft | undefined => {
    if (!hasOnly(tool, ['type', 'function']) || tool['type'] !== 'function') return undefined;
    const { function: called } = tool;
    if (!hasOnly(called, ['name', 'description', 'parameters'])) return undefined;
    const { name, description = '', parameters } = called;
    if (typeof name !== 'string' || typeof description !== 'string' || !isObject(parameters)) return undefined;
    return { name, description, schema: toSchemaDraft(parameters) };
  });
  return tools.every((tool) => tool !== undefined) ? { tools } : undefined;
}

function readFormat(value: unknown): Partial<Setup> | undefined {
  const toFormat = (format: Partial<FormatDraft>) => ({ format: { ...EMPTY_SETUP.format, ...format } });
  if (!hasOnly(value, ['type', 'json_schema'])) return undefined;
  const { type, json_schema: described } = value;
  if (type === 'text' || (type === 'json_object' && described === undefined)) return toFormat({ type });
  if (type !== 'json_schema' || !hasOnly(described, ['name', 'strict', 'schema'])) return undefined;
  const { name, strict, schema } = described;
  if (typeof name !== 'string' || typeof strict !== 'boolean' || !isObject(schema)) return undefined;
  return toFormat({ type, name, isStrict: strict, schema: toSchemaDraft(schema) });
}
