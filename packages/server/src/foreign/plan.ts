import type { ConfiguredModel } from '@model-gateway/core';

/** The gateways from which one can move here. */
export const FOREIGN_GATEWAYS = ['litellm', 'portkey', 'helicone', 'openrouter'] as const;
export type ForeignGateway = (typeof FOREIGN_GATEWAYS)[number];

/** A file of another gateway, parsed. */
export interface ForeignFile {
  /** Its name without the folder and the ending. */
  readonly name: string;
  readonly tree: unknown;
}

/** A line of the report. `becomes` is null for what has no counterpart, and `note` says why then. */
export interface PlanLine {
  readonly what: string;
  readonly name: string;
  readonly becomes: string | null;
  readonly note: string;
}

export type Interval = 'daily' | 'weekly' | 'monthly' | null;

export interface MovedLimit {
  readonly limitUsd: number;
  /** Null: never. */
  readonly reset: Interval;
}

export interface MovedWorkspace {
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly budgets: readonly MovedLimit[];
  /** Ids of models; null for all. */
  readonly allowedModels: readonly string[] | null;
  readonly defaultModel: string | null;
}

export interface MovedKey {
  /** Its id in the foreign files, to which guardrails refer. */
  readonly source: string;
  /** No two keys of a plan have the same. */
  readonly name: string;
  /** SHA-256 of the key, where the foreign gateway has the same: callers stay with their keys then. Null for a new key. */
  readonly hash: string | null;
  /** Slug; null for the default one. */
  readonly workspace: string | null;
  readonly limit: MovedLimit | null;
  readonly includesByok: boolean;
  readonly disabled: boolean;
  /** ISO 8601 in UTC. */
  readonly expiresAt: string | null;
}

export interface MovedGuardrail {
  /** Its id in the foreign files, or of what it was made for. */
  readonly source: string;
  readonly name: string;
  readonly workspace: string | null;
  /** Fields of a guardrail, checked. */
  readonly demands: Readonly<Record<string, unknown>>;
  /** Sources of the keys that it is assigned to. */
  readonly keys: readonly string[];
}

export interface MovedProvider {
  readonly slug: string;
  readonly preset?: string;
  readonly wire?: string;
  readonly baseUrl?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cloud?: Readonly<Record<string, string>>;
  readonly apiKey?: string | null;
  readonly discoverModels?: boolean;
}

/** The part of a config file that a plan writes. */
export interface MovedConfig {
  auth?: { bootstrapKeys: readonly { key: string; kind: 'api' | 'management'; name: string }[] };
  account?: { creditsUsd: number };
  routing?: {
    sort?: string;
    retriesAtEndpoint?: number;
    rules?: { name: string; when: { models: string[] }; model: string; models: string[] }[];
  };
  timeouts?: { nonStreamMs?: number; headersMs?: number };
  rateLimits?: { key: string; model?: string; requestsPerMinute?: number; tokensPerMinute?: number }[];
  limits?: { key: string; callsUnderWay: number }[];
  providers: MovedProvider[];
  models: ConfiguredModel[];
}

/** A variable that the config reads. */
export interface MovedVariable {
  readonly name: string;
  readonly holds: string;
}

/** What becomes of the files of another gateway. Holds no secret. */
export interface MovePlan {
  readonly config: MovedConfig;
  readonly workspaces: readonly MovedWorkspace[];
  readonly keys: readonly MovedKey[];
  readonly guardrails: readonly MovedGuardrail[];
  readonly variables: readonly MovedVariable[];
  readonly lines: readonly PlanLine[];
}

/** The plan of one gateway's files. Throws `UsageError` for files that are none of its. */
export type PlanMove = (files: readonly ForeignFile[]) => MovePlan;
