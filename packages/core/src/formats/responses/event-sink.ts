/** Receives events, each with the members that belong to its type, without its number. */
export type Emit = (type: string, members: Readonly<Record<string, unknown>>) => void;

/** Receives the events of a completion. */
export interface EventSink {
  readonly emit: Emit;
  /** Receives a piece of a text, the event of which there are many. `place`: the members of every piece, by `toPlace`. */
  emitPiece(type: string, place: string, piece: string): void;
}

/** The members that are the same in every piece of one text, serialised once. */
export const toPlace = (members: object): string => JSON.stringify(members).slice(1, -1);
