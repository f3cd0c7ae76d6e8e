import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import type { PresetVersion } from '../../wire/presets.ts';
import { itemsOf } from '../../wire/response-items.ts';
import type { FormatName } from '../../wire/routing-rules.ts';
import { MESSAGES_SHARED_FIELDS, RESPONSES_SHARED_FIELDS } from '../../wire/values.ts';
import { uniteTools } from './unite-tools.ts';

/** How a preset, which is stored in the form of chat completions, becomes part of a request in another form. */
interface PresetForm {
  /** Fields of the form, for those that it has a place for. */
  readonly toFields: (config: Unchecked) => Unchecked;
  /** The request with this system prompt, unless it has one of its own. */
  readonly withSystem: (request: Unchecked, text: string) => Unchecked;
}

/** The forms of a chat call in which a preset can be named. */
export const PRESET_FORMS: Readonly<Partial<Record<FormatName, PresetForm>>> = {
  chat: { toFields: (config) => config, withSystem: withSystemMessage },
  completions: { toFields: (config) => config, withSystem: withBeginning },
  messages: { toFields: toMessagesFields, withSystem: withSystemField },
  responses: { toFields: toResponsesFields, withSystem: withInstructions },
};

/**
 * The request that a preset and what is sent with it make together: the request's own fields take precedence, one by one,
 * and null takes a field of the preset out. Tools are united.
 */
export function joinPreset(format: FormatName, request: Unchecked, version: PresetVersion): Unchecked {
  const form = PRESET_FORMS[format] as PresetForm;
  const fields = withoutRivals(form.toFields(version.config), request);
  const joined: Record<string, unknown> = { ...fields, ...request };
  joined['tools'] = uniteTools(fields['tools'], request['tools']);
  // A request that names no model leaves it to the preset.
  joined['model'] = request['model'] ?? fields['model'];
  for (const name of ['tools', 'model']) if (joined[name] === undefined) delete joined[name];
  return version.system_prompt === null ? joined : form.withSystem(joined, version.system_prompt);
}

/** Fields that say the same in other words. */
const RIVALS = [
  ['max_tokens', 'max_completion_tokens'],
  ['reasoning', 'reasoning_effort', 'include_reasoning'],
];

/** The fields without those that the ones that go before them say in other words. */
export function withoutRivals(fields: Unchecked, first: Unchecked): Unchecked {
  const beaten = RIVALS.filter((names) => names.some((name) => first[name] != null)).flat();
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !beaten.includes(name)));
}

const isSystem = (message: unknown): boolean =>
  isRecord(message) && (message['role'] === 'system' || message['role'] === 'developer');

function withSystemMessage(request: Unchecked, content: string): Unchecked {
  const { messages = [] } = request;
  // What is no list is refused by its schema.
  if (!Array.isArray(messages) || messages.some(isSystem)) return request;
  return { ...request, messages: [{ role: 'system', content }, ...(messages as unknown[])] };
}

/** This form has texts alone: the system prompt is the beginning of the text. */
function withBeginning(request: Unchecked, text: string): Unchecked {
  const { prompt } = request;
  const before = (own: unknown): unknown => (typeof own === 'string' ? `${text}\n\n${own}` : own);
  return { ...request, prompt: Array.isArray(prompt) ? prompt.map(before) : before(prompt) };
}

function withSystemField(request: Unchecked, system: string): Unchecked {
  const { messages } = request;
  const hasOwn = request['system'] != null || (Array.isArray(messages) && messages.some(isSystem));
  return hasOwn ? request : { ...request, system };
}

function withInstructions(request: Unchecked, instructions: string): Unchecked {
  const { input } = request;
  const hasOwn = request['instructions'] != null || (Array.isArray(input) && itemsOf(input).some(isSystem));
  return hasOwn ? request : { ...request, instructions };
}

function pick(config: Unchecked, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([name]) => names.includes(name)));
}

const listOf = (tools: unknown): readonly Unchecked[] => (Array.isArray(tools) ? tools.filter(isRecord) : []);

/** The name of the function that a choice of tools requires; undefined for any other choice. */
function calledBy(choice: unknown): string | undefined {
  const called = isRecord(choice) ? choice['function'] : undefined;
  return isRecord(called) && typeof called['name'] === 'string' ? called['name'] : undefined;
}

/** The schema that a response format asks for; undefined for another format. */
function schemaOf(format: unknown): Unchecked | undefined {
  const asked = isRecord(format) && format['type'] === 'json_schema' ? format['json_schema'] : undefined;
  return isRecord(asked) ? asked : undefined;
}

