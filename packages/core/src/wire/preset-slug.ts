/** The name of a preset in addresses and requests. `@preset/` comes before it, and nothing behind. */
const PRESET_SLUG = /^[A-Za-z0-9][A-Za-z0-9_.~-]{0,99}$/;

export const isPresetSlug = (text: string): boolean => PRESET_SLUG.test(text);
