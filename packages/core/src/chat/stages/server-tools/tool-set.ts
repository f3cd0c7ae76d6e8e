import { z } from 'zod';

import type { Catalog } from '../../../catalog/catalog.ts';
import { modelsWith, type UsableEndpoints } from '../../../dispatch/usable-endpoints.ts';
import { GatewayError } from '../../../foundation/errors.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { ToolStep } from '../../../generations/ended-call.ts';
import type { ChatCompletionRequest, ChatMessage, ReasoningDetail, ToolCall } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import { findPlugin } from '../../chat-kind.ts';
import type { WebAccess } from '../../web/web-access.ts';
import { createWebFetchTool, createWebSearchTool, datetimeTool, searchModelsTool } from './built-in-tools.ts';
import { type OpenTool, type ServerTool, toToolName } from './server-tool.ts';

/** The server tools of one request. */
export interface ToolSet {
  /** The request as its caller sent it. */
  readonly original: ChatCompletionRequest;
  /** The request in the form that is sent to models: every server tool as a function. */
  readonly request: ChatCompletionRequest;
  /** Tools by the name of their function. */
  readonly tools: ReadonlyMap<string, NamedTool>;
  readonly stopRule: StopRule;
}

export interface NamedTool {
  readonly name: string;
  readonly open: OpenTool;
}

type Tool = NonNullable<ChatCompletionRequest['tools']>[number];
type FunctionTool = Extract<Tool, { function: object }>;
type NamelessTool = Exclude<Tool, FunctionTool>;

export interface ToolParts {
  readonly web: WebAccess;
  /** The embedder's own. */
  readonly serverTools: readonly ServerTool[];
  readonly platform: Platform;
  readonly catalog: Catalog;
}

/** What the caller may use. */
interface ToolRights {
  readonly usable: UsableEndpoints;
  /** Names, in any form, of the tools that the caller's workspace has disabled. */
  readonly disabled: readonly string[];
}

/**
 * Opens the server tools of a request, which may mention only usable models. Throws `invalid_request` that names an
 * unusable tool or parameter, and `permission_denied` for a disabled tool.
 */
export function createToolSet(
  request: ChatCompletionRequest,
  { usable, disabled }: ToolRights,
  parts: ToolParts,
): ToolSet {
  const available = toolsOf(parts);
  const own = (request.tools ?? []).filter(isFunctionTool);
  const taken = new Set(own.map((tool) => tool.function.name));
  const tools = new Map<string, NamedTool>();
  const functionNames = new Map<string, string>();
  const described: FunctionTool[] = [];
  const disabledNames = new Set(disabled.map(toToolName));
  const context = { platform: parts.platform, models: () => modelsWith(usable, parts) };

  const add = (name: string, path: string, parameters: Readonly<Record<string, unknown>>): void => {
    if (disabledNames.has(name)) throw refuseDisabled(path, name);
    const tool = available.get(name);
    if (tool === undefined) {
      const offered = [...available.keys()].join(', ');
      throw refuseField(path, `the server tool "${name.slice(0, 60)}" is not available; there are ${offered}`);
    }
    if (functionNames.has(name)) return;
    // The caller's functions have precedence for their names.
    const functionName = taken.has(name) ? `service_${name}` : name;
    functionNames.set(name, functionName);
    tools.set(functionName, { name, open: openTool(tool, path, parameters, context) });
    described.push({
      type: 'function',
      function: { name: functionName, description: tool.description, parameters: { ...tool.inputSchema } },
    });
  };

  for (const [index, tool] of (request.tools ?? []).entries()) {
    if (!isFunctionTool(tool)) add(toToolName(tool.type), `tools.${index}`, parametersOf(tool));
  }
  const plugin = findPlugin(request.plugins, 'web-fetch');
  if (plugin !== undefined) add('web_fetch', `plugins.${request.plugins?.indexOf(plugin)}`, plugin);
  return {
    original: request,
    request: {
      ...request,
      messages: expandSteps(request.messages, functionNames),
      tools: [...own, ...described],
      ...(request.tool_choice && { tool_choice: toToolChoice(request.tool_choice, functionNames) }),
    },
    tools,
    stopRule: createStopRule(request, toToolName),
  };
}

function refuseDisabled(path: string, name: string): GatewayError {
  const message = `the workspace of this key has disabled the server tool "${name}"`;
  return new GatewayError('permission_denied', `${path}: ${message}`, { metadata: { issues: [{ path, message }] } });
}

/** The embedder's own tools take precedence over built-in ones of the same name. */
function toolsOf({ serverTools, web }: ToolParts): ReadonlyMap<string, ServerTool> {
  const all = [datetimeTool, searchModelsTool, createWebSearchTool(web), createWebFetchTool(web), ...serverTools];
  return new Map(all.map((tool) => [tool.name, tool]));
}

const isFunctionTool = (tool: Tool): tool is FunctionTool => tool.type === 'function';

/** Beside the type, or as some clients write them, in its place. */
function parametersOf({ type: _, parameters, ...others }: NamelessTool): Readonly<Record<string, unknown>> {
  return typeof parameters === 'object' && parameters !== null ? { ...parameters } : others;
}

type OpenArguments = Parameters<ServerTool['open']>;

function openTool(tool: ServerTool, path: string, ...[parameters, context]: OpenArguments): OpenTool {
  try {
    return tool.open(parameters, context);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const issues = error.issues.map((issue) => ({
      path: [path, 'parameters', ...issue.path].join('.'),
      message: issue.message,
    }));
    const message = issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
    throw new GatewayError('invalid_request', message, { metadata: { issues } });
  }
}

