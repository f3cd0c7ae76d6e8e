import {
  type AssistantTurn,
  type Column,
  type Experiment,
  MAX_COLUMNS,
  type NewId,
  newColumn,
  type Turn,
} from '../../../features/playground/experiment.ts';

type Columns = readonly Column[];

const changeColumns = (experiment: Experiment, change: (column: Column) => Column): Experiment => ({
  ...experiment,
  columns: experiment.columns.map((column) => (column.isOriginal ? column : change(column))),
});

/** Adds turns to the columns of these ids; originals stay as they were recorded. */
export const addTurns = (experiment: Experiment, columnIds: readonly string[], turns: readonly Turn[]): Experiment =>
  changeColumns(experiment, (column) =>
    columnIds.includes(column.id) ? { ...column, turns: [...column.turns, ...turns] } : column,
  );

/** Changes the text of a turn in every column in which it stands. */
export const setTurnText = (experiment: Experiment, turnId: string, text: string): Experiment =>
  changeColumns(experiment, (column) => ({
    ...column,
    turns: column.turns.map((turn) => (turn.id === turnId ? { ...turn, text } : turn)),
  }));

/** Removes a turn from every column in which it stands, and with the calls of tools what was given as their results. */
export const removeTurn = (experiment: Experiment, turnId: string): Experiment =>
  changeColumns(experiment, (column) => {
    const removed = column.turns.find(({ id }) => id === turnId);
    const calls = removed?.type === 'assistant' ? removed.toolCalls.map(({ id }) => id) : [];
    return {
      ...column,
      turns: column.turns.filter(
        (turn) => turn.id !== turnId && !(turn.type === 'tool' && calls.includes(turn.callId)),
      ),
    };
  });

/** Puts turns that were removed back where they stood, after those of the turns before them that are still there. */
export const restoreTurns = (
  experiment: Experiment,
  { before, after }: Readonly<Record<'before' | 'after', Experiment>>,
): Experiment =>
  changeColumns(experiment, (column) => {
    const turnsOf = ({ columns }: Experiment): readonly Turn[] =>
      columns.find(({ id }) => id === column.id)?.turns ?? [];
    const [old, kept] = [turnsOf(before), turnsOf(after)];
    const removed = old.filter(({ id }) => !has(kept, id) && !has(column.turns, id));
    const turns = removed.reduce((present, turn) => {
      const earlier = old.slice(0, old.indexOf(turn));
      const at = present.findLastIndex(({ id }) => has(earlier, id));
      return present.toSpliced(at + 1, 0, turn);
    }, column.turns);
    return { ...column, turns };
  });

const has = (turns: readonly Turn[], id: string): boolean => turns.some((turn) => turn.id === id);

/** Drops what follows a turn, in every column in which it stands. */
export const cutAfter = (experiment: Experiment, turnId: string): Experiment =>
  changeColumns(experiment, (column) => {
    const at = column.turns.findIndex(({ id }) => id === turnId);
    return at < 0 ? column : { ...column, turns: column.turns.slice(0, at + 1) };
  });

/** Drops the last completion of a column, so that it can be asked for again. */
export const dropCompletion = (experiment: Experiment, columnId: string): Experiment =>
  changeColumns(experiment, (column) =>
    column.id === columnId ? { ...column, turns: toPending(column.turns) } : column,
  );

/** Puts a completion at the end of the column that asked for it. */
export const addCompletion = (experiment: Experiment, columnId: string, turn: AssistantTurn): Experiment =>
  addTurns(experiment, [columnId], [turn]);

/** Without the completions at their end. */
const toPending = (turns: readonly Turn[]): readonly Turn[] =>
  turns.slice(0, turns.findLastIndex(({ type }) => type !== 'assistant') + 1);

/** Ids of the columns in which these turns stand, originals left out. */
export const columnsWith = (columns: Columns, turnId: string): readonly string[] =>
  columns.filter(({ isOriginal, turns }) => !isOriginal && turns.some(({ id }) => id === turnId)).map(({ id }) => id);

/** The calls of tools at the end of a conversation that have no result yet. */
export function findOpenCalls(turns: readonly Turn[]) {
  const at = turns.findLastIndex(({ type }) => type === 'assistant');
  const asked = turns[at];
  if (asked?.type !== 'assistant') return [];
  const later = turns.slice(at + 1);
  return asked.toolCalls.filter(({ id }) => !later.some((turn) => turn.type === 'tool' && turn.callId === id));
}

/** Whether a conversation ends with something that a model has not written. */
export const isPending = ({ isOriginal, turns }: Pick<Column, 'isOriginal' | 'turns'>): boolean => {
  const last = turns.at(-1);
  return !isOriginal && last !== undefined && last.type !== 'assistant' && findOpenCalls(turns).length === 0;
};

/** Adds a model, which is asked what the last column was asked last. */
export function addColumn(experiment: Experiment, model: string, newId: NewId): Experiment {
  if (experiment.columns.length >= MAX_COLUMNS) return experiment;
  const like = experiment.columns.findLast(({ isOriginal }) => !isOriginal) ?? experiment.columns.at(-1);
  const column = newColumn(model, newId, toPending(like?.turns ?? []));
  return { ...experiment, columns: [...experiment.columns, column] };
}

export const removeColumn = (experiment: Experiment, columnId: string): Experiment => ({
  ...experiment,
  columns: experiment.columns.filter(({ id }) => id !== columnId),
});

export const setModel = (experiment: Experiment, columnId: string, model: string): Experiment =>
  changeColumns(experiment, (column) => (column.id === columnId ? { ...column, model } : column));

/** The last completion of a column; undefined where there is none. */
export const lastCompletion = (turns: readonly Turn[]): AssistantTurn | undefined =>
  turns.findLast((turn) => turn.type === 'assistant');
