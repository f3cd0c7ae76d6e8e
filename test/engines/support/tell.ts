import process from 'node:process';

/** Prints a measurement that a test has made, for people. */
export function tell(line: string): void {
  process.stdout.write(`   ${line}\n`);
}
