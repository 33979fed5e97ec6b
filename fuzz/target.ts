// What a fuzz target is. One file `NAME.fuzz.ts` a target, exporting `target`; `fuzz/registry.ts`
// lists all. Runs are driven by `fuzz/run.mjs`: random mutations of the seeds and of what reached
// new code, time-boxed, every seed of the generator printed.

export type FuzzTarget = {
  readonly name: string
  /** Valid inputs to start from; files of `fuzz/corpus/NAME` are added to them. */
  readonly seeds: () => readonly Uint8Array[]
  /**
   * Handles any input. Returns, or throws an error that `allows` accepts, at once or by a promise;
   * must never hang.
   */
  readonly run: (input: Uint8Array) => void | Promise<void>
  /** Whether an error is the typed refusal that bad input deserves. */
  readonly allows: (error: unknown) => boolean
  /** Longest input tried. */
  readonly inputBytesMax: number
  /** Words of the input's language that no seed has, to be put into inputs. */
  readonly words?: readonly string[]
}
