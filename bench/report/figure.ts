/** One line of the report. */
export interface Figure {
  /** Subject and conditions of the measurement. */
  readonly subject: string;
  readonly gateway: string;
  /** Empty where there is nothing to compare with. */
  readonly proxy: string;
  /** Value that the budget applies to: a ratio, a difference, or the gateway's own value. */
  readonly result: string;
  /** Empty where the design sets no budget. */
  readonly budget: string;
  /** Null without a budget. */
  readonly isMet: boolean | null;
}

/** A limit that the design sets. */
export interface Budget {
  readonly limit: number;
  /** Whether the limit is a minimum; otherwise it is a maximum. */
  readonly isLeast?: boolean;
  /** Goal beyond the budget. */
  readonly stretch?: number;
}

/** Writes a value of some unit as text. */
export type Format = (value: number) => string;

export const formatMicroseconds: Format = (value) => `${value.toFixed(value < 100 ? 1 : 0)} µs`;
export const formatMilliseconds: Format = (value) => `${value.toFixed(Math.abs(value) < 10 ? 2 : 0)} ms`;
export const formatCount: Format = (value) => value.toFixed(0);
export const formatKilobytes: Format = (value) => `${value.toFixed(0)} KB`;
export const formatMegabytes: Format = (value) => `${value.toFixed(0)} MB`;
export const formatPerSecond: Format = (value) => `${value.toFixed(0)}/s`;
export const formatPercent: Format = (value) => `${(value * 100).toFixed(1)} %`;
export const formatTimes: Format = (value) => `${value.toFixed(2)} ×`;

export interface FigureFacts {
  readonly gateway: string;
  readonly proxy?: string;
  readonly value: number;
  readonly format: Format;
  readonly budget?: Budget | undefined;
}

/** Makes a figure of a value and its budget. */
export function toFigure(subject: string, { gateway, proxy = '', value, format, budget }: FigureFacts): Figure {
  const shown = { subject, gateway, proxy, result: format(value) };
  if (budget === undefined) return { ...shown, budget: '', isMet: null };
  const { limit, isLeast = false } = budget;
  return { ...shown, budget: toBudgetText(budget, format), isMet: isLeast ? value >= limit : value <= limit };
}

/** Makes the figure of a measurement that is not possible here. */
export function toSkippedFigure(
  subject: string,
  { budget, format }: Required<Pick<FigureFacts, 'budget' | 'format'>>,
): Figure {
  const text = budget === undefined ? '' : toBudgetText(budget, format);
  return { subject, gateway: '', proxy: '', result: 'skipped', budget: text, isMet: null };
}

function toBudgetText({ limit, isLeast = false, stretch }: Budget, format: Format): string {
  const ideal = stretch === undefined ? '' : ` (stretch ${format(stretch)})`;
  return `${isLeast ? '≥' : '≤'} ${format(limit)}${ideal}`;
}
