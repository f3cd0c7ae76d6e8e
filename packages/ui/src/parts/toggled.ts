/** A list with one more of what it lacks, or without what it has. */
export const toggled = <One>(all: readonly One[], one: NoInfer<One>): One[] =>
  all.includes(one) ? all.filter((other) => other !== one) : [...all, one];
