// Says which fuses of an app are on, as one line of JSON, and with `--attachable` then switches on the one by which the
// test's driver attaches:
//   node fuses.mjs EXECUTABLE [--attachable]
import { flipFuses, FuseState, FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses';

const [, , executable, attachable] = process.argv;
const wire = await getCurrentFuseWire(executable);
const names = Object.entries(FuseV1Options).filter(([, index]) => typeof index === 'number' && index in wire);
process.stdout.write(
  `${JSON.stringify(Object.fromEntries(names.map(([name, index]) => [name, wire[index] === FuseState.ENABLE])))}\n`,
);
if (attachable === '--attachable') {
  await flipFuses(executable, { version: FuseVersion.V1, [FuseV1Options.EnableNodeCliInspectArguments]: true });
}
