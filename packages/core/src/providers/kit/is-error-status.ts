/** Whether a value from upstream is an HTTP status of an error. */
export const isErrorStatus = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 400 && value < 600;
