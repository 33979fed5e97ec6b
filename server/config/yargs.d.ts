// Declarations of the part of yargs that is used here; the package has no types.
declare module 'yargs' {
  export type OptionDeclaration = {
    readonly type?: 'boolean'
    readonly alias?: string
  }

  export interface Argv {
    parserConfiguration(configuration: { readonly [setting: string]: boolean }): this
    exitProcess(enabled: boolean): this
    help(enabled: boolean): this
    version(enabled: boolean): this
    option(name: string, declaration: OptionDeclaration): this
    parseAsync(): Promise<unknown>
  }

  // biome-ignore lint/style/noDefaultExport: the package has a default export.
  export default function yargs(words: readonly string[]): Argv
}
