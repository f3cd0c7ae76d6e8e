import type { CatalogModel } from '../../../catalog/catalog.ts';
import type { Awaitable } from '../../../foundation/awaitable.ts';
import type { Platform } from '../../../foundation/platform.ts';

/** The result of a tool call. */
export interface ToolResult {
  /** Result for the model: text, often JSON. */
  readonly content: string;
  /** Sources for the caller, as annotations of the completion (wire.md 6.5). */
  readonly annotations?: readonly unknown[] | undefined;
  /** Facts for the record, when the tool has searched the web. */
  readonly search?: { readonly engine: string; readonly results: number } | undefined;
}

/** The parts that every tool receives. */
export interface ToolContext {
  readonly platform: Platform;
  /** The models on offer. */
  readonly models: () => readonly CatalogModel[];
}

/** A tool as one request uses it; its state lasts as long as the request. */
export interface OpenTool {
  /**
   * Runs one call by the model. `input` is an object, otherwise not checked. An exception is reported to the model and
   * never ends the request: a `ToolFailure` with its message, any other without details.
   */
  run(input: Readonly<Record<string, unknown>>, signal: AbortSignal): Awaitable<ToolResult>;
}

/**
 * A tool that the gateway runs itself (wire.md 10): a caller enables it by `service:<name>`, the model calls it like
 * any function, and its result is sent back to the model. To add one, pass it to `createGateway` in `serverTools`.
 */
export interface ServerTool {
  /** Lower-case letters, digits and underscores: `web_search`. */
  readonly name: string;
  /** Description for the model: what the tool does, and when to use it. */
  readonly description: string;
  /** JSON Schema of what the model passes. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Prepares the tool for one request. Throws a zod error or `invalid_request` for invalid `parameters`. */
  open(parameters: Readonly<Record<string, unknown>>, context: ToolContext): OpenTool;
}

/** The failure of a tool call, with a message for the model. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}
