// Common options of the command lines of the runs.
import type { Terminal, YargsOption } from '../../tools/terminal/index.ts'

export const amount = (count: number, describe: string): YargsOption => ({
  describe,
  type: 'number',
  default: count,
  requiresArg: true,
})
export const SEED: YargsOption = {
  describe: 'Seed of the random numbers; a new one each time by default',
  type: 'number',
  requiresArg: true,
}

export type Given = { readonly [name: string]: unknown }

export function seedOf(given: Given, terminal: Terminal): number {
  const seed = given['seed'] === undefined ? Date.now() % 1_000_000 : Number(given['seed'])
  terminal.out(`seed ${seed}\n`)
  return seed
}
