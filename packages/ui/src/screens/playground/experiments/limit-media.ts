import type { Experiment, Turn } from '../../../features/playground/experiment.ts';
import { experimentsMessages } from './messages.ts';

/** Bytes that are kept of one experiment, in the browser and in a file, beside its texts. */
export const MAX_MEDIA_CHARACTERS = 30_000_000;

export interface Limited {
  readonly experiment: Experiment;
  /** Names of what had to be left out. */
  readonly leftOut: readonly string[];
}

interface Medium {
  readonly key: string;
  readonly name: string;
  readonly size: number;
}

/** The experiment with no more images, files and audio than can be kept: the largest are left out first. */
export function limitMedia(experiment: Experiment, limit = MAX_MEDIA_CHARACTERS): Limited {
  const media = listMedia(experiment);
  let size = media.reduce((sum, each) => sum + each.size, 0);
  if (size <= limit) return { experiment, leftOut: [] };
  const dropped = new Map<string, string>();
  for (const { key, name, size: own } of media.toSorted((a, b) => b.size - a.size)) {
    if (size <= limit) break;
    size -= own;
    dropped.set(key, name);
  }
  const isLeft = (key: string): boolean => !dropped.has(key);
  const left = <Each extends { readonly url: string }>(key: string, each: Each): Each =>
    isLeft(key) ? each : { ...each, url: '' };
  const limitTurn = (turn: Turn): Turn => {
    if (turn.type === 'user')
      return { ...turn, attached: turn.attached.map((each, at) => left(`${turn.id} ${at}`, each)) };
    if (turn.type === 'tool') return turn;
    return {
      ...turn,
      images: turn.images.map((url, at) => (isLeft(`${turn.id} ${at}`) ? url : '')),
      audio: turn.audio === null || isLeft(`${turn.id} audio`) ? turn.audio : { ...turn.audio, data: '' },
    };
  };
  return {
    experiment: {
      ...experiment,
      attached: experiment.attached.map((each, at) => left(`draft ${at}`, each)),
      columns: experiment.columns.map((column) => ({ ...column, turns: column.turns.map(limitTurn) })),
    },
    leftOut: [...dropped.values()],
  };
}

/** A turn of several columns is counted once for each: so often it is kept. */
function listMedia({ attached, columns }: Experiment): Medium[] {
  const t = experimentsMessages();
  const ofFiles = (id: string, files: Experiment['attached']): Medium[] =>
    files.map(({ name, url }, at) => ({ key: `${id} ${at}`, name, size: url.length }));
  const ofTurn = (turn: Turn): Medium[] => {
    if (turn.type === 'user') return ofFiles(turn.id, turn.attached);
    if (turn.type === 'tool') return [];
    const images = turn.images.map((url, at) => ({ key: `${turn.id} ${at}`, name: t.image, size: url.length }));
    const { audio } = turn;
    return audio === null ? images : [...images, { key: `${turn.id} audio`, name: t.audio, size: audio.data.length }];
  };
  const sizes = new Map<string, Medium>();
  for (const medium of [...ofFiles('draft', attached), ...columns.flatMap(({ turns }) => turns.flatMap(ofTurn))]) {
    const before = sizes.get(medium.key)?.size ?? 0;
    sizes.set(medium.key, { ...medium, size: before + medium.size });
  }
  return [...sizes.values()];
}
