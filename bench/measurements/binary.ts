import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import type { Plan } from '../plan.ts';
import { readProcessStats } from '../processes/process-stats.ts';
import { BINARY_ADDED_MB, BINARY_LISTENING } from '../report/budgets.ts';
import { type Figure, formatMegabytes, formatMilliseconds, formatTimes, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { startGateway } from '../targets/start-gateway.ts';
import type { Stage } from '../targets/start-targets.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BINARY = `${ROOT}binary/model-gateway`;

/** Starts of a gateway, and its resident memory when it listened. */
interface Starts {
  readonly listeningMs: number[];
  readonly restMb: number[];
}

/** Makes the single executable, and compares its starts with those of the built command, by turns. */
export async function measureBinary({ upstreamPort }: Stage, plan: Plan): Promise<Figure[]> {
  execFileSync('npm', ['run', '--silent', 'build:binary', '--workspace', 'model-gateway'], { cwd: ROOT });
  const [binary, command]: [Starts, Starts] = [
    { listeningMs: [], restMb: [] },
    { listeningMs: [], restMb: [] },
  ];
  // The first start of the command fills the compile cache, so its time is not counted.
  for (let i = 0; i <= plan.startUp.starts; i += 1) {
    for (const [starts, file] of [[binary, BINARY] as const, [command, undefined] as const]) {
      const gateway = await startGateway({ upstreamPort, binary: file });
      if (i > 0) starts.listeningMs.push(gateway.listeningAfterMs);
      starts.restMb.push(readProcessStats(gateway.pid).rssBytes / 1_000_000);
      await gateway.stop();
    }
  }
  plan.progress(`listening after ${binary.listeningMs.map(formatMilliseconds).join(', ')}`);
  return [toSizeFigure(), ...toStartFigures(binary, command)];
}

function toSizeFigure(): Figure {
  const [ofBinary, ofNode] = [BINARY, process.execPath].map((file) => statSync(file).size / 1_000_000) as [
    number,
    number,
  ];
  return toFigure('single executable: size, beyond Node.js', {
    gateway: formatMegabytes(ofBinary),
    proxy: formatMegabytes(ofNode),
    value: ofBinary - ofNode,
    format: formatMegabytes,
    budget: BINARY_ADDED_MB,
  });
}

function toStartFigures(binary: Starts, command: Starts): Figure[] {
  const [binaryMs, commandMs] = [median(binary.listeningMs), median(command.listeningMs)];
  const [binaryMb, commandMb] = [median(binary.restMb), median(command.restMb)];
  return [
    toFigure('single executable: time to listening, against the command', {
      gateway: formatMilliseconds(binaryMs),
      proxy: formatMilliseconds(commandMs),
      value: binaryMs / commandMs,
      format: formatTimes,
      budget: BINARY_LISTENING,
    }),
    toFigure('single executable: resident memory when listening, against the command', {
      gateway: formatMegabytes(binaryMb),
      proxy: formatMegabytes(commandMb),
      value: binaryMb - commandMb,
      format: formatMegabytes,
    }),
  ];
}
