import type { Experiment, Turn, Variables } from './experiment.ts';

/** As the gateway finds them in a prompt that it keeps. */
const VARIABLE = /\{\{\s*([\p{L}_][\p{L}\p{N}_.-]{0,59})\s*\}\}/gu;

/** The names in texts, in the order in which they first appear. */
export const findVariables = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name))),
];

/** A text with its variables filled in. One without a value stays as it stands. */
export const fillIn = (text: string, values: Variables): string =>
  text.replaceAll(VARIABLE, (whole, name: string) => (Object.hasOwn(values, name) && values[name]) || whole);

/** Whether a turn was written by the user: in what a model has said braces mean nothing. */
export const isWritten = (turn: Turn): boolean =>
  turn.type === 'user' || (turn.type === 'assistant' && turn.outcome === null);

/** The variables of everything that is sent. */
export function variablesOf({ setup, columns, text }: Pick<Experiment, 'setup' | 'columns' | 'text'>) {
  const turns = columns.filter(({ isOriginal }) => !isOriginal).flatMap((column) => column.turns);
  return findVariables([setup.system, ...turns.filter(isWritten).map((turn) => turn.text), text]);
}
