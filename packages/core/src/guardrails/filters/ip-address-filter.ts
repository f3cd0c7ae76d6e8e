import { createPatternFilter } from './create-pattern-filter.ts';

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const V4 = `${OCTET}(?:\\.${OCTET}){3}`;

/** Addresses of IP, version 4 in dots and version 6 with colons, with a length of network behind them or not. */
export const ipAddressFilter = createPatternFilter({
  label: 'IP address',
  placeholder: '[IP_ADDRESS]',
  trigger: '\\d{1,3}\\.\\d{1,3}\\.|[0-9a-f]{0,4}:[0-9a-f:]',
  pattern: new RegExp(
    `(?<![\\w.]|\\bv(?:ersion)? ?|\\d-)${V4}(?:/(?:3[0-2]|[12]?\\d)(?!\\d))?(?!\\w|-\\d|\\.\\w)` +
      `|(?<![\\w:.])(?:[0-9a-f]{0,4}:){2,7}(?:${V4}|[0-9a-f]{0,4})(?:%[\\w]{1,15})?(?:/\\d{1,3})?(?![\\w:])`,
  ),
  measure(text, start, end) {
    const match = text.slice(start, end);
    return !match.includes(':') || isVersion6(match.replace(/[%/].*$/, '')) ? end : null;
  },
});

/** Eight groups, or fewer with one gap; a time of day and `::` alone are none. */
function isVersion6(address: string): boolean {
  const [before = '', after, ...more] = address.split('::');
  if (more.length > 0) return false;
  const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const groups = [...groupsOf(before), ...groupsOf(after ?? '')];
  if (groups.includes('')) return false;
  const count = groups.length + (groups.at(-1)?.includes('.') === true ? 1 : 0);
  if (after === undefined) return count === 8;
  // Two short groups and a gap are as likely a name in C++ or a ratio.
  return count < 8 && groups.some((group) => /\d/.test(group)) && groups.join('').length >= 3;
}
