/** What a model says in one response. */
export interface Turn {
  readonly thought?: string;
  readonly text?: string;
  readonly calls?: readonly TurnCall[];
}

export interface TurnCall {
  readonly id: string;
  readonly name: string;
  readonly args: object;
  /** Raw text in place of arguments, where the wire has such tools and the request has named this as one. */
  readonly custom?: string;
}

/** A turn in the form of a wire: whole, and as events with their framing. */
export interface Told {
  readonly whole: object;
  readonly events: readonly string[];
}

/** Pieces of a few characters, so that names, escapes and characters of several bytes are cut. */
export const cut = (text: string): readonly string[] => text.match(/.{1,7}/gsu) ?? [];

export const toData = (payload: object): string => `data: ${JSON.stringify(payload)}\n\n`;

/** An event that is named beside its data as well as in it. */
export const toEvent = (payload: { readonly type: string; readonly [member: string]: unknown }): string =>
  `event: ${payload.type}\n${toData(payload)}`;
