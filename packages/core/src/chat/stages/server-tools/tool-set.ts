import { z } from 'zod';

import type { Catalog } from '../../../catalog/catalog.ts';
import { modelsWith, type UsableEndpoints } from '../../../dispatch/usable-endpoints.ts';
import { GatewayError } from '../../../foundation/errors.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import { findPlugin } from '../../plugins.ts';
import type { WebAccess } from '../web/web-access.ts';
import { datetimeTool } from './datetime-tool.ts';
import { expandSteps } from './expand-steps.ts';
import { searchModelsTool } from './search-models-tool.ts';
import type { OpenTool, ServerTool } from './server-tool.ts';
import { createStopRule, type StopRule } from './stop-rule.ts';
import { toToolName } from './tool-names.ts';
import { createWebFetchTool } from './web-fetch-tool.ts';
import { createWebSearchTool } from './web-search-tool.ts';

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
export interface ToolRights {
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
