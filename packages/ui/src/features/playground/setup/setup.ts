import { isObject } from '../../../api/is-object.ts';
import { promptingMessages } from '../messages.tsx';
import { EMPTY_SCHEMA, findSchemaProblems, type SchemaDraft } from './schema-draft.ts';

/** A function that the model may call. */
export interface ToolDraft {
  readonly name: string;
  readonly description: string;
  readonly schema: SchemaDraft;
}

export interface FormatDraft {
  readonly type: 'text' | 'json_object' | 'json_schema';
  readonly name: string;
  readonly isStrict: boolean;
  readonly schema: SchemaDraft;
}

/** What is the same for all columns. Numbers are as they were typed; empty is the default of the model. */
export interface Setup {
  readonly system: string;
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
  readonly seed: string;
  readonly effort: string;
  readonly isStreamed: boolean;
  readonly providerSort: string;
  /** Slugs, comma-separated. */
  readonly providerOnly: string;
  readonly hasFallbacks: boolean;
  /** A JSON object with further fields of the request. */
  readonly more: string;
  readonly tools: readonly ToolDraft[];
  readonly format: FormatDraft;
}

export const EMPTY_SETUP: Setup = {
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  seed: '',
  effort: '',
  isStreamed: true,
  providerSort: '',
  providerOnly: '',
  hasFallbacks: true,
  more: '',
  tools: [],
  format: { type: 'text', name: 'result', isStrict: true, schema: EMPTY_SCHEMA },
};

export const EMPTY_TOOL: ToolDraft = { name: '', description: '', schema: EMPTY_SCHEMA };

export const EFFORTS = ['minimal', 'low', 'medium', 'high'] as const;
export const PROVIDER_SORTS = ['price', 'throughput', 'latency'] as const;

/** What is wrong, by the path of the field: `tools.0.schema.rows.2.name`. */
export type Problems = Readonly<Record<string, string>>;

const NAME = /^[\w-]{1,64}$/;

export function findProblems(setup: Setup): Problems {
  const { setup: t } = promptingMessages();
  const found: Record<string, string> = {};
  const number = (
    field: 'temperature' | 'topP' | 'maxTokens' | 'seed',
    isRight: (value: number) => boolean,
    rule: string,
  ) => {
    const text = setup[field].trim();
    if (text !== '' && !isRight(Number(text))) found[field] = rule;
  };
  number('temperature', (value) => value >= 0 && value <= 2, t.upTo2);
  number('topP', (value) => value >= 0 && value <= 1, t.upTo1);
  number('maxTokens', (value) => Number.isSafeInteger(value) && value >= 1, t.atLeast1);
  number('seed', Number.isSafeInteger, t.whole);
  const more = findMoreProblem(setup.more);
  if (more !== undefined) found['more'] = more;
  setup.tools.forEach(({ name, schema }, at) => {
    if (!NAME.test(name)) found[`tools.${at}.name`] = t.name;
    else if (setup.tools.findIndex((other) => other.name === name) < at) found[`tools.${at}.name`] = t.nameTaken;
    Object.assign(found, findSchemaProblems(schema, `tools.${at}.schema`));
  });
  if (setup.format.type === 'json_schema') {
    if (!NAME.test(setup.format.name)) found['format.name'] = t.name;
    Object.assign(found, findSchemaProblems(setup.format.schema, 'format.schema'));
  }
  return found;
}

function findMoreProblem(text: string): string | undefined {
  const { setup: t } = promptingMessages();
  if (text.trim() === '') return undefined;
  try {
    return isObject(JSON.parse(text)) ? undefined : t.notObject;
  } catch {
    return t.notJson;
  }
}

/** Whether nothing of a part of the set-up is set. */
export const isUnset = (setup: Setup, fields: readonly (keyof Setup)[]): boolean =>
  fields.every((field) => JSON.stringify(setup[field]) === JSON.stringify(EMPTY_SETUP[field]));
