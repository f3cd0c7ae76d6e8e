/** Decimal places of a million. */
const PLACES = 6;
const DECIMAL = /^(\d*)(?:\.(\d*))?$/;

/**
 * A price of a million tokens as one of a token, as text and exactly: a number would add noise. Null for what is no
 * decimal number.
 */
export function toPricePerToken(perMillion: string): string | null {
  return movePoint(perMillion, -PLACES);
}

/** The other way. */
export function toPricePerMillion(perToken: string): string | null {
  return movePoint(perToken, PLACES);
}

function movePoint(text: string, by: number): string | null {
  const [, whole = '', fraction = ''] = DECIMAL.exec(text.trim()) ?? [];
  if (whole === '' && fraction === '') return null;
  const digits = by < 0 ? '0'.repeat(-by) + whole + fraction : whole + fraction + '0'.repeat(by);
  const point = by < 0 ? whole.length : whole.length + by;
  const left = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const right = digits.slice(point).replace(/0+$/, '');
  return right === '' ? left : `${left}.${right}`;
}
