// The interface of a fuzz target. Each file `NAME.fuzz.ts` exports one `target`; `fuzz/registry.ts`
// lists all. `fuzz/run.mjs` drives runs: random mutations of the seeds and of inputs that reached
// new code, within a time box; a run prints the seed of its generator.

export type FuzzTarget = {
  readonly name: string
  /** Returns valid inputs to start from; files of `fuzz/corpus/NAME` are added to them. */
  readonly seeds: () => readonly Uint8Array[]
  /**
   * Handles any input. Returns, or throws (or rejects with) an error that `allows` accepts; must
   * never hang.
   */
  readonly run: (input: Uint8Array) => void | Promise<void>
  /** Returns true if an error is the typed refusal of bad input. */
  readonly allows: (error: unknown) => boolean
  /** Length of the longest input tried, in bytes. */
  readonly inputBytesMax: number
  /** Words of the input's language that no seed contains, for insertion into inputs. */
  readonly words?: readonly string[]
}
