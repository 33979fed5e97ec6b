// A pause of a loop, which an event may end early.

export class Pause {
  #end: () => void = () => undefined

  /** Resolves after `ms` milliseconds or at the next `end`; `ref`: the process waits for it. */
  wait(ms: number, ref = true): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      if (!ref) timer.unref()
      this.#end = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Ends the present pause, if there is one. */
  end(): void {
    this.#end()
  }
}
