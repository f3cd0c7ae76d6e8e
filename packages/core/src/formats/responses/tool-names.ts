import { isRecord, parseWith } from '../../foundation/parse.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import { type ResponsesRequest, type ResponsesTool, toolSchema } from '../../wire/responses.ts';

type FunctionTool = Extract<NonNullable<ChatCompletionRequest['tools']>[number], { function: object }>;

/** A tool of the caller's as models see it, and as its calls are given back. */
export interface NamedTool {
  readonly tool: FunctionTool;
  readonly name: string;
  readonly namespace: string | null;
  /** Its argument is raw text, not JSON. */
  readonly isCustom: boolean;
}

/** The tools of one request, by the names that models call them by. */
export interface ToolNames {
  readonly tools: readonly NamedTool[];
  /** The tool of a call that a model has made; undefined for a name that it has made up. */
  find(name: string): NamedTool | undefined;
  /** The name for models of a tool that an earlier call names. */
  nameOf(name: string, namespace: string | null | undefined): string;
}

/** The one property of a function that stands for a tool with raw text. */
export const CUSTOM_PROPERTY = 'input';

/**
 * The tools of the caller's own: functions, tools with raw text, and groups of both, also those that the input declares.
 * What only an upstream of this form runs is left out. A tool of a group has its own name where no other tool has it.
 */
export function nameTools({ tools, input }: Pick<ResponsesRequest, 'tools' | 'input'>): ToolNames {
  const named: NamedTool[] = [];
  const taken = new Set<string>();
  const add = (tool: ResponsesTool, namespace: string | null): void => {
    if (tool.type === 'namespace') {
      for (const inner of tool.tools ?? []) add(parseWith(toolSchema, inner), tool.name ?? null);
    }
    const { name } = tool;
    if (name === undefined || (tool.type !== 'function' && tool.type !== 'custom')) return;
    const free = taken.has(name) && namespace !== null ? `${namespace}__${name}` : name;
    if (taken.has(free)) return;
    taken.add(free);
    named.push({ tool: toFunction(tool, free), name, namespace, isCustom: tool.type === 'custom' });
  };
  for (const tool of tools ?? []) add(tool, null);
  for (const [index, item] of typeof input === 'string' ? [] : input.entries()) {
    if (item.type !== 'additional_tools' || !Array.isArray(item['tools'])) continue;
    for (const [at, tool] of item['tools'].entries())
      add(parseWith(toolSchema, tool, { within: `input.${index}.tools.${at}` }), null);
  }
  return {
    tools: named,
    find: (name) => named.find(({ tool }) => tool.function.name === name),
    nameOf(name, namespace) {
      const called = named.filter((one) => one.name === name);
      const meant = called.find((one) => one.namespace === (namespace ?? null)) ?? called[0];
      return meant?.tool.function.name ?? name;
    },
  };
}

function toFunction({ type, description, parameters, strict, format }: ResponsesTool, name: string): FunctionTool {
  const about = type === 'custom' ? describeCustom(description, format) : description;
  return {
    type: 'function',
    function: {
      name,
      ...(about !== undefined && about !== null && { description: about }),
      parameters: type === 'custom' ? CUSTOM_PARAMETERS : (parameters ?? { type: 'object', properties: {} }),
      ...(typeof strict === 'boolean' && type !== 'custom' && { strict }),
    },
  };
}

const CUSTOM_PARAMETERS = {
  type: 'object',
  properties: { [CUSTOM_PROPERTY]: { type: 'string', description: 'The whole input of the tool, as plain text' } },
  required: [CUSTOM_PROPERTY],
  additionalProperties: false,
};

/** A grammar cannot bind models of other forms, but they can read it. */
function describeCustom(description: string | null | undefined, format: ResponsesTool['format']): string {
  const grammar = format?.type === 'grammar' ? format.definition : undefined;
  return [description ?? '', grammar === undefined ? '' : `The input must follow this grammar:\n${grammar}`]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** The raw text in the arguments of a call, which are what a model made of the one property. */
export function toCustomInput(args: string): string {
  try {
    const value: unknown = JSON.parse(args);
    if (typeof value === 'string') return value;
    const input = isRecord(value) ? value[CUSTOM_PROPERTY] : undefined;
    return typeof input === 'string' ? input : args;
  } catch {
    return args;
  }
}
