/** Loads a module of other people by its URL. The package's programs are one script, in which only their starter can do so. */
export const importFile = (url: string): Promise<unknown> => import(url);
