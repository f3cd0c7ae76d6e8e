import type { Attachment } from './attachments.ts';
import { promptingMessages } from './messages.tsx';
import { EMPTY_SETUP, type Setup } from './setup/setup.ts';

/** Models side by side. */
export const MAX_COLUMNS = 8;

/** A message or a completion. One that stands in several columns has the same id in all of them. */
export type Turn = UserTurn | AssistantTurn | ToolTurn;

export interface UserTurn {
  readonly type: 'user';
  readonly id: string;
  readonly text: string;
  readonly attached: readonly Attachment[];
  /** Content parts that are sent as they came, such as images by address. */
  readonly kept: readonly unknown[];
}

export interface AssistantTurn {
  readonly type: 'assistant';
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
  /** Sent back to the model that wrote them, and to no other. */
  readonly reasoningDetails: readonly unknown[];
  readonly toolCalls: readonly ToolCall[];
  /** Addresses that contain the bytes: `data:image/png;base64,…`; empty where the bytes were too many to keep. */
  readonly images: readonly string[];
  readonly audio: Audio | null;
  /** Null for a message that was typed, or that another program sent as history. */
  readonly outcome: Outcome | null;
}

export interface ToolTurn {
  readonly type: 'tool';
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly text: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** A JSON document as text, as the model wrote it. */
  readonly arguments: string;
}

export interface Audio {
  readonly format: string;
  /** Base64; empty where the bytes were too many to keep. */
  readonly data: string;
}

/** What is known of a call that has ended. */
export interface Outcome {
  readonly status: 'done' | 'stopped' | 'failed';
  readonly model: string;
  readonly provider: string | null;
  readonly generationId: string | null;
  readonly finishReason: string | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** Null where it is not known. */
  readonly costUsd: number | null;
  readonly firstTokenMs: number | null;
  readonly elapsedMs: number | null;
  /** ISO 8601. */
  readonly endedAt: string | null;
  readonly error: Failure | null;
  /** The `max_tokens` that the playground chose, because the limit of the key had room for no more. */
  readonly fittedTokens?: number | undefined;
}

export interface Failure {
  readonly message: string;
  readonly status: number;
  readonly errorType: string;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}

export interface Column {
  readonly id: string;
  readonly model: string;
  /** A call that was recorded: it is read and compared, and never run. */
  readonly isOriginal: boolean;
  readonly turns: readonly Turn[];
}

/** The version of a kept prompt that an experiment began with, or was last saved as. */
export interface PromptLink {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

/** Values by the names that stand in double braces. */
export type Variables = Readonly<Record<string, string>>;

/** Conversations with models side by side, and what is typed next. */
export interface Experiment {
  readonly id: string;
  /** Empty until it has been given one. */
  readonly name: string;
  readonly setup: Setup;
  readonly columns: readonly Column[];
  readonly text: string;
  readonly attached: readonly Attachment[];
  readonly prompt?: PromptLink | undefined;
  /** What is filled in for names in double braces, as it is sent: the texts keep their braces. */
  readonly variables?: Variables | undefined;
}

export type NewId = () => string;

export const newColumn = (model: string, newId: NewId, turns: readonly Turn[] = []): Column => ({
  id: newId(),
  model,
  isOriginal: false,
  turns,
});

export const newExperiment = (models: readonly string[], newId: NewId): Experiment => ({
  id: newId(),
  name: '',
  setup: EMPTY_SETUP,
  columns: models.slice(0, MAX_COLUMNS).map((model) => newColumn(model, newId)),
  text: '',
  attached: [],
});

/** Whether anything would be lost with it. */
export const isEmpty = ({ name, setup, columns, text, attached, prompt }: Experiment): boolean =>
  name === '' &&
  prompt === undefined &&
  text === '' &&
  attached.length === 0 &&
  columns.every(({ turns }) => turns.length === 0) &&
  JSON.stringify(setup) === JSON.stringify(EMPTY_SETUP);

/** Its name, or how it begins. */
export function toTitle({ name, columns, text }: Pick<Experiment, 'name' | 'columns' | 'text'>): string {
  if (name !== '') return name;
  const asked = columns[0]?.turns.find(({ type }) => type === 'user')?.text ?? text;
  const words = asked.replaceAll(/\s+/g, ' ').trim();
  return words === '' ? promptingMessages().untitled : words.length > 60 ? `${words.slice(0, 59)}…` : words;
}
