/** Where calls come in (wire.md 20): by the host of a region, or by any other, which is global. */
export const DATA_REGIONS = ['global', 'europe', 'us'] as const;
export type DataRegion = (typeof DATA_REGIONS)[number];

/** Which of the three a region of the configuration is. */
export type DataRegionOf = (name: string) => DataRegion;

/**
 * Which of the three a region is by its name alone: `eu`, `europe`, `us`, and names that begin with them, as
 * `eu-west-1`. Any other is global.
 */
export function toDataRegion(name: string): DataRegion {
  const [, word = ''] = /^(eu|europe|us|usa)(?:[^a-z]|$)/i.exec(name) ?? [];
  if (word === '') return 'global';
  return word.toLowerCase().startsWith('eu') ? 'europe' : 'us';
}
