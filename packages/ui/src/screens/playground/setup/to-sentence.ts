/** The message below a field: `Has to be a number`. */
export const toSentence = (problem: string | undefined): string | undefined =>
  problem && problem.charAt(0).toUpperCase() + problem.slice(1);
