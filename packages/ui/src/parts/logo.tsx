import { classNames } from './class-names.ts';
import { LOGO_FILES } from './logo-files.ts';

interface LogoProps {
  /** The slug of a provider, the author of a model, or the id of a tool. */
  readonly name: string;
  /** What it stands for; without a label it is decoration beside the name. */
  readonly label?: string;
  /** In pixels. */
  readonly size?: number;
  readonly className?: string;
}

/** The logo of a provider, author or tool, in the colour of the text; the first letter in a circle where there is none. */
export function Logo({ name, label, size = 16, className }: LogoProps) {
  const file = findLogo(name);
  const meaning =
    label === undefined ? { 'aria-hidden': true as const } : { role: 'img' as const, 'aria-label': label };
  if (file === undefined) {
    return (
      <span
        {...meaning}
        className={classNames(
          'inline-flex shrink-0 items-center justify-center rounded-full border border-current align-middle font-medium opacity-80',
          className,
        )}
        style={{ width: size, height: size, fontSize: Math.round(size * 0.56), lineHeight: 1 }}
      >
        {/[\p{L}\p{N}]/u.exec(label ?? name)?.[0]?.toUpperCase() ?? '?'}
      </span>
    );
  }
  // A mask takes the shape of the file alone, so that the colour is that of the text in both themes.
  return (
    <span
      {...meaning}
      className={classNames('inline-block shrink-0 bg-current align-middle forced-color-adjust-none', className)}
      style={{ width: size, height: size, mask: `url("${file}") center / contain no-repeat` }}
    />
  );
}

/** The author of a model: what stands before the slash of its id. */
export const toAuthor = (modelId: string): string => modelId.split('/', 1)[0] ?? modelId;

/** The file of a name, or of what it begins with: `openai-eu` is a provider that somebody has named after OpenAI. */
export function findLogo(name: string): string | undefined {
  const words = name.toLowerCase().split('-');
  for (let count = words.length; count > 0; count -= 1) {
    const known = words.slice(0, count).join('-');
    if (Object.hasOwn(LOGO_FILES, known)) return LOGO_FILES[known];
  }
  return undefined;
}
