/** A case of a folder of fixtures, as reruns take it. */
export interface FixtureCaseFiles {
  /** `<provider>/<operation>/<case>` */
  readonly path: string;
  readonly request: unknown;
  /** The text of its first response; null without one. */
  readonly response: string | null;
}

/** A file of a folder that was chosen, with its path from the folder's own name on. */
type FolderFile = Pick<File, 'text' | 'webkitRelativePath'>;

/** In the order in which a case is read: its whole response, its stream, the first of several. */
const RESPONSES = ['response.json', 'response.sse', 'response.1.json', 'response.1.sse'];

/** The cases among the files of a folder, however deep below it: those with a request that is JSON. */
export async function readFixtureFolder(files: readonly FolderFile[]): Promise<FixtureCaseFiles[]> {
  const byPath = new Map(files.map((file) => [file.webkitRelativePath, file]));
  const cases = [...byPath].map(async ([path, file]): Promise<FixtureCaseFiles | null> => {
    const [, folder] = /^(.+)\/request\.json$/.exec(path) ?? [];
    const request = folder === undefined ? undefined : parse(await file.text());
    if (folder === undefined || request === undefined) return null;
    const response = RESPONSES.map((name) => byPath.get(`${folder}/${name}`)).find((found) => found !== undefined);
    return { path: folder.split('/').slice(-3).join('/'), request, response: (await response?.text()) ?? null };
  });
  return (await Promise.all(cases)).filter((found) => found !== null);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
