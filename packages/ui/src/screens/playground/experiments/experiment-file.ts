import { messageOf } from '../../../api/api-error.ts';
import type { Experiment, NewId, Turn } from '../../../features/playground/experiment.ts';
import { experimentFileSchema, FILE_FORMAT } from './experiment-schema.ts';
import { limitMedia, type Limited } from './limit-media.ts';
import { experimentsMessages } from './messages.ts';

/** A file beyond it is no experiment of ours. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_PROBLEMS = 5;

/** The text of the file, and what did not fit into it. */
export function toExperimentFile(experiment: Experiment): Pick<Limited, 'leftOut'> & { readonly text: string } {
  const { experiment: limited, leftOut } = limitMedia(experiment);
  const { id: _id, ...rest } = limited;
  return { leftOut, text: `${JSON.stringify({ format: FILE_FORMAT, version: 1, experiment: rest }, null, 2)}\n` };
}

/** What is wrong with a file, a line each: the path of the field, and what it has to be. */
export class NotAnExperiment extends Error {
  override readonly name = 'NotAnExperiment';
}

/** Reads a file that may come from another person. Its ids are made again. Throws `NotAnExperiment`. */
export function readExperimentFile(text: string, newId: NewId): Experiment {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new NotAnExperiment(experimentsMessages().notJson(messageOf(error)));
  }
  const read = experimentFileSchema.safeParse(value);
  if (!read.success) {
    const t = experimentsMessages();
    const { issues } = read.error;
    const lines = issues
      .slice(0, MAX_PROBLEMS)
      .map(({ path, message }) => `${path.join('.') || t.theFile}: ${message}`);
    const more = issues.length - lines.length;
    throw new NotAnExperiment([...lines, ...(more > 0 ? [t.moreProblems(more)] : [])].join('\n'));
  }
  return withNewIds(read.data.experiment, newId);
}

/** An id that is there already would be replaced. Turns that several columns have in common stay in common. */
function withNewIds(experiment: Omit<Experiment, 'id'>, newId: NewId): Experiment {
  const ids = new Map<string, string>();
  const toNew = (id: string): string => {
    const known = ids.get(id) ?? newId();
    ids.set(id, known);
    return known;
  };
  const renew = (turn: Turn): Turn => ({ ...turn, id: toNew(turn.id) });
  return {
    ...experiment,
    id: newId(),
    columns: experiment.columns.map((column) => ({ ...column, id: newId(), turns: column.turns.map(renew) })),
  };
}
