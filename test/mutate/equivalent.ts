import { findMutants, type Mutant, toLines } from './find-mutants.ts';

/** A change after which the program does the same, so that no test can notice it. */
export interface Equivalent {
  readonly file: string;
  /** The changed lines as they are, without their indentation, and what the mutant makes of them. */
  readonly was: string;
  readonly becomes: string;
  readonly reason: string;
}

/** Each of these has been read by a person. They count neither as tried nor as killed. */
export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'packages/core/src/guardrails/text-guard.ts',
    was: 'const hasMany = read.next + WORTH_A_LOOK < text.length && isDue(read.next + WORTH_A_LOOK);',
    becomes: 'const hasMany = read.next + WORTH_A_LOOK < text.length || isDue(read.next + WORTH_A_LOOK);',
    reason: 'The look ahead is taken earlier. It only spares the judging of places where no match can begin.',
  },
  {
    file: 'packages/core/src/auth/key-set.ts',
    was: "if (typeof value !== 'object' || value === null) throw new Error(`${url} responds without a JSON object`);",
    becomes:
      "if (typeof value !== 'object' && value === null) throw new Error(`${url} responds without a JSON object`);",
    reason: 'What is no object is refused where its fields are read. The reason in the log reads otherwise.',
  },
];

export const findEquivalent = (file: string, source: string, mutant: Mutant): Equivalent | undefined => {
  const { was, becomes } = toLines(source, mutant);
  return EQUIVALENT.find(
    (known) => known.file === file && known.was === was.trim() && known.becomes === becomes.trim(),
  );
};

/** Throws where a listed change can no longer be made, as its reason would stand for nothing. */
export function checkEquivalents(read: (file: string) => string): void {
  for (const { file, was, becomes } of EQUIVALENT) {
    const source = read(file);
    const isThere = findMutants(file, source).some((mutant) => {
      const lines = toLines(source, mutant);
      return lines.was.trim() === was && lines.becomes.trim() === becomes;
    });
    if (!isThere) throw new Error(`${file} has no mutant "${becomes}" any more: take it off the list of equivalents`);
  }
}