/** The fields of Anthropic's form. Parameters that it does not have are left out. */
function toMessagesFields(config: Unchecked): Unchecked {
  const { max_tokens: limit, max_completion_tokens: newerLimit, stop, tools, response_format: format } = config;
  const fields = pick(config, ['model', 'cache_control', ...MESSAGES_SHARED_FIELDS]);
  const maxTokens = newerLimit ?? limit;
  if (maxTokens !== undefined) fields['max_tokens'] = maxTokens;
  if (stop !== undefined) fields['stop_sequences'] = Array.isArray(stop) ? stop : [stop];
  if (tools !== undefined) fields['tools'] = listOf(tools).map(toMessagesTool);
  const choice = toMessagesChoice(config);
  if (choice !== undefined) fields['tool_choice'] = choice;
  const tier = config['service_tier'];
  if (tier !== undefined) fields['service_tier'] = tier === 'default' ? 'standard_only' : tier;
  const { thinking, effort } = toThinking(config);
  if (thinking !== undefined) fields['thinking'] = thinking;
  const schema = schemaOf(format)?.['schema'];
  const output = {
    ...(effort !== undefined && { effort }),
    ...(isRecord(schema) && { format: { type: 'json_schema', schema } }),
  };
  if (Object.keys(output).length > 0) fields['output_config'] = output;
  return fields;
}

function toMessagesTool(tool: Unchecked): Unchecked {
  const { function: called, cache_control: mark } = tool;
  if (!isRecord(called)) return tool;
  const { name, description, parameters, strict } = called;
  return {
    name,
    ...(description != null && { description }),
    input_schema: parameters ?? { type: 'object', properties: {} },
    ...(strict != null && { strict }),
    ...(mark != null && { cache_control: mark }),
  };
}

const MESSAGES_CHOICES: ReadonlyMap<unknown, string> = new Map([
  ['auto', 'auto'],
  ['required', 'any'],
  ['none', 'none'],
]);

function toMessagesChoice({ tool_choice: choice, parallel_tool_calls: parallel }: Unchecked): Unchecked | undefined {
  const single = parallel === false ? { disable_parallel_tool_use: true } : {};
  const name = calledBy(choice);
  if (name !== undefined) return { type: 'tool', name, ...single };
  const type = MESSAGES_CHOICES.get(choice) ?? (parallel === false ? 'auto' : undefined);
  return type === undefined ? undefined : { type, ...(type !== 'none' && single) };
}

function toThinking(config: Unchecked): { readonly thinking?: Unchecked; readonly effort?: unknown } {
  const reasoning = isRecord(config['reasoning']) ? config['reasoning'] : {};
  const { max_tokens: budget, enabled } = reasoning;
  const effort = reasoning['effort'] ?? config['reasoning_effort'];
  if (enabled === false || effort === 'none') return { thinking: { type: 'disabled' } };
  if (typeof budget === 'number') return { thinking: { type: 'enabled', budget_tokens: budget } };
  if (effort != null) return { thinking: { type: 'adaptive' }, effort: effort === 'minimal' ? 'low' : effort };
  return enabled === true ? { thinking: { type: 'adaptive' } } : {};
}

/** The fields of OpenAI's newer form. Parameters that it does not have are left out. */
function toResponsesFields(config: Unchecked): Unchecked {
  const { max_tokens: limit, max_completion_tokens: newerLimit, tools, response_format: format, verbosity } = config;
  const fields = pick(config, ['model', 'parallel_tool_calls', 'reasoning', ...RESPONSES_SHARED_FIELDS]);
  const maxTokens = newerLimit ?? limit;
  if (maxTokens !== undefined) fields['max_output_tokens'] = maxTokens;
  const effort = config['reasoning_effort'];
  if (effort !== undefined) fields['reasoning'] = { effort, ...(fields['reasoning'] as Unchecked | undefined) };
  if (tools !== undefined) fields['tools'] = listOf(tools).map(toResponsesTool);
  const choice = config['tool_choice'];
  const name = calledBy(choice);
  if (choice !== undefined) fields['tool_choice'] = name === undefined ? choice : { type: 'function', name };
  const text = {
    ...toResponsesFormat(format),
    ...(verbosity !== undefined && { verbosity }),
  };
  if (Object.keys(text).length > 0) fields['text'] = text;
  return fields;
}

function toResponsesTool(tool: Unchecked): Unchecked {
  const { function: called } = tool;
  return isRecord(called) ? { type: 'function', ...called } : tool;
}

function toResponsesFormat(format: unknown): Unchecked {
  const asked = schemaOf(format);
  if (asked !== undefined) return { format: { type: 'json_schema', schema: {}, ...asked } };
  return isRecord(format) && format['type'] === 'json_object' ? { format } : {};
}
