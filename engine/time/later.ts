// Work that is delayed a little, so that many requests for it cause one run.

/** Returns a function that runs `work` once, `pauseMs` after the first call since the last run. */
export function later(pauseMs: number, work: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      work()
    }, pauseMs)
  }
}