function toToolChoice(
  choice: NonNullable<ChatCompletionRequest['tool_choice']>,
  functionNames: ReadonlyMap<string, string>,
): ChatCompletionRequest['tool_choice'] {
  if (typeof choice === 'string' || choice.type === 'function') return choice;
  const name = functionNames.get(toToolName(choice.type));
  if (name === undefined) throw refuseField('tool_choice', `${choice.type.slice(0, 60)} is not among the tools`);
  return { type: 'function', function: { name } };
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

const STEP = 'reasoning.server_tool_call';

/** Converts a call of a server tool to the form that the caller receives and sends back (wire.md 6.6). */
export function toStepDetail(step: ToolStep, index: number): ReasoningDetail {
  return {
    type: STEP,
    id: null,
    format: 'unknown',
    index,
    tool_name: step.tool,
    tool_call_id: step.id,
    arguments: step.arguments,
    result: step.result,
  };
}

/**
 * Converts calls of server tools that a caller sends back to the messages of the earlier turn, so that the model sees
 * their results. Returns the same list where there are none.
 */
function expandSteps(messages: ChatMessage[], functionNames: ReadonlyMap<string, string>): ChatMessage[] {
  const hasSteps = (message: ChatMessage): message is AssistantMessage =>
    message.role === 'assistant' && (message.reasoning_details?.some(({ type }) => type === STEP) ?? false);
  if (!messages.some(hasSteps)) return messages;
  return messages.flatMap((message) => (hasSteps(message) ? expand(message, functionNames) : [message]));
}

function expand(message: AssistantMessage, functionNames: ReadonlyMap<string, string>): ChatMessage[] {
  const expanded: ChatMessage[] = [];
  let before: ReasoningDetail[] = [];
  let calls: ToolCall[] = [];
  let results: ChatMessage[] = [];
  const close = (): void => {
    if (calls.length === 0) return;
    expanded.push({ role: 'assistant', content: null, reasoning_details: before, tool_calls: calls }, ...results);
    [before, calls, results] = [[], [], []];
  };
  for (const detail of message.reasoning_details ?? []) {
    if (detail.type !== STEP) {
      close();
      before.push(detail);
      continue;
    }
    const { tool_name: tool, tool_call_id: id, arguments: text, result } = detail;
    if (typeof tool !== 'string' || typeof id !== 'string' || typeof result !== 'string') continue;
    const name = functionNames.get(tool) ?? tool;
    calls.push({ id, type: 'function', function: { name, arguments: typeof text === 'string' ? text : '{}' } });
    results.push({ role: 'tool', tool_call_id: id, content: result });
  }
  close();
  const { reasoning_details: _, ...others } = message;
  const isEmpty = !others.content && !others.tool_calls?.length;
  // A message with only the steps is empty without them.
  return isEmpty ? expanded : [...expanded, { ...others, ...(before.length > 0 && { reasoning_details: before }) }];
}

/** State of a tool loop after a turn in which the model has called tools. */
interface LoopState {
  /** Calls of server tools so far, those of this turn included. */
  readonly steps: number;
  /** Names of the tools that this turn has called. */
  readonly called: readonly string[];
  readonly totalTokens: number;
  /** USD; null when it is not known. */
  readonly costUsd: number | null;
  /** Finish reasons of this turn. */
  readonly finishReasons: readonly (string | null)[];
}

/** Decides when the model has to finish. */
interface StopRule {
  /** Calls that may be run in all. */
  readonly maxSteps: number;
  /** Whether the next turn is to be the last, without tools. */
  isOver(state: LoopState): boolean;
}

/** The most calls of server tools in one request, and their default (wire.md 10.1). */
const MAX_TOOL_CALLS = 30;
/** Conditions of the caller's own may allow more, but none may run for ever. */
const CEILING = 100;

type Condition = NonNullable<ChatCompletionRequest['stop_server_tools_when']>[number];

/** Reads `stop_server_tools_when`, of whose conditions one is enough, or else `max_tool_calls`. */
function createStopRule(
  { stop_server_tools_when: conditions, max_tool_calls: maxCalls }: ChatCompletionRequest,
  toToolName: (type: string) => string,
): StopRule {
  if (conditions?.length) {
    return {
      maxSteps: CEILING,
      isOver: (state) => state.steps >= CEILING || conditions.some((one) => isMet(one, state, toToolName)),
    };
  }
  if (maxCalls != null && maxCalls < 0) throw refuseField('max_tool_calls', 'must be 0 or more');
  const maxSteps = Math.min(maxCalls ?? MAX_TOOL_CALLS, MAX_TOOL_CALLS);
  return { maxSteps, isOver: ({ steps }) => steps >= maxSteps };
}

function isMet(condition: Condition, state: LoopState, toToolName: (type: string) => string): boolean {
  switch (condition.type) {
    case 'step_count_is':
      return state.steps >= condition.step_count;
    case 'has_tool_call':
      return state.called.includes(toToolName(condition.tool_name));
    case 'max_tokens_used':
      return state.totalTokens >= condition.max_tokens;
    case 'max_cost':
      return state.costUsd !== null && state.costUsd >= condition.max_cost_in_dollars;
    case 'finish_reason_is':
      return state.finishReasons.includes(condition.reason);
  }
}
