import type { Begin, Stage } from '../stage.ts';
import type { ChatRun } from '../../chat-run.ts';
import type { ToolSet } from './tool-set.ts';

/** Runs the tools of the gateway that a request has (wire.md 10). They have been opened before the call was planned. */
export const serverToolsStage: Stage = {
  name: 'server-tools',
  plugins: ['web-fetch'],
  plan: (run) => (run.toolSet === null ? null : { begin: (next) => runLate(next, run, run.toolSet as ToolSet) }),
};

/** Loaded late, because most requests have no server tools. */
function runLate(next: Begin, run: ChatRun, toolSet: ToolSet): Begin {
  return async (turn) => {
    const { runToolTurns } = await import('./run-tool-turns.ts');
    return runToolTurns(next, run, toolSet)(turn);
  };
}
