import { showControls } from '../../parts/text/show-controls.ts';
import { rerunsMessages } from './messages.ts';

/** What a judge is called, by its name on the wire. */
export function toJudgeName(judge: string): string {
  const names = Object.entries(rerunsMessages().pair.judgeNames);
  return names.find(([name]) => name === judge)?.[1] ?? showControls(judge);
}
