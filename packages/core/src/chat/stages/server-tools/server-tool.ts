import type { Awaitable } from '../../../foundation/awaitable.ts';
import type { CatalogModel } from '../../../catalog/catalog.ts';
import type { Platform } from '../../../foundation/platform.ts';

/** What a call of a tool came to. */
export interface ToolResult {
  /** What the model is told: text, often JSON. */
  readonly content: string;
  /** Sources for the caller, as annotations of the answer (wire.md 6.5). */
  readonly annotations?: readonly unknown[] | undefined;
  /** For the record, when the tool has searched the web. */
  readonly search?: { readonly engine: string; readonly results: number } | undefined;
}

/** What every tool is given. */
export interface ToolContext {
  readonly platform: Platform;
  /** The models on offer. */
  readonly models: () => readonly CatalogModel[];
}

/** A tool as one request uses it; what it remembers lives as long as the request. */
export interface OpenTool {
  /**
   * Runs one call of the model's. `input` is an object, otherwise not checked. Whatever is thrown is told to the model and
   * never ends the request: a `ToolFailure` in its own words, anything else without any.
   */
  run(input: Readonly<Record<string, unknown>>, signal: AbortSignal): Awaitable<ToolResult>;
}

/**
 * A tool that the gateway runs itself (wire.md 10): a caller asks for it by `service:<name>`, the model calls it
 * like any function, and its result goes back to the model. To add one, hand it to `createGateway` in `serverTools`.
 */
export interface ServerTool {
  /** Lower-case letters, digits and underscores: `web_search`. */
  readonly name: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  /** JSON Schema of what the model passes. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /**
   * Prepares the tool for one request with the `parameters` that its caller has given. Throws a zod error or
   * `invalid_request` when they are not as they should be.
   */
  open(parameters: Readonly<Record<string, unknown>>, context: ToolContext): OpenTool;
}

/** A call of a tool that came to nothing, in words for the model. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}
