export const COMPILED: string
export function withAddress(source: string, path: string): string
export function compileSources(root: string): Promise<string>
export function compiledSources(
  folder: string,
  root: string,
): {
  readonly name: string
  readonly enforce: 'pre'
  resolveId(source: string, importer: string | undefined): string | null
}
