/** A model in the address of its page: most ids have an author, and some have more slashes. */
interface ModelParams {
  readonly author: string;
  readonly _splat: string;
}

export function toModelParams(id: string): ModelParams {
  const [author = '', ...rest] = id.split('/');
  return { author, _splat: rest.join('/') };
}

export const toModelId = ({ author, _splat: rest = '' }: { author: string; _splat?: string | undefined }): string =>
  rest === '' ? author : `${author}/${rest}`;
