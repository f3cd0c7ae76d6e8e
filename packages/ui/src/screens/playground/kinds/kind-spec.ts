import type { Model } from '@model-gateway/core/wire';
import type { ComponentType } from 'react';

import type { Caller } from '../../../api/call-api.ts';

/** The kinds of calls that the workbench makes beside chats, in the order of its choice. */
export const BENCH_KINDS = ['speech', 'transcription', 'embeddings', 'rerank', 'moderation'] as const;
export type BenchKind = (typeof BENCH_KINDS)[number];

export const isBenchKind = (name: string | undefined): name is BenchKind => BENCH_KINDS.some((kind) => kind === name);

/** What a call has given. */
export interface KindOutcome<Result> {
  readonly result: Result;
  readonly generationId: string | null;
}

export interface FieldsProps<Draft> {
  readonly draft: Draft;
  readonly model: Model;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** How the workbench makes calls of a kind: what is entered, how it is sent, and how its result is shown. */
export interface KindSpec<Draft, Result> {
  readonly kind: BenchKind;
  /** Below the version: `/audio/speech`. */
  readonly path: `/${string}`;
  readonly firstDraft: () => Draft;
  /** Why it cannot be sent, for the user; undefined where it can. */
  readonly findProblem: (draft: Draft) => string | undefined;
  /** The body without its model. */
  readonly toBody: (draft: Draft) => Readonly<Record<string, unknown>>;
  /** Sends it. Throws `ApiError`. */
  readonly send: (model: string, draft: Draft, call: KindCall) => Promise<KindOutcome<Result>>;
  readonly Fields: ComponentType<FieldsProps<Draft>>;
  readonly Result: ComponentType<{ readonly draft: Draft; readonly result: Result }>;
}

export interface KindCall {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** The lines of a text that say something; or the texts of a JSON list, where it is one. */
export function toLines(text: string): readonly string[] {
  if (text.trimStart().startsWith('[')) {
    try {
      const list: unknown = JSON.parse(text);
      if (Array.isArray(list) && list.every((item) => typeof item === 'string')) {
        return list.filter((item) => item.trim() !== '');
      }
    } catch {
      // Lines that begin with a bracket.
    }
  }
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The whole number that a text is; undefined for an empty one, NaN for any other. */
export function toWhole(text: string): number | undefined {
  if (text.trim() === '') return undefined;
  return /^\d+$/.test(text.trim()) && Number(text) > 0 ? Number(text) : Number.NaN;
}
