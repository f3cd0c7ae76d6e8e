import { showControls } from '../../parts/text/show-controls.ts';
import { rerunsMessages } from './messages.ts';

/** What a judge is called, by its name on the wire. */
export function toJudgeName(judge: string): string {
  const { judgeNames, judgeKinds } = rerunsMessages().pair;
  const name = Object.entries(judgeNames).find(([known]) => known === judge)?.[1];
  if (name !== undefined) return name;
  // A pattern and a model follow their kinds.
  const kind = Object.entries(judgeKinds).find(([known]) => judge.startsWith(`${known} `));
  return kind === undefined ? showControls(judge) : kind[1](showControls(judge.slice(kind[0].length + 1)));
}
